import assert from "node:assert/strict";
import { failure, useWorld } from "../life";

const open = { actionType: "NavigateAction", properties: { Url: "https://new.test/", Wait: "9" } };
const each = { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["a", "b"] } };

describe("TaskParameters", () => {
  const world = useWorld();

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
    assert.deepEqual([world.operations(), stands()], [["getActions", "updateTaskParameters", "getActions"], ours]);
    assert.equal(await parameters.up(declared), "nothing");
    const loop = { ...each.loop, items: ["a", "c"] };
    await parameters.up({ taskId: "task-1", actions: { open, each: { ...each, loop } } });
    const loopItems = { actionId: "each", loopType: "URLList", loopItems: ["a", "c"], isAppend: false };
    assert.deepEqual(world.sent("updateTaskParameters"), [
      { taskId: "task-1", actions: [{ actionType: "LoopAction", actionId: "each", loopItems }] },
    ]);
  });

  it("shows a value that somebody else changed, and corrects it", async () => {
    const parameters = world.declare("TaskParameters");
    await parameters.up(declared);
    world.emulator.change.setProperty("task-1", "open", "Url", "https://theirs.test/");
    world.emulator.change.setLoopItems("task-1", "each", ["x"]);
    await parameters.refresh();
    assert.equal(await parameters.up(declared), "updated");
    assert.deepEqual(stands(), ours);
  });

  it("adds no item twice if the response to an append is lost", async () => {
    const actions = { each: { ...each, loop: { ...each.loop, mode: "append" } } };
    for (const when of ["before", "after"] as const) {
      world.emulator.change.setLoopItems("task-1", "each", old.items);
      const parameters = world.declare("TaskParameters");
      world.emulator.fault({ operation: "updateLoopItems", kind: "reset", when });
      await failure(parameters.up({ taskId: "task-1", actions }));
      await parameters.up({ taskId: "task-1", actions });
      assert.deepEqual(stands().items, [...old.items, "a", "b"], when);
    }
  });

  it("restores the old values and list", async () => {
    const parameters = world.declare("TaskParameters");
    await parameters.up(restoring);
    await parameters.destroy();
    assert.deepEqual([stands(), world.warnings], [old, []]);
  });

  it('refuses onDelete "restore" with mode "append", by the path of the loop', async () => {
    const actions = { open, each: { ...each, loop: { ...each.loop, mode: "append" } } };
    await assert.rejects(world.declare("TaskParameters").up({ ...restoring, actions }), {
      message: /^actions\.each\.loop\.mode cannot be "append" together with onDelete "restore"/,
    });
  });

  it("keeps values that somebody else changed, with and without a refresh", async () => {
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

  it("restores the old values and list with the next up if the response was lost", async () => {
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

  it("does not undo what its replacement wrote", async () => {
    const parameters = world.declare("TaskParameters");
    await parameters.up(restoring);
    await parameters.replaceByHand();
    assert.deepEqual(stands(), ours);
    assert.match(
      world.warnings.join(),
      /keeps the present values of open.Url, open.Wait, the loop of action "each": they were not restored/,
    );
  });

  it("reads a loop by the declared type of its action, whatever webextract:actionTypes names", async () => {
    world.configure({ actionTypes: "" });
    const parameters = world.declare("TaskParameters");
    await parameters.up(restoring);
    await parameters.destroy();
    assert.deepEqual([stands(), world.warnings], [old, []]);
  });

  it("remembers at most 32 kB, properties and loops together", async () => {
    world.emulator.change.setProperty("task-1", "open", "Url", "u".repeat(20_000));
    world.emulator.change.setLoopItems("task-1", "each", ["x".repeat(20_000)]);
    const parameters = world.declare("TaskParameters");
    await parameters.up(restoring);
    assert.match(world.warnings.join(), /the loop of action "each" cannot be restored later.* 32 kB/);
    assert.ok(Buffer.byteLength(JSON.stringify(parameters.state.previous)) <= 32 * 1024);
    await parameters.destroy();
    assert.deepEqual(stands(), { properties: { Url: "u".repeat(20_000), Wait: "1" }, items: ["a", "b"] });
  });

  it("takes the items of a loop from a file, and sends them again when the file changed", async () => {
    const actions = { each: { actionType: "LoopAction", loop: { loopType: "UrlList", itemsFile: "items.txt" } } };
    world.write("items.txt", "\ufeffa\r\n\r\nb\r\n");
    const parameters = world.declare("TaskParameters");
    await parameters.up({ taskId: "task-1", actions });
    assert.deepEqual(stands().items, ["a", "b"]);
    world.write("items.txt", "a\nb\n");
    assert.equal(await parameters.up({ taskId: "task-1", actions }), "nothing");
    world.write("items.txt", "a\nb\nc\n");
    assert.equal(await parameters.up({ taskId: "task-1", actions }), "updated");
    assert.deepEqual(stands().items, ["a", "b", "c"]);
    world.emulator.change.setLoopItems("task-1", "each", ["a"]);
    await parameters.refresh();
    assert.equal(await parameters.up({ taskId: "task-1", actions }), "updated");
    assert.deepEqual(stands().items, ["a", "b", "c"]);
  });

  it("appends only missing items, also on a replace or with another loopType", async () => {
    const actions = (loopType: string, items: string[]) => ({
      each: { actionType: "LoopAction", loop: { loopType, items, mode: "append" } },
    });
    const parameters = world.declare("TaskParameters");
    await parameters.up({ taskId: "task-1", actions: actions("UrlList", ["a", ...old.items]) });
    await parameters.replaceByHand();
    await parameters.up({ taskId: "task-1", actions: actions("TextList", ["a", ...old.items, "b"]) });
    assert.deepEqual(stands().items, [...old.items, "a", "b"]);
  });

  it("keeps the service's response as an output", async () => {
    const parameters = world.declare("TaskParameters");
    await parameters.up(declared);
    assert.equal(typeof parameters.state.updatedParameters, "object");
  });
});
