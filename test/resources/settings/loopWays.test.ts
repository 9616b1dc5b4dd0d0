import assert from "node:assert/strict";
import type { Behaviour } from "webextract-emulator";
import { failure, task, World } from "../life";

const others = ["task-2", "task-3"].map((taskId) => ({ ...task, taskId }));
const loop = (items: string[]) => ({ actionType: "LoopAction", loop: { loopType: "UrlList", items } });
const open = { actionType: "NavigateAction", properties: { Wait: "9" } };

describe("the loops of updateTaskParameters", () => {
  let world: World;
  afterEach(() => world.remove());

  const start = async (behaviour: Partial<Behaviour>): Promise<void> => {
    world = await World.create({ behaviour, tasks: [task, ...others] });
  };
  const items = (taskId: string) => world.emulator.inspect.task(taskId)?.actions[1]?.loopItems;
  /** Creates the parameters of a task, whose list the state does not know. @returns the operations. */
  const written = async (taskId: string, list = ["a", "b"]): Promise<string[]> => {
    world.operations();
    await world.declare("TaskParameters", taskId).up({ taskId, actions: { open, each: loop(list) } });
    assert.deepEqual(items(taskId), list);
    assert.equal(world.emulator.inspect.task(taskId)?.actions[0]?.properties.Wait, "9");
    const [read, ...rest] = world.operations();
    assert.equal(read, "getActions", "a create reads what is in effect");
    return rest;
  };

  it("need no other request if the response lists them beside the actions", async () => {
    await start({ updatedParameters: "lists" });
    assert.deepEqual(await written("task-1"), ["updateTaskParameters"]);
    assert.deepEqual(world.warnings, []);
  });

  for (const updatedParameters of ["repeated", "counts", "empty"] as const) {
    it(`are read until a read has shown once that another list was written (${updatedParameters})`, async () => {
      await start({ updatedParameters });
      await world.command(async () => {
        assert.deepEqual(await written("task-1"), ["updateTaskParameters", "getActions"]);
        assert.deepEqual(await written("task-2"), ["updateTaskParameters"]);
      });
      assert.deepEqual(world.warnings, []);
    });

    it(`are read for the first copy of a command (${updatedParameters})`, async () => {
      await start({ updatedParameters });
      const from = { sourceTaskId: "task-1", taskGroupId: "group-1" };
      await world.command(async () => {
        for (const name of ["first", "second", "third"]) {
          const copy = world.declare("ExtractionTask", name);
          await copy.up({ from, actions: { open, each: loop([name]) } });
          assert.deepEqual(items(copy.id ?? ""), [name]);
        }
      });
      assert.deepEqual(world.operations(), [
        ...["getData", "copyTask", "getActions", "updateTaskParameters", "getActions"],
        ...["copyTask", "getActions", "updateTaskParameters"],
        ...["copyTask", "updateTaskParameters"],
      ]);
    });
  }

  it("are read before and after a change, if it is not known that the list was another one", async () => {
    await start({});
    const declared = (list: string[]) => ({ taskId: "task-1", actions: { open, each: loop(list) } });
    const parameters = world.declare("TaskParameters");
    await parameters.up(declared(["a"]));
    world.operations();
    await world.command(async () => {
      await parameters.up(declared(["b"]));
      await parameters.up(declared(["c"]));
      await parameters.up(declared(["d"]));
    });
    assert.deepEqual(world.operations(), [
      ...["updateTaskParameters", "getActions"],
      ...["getActions", "updateTaskParameters", "getActions"],
      "updateTaskParameters",
    ]);
  });

  it("are sent by updateLoopItems if the service repeats the request and ignores them", async () => {
    await start({ loopsInActions: "repeatedOnly" });
    await world.command(async () => {
      assert.deepEqual(await written("task-1"), ["updateTaskParameters", "getActions", "updateLoopItems"]);
      assert.deepEqual(await written("task-2"), ["updateTaskParameters", "updateLoopItems"]);
    });
    assert.deepEqual(world.warnings, []);
  });

  for (const updatedParameters of ["repeated", "lists", "counts", "empty"] as const) {
    it(`are sent by updateLoopItems, without a warning, if the service ignores them (${updatedParameters})`, async () => {
      await start({ loopsInActions: "ignored", updatedParameters });
      await world.command(async () => {
        assert.deepEqual(await written("task-1"), ["updateTaskParameters", "getActions", "updateLoopItems"]);
        assert.deepEqual(await written("task-2"), ["updateTaskParameters", "updateLoopItems"]);
      });
      assert.deepEqual(world.warnings, []);
      assert.deepEqual(await written("task-3"), ["updateTaskParameters", "getActions", "updateLoopItems"]);
    });
  }

  it("are not taken for written because the list was the same before", async () => {
    await start({ loopsInActions: "ignored", updatedParameters: "empty" });
    const from = { sourceTaskId: "task-1", taskGroupId: "group-1" };
    await world.command(async () => {
      const first = world.declare("ExtractionTask", "first");
      await first.up({ from, actions: { open, each: loop(["https://old.test/1"]) } });
      assert.deepEqual(world.warnings, []);
      const second = world.declare("ExtractionTask", "second");
      await second.up({ from, actions: { open, each: loop(["new"]) } });
      assert.deepEqual(items(second.id ?? ""), ["new"]);
    });
    assert.deepEqual(world.warnings, []);
  });

  it("are sent by updateLoopItems if the service does not show them, or fails at the read", async () => {
    await start({ updatedParameters: "empty" });
    for (let reads = 0; reads < 2; reads += 1) {
      world.emulator.fault({ operation: "getActions", kind: "error", code: "PermissionDenied" });
    }
    assert.deepEqual(await written("task-1"), ["getData", "updateTaskParameters", "getActions", "updateLoopItems"]);
    world.configure({ maxRetries: "0" });
    world.emulator.fault({ operation: "getActions", kind: "status", status: 503, skip: 1 });
    assert.deepEqual(await written("task-2"), ["updateTaskParameters", "getActions", "updateLoopItems"]);
    assert.deepEqual(world.warnings, []);
  });

  it("are sent by updateLoopItems in its own spelling of the type, in which getActions need not show it", async () => {
    await start({ loopsInActions: "ignored", loopTypeWritten: "strict", loopTypeRead: "upperUrl" });
    const read = { actionType: "LoopAction", loop: { loopType: "URLList", items: ["a"] } };
    await world.declare("TaskParameters").up({ taskId: "task-1", actions: { open, each: read } });
    const items = { actionId: "each", loopType: "URLList", items: ["b"] };
    const loops = world.declare("TaskLoopItems");
    await loops.up({ taskId: "task-2", ...items });
    assert.deepEqual(
      world.sent("updateLoopItems").map((body) => (body as { loopType: string }).loopType),
      ["UrlList", "UrlList"],
    );
    assert.equal(loops.state.loopType, "URLList");
    assert.equal(await loops.refresh(), true);
    assert.equal(await loops.up({ taskId: "task-2", ...items }), "nothing");
  });

  for (const loopType of ["UrlList", "URLList", "urllist"]) {
    it(`have the type in the spelling of each operation that sends them (${loopType})`, async () => {
      await start({ loopTypeWritten: "strict", loopTypeRead: "upperUrl" });
      const actions = { open, each: { actionType: "LoopAction", loop: { loopType, items: ["a"] } } };
      const parameters = world.declare("TaskParameters");
      const whole = world.declare("ExtractionTask");
      const loops = world.declare("TaskLoopItems");
      const args = [
        [parameters, { taskId: "task-1", actions }],
        [whole, { from: { sourceTaskId: "task-2", taskGroupId: "group-1" }, actions }],
        [loops, { taskId: "task-3", actionId: "each", loopType, items: ["a"] }],
      ] as const;
      for (const [resource, given] of args) {
        await resource.up(given);
        await resource.refresh();
        assert.equal(await resource.up(given), "nothing");
      }
      assert.deepEqual([items("task-1"), items(whole.id ?? ""), items("task-3")], [["a"], ["a"], ["a"]]);
      assert.equal(loops.state.loopType, loopType);
    });
  }

  it("that append are always sent by updateLoopItems", async () => {
    await start({});
    const append = { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["x"], mode: "append" } };
    await world.declare("TaskParameters").up({ taskId: "task-1", actions: { open, each: append } });
    assert.deepEqual(items("task-1"), ["https://old.test/1", "x"]);
    assert.deepEqual(world.sent("updateTaskParameters"), [
      {
        taskId: "task-1",
        actions: [{ actionType: "NavigateAction", actionId: "open", properties: [{ name: "Wait", value: "9" }] }],
      },
    ]);
    assert.deepEqual(world.sent("updateLoopItems"), [
      { taskId: "task-1", actionId: "each", loopType: "UrlList", loopItems: ["x"], isAppend: true },
    ]);
  });

  it("are kept as pending, with the values to restore, if only the properties could be written", async () => {
    await start({ loopsInActions: "ignored" });
    const parameters = world.declare("TaskParameters");
    const declared = { taskId: "task-1", actions: { open, each: loop(["a"]) }, onDelete: "restore" };
    world.emulator.fault({ operation: "updateLoopItems", kind: "error", code: "InvalidParameter" });
    assert.match(
      await failure(parameters.up(declared)),
      /400 InvalidParameter.* Other settings were written before\. The next up sends all of them again\.$/,
    );
    assert.deepEqual(parameters.state.pending, ["write"]);
    assert.equal(await parameters.up(declared), "updated");
    assert.deepEqual(items("task-1"), ["a"]);
    assert.equal(parameters.state.pending, undefined);
    await parameters.destroy();
    assert.deepEqual(items("task-1"), ["https://old.test/1"]);
    assert.equal(world.emulator.inspect.task("task-1")?.actions[0]?.properties.Wait, "1");
  });
});
