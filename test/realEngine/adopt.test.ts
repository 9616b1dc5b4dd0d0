import assert from "node:assert/strict";
import { slowIt } from "../environment";
import { template, World } from "./world";

const program = `
const actions = (wait) => ({
  open: { actionType: "NavigateAction", properties: { Url: "https://old.test/", Wait: wait } },
  each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["https://old.test/item"] } },
});
new ExtractionTask("equal", { from: { adoptTaskId: "equal" }, actions: actions("1") });
new ExtractionTask("different", { from: { adoptTaskId: "different" }, actions: actions("2"), startUrls: { urls: ["https://old.test/"] } });
const parts = new TaskCopy("parts", { adoptTaskId: "parts" });
const properties = { Url: "https://old.test/", Wait: "1" };
new TaskActionConfig("config", { taskId: parts.id, actions: { open: { actionType: "NavigateAction", properties } }, onDelete: "restore" });
new TaskLoopItems("loop", { taskId: parts.id, actionId: "each", loopType: "UrlList", items: ["https://old.test/item"] });
`;

describe("taking over tasks on the engine", () => {
  let world: World;
  before(async () => {
    const tasks = ["equal", "different", "parts"].flatMap((taskId) =>
      template.tasks.map((task) => ({ ...task, taskId })),
    );
    world = await World.create({ program, seed: { ...template, tasks } });
  });
  after(() => world.remove());

  it("reads them, writes only the value that differs, and uploads start URLs, which the service does not show", async () => {
    await world.project.up();
    const written = world.emulator.requests
      .filter(({ operation }) => operation !== "getActions")
      .map(({ operation, body }) => (operation === "updateTaskParameters" ? body : operation));
    assert.deepEqual(written, [
      {
        taskId: "different",
        actions: [{ actionType: "NavigateAction", actionId: "open", properties: [{ name: "Wait", value: "2" }] }],
      },
      "updateTaskUrls",
    ]);
    assert.ok(world.operations().includes("getActions"));
    assert.deepEqual(world.emulator.inspect.startUrls("different"), ["https://old.test/"]);
  });

  slowIt("changes nothing and asks nothing in the next up", async () => {
    const { output } = await world.project.up();
    assert.match(output, /6 unchanged/);
    assert.deepEqual(world.operations(), []);
  });

  it("restores only values that have changed", async () => {
    await world.project.destroy();
    assert.deepEqual([...new Set(world.operations())], ["getActions"]);
  });
});
