import assert from "node:assert/strict";
import { countsOf } from "../internals/resources";
import { InProcess } from "../program/inProcess";
import { useWorld } from "./life";

/** Names that every object of JavaScript has, so that a look into a map finds something under them that nobody put there. */
const names = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"];

const mapOf = <T>(value: T): Record<string, T> => Object.fromEntries(names.map((name) => [name, value]));

const old = { actionType: "LoopAction", properties: mapOf("old"), loopType: "TextList", loopItems: ["old"] };
const task = {
  taskId: "task-1",
  taskGroupId: "group-1",
  actions: names.map((actionId) => ({ ...old, actionId })),
};

describe("names that every object has", () => {
  const world = useWorld({ tasks: [task] });

  const settings = { actionType: "LoopAction", properties: mapOf("ours") };
  const loop = { loopType: "TextList", items: ["ours"] };
  const stands = (value: string): boolean => {
    const actions = world.emulator.inspect.task("task-1")?.actions ?? [];
    return actions.every(({ properties }) => names.every((name) => properties[name] === value));
  };
  const listsStand = (item: string): boolean =>
    world.emulator.inspect.task("task-1")?.actions.every(({ loopItems }) => loopItems?.join() === item) === true;

  for (const actionShape of ["list", "map", "flat"] as const) {
    for (const [type, action, args] of [
      ["TaskActionConfig", settings, { taskId: "task-1", onDelete: "restore" }],
      ["TaskParameters", { ...settings, loop }, { taskId: "task-1", onDelete: "restore" }],
      ["ExtractionTask", { ...settings, loop }, { from: { adoptTaskId: "task-1" } }],
    ] as const) {
      it(`are ids of actions and properties of a ${type} like any other, shown as ${actionShape}`, async () => {
        world.emulator.setBehaviour({ actionShape });
        const each = world.declare(type);
        const whole = { ...args, actions: mapOf(action) };
        await each.up(whole);
        assert.ok(stands("ours"));
        assert.equal(listsStand("ours"), "loop" in action);
        await each.refresh();
        assert.equal(await each.up(whole), "nothing");
        world.emulator.change.setProperty("task-1", "__proto__", "valueOf", "theirs");
        await each.refresh();
        assert.equal(await each.up(whole), "updated");
        assert.ok(stands("ours"));
        // All of them go, but for one property of one action.
        const little = { ...args, actions: { toString: { ...settings, properties: { valueOf: "ours" } } } };
        await each.up(little);
        await each.up(whole);
        assert.ok(stands("ours"));
        await each.up({ ...args, actions: mapOf({ ...settings, properties: { other: "ours" } }) });
        if (type === "ExtractionTask") {
          // 25 properties and 5 loops.
          assert.match(
            world.warnings.join("\n"),
            /keeps .*constructor\.constructor, constructor\.toString, .* and 25 more/,
          );
          assert.ok(stands("ours"));
        } else {
          assert.ok(stands("old"));
          assert.ok(listsStand("old"));
        }
      });
    }
  }

  it("are named where their properties stay at the service", async () => {
    const each = world.declare("TaskActionConfig");
    await each.up({ taskId: "task-1", actions: mapOf(settings) });
    const others = { ...settings, properties: { other: "ours" } };
    await each.up({ taskId: "task-1", actions: mapOf(others) });
    assert.match(world.warnings.join(), /keeps .*constructor\.constructor, constructor\.toString, .* and 20 more/);
  });

  it("are not accepted as arguments of a resource", async () => {
    const providers = new InProcess({ baseUrl: "http://127.0.0.1:1" });
    const args = { adoptTaskId: "task-1", ...mapOf("x") };
    const known = (await providers.problems("TaskCopy", { ...args, colour: "red" })).find((each) =>
      each.startsWith("colour"),
    );
    assert.deepEqual(
      await providers.problems("TaskCopy", args),
      names.map((name) => known?.replace("colour", name)),
    );
    const problems = await providers.problems("ExtractionTask", {
      from: { adoptTaskId: "task-1", toString: "x" },
      startUrls: { urls: ["https://a.test/"], valueOf: "x" },
      actions: { valueOf: { ...settings, constructor: "x", loop: { ...loop, toString: ["x"] } } },
    });
    const at = ["from.toString", "startUrls.valueOf", "actions.valueOf.constructor", "actions.valueOf.loop.toString"];
    assert.deepEqual(problems.map((each) => each.split(" ")[0]).sort(), at.sort());
  });

  it("are columns of a CSV like any other, and statuses of subtasks", async () => {
    world.emulator.change.insertRows("task-1", ['{"a":1}', '{"constructor":2,"__proto__":3}']);
    const rows = world.declare("DataExport");
    await rows.up({ taskId: "task-1", scope: "all", path: "rows.csv", format: "csv" });
    assert.equal(world.content("rows.csv"), "a,constructor,__proto__\n1,,\n,2,3\n");
    const counts = countsOf([{ subTaskId: "1", status: "constructor" }]);
    assert.deepEqual(counts, { total: 1, byStatus: Object.fromEntries([["constructor", 1]]) });
  });
});
