import assert from "node:assert/strict";
import { World } from "./world";

describe("two owners of one setting, in tasks that are known to be the same only in the up", () => {
  it("pass the preview; in the up, the second owner is refused before any request, and the error names both", async () => {
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
      assert.match(output, /^Updating \(/m, "the preview passed");
      assert.match(
        output,
        /TaskActionConfig "(one|two)" and TaskActionConfig "(one|two)" \(urn:.*\) both manage property "Url" of action "open" of task "template-1"/,
      );
      assert.deepEqual(world.operations(), ["getActions", "updateActionProperties"]);
    } finally {
      await world.remove();
    }
  });
});
