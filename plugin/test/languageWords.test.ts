import assert from "node:assert/strict";
import { pathInLanguage, resourceNamed, wordsOf } from "./internals";

describe("messages in the words of a language", () => {
  const message =
    'rerunOn[0] must be a list. Set from.adoptTaskId or waitFor, not webextract:runLabel. csv.for names "rerunOn". startTask (POST /x) in tasks/waitFor.yaml: actions.open.actionType';

  const wrongName = 'is not a valid name; did you mean "actionType"? Valid names: actionType, loop';

  it("have the names of the SDK for Python, also where they are keywords", () => {
    assert.equal(
      wordsOf("python")(message),
      'rerun_on[0] must be a list. Set from_.adopt_task_id or wait_for, not webextract:runLabel. csv.for_ names "rerunOn". startTask (POST /x) in tasks/waitFor.yaml: actions.open.action_type',
    );
    assert.equal(
      wordsOf("python")("from is missing: copied from shop.test"),
      "from_ is missing: copied from shop.test",
    );
    assert.match(wordsOf("python")(wrongName), /did you mean "action_type"\? Valid names: action_type, loop/);
  });

  it("have the names of the SDK for Go", () => {
    assert.match(
      wordsOf("go")(message),
      /^RerunOn\[0\] must be a list\. Set From\.AdoptTaskId or WaitFor, not webextract:runLabel/,
    );
    assert.equal(wordsOf("go")(wrongName), wrongName);
  });

  it("have the path that the program writes, with the user's own keys", () => {
    const { args } = resourceNamed("DataExport");
    const inGo = (path: string) => pathInLanguage(path, args, "go");
    assert.deepEqual(["csv.for", "columns.lotNo", "checks.fields.minRows.filled", "pipe[0]", "typo"].map(inGo), [
      "Csv.For",
      "Columns.lotNo",
      "Checks.Fields.minRows.Filled",
      "Pipe[0]",
      "typo",
    ]);
    const { args: taskArgs } = resourceNamed("ExtractionTask");
    const path = "actions.waitFor.properties.Field.currency";
    assert.equal(pathInLanguage(path, taskArgs, "go"), "Actions.waitFor.Properties.Field.currency");
    assert.equal(pathInLanguage("from.adoptTaskId", taskArgs, "python"), "from_.adopt_task_id");
    assert.equal(pathInLanguage(path, taskArgs, "yaml"), path);
  });

  it("stay as they are in all others", () => {
    for (const runtime of ["yaml", "nodejs", "", "constructor"]) assert.equal(wordsOf(runtime)(message), message);
  });
});
