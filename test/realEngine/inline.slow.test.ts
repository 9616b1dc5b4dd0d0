import assert from "node:assert/strict";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { Project } from "./harness";
import { template } from "./world";

/** Two programs in one process, each with its own stack and service. Their resources and reads have the same names. */
const script = `
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const { CloudRun, getActionsOutput, TaskActionConfig } = require("pulumi-webextract");
const services = JSON.parse(process.env.SERVICES);

const program = async () => {
  const seen = getActionsOutput({ taskIds: ["template-1"], actionTypes: ["NavigateAction"] }, { plain: true });
  const config = new TaskActionConfig("config", {
    taskId: "template-1",
    actions: { open: { actionType: "NavigateAction", properties: { Wait: "5" } } },
  });
  const run = new CloudRun("run", { taskId: config.id });
  return { url: seen.apply(([task]) => task.actions[0].properties[0].value), lotNo: run.id, label: run.runLabel };
};

async function stackOf(stackName) {
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName, projectName: "inline", program },
    { workDir: process.cwd() },
  );
  const { url, token } = services[stackName];
  await stack.setAllConfig({ "webextract:baseUrl": { value: url }, "webextract:accessToken": { value: token, secret: true } });
  return stack;
}

async function main() {
  const first = await stackOf("first");
  const second = await stackOf("second");
  await first.setConfig("webextract:runLabel", { value: "a" });
  const labels = [];
  const labelled = async () => {
    const results = await Promise.all([first.up(), second.up()]);
    labels.push(results.map(({ outputs }) => outputs.label?.value));
    return results.map(({ outputs }) => [outputs.url.value, outputs.lotNo.value]);
  };
  const outputs = await labelled();
  await first.removeConfig("webextract:runLabel");
  process.env.WEBEXTRACT_RUN_LABEL = "b";
  await labelled();
  delete process.env.WEBEXTRACT_RUN_LABEL;
  await first.setConfig("webextract:pageSize", { value: "none" });
  const wrong = await first.preview().then(() => "passed", String);
  process.stdout.write(JSON.stringify({ outputs, labels, wrong }));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
`;

describe("several programs in one process (Automation API)", () => {
  const emulators: Emulator[] = [];
  let project: Project;
  before(async () => {
    const services: Record<string, unknown> = {};
    for (const name of ["first", "second"]) {
      const emulator = await startEmulator({ seed: template });
      emulator.change.setProperty("template-1", "open", "Url", `https://${name}.test/`);
      services[name] = { url: emulator.url, token: emulator.credentials.accessToken };
      emulators.push(emulator);
    }
    project = await Project.create({
      name: "inline",
      files: { "inline.js": script },
      leanSdk: true,
      env: { SERVICES: JSON.stringify(services) },
    });
  });
  after(async () => {
    await project.remove();
    await Promise.all(emulators.map((emulator) => emulator.close()));
  });

  it("have separate configurations, clients, responses and declarations, in parallel and in sequence", async () => {
    const { outputs, labels, wrong } = JSON.parse((await project.script("inline.js")).stdout);
    const runs = emulators.map(({ inspect }) => inspect.runs());
    const lotNos = runs.map(([run]) => run?.lotNo);
    assert.deepEqual(outputs, [
      ["https://first.test/", lotNos[0]],
      ["https://second.test/", lotNos[1]],
    ]);
    // The label of a stack is its own; that of the process is of all its programs.
    assert.deepEqual(labels, [
      ["a", null],
      ["b", "b"],
    ]);
    assert.deepEqual(
      runs.map(({ length }) => length),
      [2, 2],
    );
    assert.match(wrong, /webextract:pageSize must be an integer/);
  });
});
