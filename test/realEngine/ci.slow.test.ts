import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { ObjectStore } from "../../scripts/objectStore/objectStore";
import { blocks, readPage } from "../pages/readPage";
import { Runner, readWorkflow, stepsOf } from "../pages/workflow";
import { machineVariables } from "../resources/export/s3/storeKinds";
import { Project } from "./harness";
import { template } from "./world";

const program = `
const { TaskActionConfig, TaskCopy } = require("pulumi-webextract");
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
new TaskActionConfig("config", {
  taskId: copy.id,
  actions: { open: { actionType: "NavigateAction", properties: { Url: "https://shop.test/" + process.env.COMMIT } } },
});
`;

describe("runners that start empty, with a refresh token that is replaced at each use", () => {
  let emulator: Emulator;
  let store: ObjectStore;
  let project: Project;
  let values: Record<string, string>;
  before(async function () {
    this.timeout(900_000);
    store = await ObjectStore.start();
    store.addBucket("my-bucket");
    emulator = await startEmulator({ seed: template, behaviour: { refreshRotation: "oldDies" } });
    project = await Project.create({ program, config: { "webextract:baseUrl": emulator.url } });
    const { refreshToken, apiKey } = emulator.credentials;
    values = { WEBEXTRACT_REFRESH_TOKEN: refreshToken, WEBEXTRACT_API_KEY: apiKey };
  });
  after(async () => {
    await project.remove();
    await emulator.close();
    await store.stop();
  });

  /** Operations since the last call. */
  const operations = (): string[] => {
    const names = emulator.requests.map(({ operation }) => operation);
    emulator.clearRequests();
    return names;
  };
  const upOn = async (workflow: string, commit: number, expect: "success" | "failure" = "success") => {
    const steps = stepsOf(readWorkflow(workflow)).filter(({ with: options }) => options?.command === "up");
    const runner = new Runner({ jobs: { job: { steps } } }, values);
    const own = { ...machineVariables(store, join(runner.workspace, "home")), COMMIT: String(commit) };
    const ended = await project.up({ env: { ...runner.environmentOf("pulumi/actions"), ...own }, expect });
    runner.remove();
    return ended;
  };

  it("continue with the same secret in pullRequest.yml, nightly.yml and shards.yml, and nothing is in clear text", async () => {
    const tokens = new Set([emulator.credentials.refreshToken]);
    await upOn("pullRequest.yml", 1);
    assert.deepEqual(operations(), ["refreshToken", "getData", "copyTask", "getActions", "updateActionProperties"]);
    // The next days, the access token has expired, and the refresh token in the secret is invalid since its first use.
    for (const [index, workflow] of ["nightly.yml", "shards.yml"].entries()) {
      tokens.add(emulator.credentials.refreshToken);
      emulator.change.expireAccessTokens();
      await upOn(workflow, index + 2);
      assert.deepEqual(operations(), ["updateActionProperties", "refreshToken", "updateActionProperties"]);
    }
    assert.equal(tokens.size, 3);
    assert.deepEqual(project.findWritten([...tokens]), []);
  });

  it("are told the cause and the solution if the store is lost", async () => {
    emulator.change.expireAccessTokens();
    rmSync(join(store.buckets, "my-bucket"), { recursive: true });
    store.addBucket("my-bucket");
    const { output } = await upOn("nightly.yml", 4, "failure");
    const [said] = blocks(readPage("docs/troubleshooting.md"), "text").filter((each) =>
      each.includes("token store holds"),
    );
    assert.ok(said !== undefined && inOneLine(output).includes(inOneLine(said)), output);
    assert.deepEqual(operations(), ["refreshToken"]);
  });
});

/** Undoes the line breaks and the indentation of the engine. */
function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
