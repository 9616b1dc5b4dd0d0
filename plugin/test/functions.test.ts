import assert from "node:assert/strict";
import { PluginWorld } from "./pluginClient";

describe("functions of the native plugin", () => {
  let world: PluginWorld;
  afterEach(() => world.remove());

  const token = (name: string) => `webextract:index:${name}`;

  it("return maps, whose data is secret, and refuse invalid arguments", async () => {
    world = await PluginWorld.create();
    world.emulator.change.startRun("task-1");
    await world.emulator.settled();
    const { result: actions } = await world.invoke(token("getActions"), {
      taskIds: ["task-1"],
      actionTypes: ["LoopAction"],
    });
    assert.deepEqual(Object.keys(actions), ["tasks"]);
    assert.ok("value" in (actions.tasks as object));
    const { result: rows } = await world.invoke(token("getData"), { taskId: "task-1", maxRows: 2 });
    assert.deepEqual(
      [(rows.rows as { value: unknown[] }).value.length, (rows.total as { value: number }).value],
      [2, 25],
    );
    const { result: plain } = await world.invoke(token("getData"), { taskId: "task-1", maxRows: 2, plain: true });
    assert.deepEqual([(plain.rows as unknown[]).length, plain.total], [2, 25]);
    const { result: subtasks } = await world.invoke(token("getSubtasks"), { taskId: "task-1" });
    assert.equal((subtasks.subtasks as unknown[]).length, 3);
    world.operations();
    assert.deepEqual((await world.invoke(token("getData"), { taskid: "task-1" })).failures, [
      'getData taskid is not a valid name; did you mean "taskId"? Valid names: taskId, offset, maxRows, profile, plain',
      "getData taskId is missing: it must be a non-empty string",
    ]);
    await assert.rejects(world.invoke(token("getNothing"), {}), /has no function/);
    assert.deepEqual(world.operations(), []);
  });

  it("use no refresh token in a preview", async () => {
    world = await PluginWorld.create({ config: { accessToken: "", refreshToken: "refresh-1" } });
    await assert.rejects(
      world.invoke(token("getSubtasks"), { taskId: "task-1" }, true),
      /In a preview, reads use only accessToken/,
    );
    assert.deepEqual(world.operations(), []);
  });
});
