import assert from "node:assert/strict";
import { resourcePage } from "../../scripts/docs/resourcePage";
import { resources } from "../internals/resources";

describe("the page about resources", () => {
  const { TaskCopy, CloudRun, TaskParameters } = resources;
  assert.ok(TaskCopy && CloudRun && TaskParameters);

  it("has a row for each argument and field with its type and default, and one for each output", () => {
    const { text, complaints } = resourcePage([CloudRun, TaskParameters]);
    assert.deepEqual(complaints, []);
    const row = (path: string): string[] =>
      text
        .split("\n")
        .find((line) => line.startsWith(`| \`${path}\` |`))
        ?.split(" | ") ?? [];
    assert.deepEqual(row("taskId").slice(1, 3), ["string", "required"]);
    assert.deepEqual(row("pollSeconds").slice(1, 3), ["number, at least 0", "`10`"]);
    assert.deepEqual(row("statuses.failed").slice(1, 3), ["list of strings", ""]);
    assert.deepEqual(row("actions.*.loop.mode").slice(1, 3), ['`"replace"` or `"append"`', '`"replace"`']);
    assert.match(row("updatedParameters").join(), /Secret/);
    assert.deepEqual(
      [row("lotNo").length, row("ownList"), row("previous"), row("actions.*.loop.count")],
      [2, [], [], []],
    );
  });

  it("is refused where a doc comment is missing, or says otherwise than the description", () => {
    const { args } = TaskCopy;
    const wrong = {
      ...TaskCopy,
      args: {
        ...args,
        onDelete: { ...args.onDelete, default: "retain" },
        forceDestroy: { ...args.forceDestroy, default: true },
        retry: { ...args.retry, replaces: true },
        colour: { ...args.retry },
      },
    };
    const paths = resourcePage([wrong]).complaints.map((complaint) => complaint.split(/[: ]/)[0]);
    assert.deepEqual(paths, ["TaskCopy.onDelete", "TaskCopy.forceDestroy", "TaskCopy.retry", "TaskCopy.colour"]);
  });
});
