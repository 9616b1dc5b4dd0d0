import assert from "node:assert/strict";
import { World } from "../world";
import { pluginFolder, yamlProgram, yamlWorld } from "./nativeWorld";

const program = (url: string, group: string) => `
resources:
  settings:
    type: webextract:TaskActionConfig
    properties:
      taskId: template-1
      actions: { open: { actionType: NavigateAction, properties: { Url: "${url}" } } }
  run:
    type: webextract:CloudRun
    properties: { taskId: template-1, waitFor: finished, pollSeconds: 0, rerunOn: ["\${settings}"] }
    options: { dependsOn: ["\${settings}"] }
  rows:
    type: webextract:DataExport
    properties: { taskId: template-1, scope: batch, lotNo: "\${run.lotNo}", path: "rows/{lotNo}.ndjson" }
  other:
    type: webextract:TaskCopy
    properties: { sourceTaskId: template-1, taskGroupId: ${group} }
`;

describe("what depends on a failed resource of a YAML program, with --continue-on-error", () => {
  let world: World;
  before(async () => {
    world = await yamlWorld(program("https://a.test/", "group-1"));
  });
  after(() => world.remove());

  const upWithFailure = async () => {
    world.emulator.fault({ operation: "updateActionProperties", kind: "error", code: "InvalidParameter", times: 1 });
    const { output } = await world.project.up({ expect: "failure", args: ["--continue-on-error"] });
    assert.match(output, /TaskActionConfig \(settings\):\s+error: updateActionProperties .*400/);
    assert.doesNotMatch(output, /is missing|has a problem/);
    return world.operations().filter((name) => !name.startsWith("get"));
  };

  it("is not tried, and the others go on", async () => {
    assert.deepEqual((await upWithFailure()).sort(), ["copyTask", "updateActionProperties"]);
    assert.ok(!JSON.stringify(world.project.state()).includes("webextract:index:CloudRun"));
  });

  it("is done by the next up", async () => {
    await world.project.up();
    assert.deepEqual(
      world.operations().filter((name) => !name.startsWith("get")),
      ["updateActionProperties", "startTask"],
    );
    assert.equal(world.project.resource("rows").outputs?.rowCount, 25);
  });

  it("keeps its state and its run if a later up does not try it", async () => {
    const before = world.project.resource("run").outputs;
    world.project.write("Pulumi.yaml", yamlProgram(program("https://b.test/", "group-2")));
    assert.deepEqual((await upWithFailure()).sort(), ["copyTask", "updateActionProperties"]);
    assert.deepEqual(world.project.resource("run").outputs, before);
    await world.project.up();
    assert.deepEqual(
      world.operations().filter((name) => !name.startsWith("get")),
      ["updateActionProperties", "startTask"],
    );
  });
});

/** The settings need an output that is not there, the run takes no output of them. */
const classes = `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
const settings = new TaskActionConfig("settings", { taskId: copy.taskId, actions: { open: { actionType: "NavigateAction", properties: { Url: "https://a.test/" } } } });
const run = new CloudRun("run", { taskId: "template-1" }, { dependsOn: [settings] });
new DataExport("rows", { taskId: "template-1", scope: "batch", lotNo: run.lotNo, path: "rows/{lotNo}.ndjson" });
new CloudRun("other", { taskId: "template-1" }, { dependsOn: [] });
`;

describe("what depends on a failed resource of the classes on the native plugin, with --continue-on-error", () => {
  it("is skipped with the name of that resource, the others go on, and the next up does it", async () => {
    const world = await World.create({
      program: classes,
      path: [pluginFolder()],
      config: { "webextract:native": "true" },
    });
    try {
      world.emulator.fault({ operation: "copyTask", kind: "error", code: "InvalidParameter", times: 1 });
      const { output } = await world.project.up({ expect: "failure", args: ["--continue-on-error"] });
      assert.match(output, /TaskActionConfig settings +warning: skipped: copy failed\n/);
      assert.match(output, /CloudRun run +warning: skipped: settings failed\n/);
      assert.match(output, /DataExport rows +warning: skipped: run failed\n/);
      assert.doesNotMatch(output, /is missing|has a problem/);
      assert.equal(world.operations().filter((name) => name === "startTask").length, 1);
      await world.project.up();
      assert.equal(world.operations().filter((name) => name === "startTask").length, 1);
      assert.ok(!JSON.stringify(world.project.state()).includes("failedInputs"));
    } finally {
      await world.remove();
    }
  });
});
