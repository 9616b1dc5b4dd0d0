import assert from "node:assert/strict";
import { World } from "./world";

const program = ({ wait = "1", urls = "", extra = "" } = {}): string => `
const actions = {
  open: { actionType: "NavigateAction", properties: { Url: "https://old.test/", Wait: "${wait}" } },
  each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["https://old.test/item"] } },
};
new ExtractionTask("task", { from: { adoptTaskId: "template-1" }, actions ${urls} });
${extra}
`;

const parts = `
const task = new TaskCopy("task", { adoptTaskId: "template-1" });
const properties = { Url: "https://old.test/", Wait: "1" };
new TaskActionConfig("config", { taskId: task.id, actions: { open: { actionType: "NavigateAction", properties } }, onDelete: "restore" });
new TaskLoopItems("loop", { taskId: task.id, actionId: "each", loopType: "UrlList", items: ["https://old.test/item"] });
`;

describe("taking over a task on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: program() });
  });
  after(() => world.remove());

  it("reads the task, and writes nothing if its values are the declared ones", async () => {
    await world.project.up();
    assert.deepEqual(world.operations(), ["getActions"]);
    const { output } = await world.project.up();
    assert.match(output, /2 unchanged/);
    assert.deepEqual(world.operations(), []);
    await world.project.destroy();
    assert.deepEqual(world.operations(), []);
  });

  it("writes only the value that differs, and uploads start URLs, which the service does not show", async () => {
    world.program(program({ wait: "2", urls: ', startUrls: { urls: ["https://old.test/"] }' }));
    await world.project.up();
    assert.deepEqual(
      world.emulator.requests.map(({ operation, body }) => (operation === "updateTaskParameters" ? body : operation)),
      [
        "getActions",
        {
          taskId: "template-1",
          actions: [{ actionType: "NavigateAction", actionId: "open", properties: [{ name: "Wait", value: "2" }] }],
        },
        "updateTaskUrls",
      ],
    );
    await world.project.destroy();
    world.emulator.change.setProperty("template-1", "open", "Wait", "1");
    world.operations();
  });

  it("also reads it for settings resources of a TaskCopy, and restores only values that have changed", async () => {
    world.program(parts);
    await world.project.up();
    assert.deepEqual([...new Set(world.operations())], ["getActions"]);
    await world.project.up();
    assert.deepEqual(world.operations(), []);
    await world.project.destroy();
    assert.deepEqual([...new Set(world.operations())], ["getActions"]);
  });
});
