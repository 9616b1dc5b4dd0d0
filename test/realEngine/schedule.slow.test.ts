import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { ObjectStore } from "../../scripts/objectStore/objectStore";
import { azureStage, jenkinsStage } from "../pages/pipelines";
import type { Step } from "../pages/workflow";
import { doSteps, Runner, readWorkflow, stepsOf } from "../pages/workflow";
import { storeVariables } from "../resources/export/s3/storeKinds";
import { repositoryRoot } from "./harness";
import { template, World } from "./world";

const recipes = join(repositoryRoot, "examples/ci");
const recipe = (name: string): string => readFileSync(join(recipes, name), "utf8");

const program = `
const run = new CloudRun("run", { taskId: "template-1", waitFor: "finished", pollSeconds: 0 });
new DataExport("rows", { taskId: "template-1", scope: "batch", lotNo: run.id, path: "rows/{lotNo}.ndjson" });
`;

const passphrase = "correct-horse";

const names = Array.from({ length: 4 }, (_, index) => `task-${index}`);

/** A run and an export for each task. */
const fleet = (rowsOfFirst: number): string => `
for (const taskId of ${JSON.stringify(names)}) {
  const run = new CloudRun(taskId, { taskId, waitFor: "finished", pollSeconds: 0 });
  const checks = { minRows: taskId === "task-0" ? ${rowsOfFirst} : 1 };
  new DataExport(taskId, { taskId, scope: "batch", lotNo: run.id, path: "fleet/" + taskId + "-{lotNo}.ndjson", checks });
}
`;

const fleetTasks = names.map((taskId) => ({ taskId, taskGroupId: "group-1", syntheticRows: 2, actions: [] }));

describe("the recipes for a schedule", () => {
  let world: World;
  let bin: string;
  let firstRefreshToken: string;
  let store: ObjectStore;
  let ofStore: Record<string, string>;
  before(async function () {
    this.timeout(900_000);
    store = await ObjectStore.start();
    store.addBucket("my-bucket");
    bin = mkdtempSync(join(tmpdir(), "webextract-bin-"));
    // The only commands that are not the real ones: the packages and Pulumi are installed, and the test decides what day it is.
    for (const [name, does] of Object.entries({ npm: 'test "$1" = ci', curl: "true", date: 'echo "$TODAY"' })) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${does}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const seed = { ...template, tasks: [...template.tasks, ...fleetTasks] };
    world = await World.create({
      program,
      seed,
      stack: "production",
      path: [bin],
      env: { PULUMI_CONFIG_PASSPHRASE: passphrase },
    });
    ofStore = storeVariables(store, world.project.root);
    firstRefreshToken = world.emulator.credentials.refreshToken;
    await world.project.up();
    world.operations();
  });
  after(async () => {
    await world.remove();
    await store.stop();
    rmSync(bin, { recursive: true });
  });

  const starts = (): number => world.operations().filter((operation) => operation === "startTask").length;
  const label = (): unknown => world.project.resource("run").outputs?.runLabel;

  async function does({ name, uses = "", run, with: options }: Step, runner: Runner) {
    if (name !== undefined && run !== undefined) {
      runner.run(name);
    } else if (run !== undefined) {
      await world.project.shell(run);
    } else if (uses.startsWith("pulumi/actions@")) {
      const env = { ...runner.environmentOf("pulumi/actions"), ...ofStore };
      const onError = options?.["continue-on-error"] ? ["--continue-on-error"] : [];
      await world.project.run([options?.command ?? "", "--yes", "--skip-preview"], { env, args: onError });
    }
  }

  /** Does the steps of a workflow in their order. Actions that prepare the machine do nothing. */
  async function workflow(name: string, values: Record<string, string>): Promise<void> {
    const read = readWorkflow(name);
    const runner = new Runner(read, {
      PULUMI_ACCESS_TOKEN: "",
      WEBEXTRACT_REFRESH_TOKEN: firstRefreshToken,
      WEBEXTRACT_API_KEY: world.emulator.credentials.apiKey,
      ...values,
    });
    const endings = await doSteps(stepsOf(read), (step) => does(step, runner));
    runner.remove();
    const failure = [...endings.values()].find(({ outcome }) => outcome === "failure");
    if (failure !== undefined) {
      throw failure.error;
    }
    for (const step of ["npm ci", "pulumi/actions"]) {
      assert.equal(endings.get(step)?.outcome, "success", step);
    }
  }

  /** Does the job of a schedule in GitLab, or one that is started by hand. */
  async function pipelineOf(id: string, createdAt: string, source = "schedule"): Promise<void> {
    const { nightly } = parse(recipe("gitlab.yml")) as { nightly: { script: string[]; rules: { if: string }[] } };
    const rules = ["schedule", "web"].map((each) => ({ if: `$CI_PIPELINE_SOURCE == "${each}" && $JOB == "nightly"` }));
    assert.deepEqual(nightly.rules, rules);
    const env = { CI_PIPELINE_ID: id, CI_PIPELINE_CREATED_AT: createdAt, CI_PIPELINE_SOURCE: source };
    await world.project.shell(nightly.script.join("\n"), { env });
  }

  /** Does the stage of a schedule in Azure Pipelines, or of a start by hand. The number of a run has the day, and a retry keeps it. */
  async function inAzure(number: string, id: string, reason = "Schedule nightly"): Promise<void> {
    const [BUILD_REASON = "", BUILD_CRONSCHEDULE_DISPLAYNAME = ""] = reason.split(" ");
    const env = { BUILD_REASON, BUILD_CRONSCHEDULE_DISPLAYNAME, BUILD_BUILDNUMBER: number, BUILD_BUILDID: id };
    for (const command of azureStage("production").commands) await world.project.shell(command, { env });
  }

  async function inJenkins(stage: "Nightly" | "By hand", TODAY: string, number: string): Promise<void> {
    const { commands } = jenkinsStage(stage);
    for (const command of commands) await world.project.shell(command, { env: { TODAY, BUILD_NUMBER: number } });
  }

  async function deploy(operation: "update" | "preview", TODAY: string): Promise<void> {
    const { preRunCommands, environmentVariables } = parse(recipe("deployments.yaml")).settings.operationContext as {
      preRunCommands: string[];
      environmentVariables: Record<string, string>;
    };
    const file = join(world.project.root, "PULUMI_ENV");
    writeFileSync(file, "");
    for (const command of preRunCommands) {
      await world.project.shell(command.replaceAll("/PULUMI_ENV", file), {
        env: { PULUMI_CI_OPERATION: operation, TODAY },
      });
    }
    const lines = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    const ofFile = Object.fromEntries(lines.map((line) => line.split("=") as [string, string]));
    const env = { ...environmentVariables, ...ofFile, ...ofStore };
    await (operation === "update"
      ? world.project.up({ env })
      : world.project.preview({ env, args: ["--expect-no-changes"] }));
  }

  /** What cron starts, in another folder. */
  async function cronCommands(): Promise<string[]> {
    const { folder, root } = world.project;
    world.project.write("nightly.sh", recipe("nightly.sh"));
    chmodSync(join(folder, "nightly.sh"), 0o755);
    const { refreshToken, apiKey } = world.emulator.credentials;
    const values: Readonly<Record<string, string>> = {
      PULUMI_CONFIG_PASSPHRASE: passphrase,
      WEBEXTRACT_REFRESH_TOKEN: refreshToken,
      WEBEXTRACT_TOKEN_STORE: join(root, "with a blank"),
      WEBEXTRACT_API_KEY: apiKey,
    };
    const env = recipe("nightly.env").replace(/^(\w+)='.*'$/gm, (_line, name: string) => `${name}='${values[name]}'`);
    world.project.write("nightly.env", env);
    mkdirSync(join(root, "elsewhere"), { recursive: true });
    const lines = recipe("crontab").trim().split("\n");
    const commands = lines.map((line) => line.split(" ").slice(5).join(" "));
    return commands.map((command) => `cd ${join(root, "elsewhere")}; ${command.replace("/srv/extraction", folder)}`);
  }

  it("in GitHub Actions start one run a night, also if the schedule fires twice or its jobs run again, and one for each start by hand", async () => {
    const night = "2026-11-27";
    for (const [values, expected, by] of [
      [{ run_id: "1001", created_at: `${night}T04:17:05Z` }, 1, night],
      [{ run_id: "1001", created_at: `${night}T04:17:05Z` }, 0, night],
      [{ run_id: "1002", created_at: `${night}T04:51:40Z` }, 0, night],
      [{ run_id: "1003" }, 1, "github-1003"],
      [{ run_id: "1003" }, 0, "github-1003"],
    ] as const) {
      await workflow("nightly.yml", values);
      assert.deepEqual([starts(), label()], [expected, by], JSON.stringify(values));
      assert.ok(existsSync(join(world.project.folder, "rows", `${world.project.resource("run").id}.ndjson`)));
    }
  });

  it("in GitLab start one run a night, also if the schedule fires twice or a job runs again, and one for each start by hand", async () => {
    const night = "2026-11-28";
    for (const [pipeline, source, expected, by] of [
      ["7", "schedule", 1, night],
      ["7", "schedule", 0, night],
      ["8", "schedule", 0, night],
      ["9", "web", 1, "gitlab-9"],
      ["9", "web", 0, "gitlab-9"],
    ] as const) {
      await pipelineOf(pipeline, `${night}T04:17:00Z`, source);
      assert.deepEqual([starts(), label()], [expected, by], `${source} ${pipeline}`);
    }
  });

  it("in Azure Pipelines start one run a night, also if a job runs again, and one for each start by hand", async () => {
    for (const [number, id, reason, expected, by] of [
      ["2026-12-05.1", "7", "Schedule nightly", 1, "2026-12-05"],
      ["2026-12-05.1", "7", "Schedule nightly", 0, "2026-12-05"],
      ["2026-12-05.2", "8", "Schedule nightly", 0, "2026-12-05"],
      ["2026-12-05.3", "9", "Manual", 1, "azure-9"],
      ["2026-12-05.3", "9", "Manual", 0, "azure-9"],
    ] as const) {
      await inAzure(number, id, reason);
      assert.deepEqual([starts(), label()], [expected, by], `${reason} ${number}`);
    }
  });

  it("in Jenkins start one run a night, also if a build runs again, and one for each start by hand", async () => {
    for (const [stage, number, expected, by] of [
      ["Nightly", "7", 1, "2026-12-06"],
      ["Nightly", "8", 0, "2026-12-06"],
      ["By hand", "9", 1, "jenkins-9"],
    ] as const) {
      await inJenkins(stage, "2026-12-06", number);
      assert.deepEqual([starts(), label()], [expected, by], `${stage} ${number}`);
    }
  });

  it("in Pulumi Deployments start one run a day in an update, and none in a preview", async () => {
    await deploy("update", "2026-11-21");
    assert.deepEqual([starts(), label()], [1, "2026-11-21"]);
    await deploy("update", "2026-11-21");
    await deploy("preview", "2026-11-22");
    assert.equal(starts(), 0);
  });

  it("in cron start one run a day, and nothing at the second try", async () => {
    const tries: number[] = [];
    for (const command of await cronCommands()) {
      await world.project.shell(command, { env: { TODAY: "2026-11-23" } });
      tries.push(starts());
    }
    assert.deepEqual([tries, label()], [[1, 0], "2026-11-23"]);
  });

  it("in cron need no refresh token where the API key serves all operations", async () => {
    const [command = ""] = await cronCommands();
    world.emulator.setBehaviour({ credentialAcceptance: "apiKeyEverywhere" });
    const file = join(world.project.folder, "nightly.env");
    const whole = readFileSync(file, "utf8").replace(
      /^WEBEXTRACT_REFRESH_TOKEN=.*$/m,
      "WEBEXTRACT_CREDENTIALS='apiKey'",
    );
    writeFileSync(file, whole);
    await world.project.shell(command, { env: { TODAY: "2026-11-25" } });
    assert.deepEqual([starts(), label()], [1, "2026-11-25"]);
  });

  it("in cron end at once if a variable is missing, and start nothing", async () => {
    const [command = ""] = await cronCommands();
    const file = join(world.project.folder, "nightly.env");
    const whole = readFileSync(file, "utf8");
    for (const name of ["PULUMI_CONFIG_PASSPHRASE", "WEBEXTRACT_REFRESH_TOKEN", "WEBEXTRACT_API_KEY"]) {
      writeFileSync(file, whole.replace(new RegExp(`^${name}=.*$`, "m"), `${name}=`));
      const words = new RegExp(`${name}: is missing in nightly\\.env`);
      await assert.rejects(world.project.shell(command, { env: { TODAY: "2026-11-24" } }), words);
    }
    assert.equal(starts(), 0);
  });

  it("export the rows of all other tasks if the rows of one do not pass, and fail", async () => {
    const [command = ""] = await cronCommands();
    const each: Record<string, () => Promise<unknown>> = {
      "GitHub Actions": () => workflow("nightly.yml", { run_id: "2001", created_at: "2026-11-29T04:17:05Z" }),
      GitLab: () => pipelineOf("2001", "2026-11-30T04:17:00Z"),
      "Azure Pipelines": () => inAzure("2026-12-07.1", "2001"),
      Jenkins: () => inJenkins("Nightly", "2026-12-08", "2001"),
      "Pulumi Deployments": () => deploy("update", "2026-12-01"),
      cron: () => world.project.shell(command, { env: { TODAY: "2026-12-02" } }),
    };
    const exported = (): number =>
      readdirSync(join(world.project.folder, "fleet")).filter((name) => !name.includes(".rejected.")).length;
    world.program(fleet(1));
    await world.project.up();
    world.program(fleet(3));
    for (const [name, nightly] of Object.entries(each)) {
      const before = exported();
      starts();
      await assert.rejects(nightly, /checks.minRows/, name);
      assert.deepEqual([starts(), exported() - before], [names.length, names.length - 1], name);
    }
  });
});
