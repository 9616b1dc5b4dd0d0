import assert from "node:assert/strict";
import { wordsOf } from "./internals";

describe("messages in the words of a language", () => {
  const message =
    'rerunOn[0] must be a list. Set from.adoptTaskId or waitFor, not webextract:runLabel. csv.for names "rerunOn". startTask (POST /x) in tasks/waitFor.yaml: actions.open.actionType';

  it("have the names of the SDK for Python, also where they are keywords", () => {
    assert.equal(
      wordsOf("python")(message),
      'rerun_on[0] must be a list. Set from_.adopt_task_id or wait_for, not webextract:runLabel. csv.for_ names "rerunOn". startTask (POST /x) in tasks/waitFor.yaml: actions.open.action_type',
    );
    assert.equal(
      wordsOf("python")("from is missing: copied from shop.test"),
      "from_ is missing: copied from shop.test",
    );
  });

  it("have the names of the SDK for Go", () => {
    assert.match(
      wordsOf("go")(message),
      /^RerunOn\[0\] must be a list\. Set From\.AdoptTaskId or WaitFor, not webextract:runLabel/,
    );
  });

  it("stay as they are in all others", () => {
    for (const runtime of ["yaml", "nodejs", "", "constructor"]) assert.equal(wordsOf(runtime)(message), message);
  });
});
