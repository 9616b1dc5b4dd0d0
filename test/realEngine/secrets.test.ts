import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "webextract-emulator";
import { parse } from "yaml";
import type { Finding } from "./harness";
import { findInText } from "./harness";
import { World } from "./world";

/** The values of the template before the program writes to it. */
const old = {
  property: "template-password-5521-äöü",
  item: "https://template-item-8812.test/",
  text: "template-text-3307",
};

const seed: Seed = {
  taskGroups: [{ taskGroupId: "group-1" }],
  tasks: [
    {
      taskId: "template-1",
      taskGroupId: "group-1",
      syntheticRows: 5,
      actions: [
        { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://old.test/", Key: old.property } },
        { actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: [old.item] },
        { actionType: "EnterTextAction", actionId: "enter", properties: { TextToSet: old.text } },
      ],
    },
  ],
};

/** The secrets of the program in its first up. */
const secrets = {
  property: 'property "4711" with ünicode & blanks',
  item: "https://secret-item-9931.test/a?key=Zx81",
  url: "https://hidden-host-7712.test/start?token=Qq55",
  text: "entered-secret-2204",
};
const changed = {
  property: "another property 6013",
  item: "https://other-item-1147.test/",
  url: "https://other-host-3390.test/",
  text: "entered-later-8716",
};
const drifted = "changed-behind-the-back-5150";
const plain = "https://plain-host-0001.test/";

const program = `
const config = new pulumi.Config();
const secret = (name) => config.requireSecret(name);
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
const settings = new TaskActionConfig("settings", { taskId: copy.id, onDelete: "restore", actions: {
  open: { actionType: "NavigateAction", properties: { Url: "${plain}", Key: secret("property") } } } });
const loop = new TaskLoopItems("loop", { taskId: copy.id, onDelete: "restore", actionId: "each", loopType: "UrlList",
  items: ["${plain}", secret("item")] });
const text = new TaskParameters("text", { taskId: copy.id, profile: "other", onDelete: "restore", actions: {
  enter: { actionType: "EnterTextAction", properties: { TextToSet: secret("text") } } } });
const urls = new TaskStartUrls("urls", { taskId: copy.id, profile: "other", urls: ["${plain}", secret("url")] });
const run = new CloudRun("run", { taskId: copy.id, rerunOn: [settings, loop, text, urls], waitFor: "finished", pollSeconds: 0 });
exports.actions = settings.actions;
exports.items = loop.items;
exports.hosts = urls.hosts;
exports.updated = text.updatedParameters;
exports.lotNo = run.lotNo;
`;

const staleToken = "stale-access-token-77a1b2c3";
const keyOfNobody = "api-key-of-the-top-level-19d0";

describe("secrets on the engine", () => {
  let world: World;
  let credentials: World["emulator"]["credentials"];
  let tokenStore: string;
  before(async () => {
    world = await World.create({
      program,
      seed,
      withCredentials: false,
      config: {
        "webextract:logLevel": "trace",
        "webextract:maxRetries": "0",
        "webextract:actionTypes": "NavigateAction,LoopAction,EnterTextAction",
      },
    });
    credentials = world.emulator.credentials;
    tokenStore = join(world.project.root, "home", ".local", "state", "pulumi-webextract");
    const { accessToken, apiKey, refreshToken } = credentials;
    const other = { baseUrl: world.emulator.url, accessToken, apiKey };
    await world.project.configure(
      {},
      {
        // The service refuses this token, so that the client uses and rotates the refresh token.
        "webextract:accessToken": staleToken,
        "webextract:refreshToken": refreshToken,
        "webextract:apiKey": keyOfNobody,
        "webextract:profiles": JSON.stringify({ other }),
        ...namespaced(secrets),
      },
    );
  });
  after(() => world.remove());

  function needles(): string[] {
    const now = world.emulator.credentials;
    return [
      ...[old, secrets, changed].flatMap((set) => Object.values(set)),
      ...["hidden-host-7712", "secret-item-9931", "other-host-3390", "other-item-1147", drifted],
      ...[staleToken, keyOfNobody, ...Object.values(credentials), ...Object.values(now)],
    ];
  }

  /** The places where a secret was written, except the store of rotated tokens, which must contain them. */
  function leaks(): Finding[] {
    return world.project.findWritten(needles()).filter(({ where }) => !where.startsWith(tokenStore));
  }

  it("are stored encrypted in the stack's file, and nowhere else", () => {
    const { config } = parse(readFileSync(join(world.project.folder, "Pulumi.dev.yaml"), "utf8"));
    for (const key of ["webextract:accessToken", "webextract:profiles", ...Object.keys(namespaced(secrets))]) {
      assert.deepEqual(Object.keys(config[key]), ["secure"], key);
    }
    assert.deepEqual(leaks(), []);
  });

  it("are in no preview and no saved plan", async () => {
    const plan = join(world.project.root, "plan.json");
    const args = ["--diff", "--save-plan", plan];
    const { output } = await world.project.preview({ args, env: { PULUMI_EXPERIMENTAL: "true" } });
    assert.match(output, /Key *: \[secret\]/);
    assert.match(readFileSync(plan, "utf8"), /plain-host-0001/);
    assert.deepEqual(leaks(), []);
    assert.deepEqual(world.operations(), []);
  });

  it("are in no error if the service repeats the request", async () => {
    const refuse = (operation: "updateActionProperties" | "updateLoopItems" | "updateTaskParameters", value: string) =>
      world.emulator.fault({
        operation,
        kind: "status",
        status: 400,
        body: {
          error: { code: "InvalidParameter", message: `action of task: "${value}" is not allowed` },
          requestId: "r",
        },
      });
    refuse("updateActionProperties", secrets.property);
    refuse("updateLoopItems", secrets.item);
    refuse("updateTaskParameters", secrets.text);
    world.emulator.fault({
      operation: "updateTaskUrls",
      kind: "status",
      status: 400,
      body: { error: "InvalidParameter", error_Description: "line 2: server HIDDEN-HOST-7712.test", requestId: "r" },
    });
    const { output } = await world.project.up({ expect: "failure", args: ["--continue-on-error"] });
    world.emulator.clearFaults();
    for (const operation of ["updateActionProperties", "updateLoopItems", "updateTaskParameters"]) {
      assert.match(
        output,
        new RegExp(`${operation} .*InvalidParameter: "action of task: "?\\[hidden\\]"? is not allowed"`),
      );
    }
    assert.match(output, /updateTaskUrls .*"line 2: server \[hidden\]"/);
    assert.deepEqual(leaks(), []);
  });

  it("are not in the state after a write without a response", async () => {
    const writes = ["updateActionProperties", "updateLoopItems", "updateTaskParameters", "updateTaskUrls"] as const;
    for (const operation of writes) {
      world.emulator.fault({ operation, kind: "reset", when: "after" });
    }
    const { output } = await world.project.up({ expect: "failure", args: ["--continue-on-error"] });
    world.emulator.clearFaults();
    for (const operation of writes) {
      assert.match(output, new RegExp(`${operation} .*no complete response came`));
    }
    assert.deepEqual(world.project.resource("settings").outputs?.pending, ["write"]);
    assert.deepEqual(leaks(), []);
  });

  it("are in no state, log or output of a successful up", async () => {
    const { output } = await world.project.up();
    assert.match(output, /webextract updateActionProperties task=\S+ status=200/);
    const [taskId = ""] = world.copies();
    assert.equal(world.emulator.inspect.task(taskId)?.actions[0]?.properties.Key, secrets.property);
    assert.deepEqual(world.emulator.inspect.startUrls(taskId), [plain, secrets.url]);
    await world.project.run(["stack", "output"]);
    await world.project.exportStack();
    assert.deepEqual(leaks(), []);
  });

  it("are stored in a file that only its owner can read, if they are rotated tokens", () => {
    const [file = ""] = readdirSync(tokenStore);
    assert.notEqual(world.emulator.credentials.refreshToken, credentials.refreshToken);
    const found = world.project.findWritten([world.emulator.credentials.refreshToken]);
    assert.deepEqual([...new Set(found.map(({ where }) => where))], [join(tokenStore, file)]);
    assert.equal(statSync(join(tokenStore, file)).mode & 0o777, 0o600);
    assert.equal(statSync(tokenStore).mode & 0o777, 0o700);
  });

  it("are in no diff, no JSON preview and no state after they change", async () => {
    await world.project.configure({}, namespaced(changed));
    await world.project.previewJson();
    const { output } = await world.project.up({ args: ["--diff"] });
    assert.match(output, /Key *: \[secret\] => \[secret\]/);
    const [taskId = ""] = world.copies();
    assert.equal(world.emulator.inspect.task(taskId)?.actions[0]?.properties.Key, changed.property);
    assert.deepEqual(leaks(), []);
  });

  it("are in no refresh, also if somebody changed the value at the service", async () => {
    const [taskId = ""] = world.copies();
    world.emulator.change.setProperty(taskId, "open", "Key", drifted);
    world.emulator.change.setProperty(taskId, "enter", "TextToSet", drifted);
    world.emulator.change.setLoopItems(taskId, "each", [drifted]);
    const { output } = await world.project.up({ args: ["--refresh", "--diff"] });
    assert.match(output, /Key *: \[secret\] => \[secret\]/);
    assert.deepEqual(leaks(), []);
  });

  it("are in no output of a destroy, which restores the old values", async () => {
    const [taskId = ""] = world.copies();
    await world.project.destroy({ env: { WEBEXTRACT_FORCE_DESTROY: "true" } });
    assert.deepEqual(world.emulator.inspect.task(taskId)?.actions[0]?.properties.Key, old.property);
    assert.deepEqual(world.emulator.inspect.task(taskId)?.actions[1]?.loopItems, [old.item]);
    assert.deepEqual(world.emulator.inspect.task(taskId)?.actions[2]?.properties.TextToSet, old.text);
    assert.deepEqual(leaks(), []);
  });

  it("can be found by this test: non-secret values are found in state, plan, history and output", () => {
    const places = world.project.findWritten([plain]).map(({ where }) => where);
    for (const place of [/plan\.json$/, /output of run/, /\.pulumi\/(history|backups)\//, /index\.js$/]) {
      assert.ok(
        places.some((where) => place.test(where)),
        `nothing in ${place}:\n${places.join("\n")}`,
      );
    }
    world.project.write("note.txt", Buffer.from(`x${secrets.property}`).toString("base64"));
    assert.deepEqual(
      leaks().map(({ where, needle }) => [where, needle]),
      [[join(world.project.folder, "note.txt"), secrets.property]],
    );
    world.project.write("note.txt", "");
  });

  it("are in no line that the package adds to the most detailed log of the engine, which contains all properties in clear text", async () => {
    const { output } = await world.project.up({ args: ["-v=9", "--logtostderr"] });
    const ours = output.replaceAll(/\{"time":.*"v":\d+\}$/gm, "");
    assert.match(ours, /webextract updateActionProperties task=\S+ status=200/);
    assert.deepEqual(findInText("output", ours, needles()), []);
  });
});

function namespaced(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`test:${name}`, value]));
}
