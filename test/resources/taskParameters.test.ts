import assert from "node:assert/strict";
import { failure, World } from "./life";

const open = { actionType: "NavigateAction", properties: { Url: "https://new.test/", Wait: "9" } };
const each = { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["a", "b"] } };

describe("TaskParameters", () => {
  let world: World;
  beforeEach(async () => {
    world = await World.create();
  });
  afterEach(() => world.remove());

  const stands = () => {
    const [first, second] = world.emulator.inspect.task("task-1")?.actions ?? [];
    return { properties: first?.properties, items: second?.loopItems };
  };
  const old = { properties: { Url: "https://old.test/", Wait: "1" }, items: ["https://old.test/1"] };
  const ours = { properties: open.properties, items: ["a", "b"] };
  const declared = { taskId: "task-1", actions: { open, each } };
  const restoring = { ...declared, onDelete: "restore" };

  it("writes properties and loops in one request, then only the actions that changed", async () => {
    const parameters = world.declare("TaskParameters");
    await parameters.up(declared);
    assert.deepEqual([world.operations(), stands()], [["updateTaskParameters"], ours]);
    assert.equal(await parameters.up(declared), "nothing");
    const loop = { ...each.loop, items: ["a", "c"] };
    await parameters.up({ taskId: "task-1", actions: { open, each: { ...each, loop } } });
    const loopItems = { actionId: "each", loopType: "UrlList", loopItems: ["a", "c"], isAppend: false };
    assert.deepEqual(world.sent("updateTaskParameters"), [
      { taskId: "task-1", actions: [{ actionType: "LoopAction", actionId: "each", loopItems }] },
    ]);
  });

  it("shows what was changed behind its back, and sets it back", async () => {
    const parameters = world.declare("TaskParameters");
    await parameters.up(declared);
    world.emulator.change.setProperty("task-1", "open", "Url", "https://theirs.test/");
    world.emulator.change.setLoopItems("task-1", "each", ["x"]);
    await parameters.refresh();
    assert.equal(await parameters.up(declared), "updated");
    assert.deepEqual(stands(), ours);
  });

  it("puts no item into the list twice when the answer to an append is lost", async () => {
    const actions = { each: { ...each, loop: { ...each.loop, mode: "append" } } };
    for (const when of ["before", "after"] as const) {
      world.emulator.change.setLoopItems("task-1", "each", old.items);
      const parameters = world.declare("TaskParameters");
      world.emulator.fault({ operation: "updateTaskParameters", kind: "reset", when });
      await failure(parameters.up({ taskId: "task-1", actions }));
      await parameters.up({ taskId: "task-1", actions });
      assert.deepEqual(stands().items, [...old.items, "a", "b"], when);
    }
  });

  it("puts back what stood there before, where ours still stands", async () => {
    const parameters = world.declare("TaskParameters");
    await parameters.up(restoring);
    await parameters.destroy();
    assert.deepEqual([stands(), world.warnings], [old, []]);
  });

  it("leaves what somebody changed since, refreshed or not", async () => {
    for (const refresh of [false, true]) {
      world.emulator.change.setLoopItems("task-1", "each", old.items);
      const parameters = world.declare("TaskParameters");
      await parameters.up(restoring);
      world.emulator.change.setProperty("task-1", "open", "Url", "https://theirs.test/");
      world.emulator.change.setLoopItems("task-1", "each", ["theirs"]);
      if (refresh) {
        await parameters.refresh();
      }
      await parameters.destroy();
      assert.deepEqual(stands().items, ["theirs"]);
      assert.equal(stands().properties?.Url, "https://theirs.test/");
    }
  });

  it("puts back by the next up what it could not, because the answer was lost", async () => {
    for (const when of ["before", "after"] as const) {
      const parameters = world.declare("TaskParameters");
      await parameters.up(restoring);
      const less = { ...restoring, actions: { open: { ...open, properties: { Url: "https://new.test/" } } } };
      world.emulator.fault({ operation: "updateTaskParameters", kind: "reset", when });
      await failure(parameters.up(less));
      assert.deepEqual(parameters.state.actions, less.actions);
      await parameters.refresh();
      await parameters.up(less);
      assert.equal(parameters.state.leaving, undefined);
      assert.deepEqual(stands(), { properties: { Url: "https://new.test/", Wait: "1" }, items: old.items }, when);
      await parameters.destroy();
      assert.deepEqual(stands(), old, when);
    }
    assert.deepEqual(world.warnings, []);
  });

  it("does not undo what the resource wrote that takes its place", async () => {
    const parameters = world.declare("TaskParameters");
    await parameters.up(restoring);
    await parameters.replaceByHand();
    assert.deepEqual([stands(), world.warnings], [ours, []]);
  });
});
