import assert from "node:assert/strict";
import { renameSync } from "node:fs";
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

/** A task, its run, the subtasks of the run, and two exports. */
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
  /** The program that was applied last. */
  let now: Declared = {};
  /** What the previews up to now change in it. */
  let changed: Declared = {};
  const change = (declared: Declared): string => {
    changed = { ...changed, ...declared };
    return program({ ...now, ...declared });
  };
  const subtasks: string[] = [];

  it("a creation", async () => {
    await diffs.shows(world, "created");
    const run = world.emulator.inspect.run(world.project.resource("run").id ?? "");
    // Sorted, because previews show them sorted, and their ids differ in each test run.
    subtasks.push(...(run?.subtasks ?? []).map(({ subTaskId }) => subTaskId).sort());
    for (const [index, subTaskId] of subtasks.entries()) {
      diffs.names.set(subTaskId, `subtask ${index + 1}`);
    }
  });

  it("a creation with known subtasks", async () => {
    now = { subTaskIds: subtasks.slice(0, 2) };
    await diffs.shows(world, "subtasks created", { program: program(now) });
  });

  it("no change if only an option of their task or an upstream resource is updated", async () => {
    await diffs.shows(world, "upstream updated", {
      program: change({ task: 'onDelete: "retain"', url: "https://shop.test/new" }),
      up: false,
    });
  });

  it("a changed option of a run, which starts nothing and changes no dependent resource", async () => {
    await diffs.shows(world, "an option changed", {
      program: change({ run: 'triggers: { week: "1" }, timeoutSeconds: 600, failOn: "never"' }),
      up: false,
    });
  });

  it("a changed argument of an export, and an added subtask", async () => {
    await diffs.shows(world, "one more", {
      program: change({ rows: 'path: "rows/{lotNo}.json", format: "json"', subTaskIds: subtasks }),
      up: false,
    });
  });

  it("checks of an export", async () => {
    const checks = "checks: { minRows: 5, fields: { number: { filled: 1, unique: true }, price: { filled: 0.95 } } }";
    await diffs.shows(world, "checks added", {
      program: program({ ...now, rows: `path: "rows/{lotNo}.ndjson", ${checks}` }),
      up: false,
    });
    // The previews from here on are of the run with all these changes.
    now = { ...now, ...changed, rows: `path: "rows/{lotNo}.json", format: "json", ${checks}` };
    world.program(program(now));
    await world.project.up();
    const looser = checks.replace("minRows: 5, ", "").replace("filled: 0.95", 'filled: 0.9, type: "number"');
    await diffs.shows(world, "checks changed", {
      program: program({ ...now, rows: `path: "rows/{lotNo}.json", format: "json", ${looser}` }),
      up: false,
    });
  });

  it("no change for another order", async () => {
    const subTaskIds = [...subtasks].reverse();
    await diffs.shows(world, "another order", { program: program({ ...now, subTaskIds }), up: false });
  });

  it("a missing file, if verifyFile is set", async () => {
    const file = join(world.project.folder, String(world.project.resource("rows").outputs?.file));
    renameSync(file, `${file}.away`);
    await diffs.shows(world, "a file gone", { args: ["--refresh"], up: false });
    renameSync(`${file}.away`, file);
  });

  it("subtasks that differ from the desired state", async () => {
    const run = world.project.resource("run").id ?? "";
    world.emulator.change.holdRuns();
    world.emulator.change.setSubtaskStatus(run, "extracting", subtasks.slice(0, 1));
    await diffs.shows(world, "changed at the service", { args: ["--refresh"], up: false });
    world.emulator.change.setSubtaskStatus(run, "stopped", subtasks.slice(0, 1));
    world.emulator.change.releaseRuns();
  });

  it("a changed trigger as a new run, and the effect on resources that read the run", async () => {
    await diffs.shows(world, "a trigger changed", {
      program: program({ ...now, run: 'triggers: { week: "2" }' }),
      up: false,
    });
  });

  it("an unknown trigger as a new run", async () => {
    const unknown = `const late = new TaskCopy("late", { adoptTaskId: "template-1" });\n`;
    const text = program({ ...now, run: 'triggers: { week: "1", task: late.id }' });
    const output = await diffs.shows(world, "a trigger not known yet", { program: unknown + text, up: false });
    assert.equal(output.match(/warning: Run \d+ of task .* The up may start a paid run/g)?.length, 1, output);
  });

  it("that a secret trigger changed, without its value", async () => {
    await world.project.configure({}, { "test:key": "secret-value-9902" });
    await diffs.shows(world, "a secret changed", { program: program(now), up: false });
  });

  it("a new run if rerunOn is added", async () => {
    await world.project.configure({}, { "test:key": "secret-value-8801" });
    now = { ...now, rerunOn: ", rerunOn: [settings]" };
    await diffs.shows(world, "rerunOn added", { program: program(now) });
  });

  it("a new run if a resource of rerunOn changed", async () => {
    await diffs.shows(world, "a resource of rerunOn changed", {
      program: program({ ...now, url: "https://shop.test/newer" }),
      up: false,
    });
  });

  it("a run label as a new run of each CloudRun", async () => {
    const env = { WEBEXTRACT_RUN_LABEL: "2026-11-21" };
    const output = await diffs.shows(world, "a run label", { program: program(now), env, up: false });
    assert.equal(output.match(/\+ runLabel: "2026-11-21"/g)?.length, 2, output);
  });

  it("a removal", async () => {
    await diffs.shows(world, "deleted", { program: "", up: false });
  });
});
