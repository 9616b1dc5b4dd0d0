import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { blocks, readPage } from "../pages/readPage";
import { Runner, readWorkflow } from "../pages/workflow";
import { Project, repositoryRoot } from "./harness";
import { template } from "./world";

const program = `
const { TaskActionConfig, TaskCopy } = require("pulumi-webextract");
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
new TaskActionConfig("config", {
  taskId: copy.id,
  actions: { open: { actionType: "NavigateAction", properties: { Url: "https://shop.test/" + process.env.COMMIT } } },
});
`;

describe("credentials in CI", () => {
  let emulator: Emulator;
  const projects: Project[] = [];
  const runners: Runner[] = [];
  const tokens = new Set<string>();

  beforeEach(async () => {
    emulator = await startEmulator({ seed: template, behaviour: { refreshRotation: "oldDies" } });
    tokens.clear();
    tokens.add(emulator.credentials.refreshToken);
  });
  afterEach(async () => {
    for (const runner of runners.splice(0)) runner.remove();
    for (const project of projects.splice(0)) await project.remove();
    await emulator.close();
  });

  async function newProject(): Promise<Project> {
    const project = await Project.create({ program, config: { "webextract:baseUrl": emulator.url } });
    projects.push(project);
    return project;
  }
  function newRunner(workflow: string, values: Record<string, string>): Runner {
    const runner = new Runner(readWorkflow(workflow), values);
    runners.push(runner);
    return runner;
  }
  /** Operations since the last call. */
  function operations(): string[] {
    const names = emulator.requests.map(({ operation }) => operation);
    emulator.clearRequests();
    tokens.add(emulator.credentials.refreshToken);
    return names;
  }

  describe("with a token store that is saved between runs", () => {
    const values: Record<string, string> = {
      TOKEN_STORE_KEY: "a key of 32 characters, or longer",
      WEBEXTRACT_API_KEY: "",
      run_id: "",
    };

    it("lets empty runners of tokenStore.yml and nightly.yml continue with the same secret; if the store is lost, the error names the cause and the solution", async () => {
      values.WEBEXTRACT_REFRESH_TOKEN = emulator.credentials.refreshToken;
      const project = await newProject();
      const upOn = (runner: Runner, commit: number, expect: "success" | "failure" = "success") =>
        project.up({ env: { ...runner.environmentOf("pulumi/actions"), COMMIT: String(commit) }, expect });
      let last = newRunner("tokenStore.yml", values);
      last.run("Unpack the token store");
      await upOn(last, 1);
      last.run("Pack the token store");
      assert.deepEqual(operations(), ["refreshToken", "getData", "copyTask", "getActions", "updateActionProperties"]);

      // The next days, the access token has expired, and the refresh token in the secret is invalid since its first use.
      for (const [index, workflow] of ["nightly.yml", "tokenStore.yml"].entries()) {
        emulator.change.expireAccessTokens();
        const next = newRunner(workflow, values);
        copyFileSync(join(last.workspace, "token-store.enc"), join(next.workspace, "token-store.enc"));
        next.run("Unpack the token store");
        await upOn(next, index + 2);
        next.run("Pack the token store");
        assert.deepEqual(operations(), ["updateActionProperties", "refreshToken", "updateActionProperties"]);
        last = next;
      }

      const kept = readFileSync(join(last.workspace, "token-store.enc"));
      for (const token of tokens) assert.ok(!kept.includes(token));
      assert.equal(tokens.size, 4);

      emulator.change.expireAccessTokens();
      const empty = newRunner("nightly.yml", values);
      empty.run("Unpack the token store");
      const { output } = await upOn(empty, 4, "failure");
      const [said] = blocks(readPage("docs/troubleshooting.md"), "text").filter((each) =>
        each.includes("token store holds"),
      );
      assert.ok(said !== undefined && inOneLine(output).includes(inOneLine(said)), output);
      assert.deepEqual(operations(), ["refreshToken"]);
      assert.deepEqual(project.findWritten([...tokens]), []);
    });
  });

  describe("with a broker", () => {
    const key = "key-to-the-broker-of-32-characters-or-more";
    let broker: ChildProcess;
    let folder: string;
    let values: Record<string, string>;
    let said = "";

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), "webextract-broker-"));
      broker = spawn(process.execPath, ["-r", "tsx/cjs", join(repositoryRoot, "examples/ci/broker.ts")], {
        cwd: repositoryRoot,
        env: {
          PATH: process.env.PATH,
          WEBEXTRACT_BASE_URL: emulator.url,
          WEBEXTRACT_REFRESH_TOKEN: emulator.credentials.refreshToken,
          WEBEXTRACT_TOKEN_STORE: join(folder, "store"),
          BROKER_KEY: key,
          BROKER_PORT: "0",
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      said = "";
      const port = await new Promise<string>((resolve, reject) => {
        const note = (text: Buffer) => {
          said += text.toString("utf8");
          const listening = /listening on port (\d+)/.exec(said)?.[1];
          if (listening !== undefined) resolve(listening);
        };
        broker.stdout?.on("data", note);
        broker.stderr?.on("data", note);
        broker.once("close", () => reject(new Error(`the broker ended: ${said}`)));
      });
      values = { BROKER_URL: `http://127.0.0.1:${port}/`, BROKER_KEY: key };
    });
    afterEach(async () => {
      const closed = once(broker, "close");
      broker.kill("SIGTERM");
      assert.deepEqual(await closed, [0, null], said);
      rmSync(folder, { recursive: true, force: true });
    });

    it("need one refresh for two simultaneous jobs, which never get a refresh token", async () => {
      const jobs = await Promise.all([newProject(), newProject()]);
      const env = () => newRunner("broker.yml", values).environmentOf("pulumi/actions");
      await Promise.all(jobs.map((job) => job.up({ env: { ...env(), COMMIT: "1" } })));
      assert.deepEqual(operations().sort(), [
        "copyTask",
        "copyTask",
        "getActions",
        "getActions",
        "getData",
        "getData",
        "refreshToken",
        "updateActionProperties",
        "updateActionProperties",
      ]);
      assert.equal(tokens.size, 2);
      for (const job of jobs) assert.deepEqual(job.findWritten([...tokens, key]), []);
      for (const token of tokens) assert.ok(!said.includes(token));
    });

    it("are not given to a job without the key, and the error names the failed command", async () => {
      const job = await newProject();
      const env = newRunner("broker.yml", { ...values, BROKER_KEY: "another-key" }).environmentOf("pulumi/actions");
      const { output } = await job.up({ env: { ...env, COMMIT: "1" }, expect: "failure" });
      assert.match(output, /WEBEXTRACT_CREDENTIAL_COMMAND ended with exit code 22/);
      assert.doesNotMatch(output, /another-key/);
      assert.deepEqual(operations(), []);
    });
  });
});

/** Undoes the line breaks and the indentation of the engine. */
function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
