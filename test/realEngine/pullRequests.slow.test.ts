import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { azureStage, jenkinsStage } from "../pages/pipelines";
import type { Step } from "../pages/workflow";
import { actionSteps, Runner, readWorkflow, stepsOf } from "../pages/workflow";
import { repositoryRoot } from "./harness";
import { World } from "./world";

const program = (wait: string): string => `
  const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
  new TaskActionConfig("config", {
    taskId: copy.id, actions: { open: { actionType: "NavigateAction", properties: { Wait: "${wait}" } } },
  });
  const run = new CloudRun("run", { taskId: copy.id });
  new DataExport("rows", { taskId: copy.id, scope: "batch", lotNo: run.id, path: "rows.ndjson" });`;

/** Does what `gh` does with the comments of a pull request, which are in a file: only those of the job may be edited. */
const gh = `
set -eu
file="$(dirname "$0")/comments.json"
say() { jq "$@" "$file" > "$file.new" && mv "$file.new" "$file"; }
case "$1 $2 $3" in
  "pr view 7") jq -r "$7" "$file" ;;
  "pr comment 7") say --rawfile body "$5" '.comments += [{ viewerDidAuthor: true, body: $body, url: "https://github.test/pull/7#issuecomment-\\(.comments | length)" }]' ;;
  "api --silent --method") say --rawfile body "\${7#body=@}" --arg id "\${5##*/}" '(.comments[] | select(.viewerDidAuthor and (.url | endswith("-\\($id)")))).body = $body' ;;
  *) exit 1 ;;
esac
`;

describe("the recipes for pull requests, merges and drift", function () {
  this.timeout(300_000);
  let world: World;
  let bin: string;
  let variables: Record<string, string>;
  before(async () => {
    bin = mkdtempSync(join(tmpdir(), "webextract-bin-"));
    // The commands that are not the real ones: the packages and Pulumi are installed, and GitHub cannot be reached.
    const main = join(repositoryRoot, "dist", "cli", "main.js");
    const npx = `test "$1" != --no || shift; shift; exec node ${main} "$@"`;
    for (const [name, does] of Object.entries({ npm: 'test "$1" = ci', npx, gh, curl: "true" })) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${does}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    // As on a runner: credentials are only in the variables of the jobs that have them.
    world = await World.create({ program: program("1"), stack: "production", path: [bin], withCredentials: false });
    world.project.write("package-lock.json", "{}");
    const { accessToken, apiKey, refreshToken } = world.emulator.credentials;
    variables = {
      ...{ WEBEXTRACT_ACCESS_TOKEN: accessToken, WEBEXTRACT_API_KEY: apiKey },
      ...{ WEBEXTRACT_REFRESH_TOKEN: refreshToken, WEBEXTRACT_TOKEN_STORE: join(world.project.root, "store") },
    };
    // The run is at work all the time, so that each up exports its rows again.
    world.emulator.change.holdRuns();
    await world.project.up({ env: variables });
    assert.deepEqual(world.project.resource("rows").outputs?.pending, ["run at work"]);
  });
  after(async () => {
    await world.remove();
    rmSync(bin, { recursive: true });
  });

  const here = (text: string): string => text.replaceAll("my-organisation/production", "production");

  /** Does steps in their order, on a runner that starts empty. Actions that prepare the machine do nothing. Returns the job summary. */
  const inGitHub = async (steps: Step[], credentials: Record<string, string> = {}): Promise<string> => {
    const runner = new Runner({ jobs: { job: { steps } } }, { ...credentials, "event.number": "7" });
    const summary = join(runner.temp, "summary.md");
    const files = {
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_OUTPUT: join(runner.temp, "output"),
      RUNNER_TEMP: runner.temp,
    };
    writeFileSync(summary, "");
    try {
      for (const step of steps) {
        const { uses = "", run, with: options } = step;
        if (run === undefined && (!uses.startsWith("pulumi/actions@") || options?.command === undefined)) continue;
        const env = Object.entries({ ...runner.environmentOf(step), ...credentials, ...files });
        const filled = Object.fromEntries(env.map(([name, value]) => [name, here(value)]));
        if (run !== undefined) await world.project.shell(here(run), { env: filled });
        else await world.project.run([options?.command ?? "", "--yes", "--skip-preview"], { env: filled });
      }
      return readFileSync(summary, "utf8");
    } catch (error) {
      throw new Error(`${error}, and the job summary is ${readFileSync(summary, "utf8")}`);
    } finally {
      runner.remove();
    }
  };
  const job = (workflow: string, name: string): Step[] =>
    stepsOf({ jobs: { job: readWorkflow(workflow).jobs[name] ?? assert.fail(name) } });

  const gitlab = parse(readFileSync(join(repositoryRoot, "examples/ci/gitlab.yml"), "utf8")) as Record<
    "preview" | "up" | "drift",
    { script: string[] }
  >;
  const inGitLab = (name: "preview" | "up" | "drift", env?: Record<string, string>): Promise<void> =>
    all(gitlab[name].script, env);
  const all = async (commands: string[], env: Record<string, string> = {}): Promise<void> => {
    for (const command of commands) await world.project.shell(command, { env });
  };
  const inAzure = (stage: string, reason: string, env: Record<string, string> = {}): Promise<void> => {
    const [BUILD_REASON = "", BUILD_CRONSCHEDULE_DISPLAYNAME = ""] = reason.split(" ");
    return all(azureStage(stage).commands, { BUILD_REASON, BUILD_CRONSCHEDULE_DISPLAYNAME, ...env });
  };
  const inJenkins = (stages: string[], env?: Record<string, string>): Promise<void> =>
    all(
      ["Install", ...stages].flatMap((stage) => jenkinsStage(stage).commands),
      env,
    );
  const written = (): string => readFileSync(join(world.project.folder, "report.md"), "utf8");

  interface Comment {
    viewerDidAuthor: boolean;
    body: string;
    url: string;
  }
  const comments = (): Comment[] => JSON.parse(readFileSync(join(bin, "comments.json"), "utf8")).comments;

  /** For each system: a job that previews and returns its report, one that applies, and one that finds drift. */
  type System = { preview(): Promise<string>; up(): Promise<unknown>; drift(): Promise<unknown>; reported?: RegExp };
  const systems: Record<string, System> = {
    "GitHub Actions": {
      preview: () => inGitHub(job("pullRequest.yml", "preview")),
      up: () => inGitHub(job("pullRequest.yml", "up"), variables),
      drift: () => inGitHub(job("drift.yml", "drift"), variables),
      reported: /the job summary is ```diff[\s\S]*Wait/,
    },
    "GitLab CI": {
      preview: () => inGitLab("preview").then(written),
      up: () => inGitLab("up", variables),
      drift: () => inGitLab("drift", variables),
    },
    "Azure Pipelines": {
      preview: () => inAzure("preview", "PullRequest").then(written),
      up: () => inAzure("production", "IndividualCI", variables),
      drift: () => inAzure("production", "Schedule drift", variables),
    },
    Jenkins: {
      preview: () => inJenkins(["Preview"]).then(written),
      up: () => inJenkins(["Up"], variables),
      drift: () => inJenkins(["Drift"], variables),
    },
  };

  const mark = "<!-- webextract preview of production -->";
  beforeEach(() => {
    const others = [
      { viewerDidAuthor: false, body: `${mark}\nof another user`, url: "https://github.test/pull/7#issuecomment-0" },
      { viewerDidAuthor: true, body: "of another job", url: "https://github.test/pull/7#issuecomment-1" },
    ];
    writeFileSync(join(bin, "comments.json"), JSON.stringify({ comments: others }));
  });

  for (const [where, { preview, up, drift, reported = /Wait/ }] of Object.entries(systems)) {
    it(`report the changes of a pull request in ${where}, without a credential and without a request to the service`, async () => {
      world.program(program("2"));
      world.operations();
      rmSync(join(world.project.folder, "report.md"), { force: true });
      assert.match(await preview(), /Wait/);
      assert.deepEqual(world.operations(), []);
      world.program(program("1"));
    });

    it(`apply a merge in ${where}, and start no run`, async () => {
      world.program(program("3"));
      world.operations();
      await up();
      const operations = world.operations();
      assert.ok(operations.includes("updateActionProperties") && !operations.includes("startTask"), operations.join());
      const { actions } = world.project.resource("config").outputs ?? {};
      assert.equal(JSON.stringify(actions).includes('"Wait":"3"'), true);
      world.program(program("1"));
      await world.project.up({ env: variables });
    });

    it(`find drift in ${where}, also while an export waits for its run, and change nothing`, async () => {
      const copy = world.project.resource("copy").id ?? "";
      await drift();
      world.emulator.change.setProperty(copy, "open", "Wait", "9");
      world.operations();
      await assert.rejects(drift, reported);
      assert.ok(!world.operations().includes("updateActionProperties"));
      world.emulator.change.setProperty(copy, "open", "Wait", "1");
    });
  }

  describe("with the action of this repository", () => {
    const previewed = (options: Step["with"] = {}) =>
      inGitHub(actionSteps({ with: { stack: "production", ...options } }));
    const own = (): string[] =>
      comments()
        .slice(2)
        .map(({ body }) => body);

    it("write one comment for each stack, and edit only this one later", async () => {
      const before = comments();
      world.program(program("2"));
      const first = await previewed();
      assert.deepEqual(own(), [`${mark}\n${first}`]);
      world.program(program("4"));
      const second = await previewed();
      assert.deepEqual(own(), [`${mark}\n${second}`]);
      assert.notEqual(second, first);
      assert.deepEqual(comments().slice(0, 2), before);
    });

    it("write no comment if the input says so", async () => {
      assert.match(await previewed({ comment: "false" }), /## Preview/);
      assert.deepEqual(own(), []);
    });

    it("report why a preview has failed, and fail", async () => {
      world.program('throw new Error("no such shelf");');
      await assert.rejects(previewed());
      assert.match(own().join(), /The preview failed[\s\S]*no such shelf/);
      world.program(program("1"));
    });
  });
});
