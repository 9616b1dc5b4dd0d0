import assert from "node:assert/strict";
import type { World } from "../world";
import { yamlProgram, yamlWorld } from "./nativeWorld";

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
