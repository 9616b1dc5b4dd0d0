import assert from "node:assert/strict";
import type { Behaviour, SeedTask } from "webextract-emulator";
import { World } from "../life";

const properties = { Url: "https://old.test/", MaxPages: "3" };
const task: SeedTask = {
  taskId: "task-1",
  taskGroupId: "group-1",
  actions: [
    { actionType: "NavigateAction", actionId: "open", properties },
    { actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: ["https://old.test/1"] },
  ],
};
const open = (more: Record<string, string>) => ({
  open: { actionType: "NavigateAction", properties: { ...properties, ...more } },
});
const source = { sourceTaskId: "task-1", taskGroupId: "group-1" };
const misspelt = (taskId = "task-1") =>
  `Task "${taskId}" does not show property "MaxPage" of action "open" (did you mean "MaxPages"?). ` +
  "The value is written all the same, and the service may ignore it. Check the name.";

describe("a property that the action does not have", () => {
  let world: World;
  const start = async (behaviour: Partial<Behaviour> = {}): Promise<void> => {
    world = await World.create({ behaviour, tasks: [task, { ...task, taskId: "task-2" }] });
  };
  const stored = (taskId = "task-1") => world.emulator.inspect.task(taskId)?.actions[0]?.properties;
  afterEach(() => world.remove());

  const declared = {
    TaskActionConfig: (actions: object) => ({ taskId: "task-1", actions }),
    TaskParameters: (actions: object) => ({ taskId: "task-1", actions }),
    ExtractionTask: (actions: object) => ({ from: { adoptTaskId: "task-1" }, actions }),
  };
  it("is no warning beside others of its family, whose names are the user's", async () => {
    const list = { actionType: "NavigateAction", actionId: "list", properties: { "Field.title": "h1" } };
    world = await World.create({ tasks: [{ ...task, actions: [list] }] });
    const settings = world.declare("TaskActionConfig");
    const properties = { "Field.price": "b", "Shown.price": "b" };
    await settings.up({ taskId: "task-1", actions: { list: { actionType: "NavigateAction", properties } } });
    const [warning = "", ...others] = world.warnings;
    assert.match(warning, /does not show property "Shown\.price"/);
    assert.doesNotMatch(warning, /"Field\.price"/);
    assert.deepEqual(others, []);
  });

  for (const [type, args] of Object.entries(declared)) {
    it(`is a warning with the name that it probably means, when it is first written (${type})`, async () => {
      await start();
      const settings = world.declare(type);
      await settings.up(args(open({})));
      world.operations();
      await settings.up(args(open({ MaxPages: "4" })));
      assert.equal(world.operations().length, 1, "a new value of a known property needs no read");
      await settings.up(args(open({ MaxPages: "4", MaxPage: "5" })));
      const [read, write, ...others] = world.operations();
      assert.deepEqual([read, write?.slice(0, 6), others], ["getActions", "update", []]);
      assert.equal(stored()?.MaxPage, "5");
      assert.deepEqual(world.warnings, [misspelt()]);
      await settings.up(args(open({ MaxPages: "4", MaxPage: "6" })));
      assert.equal(world.operations().length, 1);
    });

    it(`is found in a preview with a refresh, without a further request (${type})`, async () => {
      await start();
      const settings = world.declare(type);
      await settings.up(args(open({})));
      world.operations();
      await settings.preview(args(open({ MaxPage: "5" })));
      assert.deepEqual([world.operations(), world.warnings], [[], []], "a preview makes no request");
      await world.command(async () => {
        await settings.refresh();
        await settings.preview(args(open({ MaxPage: "5" })));
        await settings.up(args(open({ MaxPage: "5" })));
      });
      assert.deepEqual(world.warnings, [misspelt()], "an up with a refresh says it once");
    });
  }

  it("is found in a preview of new settings of a task that the refresh has read", async () => {
    await start();
    const copy = world.declare("TaskCopy");
    await copy.up(source);
    await world.command(async () => {
      await copy.refresh();
      await world.declare("TaskActionConfig").preview({ taskId: copy.id, actions: open({ MaxPage: "5" }) });
    });
    assert.deepEqual(world.warnings, [misspelt(copy.id)]);
  });

  it("is found in the template of new copies, which is read once for all of them", async () => {
    await start();
    const names = ["a", "b", "c"];
    await world.command(async () => {
      for (const name of names) {
        await world.declare("ExtractionTask", name).up({ from: source, actions: open({ MaxPage: "5" }) });
      }
    });
    const sent = world.operations();
    assert.equal(sent.filter((operation) => operation === "getActions").length, 1);
    assert.equal(sent.length, 1 + 2 * names.length + 1);
    assert.equal(world.warnings.length, names.length);
    assert.match(world.warnings.join(), /did you mean "MaxPages"\?/);
  });

  it("is named with those that the action has if none is near", async () => {
    await start();
    const actions = open({ MaxPage: "5", Selector: ".price" });
    await world.declare("TaskActionConfig").up({ taskId: "task-1", actions });
    assert.match(
      world.warnings.join(),
      /^Task "task-1" does not show property "MaxPage" of action "open" \(did you mean "MaxPages"\?\), property "Selector" of action "open" \(only Url, MaxPages\)\./,
    );
  });

  for (const actionShape of ["map", "flat"] as const) {
    it(`is found where the service shows properties as ${actionShape}`, async () => {
      await start({ actionShape });
      await world.declare("TaskActionConfig").up({ taskId: "task-1", actions: open({ MaxPage: "5" }) });
      assert.deepEqual(world.warnings, [misspelt()]);
    });
  }

  it("is no warning if the read fails, or shows no such action or nothing of it", async () => {
    await start();
    const settings = (name: string) => world.declare("TaskActionConfig", name);
    world.emulator.fault({ operation: "getActions", kind: "error", code: "PermissionDenied" });
    await settings("refused").up({ taskId: "task-1", actions: open({ MaxPage: "5" }) });
    const each = { actionType: "LoopAction", properties: { MaxPage: "5" } };
    await settings("empty").up({ taskId: "task-1", actions: { each } });
    world.emulator.fault({ operation: "getActions", kind: "status", status: 503 });
    await world.declare("ExtractionTask").up({ from: source, actions: open({ MaxPage: "5" }) });
    world.emulator.setBehaviour({ getActionsMissing: "leftOut", getActionsEmptyTypes: "none" });
    world.emulator.change.deleteAction("task-2", "open");
    await settings("absent")
      .up({ taskId: "task-2", actions: open({ MaxPage: "5" }) })
      .catch(() => undefined);
    assert.deepEqual(world.warnings, []);
  });
});
