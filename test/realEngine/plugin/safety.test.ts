import assert from "node:assert/strict";
import { slowIt } from "../../environment";
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

  const runProgram = (args: string, name = "run", taskId = "template-1") =>
    `const ${name} = native("CloudRun", "${name}", { taskId: "${taskId}", ${args} });\n`;
  const lotNos = (taskId = "template-1"): string[] => world.emulator.inspect.runs(taskId).map(({ lotNo }) => lotNo);
  const idOf = (name: string): string => world.project.resource(name).id ?? "";
  const mayHaveStarted = (taskId: string): RegExp => new RegExp(`A paid run of task "${taskId}" may have started`);
  /** The engine goes on after the first error, so that each resource has its own. */
  const failedUp = async (): Promise<string> =>
    (await world.project.up({ expect: "failure", args: ["--continue-on-error"] })).output;
  /** Two tasks. */
  const seed = {
    ...template,
    tasks: ["template-1", "template-2"].flatMap((taskId) => template.tasks.map((task) => ({ ...task, taskId }))),
  };

  it("starts no second run if the plugin is killed before or after the service has started the run", async () => {
    world = await nativeWorld({ program: runProgram("", "after") + runProgram("", "before", "template-2"), seed });
    const after = world.emulator.hold({ operation: "startTask", when: "after", taskId: "template-1" });
    const before = world.emulator.hold({ operation: "startTask", when: "before", taskId: "template-2" });
    const run = world.project.start(up);
    await Promise.all([after.reached, before.reached]);
    run.killHosts();
    assert.match((await run.done).output, /A run that it has started goes on\.\s+Run "pulumi up" again/);
    after.release();
    before.release();
    await world.project.run(["cancel", "--yes"], { expect: "either" });
    const output = await failedUp();
    assert.match(output, mayHaveStarted("template-1"));
    assert.match(output, mayHaveStarted("template-2"));
    assert.ok(lotNos("template-1").length === 1 && lotNos("template-2").length <= 1);
    assert.match(idOf("after"), /^unknown-/);
    assert.match(idOf("before"), /^unknown-/);
  });

  slowIt(
    "takes over a run whose result a killed engine could not save, although the plugin can no longer write its log",
    async () => {
      world = await nativeWorld({ program: runProgram(""), config: { "webextract:logLevel": "debug" } });
      const hold = world.emulator.hold({ operation: "startTask", when: "after" });
      const run = world.project.start(up);
      await hold.reached;
      const ended = run.killEngine();
      // The plugin can no longer write its log when it gets the response.
      await run.done;
      hold.release();
      await ended;
      await world.project.run(["cancel", "--yes"], { expect: "either" });
      await world.project.up();
      assert.deepEqual([lotNos().length, world.project.resource("run").id], [1, lotNos()[0]]);
    },
  );

  it("starts no second run if the engine and the plugin are killed at once, nor after a lost response, until the program says so", async () => {
    world = await nativeWorld({ program: runProgram(""), seed });
    const hold = world.emulator.hold({ operation: "startTask", when: "after" });
    const run = world.project.start(up);
    await hold.reached;
    run.killAll();
    await run.done;
    hold.release();
    await world.project.run(["cancel", "--yes"]);
    world.program(prelude + runProgram("") + runProgram("", "lost", "template-2"));
    world.emulator.fault({ operation: "startTask", taskId: "template-2", kind: "reset", when: "after", times: 1 });
    const output = await failedUp();
    assert.match(output, mayHaveStarted("template-1"));
    assert.match(output, mayHaveStarted("template-2"));
    assert.deepEqual([lotNos().length, lotNos("template-2").length], [1, 1]);
    const looked = runProgram('retry: "looked, it is not there"', "lost", "template-2");
    world.program(prelude + runProgram(`adoptLotNo: "${lotNos()[0]}"`) + looked);
    await world.project.up();
    assert.deepEqual([lotNos().length, idOf("run")], [1, lotNos()[0]]);
    assert.equal(lotNos("template-2").length, 2);
  });

  slowIt("ends a wait at the first Ctrl-C with the run in the state, and the next up starts nothing", async () => {
    world = await nativeWorld({ program: runProgram('waitFor: "finished", pollSeconds: 0.1') });
    world.emulator.change.holdRuns();
    const run = world.project.start(up);
    await run.waitFor(/0 of 3 done, (?:\d+ rows, )?running/);
    run.interrupt();
    const { output } = await run.done;
    assert.match(output, /Run \d+ of task "template-1" was not seen to finish before the command was interrupted/);
    assert.equal(world.project.resource("run").id, lotNos()[0]);
  });

  for (const [task, given] of Object.entries({
    known: `const taskId = "template-1";`,
    new: `const taskId = native("TaskCopy", "copy", { sourceTaskId: "template-1", taskGroupId: "group-1" }).id;`,
  })) {
    it(`refuses in the preview the settings of a ${task} task that a slow program declares after its run`, async () => {
      world = await nativeWorld({
        program: `
${given}
const run = native("CloudRun", "run", { taskId });
module.exports = async () => {
  await new Promise((resolve) => run.urn.apply(resolve));
  native("TaskStartUrls", "urls", { taskId, urls: ["https://late.test/"] });
};`,
      });
      const { output } = await world.project.preview({ expect: "failure" });
      assert.match(
        output,
        /CloudRun "run" starts before TaskStartUrls "urls" has written .*Add dependsOn with TaskStart/,
      );
      assert.deepEqual(world.operations(), []);
    });
  }

  it("starts no run of a task whose settings have failed in the same up, without a dependsOn", async () => {
    world = await nativeWorld({
      program: `
native("TaskActionConfig", "settings", { taskId: "template-1", actions: { open: { actionType: "NavigateAction", properties: { Wait: 3 } } } });
native("CloudRun", "run", { taskId: "template-1" });`,
    });
    world.emulator.fault({ operation: "updateActionProperties", kind: "error", code: "InvalidParameter" });
    const { output } = await world.project.up({ expect: "failure" });
    // The engine may not have asked for the run, or have asked before the settings have failed.
    assert.match(output, /updateActionProperties/);
    assert.ok(!world.operations().includes("startTask"));
  });

  it("writes no secret in plain text after a step that has failed in part", async () => {
    world = await nativeWorld({
      program: `
const config = new pulumi.Config();
native("ExtractionTask", "books", {
  from: { sourceTaskId: "template-1", taskGroupId: "group-1" },
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: config.requireSecret("url") } },
    each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["a", config.requireSecret("item")] } },
  },
  startUrls: { urls: [config.requireSecret("start")] },
});`,
      secrets: Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`test:${name}`, value])),
    });
    for (const call of ["create", "update"]) {
      world.emulator.fault({ operation: "updateTaskParameters", kind: "error", code: "InvalidParameter" });
      const { output } = await world.project.up({ expect: "failure" });
      assert.match(output, /updateTaskParameters/, call);
      assert.deepEqual(world.project.findWritten([...Object.values(secrets), "secret-host-3307"]), [], call);
    }
    world.emulator.clearFaults();
    await world.project.up();
    assert.deepEqual(world.project.findWritten([...Object.values(secrets), "secret-host-3307"]), []);
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
    await world.project.up({ args: ["--diff"] });
    assert.deepEqual(world.emulator.inspect.task("template-1")?.actions[1]?.loopItems, ["a", secrets.item]);
    await world.project.destroy({ args: ["--refresh", "--diff"] });
    const needles = [...Object.values(secrets), "secret-host-3307", ...Object.values(world.emulator.credentials)];
    assert.deepEqual(world.project.findWritten([...needles, "https://old.test/item"]), []);
  });
});
