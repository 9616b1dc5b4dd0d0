import assert from "node:assert/strict";
import { failure, useWorld } from "../life";

const open = { actionType: "NavigateAction", properties: { Url: "https://old.test/", Wait: "1" } };
const each = { actionType: "LoopAction", loop: { loopType: "urllist", items: ["https://old.test/1"] } };
const from = { adoptTaskId: "task-1" };
const { loop } = each;

/** Declarations of what stands at the service, and the operation that would write it. */
const equal = {
  TaskActionConfig: { taskId: "task-1", actions: { open } },
  TaskLoopItems: { taskId: "task-1", actionId: "each", ...loop },
  TaskParameters: { taskId: "task-1", actions: { open, each } },
  ExtractionTask: { from, actions: { open, each } },
} as const;

describe("settings of an adopted task", () => {
  const world = useWorld();

  for (const [type, args] of Object.entries(equal)) {
    it(`are read and not written by ${type} if the task has the declared values`, async () => {
      const settings = world.declare(type);
      await settings.up(args);
      assert.deepEqual(world.operations(), ["getActions"]);
      assert.equal(await settings.refresh(), true);
      assert.equal(await settings.up(args), "nothing");
      assert.deepEqual(world.operations(), ["getActions"]);
    });
  }

  it("are written if they differ, in one request and without those that are equal", async () => {
    const properties = { ...open.properties, Wait: "2" };
    const wait = { actionType: "NavigateAction", actionId: "open", properties: [{ name: "Wait", value: "2" }] };
    const different = { open: { ...open, properties }, each };
    for (const [type, args] of [
      ["TaskParameters", { taskId: "task-1", actions: different }],
      ["ExtractionTask", { from, actions: different }],
    ] as const) {
      world.emulator.change.setProperty("task-1", "open", "Wait", "1");
      await world.declare(type).up(args);
      assert.deepEqual(world.sent("updateTaskParameters"), [{ taskId: "task-1", actions: [wait] }]);
      assert.deepEqual(world.operations(), ["getActions", "updateTaskParameters"]);
    }
    world.emulator.change.setProperty("task-1", "open", "Wait", "1");
    await world.declare("TaskActionConfig").up({ taskId: "task-1", actions: { open: { ...open, properties } } });
    assert.deepEqual(world.sent("updateActionProperties"), [{ taskId: "task-1", actions: [wait] }]);
  });

  it("are read if an adopted ExtractionTask declares them later, also after a refused write", async () => {
    const task = world.declare("ExtractionTask");
    await task.up({ from });
    assert.deepEqual(world.operations(), []);
    await task.up({ from, actions: { open } });
    assert.deepEqual(world.operations(), ["getActions"]);
    const other = { ...each, loop: { ...loop, items: ["a"] } };
    const second = world.declare("ExtractionTask", "second");
    world.emulator.fault({ operation: "updateTaskParameters", kind: "error", code: "InvalidParameter" });
    await failure(second.up({ from, actions: { open, each: other } }));
    world.operations();
    await second.up({ from, actions: { open, each: other } });
    const [{ actions }] = world.sent("updateTaskParameters") as [{ actions: { actionId: string }[] }];
    assert.deepEqual(
      actions.map(({ actionId }) => actionId),
      ["each"],
    );
  });

  it("append only the missing items, and nothing if none is missing", async () => {
    const items = world.declare("TaskLoopItems");
    const appended = { ...equal.TaskLoopItems, mode: "append" };
    await items.up(appended);
    assert.deepEqual(world.operations(), ["getActions"]);
    world.write("items.txt", "a\n");
    const file = { taskId: "task-1", actionId: "each", loopType: "UrlList", mode: "append", itemsFile: "items.txt" };
    await world.declare("TaskLoopItems", "file").up(file);
    assert.deepEqual(world.sent("updateLoopItems"), [
      { taskId: "task-1", actionId: "each", loopType: "UrlList", loopItems: ["a"], isAppend: true },
    ]);
  });

  it("are written if the service shows the action with another type", async () => {
    const actions = { open: { ...open, actionType: "LoopAction" } };
    const message = await failure(world.declare("TaskActionConfig").up({ taskId: "task-1", actions }));
    assert.match(message, /is a NavigateAction, not a LoopAction/);
    assert.deepEqual(world.operations(), ["getActions", "updateActionProperties"]);
  });

  it("are all written if the service does not show them to this account", async () => {
    world.emulator.fault({ operation: "getActions", kind: "error", code: "PermissionDenied" });
    await world.declare("TaskParameters").up(equal.TaskParameters);
    assert.deepEqual(world.operations(), ["getActions", "getData", "updateTaskParameters", "getActions"]);
  });

  it("are not written during an outage, and the next up reads them again", async () => {
    const settings = world.declare("TaskParameters");
    world.emulator.fault({ operation: "getActions", kind: "status", status: 503 });
    await failure(settings.up(equal.TaskParameters));
    assert.deepEqual([world.operations(), settings.id], [["getActions"], undefined]);
  });

  it("are not compared for a copy that the same command has made: only the template is read", async () => {
    await world.command(async () => {
      const copy = world.declare("TaskCopy");
      await copy.up({ sourceTaskId: "task-1", taskGroupId: "group-1" });
      await world.declare("TaskActionConfig").up({ taskId: copy.id, actions: { open } });
    });
    const source = { sourceTaskId: "task-1", taskGroupId: "group-1" };
    await world.declare("ExtractionTask").up({ from: source, actions: { open } });
    const made = (write: string) => ["copyTask", "getActions", write];
    const sent = ["getData", ...made("updateActionProperties"), ...made("updateTaskParameters")];
    assert.deepEqual(world.operations(), sent);
  });

  it("are remembered for a restore with the same read, and restored if they were changed", async () => {
    const restoring = { taskId: "task-1", onDelete: "restore" };
    const parameters = world.declare("TaskParameters");
    await parameters.up({ ...restoring, actions: { open, each } });
    assert.deepEqual(world.operations(), ["getActions"]);
    const properties = { ...open.properties, Wait: "2" };
    await parameters.up({ ...restoring, actions: { open: { ...open, properties }, each } });
    await parameters.destroy();
    const [first, second] = world.emulator.inspect.task("task-1")?.actions ?? [];
    assert.deepEqual([first?.properties, second?.loopItems], [open.properties, loop.items]);
    assert.deepEqual(world.warnings, []);
  });

  it("are not kept in the state if there is no such task", async () => {
    const task = world.declare("ExtractionTask");
    await failure(task.up({ from: { adoptTaskId: "nothing" }, actions: { open } }));
    assert.equal(task.id, undefined);
  });
});
