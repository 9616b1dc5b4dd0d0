import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator } from "webextract-emulator";
import type { World } from "../world";
import { template } from "../world";
import { nativeWorld, prelude } from "./nativeWorld";

const up = ["up", "--yes", "--skip-preview"];
const secrets = {
  url: "https://secret-url-5521.test/",
  item: "secret-item-8812",
  start: "https://secret-host-3307.test/",
};

describe("the native plugin on the engine", () => {
  let world: World;
  afterEach(() => world.remove());

  const runProgram = (args: string) =>
    `const run = native("CloudRun", "run", { taskId: "template-1", ${args} });\nexports.lotNo = run.id;\n`;
  const lotNos = (): string[] => world.emulator.inspect.runs("template-1").map(({ lotNo }) => lotNo);

  for (const [what, when] of [
    ["after the service has started the run", "after"],
    ["before the service has started the run", "before"],
  ] as const) {
    it(`starts no second run if the plugin is killed ${what}`, async () => {
      world = await nativeWorld({ program: runProgram("") });
      const hold = world.emulator.hold({ operation: "startTask", when });
      const run = world.project.start(up);
      await hold.reached;
      run.killHosts();
      await run.done;
      hold.release();
      await world.project.run(["cancel", "--yes"], { expect: "either" });
      const { output } = await world.project.up({ expect: "failure" });
      assert.match(output, /A paid run of task "template-1" may have started/);
      assert.ok(lotNos().length <= 1);
      assert.match(world.project.resource("run").id ?? "", /^unknown-/);
    });
  }

  it("takes over a run whose result a killed engine could not save", async () => {
    world = await nativeWorld({ program: runProgram("") });
    const hold = world.emulator.hold({ operation: "startTask", when: "after" });
    const run = world.project.start(up);
    await hold.reached;
    const ended = run.killEngine();
    hold.release();
    await ended;
    await run.done;
    await world.project.run(["cancel", "--yes"], { expect: "either" });
    await world.project.up();
    assert.deepEqual([lotNos().length, world.project.resource("run").id], [1, lotNos()[0]]);
  });

  it("starts no second run if the engine and the plugin are killed at once", async () => {
    world = await nativeWorld({ program: runProgram("") });
    const hold = world.emulator.hold({ operation: "startTask", when: "after" });
    const run = world.project.start(up);
    await hold.reached;
    run.killAll();
    await run.done;
    hold.release();
    await world.project.run(["cancel", "--yes"]);
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /A paid run of task "template-1" may have started/);
    assert.equal(lotNos().length, 1);
    world.program(prelude + runProgram(`adoptLotNo: "${lotNos()[0]}"`));
    await world.project.up();
    assert.deepEqual([lotNos().length, world.project.resource("run").id], [1, lotNos()[0]]);
  });

  it("starts no second run after a lost response, until the program says so", async () => {
    world = await nativeWorld({ program: runProgram("") });
    world.emulator.fault({ operation: "startTask", kind: "reset", when: "after", times: 1 });
    for (const attempt of [1, 2]) {
      const { output } = await world.project.up({ expect: "failure" });
      assert.match(output, /A paid run of task "template-1" may have started/, `up ${attempt}`);
    }
    assert.equal(lotNos().length, 1);
    world.program(prelude + runProgram('retry: "looked, it is not there"'));
    await world.project.up();
    assert.equal(lotNos().length, 2);
  });

  it("ends a wait at the first Ctrl-C with the run in the state, and the next up starts nothing", async () => {
    world = await nativeWorld({
      program: runProgram('waitFor: "finished", pollSeconds: 0.1'),
    });
    world.emulator.change.holdRuns();
    const run = world.project.start(up);
    await run.waitFor(/running, 0 of 3 subtasks done/);
    run.interrupt();
    const { output } = await run.done;
    assert.match(output, /Run \d+ of task "template-1" was not seen to finish before the command was interrupted/);
    assert.equal(world.project.resource("run").id, lotNos()[0]);
  });

  it("writes no secret in plain text, also not what is derived from one", async () => {
    world = await nativeWorld({
      program: `
const config = new pulumi.Config();
const loop = native("TaskLoopItems", "loop", { taskId: "template-1", actionId: "each", loopType: "UrlList", items: ["a", config.requireSecret("item")], onDelete: "restore" });
const urls = native("TaskStartUrls", "urls", { taskId: "template-1", urls: [config.requireSecret("start")] });
const settings = native("TaskActionConfig", "settings", { taskId: "template-1", actions: {
  open: { actionType: "NavigateAction", properties: { Url: config.requireSecret("url") } } } });
exports.hosts = urls.hosts; exports.items = loop.items; exports.actions = settings.actions;
`,
      secrets: Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`test:${name}`, value])),
      config: { "webextract:logLevel": "trace" },
    });
    await world.project.preview({ args: ["--diff"] });
    await world.project.up({ args: ["--diff"] });
    assert.deepEqual(world.emulator.inspect.task("template-1")?.actions[1]?.loopItems, ["a", secrets.item]);
    await world.project.refresh({ args: ["--diff"] });
    await world.project.up();
    await world.project.destroy();
    const needles = [...Object.values(secrets), "secret-host-3307", ...Object.values(world.emulator.credentials)];
    assert.deepEqual(world.project.findWritten([...needles, "https://old.test/item"]), []);
  });

  it("serves two declared providers with an account each", async () => {
    const other = await startEmulator({
      seed: { ...template, credentials: { accessToken: "other-token-1", refreshToken: "r", apiKey: "k" } },
    });
    try {
      world = await nativeWorld({
        program: `
class Provider extends pulumi.ProviderResource { constructor(name, args) { super("webextract", name, args); } }
const one = new Provider("one", { baseUrl: process.env.ONE, accessToken: "access-of-the-world-5d81" });
const two = new Provider("two", { baseUrl: process.env.TWO, accessToken: "other-token-1" });
const args = { sourceTaskId: "template-1", taskGroupId: "group-1" };
native("TaskCopy", "first", args, { provider: one });
native("TaskCopy", "second", args, { provider: two });
`,
        withCredentials: false,
      });
      const env = { ONE: world.emulator.url, TWO: other.url };
      await world.project.up({ env });
      assert.deepEqual([world.copies().length, other.inspect.tasks().length], [1, 2]);
      assert.match((await world.project.up({ env })).output, /5 unchanged/);
      assert.deepEqual(
        world.project
          .findWritten(["other-token-1", "access-of-the-world-5d81"])
          .filter(({ where }) => !where.endsWith("index.js")),
        [],
      );
      // A changed credential is an update of its provider and nothing else.
      world.project.write(
        "index.js",
        readFileSync(join(world.project.folder, "index.js"), "utf8").replace("other-token-1", "other-token-2"),
      );
      const { changeSummary } = await world.project.previewJson({ env });
      assert.deepEqual(changeSummary, { same: 4, update: 1 });
    } finally {
      await other.close();
    }
  });
});
