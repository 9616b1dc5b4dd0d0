import assert from "node:assert/strict";
import { World } from "./world";

describe("two owners of one part, whose tasks are known to be the same only at apply", () => {
  it("pass the preview; the second is refused before it sends anything, both named", async () => {
    const world = await World.create({
      program: `
        const task = (name) => new TaskCopy(name, { adoptTaskId: pulumi.output("template-1") });
        const args = (taskId) => ({ taskId, actions: { open: { actionType: "NavigateAction", properties: { Url: "https://new.test/" } } } });
        new TaskActionConfig("one", args(task("first").id));
        new TaskActionConfig("two", args(task("second").id));
      `,
    });
    try {
      await world.project.preview();
      const { output } = await world.project.up({ expect: "failure" });
      assert.match(
        output,
        /TaskActionConfig "(one|two)" and TaskActionConfig "(one|two)" \(urn:.*\) both decide property "Url" of action "open" of task "template-1"/,
      );
      assert.deepEqual(world.operations(), ["updateActionProperties"]);
    } finally {
      await world.remove();
    }
  });
});
