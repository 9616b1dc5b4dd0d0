import assert from "node:assert/strict";
import { allTests } from "../../test/eachTest";
import { PluginWorld } from "./pluginClient";

const actions = {
  open: { actionType: "NavigateAction", properties: { Url: "https://old.test/", Wait: "1" } },
  each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["https://old.test/1"] } },
};

describe("an import into the native plugin", () => {
  const world = allTests(() => PluginWorld.create());
  let lotNo: string;
  before(async () => {
    lotNo = world.emulator.change.startRun("task-1");
    await world.emulator.settled();
  });

  const cases: Record<string, { id: string; made?: string; inputs: object }> = {
    TaskCopy: { id: "task-1", inputs: { adoptTaskId: "task-1" } },
    ExtractionTask: { id: "task-1", inputs: { from: { adoptTaskId: "task-1" }, actions } },
    TaskParameters: { id: "task-1", inputs: { taskId: "task-1", actions } },
    TaskActionConfig: { id: "task-1", inputs: { taskId: "task-1", actions: { open: actions.open } } },
    TaskLoopItems: {
      id: "task-1/each",
      made: "task-1",
      inputs: { taskId: "task-1", actionId: "each", ...actions.each.loop },
    },
  };
  for (const [type, { id, made = id, inputs }] of Object.entries(cases)) {
    it(`of a ${type} returns arguments as a program writes them, which show no change afterwards`, async () => {
      const imported = await world.read(type, id);
      assert.deepEqual([imported.id, imported.inputs], [made, inputs]);
      const checked = await world.checked(type, imported.inputs, { olds: imported.inputs });
      assert.deepEqual((await world.diff(type, imported, checked)).changes, "none", "in the import itself");
      const stored = { ...imported, inputs: checked };
      const again = await world.checked(type, imported.inputs, { olds: checked });
      assert.equal((await world.diff(type, stored, again)).changes, "none", "in the next preview");
      const read = await world.read(type, made, imported.state, checked);
      assert.deepEqual(
        [read.id, (await world.diff(type, { ...read, inputs: read.inputs }, again)).changes],
        [made, "none"],
      );
    });
  }

  it("of a Manifest is refused, because a component has nothing to import", async () => {
    await assert.rejects(world.read("Manifest", "tasks"), /A Manifest is a component, and has nothing to import\./);
  });

  it("of a CloudRun and of CloudSubtasks returns what a program declares of them", async () => {
    const run = await world.read("CloudRun", `task-1/${lotNo}`);
    assert.deepEqual([run.id, run.inputs], [lotNo, { taskId: "task-1", adoptLotNo: lotNo }]);
    const subtasks = await world.read("CloudSubtasks", "task-1");
    assert.equal((subtasks.inputs.subTaskIds as string[]).length, 3);
    assert.equal(subtasks.inputs.desired, "started");
    for (const [type, imported] of Object.entries({ CloudRun: run, CloudSubtasks: subtasks })) {
      const checked = await world.checked(type, imported.inputs, { olds: imported.inputs });
      assert.equal((await world.diff(type, imported, checked)).changes, "none");
    }
  });

  it("of a CloudRun has a warning if the service shows no rows that prove the run", async () => {
    assert.deepEqual(world.warnings, [], "of a run with rows");
    await world.read("CloudRun", "task-1/4711");
    assert.match(
      world.warnings.splice(0).join(),
      /does not show the rows of run "4711" of task "task-1": .*no batch 4711.* could not verify that the run exists/,
    );
    world.emulator.change.holdRuns();
    const empty = world.emulator.change.startRun("task-1");
    assert.equal((await world.read("CloudRun", `task-1/${empty}`)).id, empty);
    assert.match(world.warnings.splice(0).join(), /has no rows of run .* could not verify that the run exists/);
  });

  it("makes no write", () => {
    assert.deepEqual(
      world.operations().filter((name) => !name.startsWith("get")),
      [],
    );
  });

  it("of what the service does not show, or of a malformed id, is one clear error", async () => {
    await assert.rejects(
      world.read("TaskStartUrls", "task-1"),
      /A TaskStartUrls cannot be imported or read by its id, because the service does not show it/,
    );
    await assert.rejects(world.read("DataExport", "out.csv"), /A DataExport cannot be imported/);
    await assert.rejects(
      world.read("TaskLoopItems", "task-1"),
      /for an import or a get, is TASK\/ACTION, such as "my-task\/action-1"/,
    );
    await assert.rejects(world.read("TaskLoopItems", "task-1/open"), /shows no list of action "open"/);
    for (const [type, id] of Object.entries({ TaskCopy: "nobody", ExtractionTask: "nobody", CloudRun: "nobody/1" })) {
      await assert.rejects(world.read(type, id), /There is no task "nobody"/, type);
    }
  });

  it("leaves out what may be a secret, and says so", async () => {
    world.emulator.change.setProperty("task-1", "open", "Password", "hunter-2-77");
    const { inputs, state } = await world.read("TaskActionConfig", "task-1");
    assert.deepEqual(inputs, cases.TaskActionConfig?.inputs);
    assert.doesNotMatch(JSON.stringify([inputs, state, world.warnings]), /hunter/);
    assert.match(world.warnings.join(), /property "Password" may be a secret\. It is not imported\./);
  });
});
