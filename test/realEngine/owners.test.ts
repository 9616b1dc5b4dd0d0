import assert from "node:assert/strict";
import { World } from "./world";

describe("two owners of one setting, in tasks whose ids are outputs", () => {
  it("are refused at preview if the ids are known there, and the error names both", async () => {
    const world = await World.create({
      program: `
        const task = (name) => new TaskCopy(name, { adoptTaskId: pulumi.output("template-1") });
        const args = (taskId) => ({ taskId, actions: { open: { actionType: "NavigateAction", properties: { Url: "https://new.test/" } } } });
        new TaskActionConfig("one", args(task("first").id));
        new TaskActionConfig("two", args(task("second").id));
      `,
    });
    try {
      const { output } = await world.project.run(["up", "--yes"], { expect: "failure" });
      assert.doesNotMatch(output, /^Updating \(/m);
      assert.match(
        output,
        /TaskActionConfig "one" and TaskActionConfig "two" both manage property "Url" of action "open" of the same task/,
      );
      assert.deepEqual(world.operations(), []);
    } finally {
      await world.remove();
    }
  });
});
