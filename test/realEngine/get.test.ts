import assert from "node:assert/strict";
import { slowIt } from "../environment";
import { World } from "./world";

const open = '{ open: { actionType: "NavigateAction", properties: { Url: "?" } } }';

describe("static get on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: "" });
    world.emulator.change.startRun("template-1");
    await world.emulator.settled();
  });
  after(() => world.remove());

  it("reads an existing resource, manages nothing, and conflicts with nothing", async () => {
    const [run] = world.emulator.inspect.runs();
    world.program(`
      new CloudRun("run", { taskId: "template-1", adoptLotNo: "${run?.lotNo}" });
      const task = TaskCopy.get("task", "template-1");
      const config = TaskActionConfig.get("config", task.id, { actions: ${open} });
      const loop = TaskLoopItems.get("loop", task.id, { actionId: "each", loopType: "UrlList" });
      const run = CloudRun.get("seen", "${run?.lotNo}", { taskId: task.id });
      const parameters = TaskParameters.get("parameters", "template-1", { actions: {
        open: { actionType: "NavigateAction", properties: { Wait: "?" } },
        each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["?"] } } } });
      const whole = ExtractionTask.get("whole", "template-1", { actions: ${open} });
      const subtasks = CloudSubtasks.get("subtasks", "template-1", { desired: "started", subTaskIds: ${JSON.stringify(run?.subtasks.map(({ subTaskId }) => subTaskId))} });
      exports.parameters = parameters.actions.apply(({ open, each }) => [open.properties.Wait, each.loop.items]);
      exports.whole = [whole.taskId, whole.actions.apply(({ open }) => open.properties.Url)];
      exports.stopped = subtasks.subTaskIds;
      exports.taskId = task.taskId;
      exports.url = config.actions.apply((actions) => actions.open.properties.Url);
      exports.items = loop.items;
      exports.status = run.status;
      exports.subtasks = run.subtasks.apply((subtasks) => subtasks.total);
    `);
    await world.project.up();
    assert.deepEqual(await world.project.outputs(), {
      parameters: ["1", "https://old.test/item\n"],
      whole: ["template-1", "https://old.test/"],
      stopped: run?.subtasks.map(({ subTaskId }) => subTaskId).join("\n"),
      taskId: "template-1",
      url: "https://old.test/",
      items: "https://old.test/item\n",
      status: "finished",
      subtasks: 3,
    });
    const writes = world.operations().filter((operation) => !operation.startsWith("get"));
    assert.deepEqual(writes, []);
  });

  slowIt("reads nothing in a preview that does not know its id yet, and reads in the up", async () => {
    const [run] = world.emulator.inspect.runs();
    const [first] = run?.subtasks ?? [];
    world.program(`
      const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1", onDelete: "retain" });
      const later = (value) => copy.id.apply(() => value);
      const run = CloudRun.get("seen", "${run?.lotNo}", { taskId: later("template-1") });
      const loop = TaskLoopItems.get("loop", "template-1", { actionId: later("each"), loopType: "UrlList" });
      const subtasks = CloudSubtasks.get("subtasks", "template-1", { desired: "started", subTaskIds: [later("${first?.subTaskId}")] });
      const config = TaskActionConfig.get("config", copy.id, { actions: ${open} });
      exports.seen = [run.status, loop.items, subtasks.subTaskIds, config.actions.apply((actions) => actions.open.properties.Url)];
    `);
    world.operations();
    await world.project.preview();
    assert.deepEqual(world.operations(), []);
    await world.project.up();
    assert.deepEqual(await world.project.outputs(), {
      seen: ["finished", "https://old.test/item\n", `${first?.subTaskId}\n`, "https://old.test/"],
    });
    // The program of the test before is gone from the state.
    assert.equal(world.emulator.inspect.rows("template-1").length, 25);
  });

  slowIt("names a task that does not exist", async () => {
    world.program('TaskCopy.get("task", "nothing");');
    const { output } = await world.project.preview({ expect: "failure" });
    assert.match(output, /There is no TaskCopy "nothing" at the service/);
  });

  slowIt(
    "never uses a refresh token in a preview: it reads nothing and warns once, and dependent resources show no change",
    async () => {
      const { accessToken, refreshToken } = world.emulator.credentials;
      const profiles = { us: { accessToken }, de: { refreshToken } };
      await world.project.configure({}, { "webextract:profiles": JSON.stringify(profiles) });
      const program = (later = "") => `
      const task = TaskCopy.get("task", "template-1");
      const loop = TaskLoopItems.get("loop", pulumi.output("template-1"), { actionId: "each", loopType: "UrlList" });
      new TaskActionConfig("by-id", { taskId: task.id, actions: ${open} });
      new TaskParameters("by-taskId", { taskId: task.taskId, actions: { open: { actionType: "NavigateAction", properties: { Wait: "2" } } } });
      exports.items = loop.items;
      ${later}`;
      world.program(program());
      await world.project.up();
      await world.project.run(["config", "rm", "webextract:accessToken"]);
      await world.project.configure({}, { "webextract:refreshToken": refreshToken });
      world.operations();
      world.program(
        program(`
      exports.us = TaskCopy.get("us", "template-1", { profile: pulumi.output("us") }).taskId;
      exports.de = TaskCopy.get("de", "template-1", { profile: "de" }).sourceTaskId;`),
      );
      const { output } = await world.project.preview({ args: ["--diff"] });
      assert.deepEqual(world.operations(), ["getActions"], "of the profile with an access token");
      assert.equal(
        output.match(/warning: pulumi-webextract: In a preview, reads use only accessToken/g)?.length,
        1,
        output,
      );
      assert.doesNotMatch(output, /replace|\(update\)|\(create\)/);
      assert.match(output, /de *: \[unknown\]/);
      assert.match(output, /us *: "template-1"/);
      await world.project.up();
      const operations = world.operations();
      assert.ok(operations.filter((operation) => operation === "refreshToken").length >= 1, operations.join());
      assert.equal((await world.project.outputs()).us, "template-1");
    },
  );
});
