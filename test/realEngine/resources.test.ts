import assert from "node:assert/strict";
import { startEmulator } from "webextract-emulator";
import { slowIt } from "../environment";
import { World } from "./world";

const source = 'sourceTaskId: "template-1", taskGroupId: "group-1"';

describe("resources that depend on a copy, on the engine", () => {
  const program = (first: string): string => `
    const first = new TaskCopy("first", { sourceTaskId: "template-1", ${first} });
    const second = new TaskCopy("second", { sourceTaskId: first.id, taskGroupId: "group-1", onDelete: "retain" });
    new ExtractionTask("third", { from: { sourceTaskId: first.taskId, taskGroupId: "group-1" }, onDelete: "retain" });
    new CloudRun("run", { taskId: second.id });
    new CloudRun("after", { taskId: "template-1", triggers: { of: [first.taskId] } });
  `;
  let world: World;
  before(async () => {
    world = await World.create({ program: program('taskGroupId: "group-1"') });
    await world.project.up();
  });
  after(() => world.remove());

  const previewed = async (first: string): Promise<string[]> => {
    world.program(program(first));
    const { steps } = await world.project.previewJson();
    const done = steps.filter(({ op }) => op === "update" || op === "replace");
    return done.map(({ op, urn }) => `${op} ${urn.split("::").at(-1)}`).sort();
  };

  slowIt("show no change if the copy is only updated", async () => {
    assert.deepEqual(await previewed('taskGroupId: "group-1", onDelete: "retain"'), ["update first"]);
  });

  it("show a replace if the copy is replaced, as the up will do", async () => {
    const first = 'taskGroupId: "group-2", onDelete: "retain"';
    const all = ["replace after", "replace first", "replace run", "replace second", "replace third"];
    assert.deepEqual(await previewed(first), all);
    world.operations();
    await world.project.up();
    const made = world.operations().filter((operation) => operation === "copyTask" || operation === "startTask");
    assert.deepEqual(made.sort(), ["copyTask", "copyTask", "copyTask", "startTask", "startTask"]);
  });
});

describe("property values and lists of files on the engine", () => {
  const program = (wait: string, deep: string, more: string, last: string): string => `
    const properties = { Url: "https://shop.test/", Wait: ${wait}, Deep: ${deep}, More: ${more}, Last: ${last} };
    const open = { actionType: "NavigateAction", properties };
    const config = new TaskActionConfig("config", { taskId: "template-1", actions: { open } });
    const whole = new ExtractionTask("whole", { from: { ${source} }, actions: { open }, onDelete: "retain" });
    new TaskParameters("parameters", { taskId: "template-1", actions: {
      each: { actionType: "LoopAction", loop: { loopType: "UrlList", itemsFile: "items.txt" } } } });
    new CloudRun("run", { taskId: "template-1", rerunOn: [config, whole] });
    exports.wait = TaskActionConfig.get("seen", config.id, { actions: { open } }).actions.open.properties.Wait;
  `;
  let world: World;
  before(async () => {
    world = await World.create({
      program: program('"3"', '"true"', '"4"', '"false"'),
      files: { "items.txt": "https://a.test/\r\nhttps://b.test/\r\n" },
    });
    await world.project.up();
    world.operations();
  });
  after(() => world.remove());

  const items = (): string[] | undefined => world.emulator.inspect.task("template-1")?.actions[1]?.loopItems;

  slowIt(
    "show no change and start no run if a string becomes the equal number, boolean or output, or a file has other line ends",
    async () => {
      assert.deepEqual(items(), ["https://a.test/", "https://b.test/"]);
      world.program(program("3", "true", "pulumi.output(4)", "Promise.resolve(false)"));
      world.project.write("items.txt", "https://a.test/\nhttps://b.test/\n");
      await world.project.up({ args: ["--expect-no-changes"] });
      assert.deepEqual(world.operations(), ["getActions"]);
      assert.deepEqual(await world.project.outputs(), { wait: "3" });
    },
  );

  slowIt("show the change of a file by count and digest, and send the list again", async () => {
    world.project.write("items.txt", "https://a.test/\nhttps://b.test/\nhttps://c.test/\n");
    const { output } = await world.project.up({ args: ["--diff"] });
    assert.match(output, /~ count\s*: 2 => 3/);
    assert.match(output, /~ sha256\s*: "[0-9a-f]{64}" => "[0-9a-f]{64}"/);
    assert.deepEqual(items(), ["https://a.test/", "https://b.test/", "https://c.test/"]);
  });

  slowIt("show no drift if the service shows them with another type", async () => {
    world.emulator.setBehaviour({ propertyValues: "typed" });
    await world.project.refresh({ args: ["--expect-no-changes"] });
  });
});

describe("a profile on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: "" });
  });
  after(() => world.remove());

  const program = (url: string): string => `
    const theirs = new TaskCopy("theirs", { adoptTaskId: "their-task", profile: "theirs" });
    for (const [name, taskId, profile] of [["ours", "template-1", undefined], ["theirs", theirs.id, "theirs"]]) {
      new TaskActionConfig("config-" + name, { taskId, profile, actions: {
        open: { actionType: "NavigateAction", properties: { Url: "${url}" + name } } } });
    }
  `;
  const urlAt = (emulator: World["emulator"], taskId: string): string | undefined =>
    emulator.inspect.task(taskId)?.actions[0]?.properties.Url;

  it("gives each resource its account in an up, a refresh and a destroy, and stores only its name in the state", async () => {
    const theirs = await startEmulator({
      seed: {
        credentials: { accessToken: "access-of-theirs-77aa" },
        taskGroups: [{ taskGroupId: "group-1" }],
        tasks: [
          {
            taskId: "their-task",
            taskGroupId: "group-1",
            actions: [{ actionType: "NavigateAction", actionId: "open", properties: { Url: "https://old.test/" } }],
          },
        ],
      },
    });
    try {
      const { url, credentials } = theirs;
      const profiles = JSON.stringify({ theirs: { baseUrl: url, accessToken: credentials.accessToken } });
      await world.project.configure({}, { "webextract:profiles": profiles });
      world.program(program("https://first.test/"));
      await world.project.up();
      theirs.change.setProperty("their-task", "open", "Url", "https://somebody.test/");
      world.program(program("https://second.test/"));
      const { output } = await world.project.up({ args: ["--refresh", "--diff"] });
      assert.match(output, /"https:\/\/first.test\/theirs" => "https:\/\/somebody.test\/"/);
      assert.equal(urlAt(world.emulator, "template-1"), "https://second.test/ours");
      assert.equal(urlAt(theirs, "their-task"), "https://second.test/theirs");
      assert.equal(world.project.resource("config-theirs").outputs?.profile, "theirs");
      assert.deepEqual(world.project.findWritten([credentials.accessToken]), []);
      await world.project.destroy();
    } finally {
      await theirs.close();
    }
  });
});
