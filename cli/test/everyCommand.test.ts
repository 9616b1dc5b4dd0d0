import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import type { Seed } from "webextract-emulator";
import { slowIt } from "../../test/environment";
import { allCommands } from "./internals/cli";
import type { CliWorld, Ended, Running } from "./webextract";
import { fakePulumi, shop, useCliWorld } from "./webextract";

type Variables = Record<string, string | undefined>;

/** A command line with its environment and its standard input. */
interface Line {
  line: string;
  env?: Variables;
  input?: string;
  /** A command that runs before it. */
  before?: string;
  /** The exit code and, for a failure, its name in the JSON document. */
  ends?: [code: number, exit?: string];
}

/** How a command is interrupted. The line runs until `at` says that it waits, then gets a SIGINT. */
interface Interruption extends Line {
  at(world: CliWorld): Promise<void>;
  /** What the command leaves behind, apart from the files of the test. Default: nothing. */
  leaves?: RegExp;
}

interface Row {
  success: Line;
  failure: Line;
  /** Absent if the command never waits. */
  interrupted?: Interruption;
}

const goodRows = "sku,price\n1,2.50\n";
const noCredential = { WEBEXTRACT_ACCESS_TOKEN: undefined, WEBEXTRACT_API_KEY: undefined };
const withPulumi = { PATH: "with a stack" };
const plan = JSON.stringify({ steps: [] });
const unknownTask: [number, string] = [4, "notFound"];

/** The SIGINT comes while this operation is under way. What has begun is completed, so it is answered then. */
const during =
  (operation: Parameters<CliWorld["emulator"]["hold"]>[0]["operation"], skip = 0) =>
  (world: CliWorld): Promise<void> =>
    world.holdAnswer({ operation, skip });

/** The SIGINT comes as soon as the command listens for it. */
const atOnce = async (): Promise<void> => undefined;

const table: Readonly<Record<string, Row>> = {
  run: {
    success: { line: "run shop-1 --yes --poll 0" },
    failure: { line: "run nowhere --yes", ends: unknownTask },
    interrupted: { line: "run shop-1 --yes --poll 0", at: during("getSubtasks", 1) },
  },
  status: {
    success: { line: "status shop-1" },
    failure: { line: "status nowhere", ends: unknownTask },
    interrupted: { line: "status shop-1", at: during("getSubtasks") },
  },
  stop: {
    success: { line: "stop shop-1 --yes" },
    failure: { line: "stop nowhere --yes", ends: unknownTask },
    interrupted: { line: "stop shop-1 --yes --poll 0", at: during("getSubtasks") },
  },
  rows: {
    success: { line: "rows good.csv" },
    failure: { line: "rows nowhere", ends: unknownTask },
    interrupted: { line: "rows shop-1", at: during("getData") },
  },
  export: {
    success: { line: "export shop-1 --out rows.csv -f csv" },
    failure: { line: "export nowhere --out rows.csv", ends: unknownTask },
    interrupted: {
      line: "export shop-1 --out rows.csv -f csv",
      env: { WEBEXTRACT_PAGE_SIZE: "5", WEBEXTRACT_CONCURRENCY: "1" },
      at: during("getData", 1),
      leaves: /^rows\.csv\.[0-9a-f]{8}\.ndjson$/,
    },
  },
  list: {
    success: { line: "list good.yaml" },
    failure: { line: "list bad.yaml", ends: [1, "failed"] },
    interrupted: { line: "list good.yaml bad.yaml", at: atOnce },
  },
  compare: {
    success: { line: "compare good.csv good.csv" },
    failure: { line: "compare nowhere:1 good.csv", ends: unknownTask },
    interrupted: { line: "compare shop-1:1 good.csv", at: during("getBatchData") },
  },
  actions: {
    success: { line: "actions shop-1" },
    failure: { line: "actions nowhere", ends: unknownTask },
    interrupted: { line: "actions shop-1", at: during("getActions") },
  },
  adopt: {
    success: { line: "adopt shop-1 --out tasks" },
    failure: { line: "adopt nowhere --out tasks", ends: unknownTask },
    interrupted: { line: "adopt shop-1 --out tasks", at: during("getActions") },
  },
  validate: {
    success: { line: "validate good.yaml" },
    failure: { line: "validate bad.yaml", ends: [1] },
    interrupted: { line: "validate good.yaml bad.yaml", at: atOnce },
  },
  rename: {
    success: { line: "rename one two renamed.yaml" },
    failure: { line: "rename nobody two renamed.yaml", ends: [2, "usage"] },
    interrupted: { line: "rename one two renamed.yaml", at: atOnce },
  },
  "plan-report": {
    success: { line: "plan-report", input: plan },
    failure: { line: "plan-report", input: "no plan", ends: [2, "usage"] },
    interrupted: { line: "plan-report", at: atOnce },
  },
  review: {
    success: { line: "review --base-stack prod --head-stack trial", env: withPulumi },
    failure: { line: "review --base-stack prod --head-stack prod", ends: [2, "usage"] },
    interrupted: {
      line: "review --base-stack elsewhere --head-stack trial",
      env: withPulumi,
      at: during("getBatchData"),
    },
  },
  migrate: {
    success: { line: "migrate --stack dev --yes", env: withPulumi },
    failure: { line: "migrate", ends: [2, "usage"] },
    interrupted: { line: "migrate --stack dev --yes", env: withPulumi, at: atOnce },
  },
  doctor: {
    success: { line: "doctor" },
    failure: { line: "doctor", env: noCredential, ends: [1] },
    interrupted: { line: "doctor", at: during("getData") },
  },
  probe: {
    success: { line: "probe --task shop-1" },
    failure: { line: "probe --task nowhere", ends: unknownTask },
    interrupted: { line: "probe --task shop-1", at: during("getActions") },
  },
  "journal list": {
    success: { line: "journal list", env: { WEBEXTRACT_JOURNAL: "killed" } },
    failure: { line: "journal list --base-url ftp://x", ends: [2, "usage"] },
  },
  "journal resolve": {
    success: { line: "journal resolve 00000000 --not-made --yes", env: { WEBEXTRACT_JOURNAL: "killed" } },
    failure: { line: "journal resolve 00000000 --not-made --yes", ends: [2, "usage"] },
    interrupted: { line: "journal resolve 00000000 --not-made", env: { WEBEXTRACT_JOURNAL: "killed" }, at: atOnce },
  },
  "journal move": {
    success: { line: "journal move moved --yes", env: { WEBEXTRACT_JOURNAL: "killed" } },
    failure: { line: "journal move killed --yes", env: { WEBEXTRACT_JOURNAL: "killed" }, ends: [2, "usage"] },
    interrupted: { line: "journal move moved", env: { WEBEXTRACT_JOURNAL: "killed" }, at: atOnce },
  },
  "token status": {
    success: { line: "token status" },
    failure: { line: "token status --base-url ftp://x", ends: [2, "usage"] },
  },
  "token refresh": {
    success: { line: "token refresh --yes", env: { WEBEXTRACT_REFRESH_TOKEN: "of the emulator" } },
    failure: { line: "token refresh --yes", env: noCredential, ends: [3, "credential"] },
    interrupted: {
      line: "token refresh --yes",
      env: { WEBEXTRACT_REFRESH_TOKEN: "of the emulator" },
      at: during("refreshToken"),
      // The answer may hold the only valid refresh token, so it is stored, and the command has done its work.
      ends: [0],
      leaves: /^tokens\/[^/]*\.json$/,
    },
  },
  "token import": {
    success: { line: "token import --yes", input: "of the emulator" },
    failure: { line: "token import --yes", input: "wrong", ends: [3, "credential"] },
    interrupted: { line: "token import --yes", at: atOnce },
  },
  "token move": {
    success: {
      line: "token move moved --yes",
      env: { WEBEXTRACT_REFRESH_TOKEN: "of the emulator" },
      before: "token refresh --yes",
    },
    failure: { line: "token move moved --yes", ends: [3, "credential"] },
    interrupted: { line: "token move moved", at: atOnce },
  },
  completion: {
    success: { line: "completion bash" },
    failure: { line: "completion tcsh", ends: [2, "usage"] },
  },
};

/** Stacks with a task and an export of the file good.csv, or of one that is not here, for commands that read a state. */
const pulumi = `const urn = (type) => "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/webextract:" + type;
const stack = process.argv[process.argv.indexOf("--stack") + 1];
const file = stack === "elsewhere" ? "none.csv" : "good.csv";
const sha256 = "${createHash("sha256").update(goodRows).digest("hex")}";
const outputs = { taskId: "shop-1", lotNo: stack, file, sha256, format: "csv" };
const state = { version: 3, deployment: { resources: [
  { urn: urn("TaskCopy::copy"), type: "pulumi-nodejs:dynamic/webextract:TaskCopy" },
  { urn: urn("DataExport::rows"), type: "pulumi-nodejs:dynamic/webextract:DataExport", outputs },
] } };
if (process.argv[2] === "version") console.log("3.248.0");
if (process.argv.includes("--show-name") && process.env.SELECTED) console.log("dev");
if (process.argv[3] === "export") console.log(JSON.stringify(state));
if (process.argv[2] === "config") console.log(process.env.SELECTED ?? "{}");`;

const seed: Seed = {
  taskGroups: [{ taskGroupId: "shops" }],
  tasks: [
    { ...shop, actions: [{ actionType: "NavigateAction", actionId: "open", properties: { Url: "https://a.test" } }] },
  ],
};

/** What a killed command has left in the journal. */
const entry = {
  ...{
    version: 1,
    operation: "startTask",
    urn: "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/webextract:TaskCopy::copy",
  },
  ...{ origin: "https://a.test", profile: "", what: "run", time: 0 },
  ...{ salt: "0".repeat(32), inputs: "", detail: {}, process: { host: "elsewhere", pid: 1 } },
};
const keyOfEntry = createHash("sha256").update(entry.urn).digest("hex").slice(0, 32);

/** A SIGINT at the first moment that the command listens for one. */
const interruptSelf = `process.on("newListener", function interrupt(event) {
  if (event !== "SIGINT") return;
  process.off("newListener", interrupt);
  process.nextTick(() => process.kill(process.pid, "SIGINT"));
});`;

/** What these leave behind matters most. The slow tests take every command. */
const writing = ["run", "export", "adopt", "rename", "review", "token refresh"];

describe("every command", () => {
  const world = useCliWorld({ seed, behaviour: { getActionsEmptyTypes: "all" } });
  beforeEach(async () => {
    await world.finishedRun();
    writeFileSync(world.path("good.yaml"), "from: { adoptTaskId: a }\n");
    writeFileSync(world.path("good.csv"), goodRows);
    writeFileSync(world.path("bad.yaml"), "from: { adoptTaskId: a }\nacions: {}\n");
    writeFileSync(world.path("renamed.yaml"), "name: one\nfrom: { adoptTaskId: a }\n");
    writeFileSync(world.path("interruptSelf.cjs"), interruptSelf);
    mkdirSync(world.path("killed"));
    writeFileSync(world.path(`killed/${keyOfEntry}.${entry.salt}.json`), JSON.stringify(entry));
  });

  const own = /^(?:good\.yaml|good\.csv|renamed\.yaml|bad\.yaml|interruptSelf\.cjs|bin\/.*|killed\/.*)$/;
  const leftFiles = (): string[] =>
    readdirSync(world.folder, { recursive: true, withFileTypes: true })
      .map((entry) =>
        `${entry.parentPath}/${entry.name}${entry.isDirectory() ? "/" : ""}`.slice(world.folder.length + 1),
      )
      .filter((path) => !own.test(path));
  const given = (env: Variables = {}): Variables => {
    if ("WEBEXTRACT_REFRESH_TOKEN" in env) {
      return { ...noCredential, WEBEXTRACT_REFRESH_TOKEN: world.emulator.credentials.refreshToken };
    }
    return env === withPulumi ? { PATH: fakePulumi(world, pulumi) } : env;
  };
  const inputOf = (input = ""): string =>
    input === "of the emulator" ? world.emulator.credentials.refreshToken : input;

  it("is in this table", () => {
    assert.deepEqual(
      allCommands().map(({ name }) => name),
      Object.keys(table),
    );
  });

  for (const [name, { success, failure, interrupted }] of Object.entries(table)) {
    it(`${name}: writes one JSON document, and ends with 0 or with the exit code of the failure`, async () => {
      for (const { line, env, input, before, ends: [code, exit] = [0] } of [failure, success]) {
        const variables = given(env);
        await (before && world.run(before, variables));
        const ended = await world.run(`${line} --json`, variables, inputOf(input));
        assert.deepEqual([ended.code, ended.json().error?.exit], [code, exit], ended.stderr);
        assert.doesNotMatch(ended.stderr, /^ +at /m);
      }
    });

    const test = writing.includes(name) ? it : slowIt;
    test(`${name}: does its work in a project with a selected stack`, async () => {
      const { accessToken, apiKey, refreshToken } = world.emulator.credentials;
      const config = { baseUrl: world.emulator.url, apiKey, accessToken, refreshToken };
      const entries = Object.entries(config).map(([key, value]) => [`webextract:${key}`, { value }]);
      const ofStack = { WEBEXTRACT_BASE_URL: undefined, SELECTED: JSON.stringify(Object.fromEntries(entries)) };
      const { line, input, before, env } = success;
      const journal = { WEBEXTRACT_JOURNAL: env?.WEBEXTRACT_JOURNAL };
      const variables = { ...noCredential, ...ofStack, ...given(withPulumi), ...journal };
      await (before && world.run(before, variables));
      const ended = await world.run(line, variables, inputOf(input));
      assert.equal(ended.code, 0, ended.stderr + ended.stdout);
    });

    if (interrupted !== undefined) {
      test(`${name}: ends at Ctrl-C, and leaves nothing half written`, async () => {
        const { line, env, at, ends: [code, exit] = [130, "interrupted"], leaves = /^$/ } = interrupted;
        const isWaiting = at(world);
        const self: Variables = at === atOnce ? { NODE_OPTIONS: `--require ${world.path("interruptSelf.cjs")}` } : {};
        const running = world.start([...line.split(" "), "--json"], { ...given(env), ...self });
        await isWaiting;
        const ended = at === atOnce ? await running.ended : await interrupt(running, world);
        assert.deepEqual([ended.code, ended.json().error?.exit], [code, exit], ended.stderr);
        assert.match(ended.stderr, /^Ending\. Press Ctrl-C again to end at once\.$/m);
        assert.doesNotMatch(ended.stderr, /^ +at /m);
        const left = leftFiles().filter((path) => !leaves.test(path) && !path.endsWith("/"));
        assert.deepEqual(left, []);
      });
    }
  }

  it("ends at once at the second Ctrl-C, and frees what it has locked", async () => {
    const isWaiting = world.holdAnswer({ operation: "refreshToken" });
    const running = world.start(["token", "refresh", "--yes"], given({ WEBEXTRACT_REFRESH_TOKEN: "of the emulator" }));
    await isWaiting;
    const locks = (): string[] => leftFiles().filter((path) => path.endsWith(".lock/"));
    assert.equal(locks().length, 1);
    running.process.kill("SIGINT");
    await running.says(/Ending\./);
    running.process.kill("SIGINT");
    assert.equal((await running.ended).code, 6);
    assert.deepEqual(locks(), []);
  });
});

async function interrupt(running: Running, world: CliWorld): Promise<Ended> {
  running.process.kill("SIGINT");
  await running.says(/Ending\./);
  world.releaseAnswers();
  return running.ended;
}
