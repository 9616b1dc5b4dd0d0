import assert from "node:assert/strict";
import { pluginFolder } from "./plugin/nativeWorld";
import { World } from "./world";

const program = (triggers = 1): string => `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
const settings = new TaskActionConfig("settings", { taskId: copy.taskId, actions: { open: { actionType: "NavigateAction", properties: { Url: "https://a.test/${triggers}" } } } });
const run = new CloudRun("run", { taskId: copy.taskId, triggers: [${triggers}] });
new DataExport("rows", { taskId: copy.taskId, scope: "batch", lotNo: run.lotNo, path: "rows/{lotNo}.ndjson" });
const other = new CloudRun("other", { taskId: "template-1", waitFor: "finished", triggers: [${triggers}] });
new DataExport("otherRows", { taskId: "template-1", scope: "batch", lotNo: other.lotNo, path: "other/{lotNo}.ndjson" });
`;

const goOn = { expect: "failure", args: ["--continue-on-error"] } as const;
const broken = { kind: "error", code: "InvalidParameter", times: 1 } as const;

for (const native of ["false", "true"])
  describe(`what depends on a failed resource, with --continue-on-error and webextract:native ${native}`, () => {
    let world: World;
    before(async () => {
      const path = native === "true" ? [pluginFolder()] : [];
      world = await World.create({ program: program(), path, config: { "webextract:native": native } });
    });
    after(() => world.remove());

    const starts = (): string[] =>
      world.emulator
        .findRequests({ operation: "startTask" })
        .map(({ body }) => String((body as { taskId?: string }).taskId));

    it("is skipped with the name of that resource, and the others go on", async () => {
      world.emulator.fault({ operation: "copyTask", ...broken });
      const { output } = await world.project.up(goOn);
      assert.match(output, /TaskActionConfig settings +warning: skipped: copy failed\n/);
      assert.match(output, /CloudRun run +warning: skipped: copy, settings failed\n/);
      assert.match(output, /DataExport rows +warning: skipped: copy, run failed\n/);
      assert.doesNotMatch(output, /is missing|has a problem/);
      assert.deepEqual(starts(), ["template-1"]);
      assert.equal(world.project.resource("otherRows").outputs?.rowCount, 25);
    });

    it("is skipped also if it takes no output of that resource, so that no run starts on a task without its settings", async () => {
      world.emulator.fault({ operation: "updateActionProperties", ...broken });
      const { output } = await world.project.up(goOn);
      assert.match(output, /CloudRun run +warning: skipped: settings failed\n/);
      assert.match(output, /DataExport rows +warning: skipped: run failed\n/);
      assert.deepEqual(starts(), ["template-1"]);
    });

    it("is done by the next up, and nothing of the skipped one stays in the state", async () => {
      await world.project.up();
      assert.equal(starts().length, 2);
      assert.ok(!JSON.stringify(world.project.state()).includes("failedInputs"));
    });

    it("keeps its state and its run if a later up skips it", async () => {
      const before = world.project.resource("run").outputs;
      world.program(program(2));
      world.emulator.fault({ operation: "updateActionProperties", ...broken });
      await world.project.up(goOn);
      assert.deepEqual(world.project.resource("run").outputs, before);
      assert.ok(!JSON.stringify(world.project.state()).includes("failedInputs"));
      // The run of the other task has its new trigger.
      assert.equal(starts().length, 3);
    });
  });

describe("a run that only names a failed resource in rerunOn, with --continue-on-error", () => {
  it("is skipped with its name, also if another resource is skipped for the same reason", async () => {
    const world = await World.create({
      program: `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
new CloudRun("again", { taskId: "template-1", rerunOn: [copy] });
new CloudRun("later", { taskId: "template-1", rerunOn: [copy], triggers: [2] });`,
    });
    try {
      world.emulator.fault({ operation: "copyTask", ...broken });
      const { output } = await world.project.up(goOn);
      for (const name of ["again", "later"]) {
        assert.match(output, new RegExp(`CloudRun ${name} +warning: skipped: copy failed\n`));
      }
      assert.ok(!world.operations().includes("startTask"));
    } finally {
      await world.remove();
    }
  });
});
