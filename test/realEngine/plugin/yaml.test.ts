import assert from "node:assert/strict";
import { slowIt } from "../../environment";
import type { World } from "../world";
import { yamlProgram, yamlWorld } from "./nativeWorld";

const program = (url: string) => `
resources:
  copy:
    type: webextract:TaskCopy
    properties: { sourceTaskId: template-1, taskGroupId: group-1 }
  settings:
    type: webextract:TaskActionConfig
    properties:
      taskId: \${copy.id}
      actions: { open: { actionType: NavigateAction, properties: { Url: "${url}" } } }
  run:
    type: webextract:CloudRun
    properties: { taskId: "\${copy.id}", waitFor: finished, pollSeconds: 0, rerunOn: ["\${settings}", "\${settings.id}"] }
    options: { dependsOn: ["\${settings}"] }
variables:
  actions:
    fn::invoke:
      function: webextract:getActions
      arguments: { taskIds: [template-1], actionTypes: [LoopAction] }
  plain:
    fn::invoke:
      function: webextract:getActions
      arguments: { taskIds: [template-1], actionTypes: [LoopAction], plain: true }
outputs:
  lotNo: \${run.lotNo}
  plain: \${plain.tasks[0].taskId}
  actions: \${actions.tasks}
`;

/** The settings of a task come after its run. */
const wrongOrder = `
resources:
  run:
    type: webextract:CloudRun
    properties: { taskId: template-1 }
  settings:
    type: webextract:TaskActionConfig
    properties:
      taskId: template-1
      actions: { open: { actionType: NavigateAction, properties: { Url: "https://a.test/" } } }
    options: { dependsOn: ["\${run}"] }
`;

describe("a YAML program on the native plugin", () => {
  let world: World;
  afterEach(() => world.remove());

  slowIt("runs again when a resource of rerunOn changes, and says which", async () => {
    world = await yamlWorld(program("https://a.test/"));
    const { output: first } = await world.project.up();
    assert.match(first, /actions *: \[secret\]/);
    assert.match(first, /plain *: "template-1"/);
    world.operations();
    world.project.write("Pulumi.yaml", yamlProgram(program("https://b.test/")));
    const { output } = await world.project.up({ args: ["--diff"] });
    assert.match(output, /"TaskActionConfig settings [0-9a-f]{12}" => "TaskActionConfig settings [0-9a-f]{12}"/);
    assert.deepEqual(
      world.operations().filter((name) => !name.startsWith("get")),
      ["updateActionProperties", "startTask"],
    );
  });

  it("starts no run before the settings of its task, and says which dependsOn to add", async () => {
    world = await yamlWorld(wrongOrder);
    const { output } = await world.project.preview({ expect: "failure" });
    assert.match(
      output,
      /CloudRun "run" starts before TaskActionConfig "settings".*Add dependsOn with TaskActionConfig "settings"/,
    );
    assert.deepEqual(world.operations(), []);
  });

  it("takes digits of the configuration as an id, and refuses those that have lost some, with what keeps them", async () => {
    world = await yamlWorld(`
config:
  source: { type: string }
  adopted: { type: string }
resources:
  copy:
    type: webextract:TaskCopy
    properties: { sourceTaskId: "\${source}", taskGroupId: 0012, adoptTaskId: "\${adopted}" }
    options: { customTimeouts: { create: 10m } }
  other:
    type: webextract:TaskCopy
    properties: { adoptTaskId: template-1 }
`);
    await world.project.configure({ "test:source": "639308323497", "test:adopted": "639308323497897245" });
    const { output: refused } = await world.project.preview({ expect: "failure" });
    assert.match(refused, /adoptTaskId .* got an integer beyond 9007199254740991.* in two pairs of them: '"…"'/);
    await world.project.configure({ "test:adopted": '"639308323497897245"' });
    const { output } = await world.project.preview({ args: ["--diff"] });
    assert.match(output, /sourceTaskId *: "639308323497"\n/);
    assert.match(output, /adoptTaskId *: "639308323497897245"\n/);
    const warnings = output.match(
      /The option customTimeouts has no effect on TaskCopy\. Set webextract:deadlineSeconds/g,
    );
    assert.equal(warnings?.length, 1, output);
  });

  slowIt("never rotates a refresh token for a function in a preview", async () => {
    world = await yamlWorld(program("https://a.test/"), { withCredentials: false });
    const env = { WEBEXTRACT_REFRESH_TOKEN: world.emulator.credentials.refreshToken };
    const { output } = await world.project.preview({ env, expect: "failure" });
    assert.deepEqual(world.operations(), []);
    assert.match(output, /reads use only accessToken or credentialCommand/);
  });
});
