import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { World } from "../world";
import { DiffTexts } from "./diffTexts";

interface Declared {
  task?: string;
  url?: string;
  run?: string;
  rerunOn?: string;
  subTaskIds?: string[];
  desired?: string;
  rows?: string;
}

/** A whole task, its run, the run's subtasks and two exports. */
function program(declared: Declared = {}): string {
  const { task = "", url = "https://shop.test/", run = 'triggers: { week: "1" }', subTaskIds } = declared;
  const { rerunOn = "", desired = "stopped", rows = 'path: "rows/{lotNo}.ndjson"' } = declared;
  const from = '{ sourceTaskId: "template-1", taskGroupId: "group-1" }';
  return `
const key = new pulumi.Config("test").requireSecret("key");
const copy = new TaskCopy("copy", { ...${from}, ${task} });
const settings = new TaskActionConfig("settings", { taskId: copy.id, actions: {
  open: { actionType: "NavigateAction", properties: { Url: "${url}" } } } });
const run = new CloudRun("run", { taskId: settings.id, waitFor: "finished", pollSeconds: 0, ${run} ${rerunOn} });
new DataExport("rows", { taskId: copy.taskId, scope: "batch", lotNo: run.lotNo, verifyFile: true, ${rows} });
const whole = new ExtractionTask("whole", { from: ${from}, actions: {
  open: { actionType: "NavigateAction", properties: { Url: "${url}" } } } });
const second = new CloudRun("second-run", { taskId: whole.taskId, waitFor: "finished", pollSeconds: 0, triggers: ["once", key] });
new DataExport("all-rows", { taskId: whole.id, scope: "all", path: "rows/all.csv", format: "csv" });
${subTaskIds ? `new CloudSubtasks("subtasks", { taskId: copy.id, desired: "${desired}", subTaskIds: ${JSON.stringify(subTaskIds)} });` : ""}
`;
}

describe("previews of runs show", () => {
  const diffs = new DiffTexts(["CloudRun", "CloudSubtasks", "DataExport"]);
  let world: World;
  before(async () => {
    world = await World.create({ program: program(), secrets: { "test:key": "secret-value-8801" } });
  });
  after(async () => {
    await world.remove();
    diffs.finish();
  });
  let now: Declared = {};
  const change = (declared: Declared): string => {
    now = { ...now, ...declared };
    return program(now);
  };
  const subtasks: string[] = [];

  it("a creation", async () => {
    await diffs.shows(world, "created");
    const run = world.emulator.inspect.run(world.project.resource("run").id ?? "");
    // Sorted, as they are shown: their ids are others in each run.
    subtasks.push(...(run?.subtasks ?? []).map(({ subTaskId }) => subTaskId).sort());
    for (const [index, subTaskId] of subtasks.entries()) {
      diffs.names.set(subTaskId, `subtask ${index + 1}`);
    }
  });

  it("a creation for subtasks that are known", async () => {
    await diffs.shows(world, "subtasks created", { program: change({ subTaskIds: subtasks.slice(0, 2) }) });
  });

  it("nothing where an option of their task, or what is upstream, is only updated", async () => {
    await diffs.shows(world, "upstream updated", {
      program: change({ task: 'onDelete: "retain"', url: "https://shop.test/new" }),
    });
  });

  it("an option of a run, which starts nothing and changes nothing behind it", async () => {
    await diffs.shows(world, "an option changed", {
      program: change({ run: 'triggers: { week: "1" }, timeoutSeconds: 600, failOn: "never"' }),
    });
  });

  it("another argument of an export, and one more subtask", async () => {
    await diffs.shows(world, "one more", {
      program: change({ rows: 'path: "rows/{lotNo}.json", format: "json"', subTaskIds: subtasks }),
    });
  });

  it("nothing of another order", async () => {
    await diffs.shows(world, "another order", { program: change({ subTaskIds: [...subtasks].reverse() }) });
  });

  it("a file that is gone, where it is looked for", async () => {
    rmSync(join(world.project.folder, String(world.project.resource("rows").outputs?.file)));
    await diffs.shows(world, "a file gone", { args: ["--refresh"] });
  });

  it("subtasks that are not as they should be", async () => {
    world.emulator.change.holdRuns();
    world.emulator.change.setSubtaskStatus(world.project.resource("run").id ?? "", "extracting", subtasks.slice(0, 1));
    await diffs.shows(world, "changed at the service", { args: ["--refresh"] });
    world.emulator.change.releaseRuns();
  });

  it("a changed trigger as a new run, and what is read of it", async () => {
    await diffs.shows(world, "a trigger changed", {
      program: program({ ...now, run: 'triggers: { week: "2" }' }),
      up: false,
    });
  });

  it("a trigger that is not known yet as a new run", async () => {
    const unknown = `const late = new TaskCopy("late", { adoptTaskId: "template-1" });\n`;
    const text = program({ ...now, run: 'triggers: { week: "1", task: late.id }' });
    const output = await diffs.shows(world, "a trigger not known yet", { program: unknown + text, up: false });
    assert.equal(output.match(/warning: Run \d+ of task .* The up may start a paid run/g)?.length, 1, output);
  });

  it("that a secret trigger changed, not what it is", async () => {
    await world.project.configure({}, { "test:key": "secret-value-9902" });
    await diffs.shows(world, "a secret changed", { program: program(now), up: false });
  });

  it("a new run where rerunOn is added", async () => {
    await world.project.configure({}, { "test:key": "secret-value-8801" });
    await diffs.shows(world, "rerunOn added", { program: change({ rerunOn: ", rerunOn: [settings]" }) });
  });

  it("a new run where a resource of rerunOn changed", async () => {
    await diffs.shows(world, "a resource of rerunOn changed", {
      program: program({ ...now, url: "https://shop.test/newer" }),
      up: false,
    });
  });

  it("a removal", async () => {
    await diffs.shows(world, "deleted", { program: "", up: false });
  });
});
