import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { slowIt } from "../environment";
import { template, World } from "./world";

interface Declared {
  nightly?: string;
  nightlyOptions?: string;
  rest?: string;
}

/** Two runs, each of its own task, and an export of the first. */
const program = ({ nightly = "", nightlyOptions = "{}", rest = "" }: Declared = {}): string => `
const nightly = new CloudRun("nightly", { taskId: "template-1", waitFor: "finished", pollSeconds: 0, ${nightly} }, ${nightlyOptions});
new DataExport("rows", { taskId: "template-1", scope: "batch", lotNo: nightly.id, path: "rows.ndjson" });
new CloudRun("manual", { taskId: "template-2", runOnLabel: false });
${rest}
`;

const seed = { ...template, tasks: template.tasks.flatMap((task) => [task, { ...task, taskId: "template-2" }]) };
const under = (label: string, args: string[] = []) => ({ env: { WEBEXTRACT_RUN_LABEL: label }, args });
const unchanged = ["--expect-no-changes"];

describe("a run label on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: program(), seed });
    await world.project.up();
    world.operations();
  });
  after(() => world.remove());

  const starts = (): number => world.operations().filter((operation) => operation === "startTask").length;
  const label = (): unknown => world.project.resource("nightly").outputs?.runLabel;

  it("shows each run that will start", async () => {
    const plan = await world.project.previewJson(under("a"));
    const changed = plan.steps.filter(({ op }) => op !== "same");
    const nightly = changed.find(({ urn, op }) => urn.endsWith("::nightly") && op === "replace");
    assert.deepEqual(nightly?.replaceReasons, ["runLabel"]);
    assert.deepEqual([...new Set(changed.map(({ urn }) => urn.split("::").at(-1)))].sort(), ["nightly", "rows"]);
    assert.deepEqual(world.operations(), []);
  });

  it("starts one run, which the export follows; the same label with a refresh changes nothing", async () => {
    await world.project.up(under("a"));
    assert.deepEqual([starts(), label()], [1, "a"]);
    const lotNo = String(world.project.resource("nightly").id);
    const rows = readFileSync(join(world.project.folder, "rows.ndjson"), "utf8").trimEnd().split("\n");
    assert.deepEqual(
      rows.map((row) => JSON.parse(row)),
      world.emulator.inspect.rows("template-1", lotNo),
    );
    await world.project.up(under("a", ["--refresh", ...unchanged]));
    assert.equal(starts(), 0);
  });

  slowIt("starts nothing that --target leaves out, and nothing with ignoreChanges", async () => {
    const { urn } = world.project.resource("manual");
    await world.project.up(under("b", ["--target", urn]));
    world.program(program({ nightlyOptions: '{ ignoreChanges: ["runLabel"] }' }));
    await world.project.up(under("b", unchanged));
    assert.deepEqual([starts(), label()], [0, "a"]);
    world.program(program());
  });

  it("starts nothing for a protected run, and says so in the preview", async () => {
    const { urn } = world.project.resource("nightly");
    await world.project.run(["state", "protect", urn, "--yes"]);
    world.program(program({ nightlyOptions: "{ protect: true }" }));
    const { output } = await world.project.run(["up", "--yes"], { ...under("b"), expect: "failure" });
    assert.match(output, /unable to replace resource ".*::nightly"/);
    assert.deepEqual([starts(), label()], [0, "a"]);
    await world.project.run(["state", "unprotect", urn, "--yes"]);
    world.program(program());
  });

  slowIt("shows the labels of the past nowhere but in the state", async () => {
    world.program(program({ rest: "exports.nightly = nightly;" }));
    const plan = await world.project.previewJson(under("c"));
    // The engine copies the whole state into `oldState.outputs`.
    const steps = plan.steps.map(({ oldState, ...step }) => [step, oldState?.inputs]);
    const { stdout } = await world.project.up(under("b", ["--diff"]));
    assert.equal(starts(), 1);
    const outputs = await world.project.outputs();
    assert.equal((outputs.nightly as { runLabel?: string }).runLabel, "b");
    for (const shown of [stdout, JSON.stringify(steps), JSON.stringify(outputs)]) {
      assert.doesNotMatch(shown, /unLabels/);
    }
    world.program(program());
  });

  slowIt("is remembered over --replace", async () => {
    await world.project.up({ args: ["--replace", world.project.resource("nightly").urn] });
    assert.equal(starts(), 1);
    await world.project.up(under("a"));
    assert.equal(starts(), 0);
  });

  it("counts for a run whose save was prevented by a kill, whether the next up has the label or not", async () => {
    const hold = world.emulator.hold({ operation: "startTask", when: "after" });
    const up = world.project.start(["up", "--yes", "--skip-preview"], under("c"));
    await hold.reached;
    const hostEnded = up.killEngine();
    hold.release();
    await Promise.all([up.done, hostEnded]);
    world.emulator.clearFaults();
    await world.project.run(["cancel", "--yes"], { expect: "either" });
    const { output } = await world.project.up();
    assert.match(output, /warning: .* \(a paid run of task "template-1"\) was made .* It was taken over/);
    await world.project.up(under("c"));
    assert.deepEqual([starts(), label()], [1, "c"]);
  });

  slowIt("is part of a saved plan", async () => {
    const plan = join(world.project.root, "plan.json");
    await world.project.preview(under("d", ["--save-plan", plan]));
    await world.project.up({ args: ["--plan", plan], expect: "failure" });
    assert.equal(starts(), 0);
    await world.project.up(under("d", ["--plan", plan]));
    assert.deepEqual([starts(), label()], [1, "d"]);
  });

  it("comes from the configuration of the stack too, and is refused in the preview if it is not the same in both", async () => {
    await world.project.configure({ "webextract:runLabel": "e" });
    const both = await world.project.preview({ ...under("f"), expect: "failure" });
    assert.match(both.output, /webextract:runLabel and WEBEXTRACT_RUN_LABEL differ/);
    assert.equal(starts(), 0);
    await world.project.up();
    assert.deepEqual([starts(), label()], [1, "e"]);
  });
});
