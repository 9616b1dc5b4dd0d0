import assert from "node:assert/strict";
import { failure, useWorld, World } from "../life";

const open = (properties: Record<string, string>) => ({ open: { actionType: "NavigateAction", properties } });
const declared = { taskId: "task-1", actions: open({ Url: "https://new.test/", Wait: "9" }) };

describe("TaskActionConfig", () => {
  const world = useWorld();

  const stands = (): Record<string, string> | undefined =>
    world.emulator.inspect.task("task-1")?.actions.find(({ actionId }) => actionId === "open")?.properties;

  it("writes all actions in one request, then only the actions that changed, and nothing when nothing changed", async () => {
    const config = world.declare("TaskActionConfig");
    const each = { actionType: "LoopAction", properties: { Order: "asc" } };
    await config.up({ taskId: "task-1", actions: { ...declared.actions, each } });
    assert.equal(config.id, "task-1");
    assert.deepEqual(world.sent("updateActionProperties"), [
      {
        taskId: "task-1",
        actions: [
          {
            actionType: "NavigateAction",
            actionId: "open",
            properties: [
              { name: "Url", value: "https://new.test/" },
              { name: "Wait", value: "9" },
            ],
          },
          { actionType: "LoopAction", actionId: "each", properties: [{ name: "Order", value: "asc" }] },
        ],
      },
    ]);
    world.operations();
    assert.equal(await config.up({ taskId: "task-1", actions: { ...declared.actions, each } }), "nothing");
    await config.up({
      taskId: "task-1",
      actions: { ...declared.actions, each: { ...each, properties: { Order: "desc" } } },
    });
    const actions = [{ actionType: "LoopAction", actionId: "each", properties: [{ name: "Order", value: "desc" }] }];
    assert.deepEqual(world.sent("updateActionProperties"), [{ taskId: "task-1", actions }]);
    assert.deepEqual(world.operations(), ["updateActionProperties"]);
  });

  it("shows a value that somebody else changed, and corrects it with the next up", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up(declared);
    world.emulator.change.setProperty("task-1", "open", "Url", "https://theirs.test/");
    assert.equal(await config.refresh(), true);
    assert.deepEqual(config.state.actions, open({ Url: "https://theirs.test/", Wait: "9" }));
    assert.equal(await config.up(declared), "updated");
    assert.equal(stands()?.Url, "https://new.test/");
  });

  it("sends numbers and booleans as strings, and sees no change between a value and its string", async () => {
    const typed = { Url: "https://new.test/", Wait: 3, Deep: true };
    const strings = { Url: "https://new.test/", Wait: "3", Deep: "true" };
    const config = world.declare("TaskActionConfig");
    await config.up({ taskId: "task-1", actions: { open: { actionType: "NavigateAction", properties: typed } } });
    assert.deepEqual([config.state.actions, stands()], [open(strings), strings]);
    assert.equal(await config.up({ taskId: "task-1", actions: open(strings) }), "nothing");
  });

  it("sees no drift in another form of the same values", async () => {
    for (const actionShape of ["list", "map", "flat"] as const) {
      for (const propertyValues of ["asWritten", "typed"] as const) {
        world.emulator.setBehaviour({ actionShape, propertyValues });
        const config = world.declare("TaskActionConfig");
        const args = { taskId: "task-1", actions: open({ Url: "https://new.test/", Wait: "1.10", Deep: "true" }) };
        await config.up(args);
        await config.refresh();
        assert.equal(await config.up(args), "nothing", `${actionShape} ${propertyValues}`);
      }
    }
  });

  it("sees no drift in a number or a boolean that the service shows without its spelling, and sees another one", async () => {
    const config = world.declare("TaskActionConfig");
    const args = { taskId: "task-1", actions: open({ Wait: "1.0", Deep: "True" }) };
    await config.up(args);
    for (const [properties, outcome] of [
      [{ Wait: 1, Deep: true }, "nothing"],
      [{ Wait: 2, Deep: true }, "updated"],
      [{ Wait: 1, Deep: false }, "updated"],
    ] as const) {
      const body = { data: [{ taskId: "task-1", actions: [{ actionId: "open", properties }] }], requestId: "r" };
      world.emulator.fault({ operation: "getActions", kind: "status", status: 200, body });
      await config.refresh();
      assert.equal(await config.up(args), outcome);
    }
  });

  it("reads fields without regard to case", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up(declared);
    const Properties = [{ name: "Url", value: "https://theirs.test/" }];
    const actions = [{ ActionId: "open", Properties }];
    const body = { data: [{ taskId: "task-1", actions }], requestId: "r" };
    world.emulator.fault({ operation: "getActions", kind: "status", status: 200, body });
    await config.refresh();
    assert.deepEqual(config.state.actions, open({ Url: "https://theirs.test/", Wait: "9" }));
  });

  it("keeps its state if the service does not show the action, and is gone only with its task", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up(declared);
    world.emulator.change.deleteAction("task-1", "open");
    assert.equal(await config.refresh(), true);
    assert.deepEqual(config.state.actions, declared.actions);
    world.emulator.setBehaviour({ getActionsMissing: "leftOut", getActionsEmptyTypes: "refused" });
    world.emulator.change.deleteTask("task-1");
    assert.equal(await config.refresh(), true);
    world.emulator.setBehaviour({ getActionsMissing: "refusedNamed" });
    assert.equal(await config.refresh(), false);
  });

  it("keeps its state if the response is lost, and writes again with the next up", async () => {
    const config = world.declare("TaskActionConfig");
    world.emulator.fault({ operation: "updateActionProperties", kind: "reset", when: "before" });
    await failure(config.up(declared));
    assert.deepEqual([config.id, config.state.pending], ["task-1", ["write"]]);
    assert.equal(await config.refresh(), true);
    assert.equal(await config.up(declared), "updated");
    assert.deepEqual(stands(), declared.actions.open.properties);
    assert.equal(config.state.pending, undefined);
  });

  it("writes again after a lost response also if no refresh has read what the service has", async () => {
    const config = world.declare("TaskActionConfig");
    world.emulator.fault({ operation: "updateActionProperties", kind: "reset", when: "before" });
    await failure(config.up(declared));
    assert.equal(await config.up(declared), "updated");
    assert.deepEqual(stands(), declared.actions.open.properties);
  });

  it("is not created when the write is refused", async () => {
    const config = world.declare("TaskActionConfig");
    world.emulator.change.deleteAction("task-1", "open");
    assert.match(await failure(config.up(declared)), /TaskSettingsNotFound/);
    assert.equal(config.id, undefined);
  });

  it("names the values that stay, and never unsets a value", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up(declared);
    await config.up({ taskId: "task-1", actions: open({ Url: "https://new.test/" }) });
    assert.match(world.warnings.join(), /keeps the present values of open.Wait: they were not restored/);
    await config.destroy();
    assert.match(world.warnings.join(), /keeps .*open\.Url/);
    assert.deepEqual(stands(), declared.actions.open.properties);
    assert.equal(world.sent("updateActionProperties").length, 1);
  });

  it("does not warn about a task that is gone", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up({ ...declared, onDelete: "restore" });
    world.emulator.change.deleteTask("task-1");
    await config.destroy();
    assert.deepEqual(world.warnings, []);
  });
});

describe("TaskActionConfig with onDelete restore", () => {
  const restoring = { ...declared, onDelete: "restore" };
  const old = { Url: "https://old.test/", Wait: "1" };
  const world = useWorld();

  const stands = (): Record<string, string> | undefined =>
    world.emulator.inspect.task("task-1")?.actions.find(({ actionId }) => actionId === "open")?.properties;

  it("reads before it writes, and restores the old values", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up(restoring);
    assert.deepEqual(world.operations(), ["getActions", "updateActionProperties"]);
    assert.deepEqual(config.state.previous, { open: old });
    await config.destroy();
    assert.deepEqual(stands(), old);
    assert.deepEqual(world.warnings, []);
  });

  it("restores a property that leaves the declaration, in the same request as the other changes", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up(restoring);
    world.operations();
    await config.up({ ...restoring, actions: open({ Url: "https://newer.test/" }) });
    assert.deepEqual(world.operations(), ["getActions", "updateActionProperties"]);
    assert.deepEqual(stands(), { Url: "https://newer.test/", Wait: "1" });
    assert.deepEqual(config.state.previous, { open: { Url: "https://old.test/" } });
    await config.destroy();
    assert.deepEqual(stands(), old);
  });

  it("keeps a value that somebody else changed, with and without a refresh, and says so", async () => {
    for (const refreshes of [0, 2]) {
      world.emulator.change.setProperty("task-1", "open", "Url", old.Url);
      const config = world.declare("TaskActionConfig");
      await config.up(restoring);
      world.emulator.change.setProperty("task-1", "open", "Url", "https://theirs.test/");
      for (let count = 0; count < refreshes; count++) {
        await config.refresh();
      }
      await config.destroy();
      assert.deepEqual(stands(), { Url: "https://theirs.test/", Wait: "1" });
      assert.match(world.warnings.splice(0).join(), /keeps .*open\.Url/);
    }
  });

  it("restores the old value after it has overwritten somebody else's change", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up(restoring);
    world.emulator.change.setProperty("task-1", "open", "Url", "https://theirs.test/");
    await config.refresh();
    await config.up(restoring);
    await config.destroy();
    assert.deepEqual(stands(), old);
  });

  it("reads nothing for an update that removes no setting and adds none", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up(restoring);
    world.operations();
    await config.up({ ...restoring, actions: open({ Url: "https://newer.test/", Wait: "9" }) });
    assert.deepEqual(world.operations(), ["updateActionProperties"]);
  });

  const declaredAgain = async () => {
    for (const name of ["Url", "Wait"] as const) world.emulator.change.setProperty("task-1", "open", name, old[name]);
    const config = world.declare("TaskActionConfig");
    await config.up(restoring);
    return config;
  };

  it("restores the old values with the next up if the response was lost", async () => {
    for (const when of ["before", "after"] as const) {
      const config = await declaredAgain();
      const less = { ...restoring, actions: open({ Url: "https://new.test/" }) };
      world.emulator.fault({ operation: "updateActionProperties", kind: "reset", when });
      await failure(config.up(less));
      // Under the declared property's own path it would be no secret any more: the program does not declare it.
      assert.deepEqual(config.state.actions, less.actions);
      await config.refresh();
      await config.up(less);
      assert.equal(config.state.leaving, undefined);
      assert.deepEqual(config.state.previous, { open: { Url: old.Url } });
      assert.deepEqual(stands(), { Url: "https://new.test/", Wait: "1" }, when);
      await config.destroy();
      assert.deepEqual(stands(), old, when);
    }
    assert.deepEqual(world.warnings, []);
  });

  it("changes nothing about what a destroy restores if the response is lost and nothing left the program", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up(declared);
    const more = { ...declared, actions: open({ Url: "https://newer.test/", Wait: "9" }) };
    world.emulator.fault({ operation: "updateActionProperties", kind: "reset", when: "after" });
    await failure(config.up(more));
    const { onDelete, previous, leaving } = config.state;
    assert.deepEqual({ onDelete, previous, leaving }, { onDelete: undefined, previous: undefined, leaving: undefined });
  });

  it("restores the old values after a lost response also if the next command destroys, or no longer restores", async () => {
    for (const next of ["destroy", "retain"] as const) {
      for (const when of ["before", "after"] as const) {
        const config = await declaredAgain();
        const onDelete = next === "retain" ? "retain" : "restore";
        const less = { ...restoring, onDelete, actions: open({ Url: "https://new.test/" }) };
        world.emulator.fault({ operation: "updateActionProperties", kind: "reset", when });
        await failure(config.up(less));
        await (next === "destroy" ? config.destroy() : config.up(less));
        const url = next === "destroy" ? old.Url : "https://new.test/";
        assert.deepEqual(stands(), { Url: url, Wait: "1" }, `${next} ${when}`);
      }
    }
    assert.deepEqual(world.warnings, []);
  });

  it("restores the old values after a lost response also if the settings return to the program first", async () => {
    for (const when of ["before", "after"] as const) {
      const config = await declaredAgain();
      world.emulator.fault({ operation: "updateActionProperties", kind: "reset", when });
      await failure(config.up({ ...restoring, actions: open({ Url: "https://new.test/" }) }));
      await config.up(restoring);
      assert.deepEqual(stands(), declared.actions.open.properties, when);
      await config.destroy();
      assert.deepEqual(stands(), old, when);
    }
  });

  it("restores also what was declared for the first time in the update whose response was lost", async () => {
    for (const when of ["before", "after"] as const) {
      const config = world.declare("TaskActionConfig");
      await config.up({ ...restoring, actions: open({ Url: "https://new.test/" }) });
      const other = { ...restoring, actions: open({ Wait: "9" }) };
      world.emulator.fault({ operation: "updateActionProperties", kind: "reset", when });
      await failure(config.up(other));
      await config.up(other);
      assert.deepEqual(stands(), { Url: old.Url, Wait: "9" }, when);
      await config.destroy();
      assert.deepEqual(stands(), old, when);
    }
    assert.deepEqual(world.warnings, []);
  });

  it("keeps a value that somebody else changed after a lost response to its restore", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up(restoring);
    const less = { ...restoring, actions: open({ Url: "https://new.test/" }) };
    world.emulator.fault({ operation: "updateActionProperties", kind: "reset", when: "before" });
    await failure(config.up(less));
    world.emulator.change.setProperty("task-1", "open", "Wait", "7");
    await config.up(less);
    assert.deepEqual(stands(), { Url: "https://new.test/", Wait: "7" });
    assert.deepEqual(world.warnings, ['Task "task-1" keeps the present values of open.Wait: they were not restored.']);
  });

  it("does not undo what its replacement, or the same resource under a new name, wrote in the same run", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up(restoring);
    await config.replaceByHand();
    assert.deepEqual(stands(), declared.actions.open.properties);
    const renamed = world.declare("TaskActionConfig");
    await world.command(async () => {
      await renamed.up(restoring);
      await config.destroy();
    });
    assert.deepEqual(stands(), declared.actions.open.properties);
  });

  it("warns that the old value is not restored when another resource takes over", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up({ ...restoring, actions: open({ Url: "https://new.test/", Wait: "1" }) });
    await config.replaceByHand();
    assert.deepEqual(world.warnings, ['Task "task-1" keeps the present values of open.Url: they were not restored.']);
  });

  it("does not undo what another resource writes between its read and its restore", async () => {
    for (const type of ["TaskActionConfig", "TaskParameters"]) {
      for (const leave of ["up", "destroy"] as const) {
        const from = world.declare(type, `from-${type}-${leave}`);
        const to = world.declare(type, `to-${type}-${leave}`);
        await from.up({ ...restoring, actions: open({ Url: "https://new.test/", Wait: "2" }) });
        world.warnings = [];
        await world.command(async () => {
          const look = world.emulator.hold({ operation: "getActions" });
          const leaving =
            leave === "up" ? from.up({ ...restoring, actions: open({ Url: "https://new.test/" }) }) : from.destroy();
          await look.reached;
          const written = to.up({ taskId: "task-1", actions: open({ Wait: "2" }) });
          look.release();
          await Promise.all([leaving, written]);
        });
        assert.equal(stands()?.Wait, "2", `${type} ${leave}`);
        await to.destroy();
        await from.destroy();
        world.emulator.change.setProperty("task-1", "open", "Url", old.Url);
        world.emulator.change.setProperty("task-1", "open", "Wait", old.Wait);
      }
    }
  });

  it("restores values although another resource sets them in a task with the same id in another account", async () => {
    const other = await World.create();
    try {
      const { accessToken } = other.emulator.credentials;
      world.configure({ profiles: JSON.stringify({ other: { baseUrl: other.emulator.url, accessToken } }) });
      const config = world.declare("TaskActionConfig", "here");
      await config.up(restoring);
      await world.command(async () => {
        await world.declare("TaskActionConfig", "there").up({ ...declared, profile: "other" });
        await config.destroy();
      });
      assert.deepEqual(stands(), old);
    } finally {
      await other.remove();
    }
  });

  it("restores only the values that were declared with restore", async () => {
    const config = world.declare("TaskActionConfig");
    await config.up({ taskId: "task-1", actions: open({ Url: "https://new.test/" }) });
    await config.up(restoring);
    assert.deepEqual(config.state.previous, { open: { Wait: "1" } });
    await config.destroy();
    assert.deepEqual(stands(), { Url: "https://new.test/", Wait: "1" });
    assert.match(world.warnings.join(), /keeps .*open\.Url/);
  });

  it("never sends a value that it did not read, and restores an empty string", async () => {
    world.emulator.change.setProperty("task-1", "open", "Url", "");
    const config = world.declare("TaskActionConfig");
    await config.up({ ...restoring, actions: open({ Url: "https://new.test/", NewOne: "x" }) });
    await config.destroy();
    assert.deepEqual(stands(), { Url: "", Wait: "1", NewOne: "x" });
    assert.match(world.warnings.join(), /keeps .*open\.NewOne/);
  });

  it("warns at once if a value cannot be restored later: not shown, or too large", async () => {
    const hidden = world.declare("TaskActionConfig");
    await hidden.up({ ...restoring, actions: open({ NewOne: "x" }) });
    assert.match(world.warnings.join(), /open.NewOne cannot be restored later\. The service does not show/);

    world.emulator.change.setProperty("task-1", "open", "Url", "u".repeat(33_000));
    const large = world.declare("TaskActionConfig");
    await large.up(restoring);
    assert.match(world.warnings.join(), /open\.Url cannot be restored later\. .* 32 kB/);
    assert.deepEqual(large.state.previous, { open: { Wait: "1" } });
    await large.destroy();
    assert.match(world.warnings.join(), /keeps the present values of open\.Url: they/);
  });

  it("does not write if it cannot read first", async () => {
    const config = world.declare("TaskActionConfig");
    world.emulator.fault({ operation: "getActions", kind: "reset" });
    await failure(config.up(restoring));
    assert.deepEqual([config.id, world.operations()], [undefined, ["getActions"]]);
  });
});
