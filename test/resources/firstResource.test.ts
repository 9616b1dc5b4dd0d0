import assert from "node:assert/strict";
import { markedRows } from "./firstResource";
import { World } from "./life";

describe("the resource of the page for contributors", () => {
  let world: World;
  before(async () => {
    world = await World.create();
  });
  after(() => world.remove());

  it("is checked, compared, created and updated like the others", async () => {
    const provider = world.providers.provider("MarkedRows", markedRows);
    const { failures } = await provider.check({}, { taskId: "", reasen: "first" });
    assert.deepEqual(failures?.map(({ reason }) => reason.split(" ")[0]).sort(), ["reasen", "reason", "taskId"]);
    const args = { taskId: "task-1", reason: "first" };
    const { id, outs } = await provider.create(args);
    assert.deepEqual([id, outs?.reason], ["task-1", "first"]);
    assert.deepEqual((await provider.diff("task-1", outs, { ...args, taskId: "task-2" })).replaces, ["taskId"]);
    const changed = await provider.diff("task-1", outs, { ...args, reason: "second" });
    assert.deepEqual(changed.replaces ?? [], []);
    assert.equal((await provider.update("task-1", outs, { ...args, reason: "second" })).outs?.reason, "second");
    await provider.delete("task-1", outs);
    assert.deepEqual(world.operations(), ["markExported", "markExported"]);
  });
});
