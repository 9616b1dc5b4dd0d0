import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Scenes } from "./scenes";

interface Declared {
  task?: string;
  url?: string;
  run?: string;
  rerunOn?: string;
  subtasks?: string;
  both?: boolean;
  key?: string;
  rows?: string;
  more?: string;
}

/** A task, its run, the subtasks of the run, and two exports. */
function program(declared: Declared = {}): string {
  const { task = "", url = "https://shop.test/", run = 'triggers: { week: "1" }', subtasks, more = "" } = declared;
  const { rerunOn = "", key = "key", both = false, rows = 'path: "rows/{lotNo}.ndjson"' } = declared;
  return `
${more}
const from = { sourceTaskId: "template-1", taskGroupId: "group-1" };
const copy = new TaskCopy("copy@", { ...from, ${task} });
const settings = new TaskActionConfig("settings@", { taskId: copy.id, actions: {
  open: { actionType: "NavigateAction", properties: { Url: "${url}" } } } });
const run = new CloudRun("run@", { taskId: settings.id, waitFor: "finished", pollSeconds: 0, ${run} ${rerunOn} });
new DataExport("rows@", { taskId: copy.taskId, scope: "batch", lotNo: run.lotNo, verifyFile: true, ${rows} });
${subtasks === undefined ? "" : `new CloudSubtasks("subtasks@", { taskId: copy.id, desired: "stopped", subTaskIds: ${subtasks} });`}
${both ? secondTask(url, key) : ""}
`;
}

/** A second task with another kind of settings and triggers, and an export of all rows. */
function secondTask(url: string, key: string): string {
  return `
const key = new pulumi.Config("test").requireSecret("${key}");
const whole = new ExtractionTask("whole@", { from, actions: {
  open: { actionType: "NavigateAction", properties: { Url: "${url}" } } } });
new CloudRun("second-run@", { taskId: whole.taskId, waitFor: "finished", pollSeconds: 0, triggers: ["once", key] });
new DataExport("all-rows@", { taskId: whole.id, scope: "all", path: "rows/all@.csv", format: "csv" });
`;
}

/** The first subtasks of the run, as the first up knows them. */
const first = (count: number): string => `
require("pulumi-webextract").getSubtasksOutput({ taskId: run.taskId }, { plain: true }).apply((list) =>
  list.map(({ subTaskId }) => subTaskId).sort().slice(0, ${count}))`;

/** Sorted, because previews show them sorted, and their ids differ in each test run. */
const idsOf = (subtasks: { subTaskId: string }[]): string[] => subtasks.map(({ subTaskId }) => subTaskId).sort();

const checks = "checks: { minRows: 5, fields: { number: { filled: 1, unique: true }, price: { filled: 0.95 } } }";
const looserChecks = checks.replace("minRows: 5, ", "").replace("filled: 0.95", 'filled: 0.9, type: "number"');
const asJson = 'path: "rows/{lotNo}.json", format: "json"';
const options = 'triggers: { week: "1" }, timeoutSeconds: 600, failOn: "never"';
const rerunOn = ", rerunOn: [settings]";

describe("previews of runs show", function () {
  this.timeout(300_000);
  const scenes = new Scenes(["CloudRun", "CloudSubtasks", "DataExport"], program);
  before(async () => {
    await scenes.run({ secrets: { "test:key": "secret-value-8801", "test:otherKey": "secret-value-9902" } });
    for (const { subtasks } of scenes.world.emulator.inspect.runs()) {
      for (const [index, subTaskId] of idsOf(subtasks).entries()) {
        scenes.diffs.names.set(subTaskId, `subtask ${index + 1}`);
      }
    }
  });
  after(() => scenes.end());

  scenes.it("a creation", "created", { before: "nothing", after: { both: true } });

  scenes.it("a creation with known subtasks", "subtasks created", {
    after: { subtasks: first(2) },
  });

  scenes.it("no change if only an option of their task or an upstream resource is updated", "upstream updated", {
    before: { both: true },
    after: { both: true, task: 'onDelete: "retain"', url: "https://shop.test/new" },
  });

  scenes.it("a changed option of a run, which starts nothing and changes no dependent resource", "an option changed", {
    after: { run: options },
  });

  scenes.it("a changed argument of an export, and an added subtask", "one more", {
    before: { subtasks: first(2) },
    after: { rows: asJson, subtasks: first(3) },
  });

  scenes.it("added checks of an export", "checks added", { after: { rows: `path: "rows/{lotNo}.ndjson", ${checks}` } });

  scenes.it("changed checks of an export", "checks changed", {
    before: { rows: `path: "rows/{lotNo}.ndjson", ${checks}` },
    after: { rows: `path: "rows/{lotNo}.ndjson", ${looserChecks}` },
  });

  scenes.it("no change for another order", "another order", {
    before: { subtasks: first(3) },
    after: { subtasks: `${first(3)}.apply((list) => list.toReversed())` },
  });

  scenes.it("a missing file, if verifyFile is set", "a file gone", {
    before: { rows: `${asJson}, ${checks}` },
    drift: ({ world: { project }, mark }) =>
      rmSync(join(project.folder, String(project.resource(`rows${mark}`).outputs?.file))),
  });

  scenes.it("subtasks that differ from the desired state", "changed at the service", {
    before: { subtasks: first(3) },
    drift: ({ world: { emulator }, id }) => {
      const [one = ""] = idsOf(emulator.inspect.run(id("run"))?.subtasks ?? []);
      emulator.change.holdRuns();
      emulator.change.setSubtaskStatus(id("run"), "extracting", [one]);
    },
  });

  scenes.it("a changed trigger as a new run, and the effect on resources that read the run", "a trigger changed", {
    before: { run: options },
    after: { run: 'triggers: { week: "2" }' },
  });

  scenes.it(
    "an unknown trigger as a new run",
    "a trigger not known yet",
    {
      before: { run: options },
      after: {
        more: 'const late = new TaskCopy("late@", { adoptTaskId: "template-1" });',
        run: 'triggers: { week: "1", task: late.id }',
      },
    },
    (output) =>
      assert.equal(output.match(/warning: Run \d+ of task .* The up may start a paid run/g)?.length, 1, output),
  );

  scenes.it("that a secret trigger changed, without its value", "a secret changed", {
    before: { both: true },
    after: { both: true, key: "otherKey" },
  });

  scenes.it("a new run if rerunOn is added", "rerunOn added", { after: { rerunOn } });

  scenes.it("a new run if a resource of rerunOn changed", "a resource of rerunOn changed", {
    before: { both: true, rerunOn },
    after: { both: true, rerunOn, url: "https://shop.test/newer" },
  });

  scenes.it("a run label as a new run of each CloudRun", "a run label", { before: { both: true }, withLabel: true });

  scenes.it("a removal", "deleted", {
    before: { run: options, rerunOn, rows: `${asJson}, ${checks}`, subtasks: first(3), both: true },
    after: "nothing",
  });
});
