import assert from "node:assert/strict";
import { slowIt } from "../environment";
import { resourcesShown } from "./diffs/previewText";
import { World } from "./world";

const items = Array.from({ length: 1000 }, (_, index) => `https://shop.test/item/${index}`);

/** A complete task, with the differences that a test needs. */
const program = ({ url = "https://shop.test/", urls = ["https://shop.test/a"], loop = items } = {}): string => `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
new TaskActionConfig("config", { taskId: copy.id, actions: {
  open: { actionType: "NavigateAction", properties: { Url: ${JSON.stringify(url)}, Wait: "3" } } } });
new TaskLoopItems("loop", { taskId: copy.id, actionId: "each", loopType: "UrlList", items: ${JSON.stringify(loop)} });
new TaskStartUrls("urls", { taskId: copy.id, urls: ${JSON.stringify(urls)} });
exports.taskId = copy.taskId;
`;

describe("the life of a task on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: program(), withCredentials: false });
  });
  after(() => world.remove());

  const addCredentials = (): Promise<void> => {
    const { accessToken, apiKey } = world.emulator.credentials;
    return world.project.configure({}, { "webextract:accessToken": accessToken, "webextract:apiKey": apiKey });
  };

  it("previews without a request and without a credential", async () => {
    const { output } = await world.project.preview({ args: ["--diff"] });
    assert.match(output, /5 to create|\+ 5 created|4 to create/);
    assert.deepEqual(world.operations(), []);
  });

  it("is created by four requests, after a look at the address and the template", async () => {
    await addCredentials();
    await world.project.up();
    assert.deepEqual(world.operations().sort(), [
      "copyTask",
      "getActions",
      "getData",
      "updateActionProperties",
      "updateLoopItems",
      "updateTaskUrls",
    ]);
    const { taskId } = (await world.project.outputs()) as { taskId: string };
    const task = world.emulator.inspect.task(taskId);
    assert.deepEqual(task?.actions[0]?.properties, { Url: "https://shop.test/", Wait: "3" });
    assert.deepEqual(task?.actions[1]?.loopItems, items);
    assert.deepEqual(world.emulator.inspect.startUrls(taskId), ["https://shop.test/a"]);
  });

  it("is in the state with the line of the program that declares it", () => {
    for (const name of ["copy", "config", "loop", "urls"]) {
      const { sourcePosition, stackTrace } = world.project.resource(name);
      assert.match(sourcePosition ?? "", /^project:\/\/\/index\.js#\d+,\d+$/);
      assert.deepEqual(stackTrace, [{ sourcePosition }]);
    }
  });

  slowIt("makes no request if nothing changed", async () => {
    const { output } = await world.project.up();
    assert.match(output, /5 unchanged/);
    assert.deepEqual(world.operations(), []);
  });

  it("shows only the changed property, and an item inserted into a list of 1,000 in a few lines, and makes one write for each", async () => {
    const loop = [...items.slice(0, 500), "https://shop.test/inserted", ...items.slice(500)];
    world.program(program({ url: "https://shop.test/new", loop }));
    const { output } = await world.project.up({ args: ["--diff"] });
    const linesOf = (name: string) => resourcesShown(output).find((shown) => shown.name === name)?.lines ?? [];
    const changed = linesOf("config").filter((line) => /^\s*[-+~]/.test(line) && !/~ pulumi|--outputs:--/.test(line));
    assert.deepEqual(
      changed.map((line) => line.trim()),
      ["~ actions: {", "~ open: {", "~ properties: {", '~ Url: "https://shop.test/" => "https://shop.test/new"'],
    );
    const list = linesOf("loop").filter((line) => line.includes("https://shop.test/"));
    assert.ok(list.length <= 6, `${list.length} lines of the list are shown:\n${list.join("\n")}`);
    assert.ok(
      list.some((line) => /^\s*\+ https:\/\/shop.test\/inserted$/.test(line)),
      list.join("\n"),
    );
    assert.deepEqual(world.operations().sort(), ["updateActionProperties", "updateLoopItems"]);
  });
});
