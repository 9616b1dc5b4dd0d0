import assert from "node:assert/strict";
import { unknownText } from "../../test/program/inProcess";
import type { Properties } from "./pluginClient";
import { reference, secret, urnOf, usePluginWorld } from "./pluginClient";

const loopArgs = { taskId: "task-1", actionId: "each", loopType: "UrlList", items: ["a"] };
const runArgs = { taskId: "task-1" };

describe("what a program of the native plugin declares", () => {
  const world = usePluginWorld({ config: { runLabel: "night-1" } });

  /** Declares and makes the loop. */
  const loop = async (items = ["a"]) =>
    world.create("TaskLoopItems", await world.checked("TaskLoopItems", { ...loopArgs, items }));
  const rerunOn = async (value: unknown, olds: Properties = {}) =>
    (await world.checked("CloudRun", { ...runArgs, rerunOn: [value] }, { olds })).rerunOn as string[];

  it("is hashed for rerunOn, from a resource and from its id", async () => {
    await loop();
    const byReference = await rerunOn(reference(urnOf("TaskLoopItems", "TaskLoopItems"), "task-1"));
    assert.match(byReference[0] ?? "", /^TaskLoopItems TaskLoopItems [0-9a-f]{12}$/);
    assert.deepEqual(await rerunOn("task-1"), byReference);
    await world.checked("TaskLoopItems", { ...loopArgs, items: ["b"] });
    assert.notDeepEqual(await rerunOn("task-1"), byReference);
    assert.deepEqual(await rerunOn(byReference[0], { rerunOn: byReference }), byReference, "with ignoreChanges");
  });

  it("is hashed for rerunOn from the id of a task that a preview adopts", async () => {
    const adopting = await world.checked("TaskCopy", { adoptTaskId: "task-1" });
    const { id } = await world.create("TaskCopy", adopting, { preview: true });
    assert.match((await rerunOn(id))[0] ?? "", /^TaskCopy TaskCopy [0-9a-f]{12}$/);
  });

  it("is a secret of rerunOn if one of its arguments is secret, as a program with the classes has it", async () => {
    await world.create("TaskLoopItems", await world.checked("TaskLoopItems", { ...loopArgs, items: secret(["a"]) }));
    const name = urnOf("TaskLoopItems", "TaskLoopItems");
    for (const value of [reference(name, "task-1"), "task-1"]) {
      const hidden = (await rerunOn(value)) as unknown as { value: string[] };
      assert.deepEqual(hidden, secret(hidden.value));
      assert.match(hidden.value[0] ?? "", /^TaskLoopItems TaskLoopItems [0-9a-f]{12}$/);
    }
  });

  it("keeps its hash of the state for rerunOn if it is no target, also in the second check of a replaced run", async () => {
    const given = { ...runArgs, rerunOn: [reference(urnOf("TaskCopy", "t"), "task-1")] };
    const olds = { ...runArgs, rerunOn: ["TaskCopy t 0123456789ab"] };
    assert.deepEqual((await world.checked("CloudRun", given, { olds })).rerunOn, olds.rerunOn);
    assert.deepEqual((await world.checked("CloudRun", given)).rerunOn, olds.rerunOn);
  });

  it("is unknown for rerunOn while an argument is unknown, and refused if it is nothing of this provider", async () => {
    await world.checked("TaskLoopItems", { ...loopArgs, taskId: unknownText });
    assert.deepEqual(await rerunOn(reference(urnOf("TaskLoopItems", "TaskLoopItems"), "")), [unknownText]);
    const refused = async (value: unknown) =>
      (await world.check("CloudRun", { ...runArgs, rerunOn: [value] })).failures.join();
    assert.match(
      await refused("nothing"),
      /rerunOn\[0\] must be a resource of webextract, or the id of one, that this command shows/,
    );
    assert.match(
      await refused(reference(urnOf("TaskCopy", "other"), "x")),
      /that this command shows to this provider\. With --target, add that resource as a target/,
    );
    assert.match(
      await refused(reference("urn:pulumi:dev::test::aws:s3:Bucket::b", "b")),
      /must be a resource of webextract/,
    );
    const { failures } = await world.check("CloudRun", {
      ...runArgs,
      triggers: [reference(urnOf("TaskCopy", "c"), "x")],
    });
    assert.match(failures.join(), /triggers has a resource as a value; give a property of it/);
  });

  it("is refused for rerunOn if it is no list", async () => {
    for (const [rerunOn, got] of [
      ["z", "a string"],
      [{ week: 1 }, "a map"],
      [reference(urnOf("TaskCopy", "t"), "task-1"), "a resource. Write it as a list"],
    ] as const) {
      const { failures } = await world.check("CloudRun", { ...runArgs, rerunOn });
      assert.deepEqual(failures.length, 1);
      assert.match(failures.join(), new RegExp(`must be a list of resources or their ids; got ${got}$`));
    }
    assert.deepEqual((await world.check("CloudRun", { ...runArgs, rerunOn: unknownText })).failures, []);
  });

  it("keeps the hash of a resource that --target leaves out", async () => {
    const before = ["TaskLoopItems left 0123456789ab"];
    assert.deepEqual(await rerunOn(reference(urnOf("TaskLoopItems", "left"), "task-1"), { rerunOn: before }), before);
  });

  it("has the run label of the configuration", async () => {
    assert.equal((await world.checked("CloudRun", runArgs)).runLabel, "night-1");
  });

  it("starts no run before the settings of its task", async () => {
    await world.checked("TaskLoopItems", loopArgs);
    const run = await world.checked("CloudRun", runArgs);
    for (const preview of [true, false]) {
      await assert.rejects(
        world.create("CloudRun", run, { preview }),
        /CloudRun "CloudRun" starts before TaskLoopItems "TaskLoopItems" .*Nothing was started\. Add dependsOn/,
      );
    }
    assert.deepEqual(world.operations(), []);
    await loop();
    await world.create("CloudRun", run);
    assert.equal(world.operations().filter((name) => name === "startTask").length, 1);
  });

  it("does not start a run before settings that are checked at the same moment", async () => {
    const run = world.create("CloudRun", await world.checked("CloudRun", runArgs));
    const refused = assert.rejects(run, /starts before TaskLoopItems/);
    await world.checked("TaskLoopItems", loopArgs);
    await refused;
    assert.deepEqual(world.operations(), []);
  });

  it("writes no settings after the start of a run that should have waited for them", async () => {
    await world.create("CloudRun", await world.checked("CloudRun", runArgs), { preview: true });
    const settings = await world.checked("TaskLoopItems", loopArgs);
    await assert.rejects(
      world.create("TaskLoopItems", settings, { preview: true }),
      /Nothing was sent for TaskLoopItems "TaskLoopItems"\. Add dependsOn/,
    );
  });

  it("knows the settings of an adopted task by its id", async () => {
    const from = { adoptTaskId: "task-1" };
    const actions = { open: { actionType: "NavigateAction", properties: { Wait: "5" } } };
    await world.checked("ExtractionTask", { from, actions });
    const run = await world.checked("CloudRun", runArgs);
    await assert.rejects(world.create("CloudRun", run), /starts before ExtractionTask "ExtractionTask"/);
    assert.deepEqual(world.operations(), []);
  });

  const rowsArgs = { taskId: "task-1", scope: "all", path: "rows.ndjson" };

  it("starts no run after settings that have failed, and reads no rows after a run that has, until they are done", async () => {
    const [run, rows] = [await world.checked("CloudRun", runArgs), await world.checked("DataExport", rowsArgs)];
    world.emulator.fault({ operation: "updateLoopItems", kind: "error", code: "InvalidParameter" });
    await assert.rejects(loop());
    await assert.rejects(
      world.create("CloudRun", run),
      /TaskLoopItems "TaskLoopItems" has failed, so nothing was sent/,
    );
    world.emulator.clearFaults();
    await loop();
    world.emulator.fault({ operation: "startTask", kind: "error", code: "InvalidParameter" });
    await assert.rejects(world.create("CloudRun", run), /startTask/);
    await assert.rejects(world.create("DataExport", rows), /CloudRun "CloudRun" has failed, so nothing was sent/);
    world.emulator.clearFaults();
    await world.create("CloudRun", run);
  });

  it("reads no rows before a run that is declared, started again or checked at the same moment, and reads them after it", async () => {
    const run = await world.checked("CloudRun", runArgs);
    const rows = await world.checked("DataExport", rowsArgs);
    for (const preview of [true, false]) {
      await assert.rejects(
        world.create("DataExport", rows, { preview }),
        /DataExport "DataExport" reads all rows of task "task-1" before CloudRun "CloudRun" has started, .*Nothing was read\. Add dependsOn with CloudRun/,
      );
    }
    assert.deepEqual(world.operations(), []);
    await world.create("CloudRun", run);
    await world.create("DataExport", rows, { preview: true });
    const refused = assert.rejects(world.create("DataExport", rows), /before CloudRun "CloudRun" has started/);
    await world.checked("CloudRun", { ...runArgs, triggers: [2] });
    await refused;
  });

  it("reads rows before a run that adopts, and beside one of another task", async () => {
    await world.checked("CloudRun", { ...runArgs, adoptLotNo: "1" });
    await world.checked("CloudRun", { taskId: "task-2" });
    await world.create("DataExport", await world.checked("DataExport", rowsArgs), { preview: true });
    assert.deepEqual(world.warnings, []);
  });

  describe("in the preview of a new task", () => {
    const ofNew = { taskId: unknownText };
    const preview = true;
    const copied = async (name: string) => {
      const copy = await world.checked("TaskCopy", { sourceTaskId: "task-1", taskGroupId: "group-1" }, { name });
      await world.create("TaskCopy", copy, { name, preview });
    };
    const previewed = async (type: string, args: Properties) =>
      world.create(type, await world.checked(type, args), { preview });

    it("is refused with settings that come after the run, however long after", async () => {
      await copied("new");
      await previewed("CloudRun", ofNew);
      await assert.rejects(
        previewed("TaskLoopItems", { ...loopArgs, ...ofNew }),
        /CloudRun "CloudRun" starts before TaskLoopItems "TaskLoopItems" has written its settings to the new task, .*Add dependsOn with TaskLoopItems/,
      );
    });

    it("is refused with an export of all rows that does not wait for the run", async () => {
      await copied("new");
      await world.checked("CloudRun", ofNew);
      await assert.rejects(previewed("DataExport", { ...rowsArgs, ...ofNew }), /reads all rows of the new task before/);
    });

    it("is refused with two exports of one run to one file, as far as the run is known", async () => {
      const rows = { ...ofNew, scope: "batch", lotNo: unknownText, path: "rows/{lotNo}.ndjson" };
      const exported = async (name: string, args: object = {}) =>
        (await world.check("DataExport", { ...rows, ...args }, { name })).failures.join();
      await world.checked("CloudRun", { ...ofNew, waitFor: "finished" });
      assert.deepEqual(
        [await exported("one"), await exported("one"), await exported("csv", { path: "{lotNo}" })],
        ["", "", ""],
      );
      assert.match(await exported("two", { path: "./rows//{lotNo}.ndjson" }), /is the file of DataExport "one" too/);
      await world.checked("CloudRun", { ...ofNew, waitFor: "finished" }, { name: "second" });
      assert.equal(await exported("three"), "");
    });

    it("is shown with settings of another new task, and with a known one", async () => {
      await copied("new");
      await previewed("CloudRun", ofNew);
      await previewed("TaskLoopItems", loopArgs);
      await copied("other");
      await previewed("TaskLoopItems", { ...loopArgs, ...ofNew });
      assert.deepEqual(world.warnings, []);
    });
  });

  it("warns of a run that starts after a read, on which it can depend", async () => {
    await world.create("DataExport", await world.checked("DataExport", rowsArgs), { preview: true });
    await world.create("CloudRun", await world.checked("CloudRun", runArgs), { preview: true });
    assert.match(world.warnings.join(), /DataExport "DataExport" has read all rows of the task before this run\./);
  });

  it("warns of an export that takes lotNo from a run that is not waited for", async () => {
    const warningsFor = async (waitFor: object): Promise<string[]> => {
      const { id } = await world.create("CloudRun", await world.checked("CloudRun", { ...runArgs, ...waitFor }));
      world.warnings.length = 0;
      await world.checked("DataExport", { ...runArgs, scope: "batch", lotNo: id, path: "rows.ndjson" });
      return [...world.warnings];
    };
    const expected =
      'DataExport "DataExport" takes lotNo from CloudRun "CloudRun", which does not wait for the end of the run (waitFor: "started"). ' +
      'So the export may read before all rows are there. Set waitFor: "finished" on CloudRun "CloudRun".';
    assert.deepEqual(await warningsFor({ waitFor: "finished" }), []);
    await world.checked("DataExport", { ...runArgs, scope: "batch", lotNo: "another", path: "rows.ndjson" });
    assert.deepEqual(world.warnings, []);
    assert.deepEqual(await warningsFor({}), [expected]);
    assert.deepEqual(await warningsFor({}), [], "once in a command");
  });

  it("warns in a preview of an export whose run is not started yet and is not waited for", async () => {
    const args = { ...runArgs, scope: "batch", lotNo: unknownText, path: "rows.ndjson" };
    await world.checked("CloudRun", { ...runArgs, waitFor: "finished" });
    await world.checked("DataExport", args);
    assert.deepEqual(world.warnings, []);
    await world.checked("CloudRun", runArgs);
    await world.checked("DataExport", args);
    assert.match(
      world.warnings.join(),
      /DataExport "DataExport" takes lotNo from CloudRun "CloudRun", which does not wait/,
    );
  });
});
