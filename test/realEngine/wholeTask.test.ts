import assert from "node:assert/strict";
import { slowIt } from "../environment";
import { World } from "./world";

const task = ({
  url = "https://shop.test/",
  items = ["https://shop.test/1"],
  urls = ["https://shop.test/a"],
} = {}): string => `
const task = new ExtractionTask("task", {
  from: { sourceTaskId: "template-1", taskGroupId: "group-1" },
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: ${JSON.stringify(url)} } },
    each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ${JSON.stringify(items)} } },
  },
  startUrls: { urls: ${JSON.stringify(urls)} },
});
exports.taskId = task.id;
`;

describe("an ExtractionTask on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: task() });
  });
  after(() => world.remove());

  it("is created by three requests, after a look at the address and the template", async () => {
    await world.project.up();
    assert.deepEqual(world.operations(), [
      "getData",
      "copyTask",
      "getActions",
      "updateTaskParameters",
      "getActions",
      "updateTaskUrls",
    ]);
    const [taskId = ""] = world.copies();
    const [open, each] = world.emulator.inspect.task(taskId)?.actions ?? [];
    assert.deepEqual(open?.properties, { Url: "https://shop.test/", Wait: "1" });
    assert.deepEqual(each?.loopItems, ["https://shop.test/1"]);
    assert.deepEqual(world.emulator.inspect.startUrls(taskId), ["https://shop.test/a"]);
  });

  slowIt("has a warning of a property that the task lacks, in a preview with a refresh", async () => {
    const program = (more: string) => task().replace("{ Url:", `{ ${more}Url:`);
    world.program(program('Waits: "2", '));
    const { output } = await world.project.preview({ args: ["--refresh"] });
    assert.match(output, /does not show property "Waits" of action "open" \(did you mean "Wait"\?\)/);
    world.program(program(""));
    assert.deepEqual([...new Set(world.operations())], ["getActions"]);
  });

  slowIt("makes one request for a changed property and list, and one for a changed upload", async () => {
    const items = ["https://shop.test/1", "https://shop.test/2"];
    world.program(task({ url: "https://shop.test/new", items, urls: ["https://shop.test/b"] }));
    await world.project.up();
    assert.deepEqual(world.operations(), ["updateTaskParameters", "getActions", "updateTaskUrls"]);
  });

  slowIt("shows drift of properties and loops in a refresh, and the next up corrects both in one request", async () => {
    const [taskId = ""] = world.copies();
    world.emulator.change.setProperty(taskId, "open", "Url", "https://somebody.test/");
    world.emulator.change.setLoopItems(taskId, "each", ["https://somebody.test/item"]);
    await world.project.refresh();
    world.operations();
    await world.project.up();
    // The read shows whether the service has taken the list of the loop.
    assert.deepEqual(world.operations(), ["updateTaskParameters", "getActions"]);
    const [open, each] = world.emulator.inspect.task(taskId)?.actions ?? [];
    assert.equal(open?.properties.Url, "https://shop.test/new");
    assert.deepEqual(each?.loopItems, ["https://shop.test/1", "https://shop.test/2"]);
  });

  it("keeps the task if a later step is refused, and the next up continues with that step", async () => {
    const other = task().replace('ExtractionTask("task"', 'ExtractionTask("second"');
    world.program(other);
    world.emulator.fault({ operation: "updateTaskUrls", kind: "error", code: "InvalidParameter" });
    const { output } = await world.project.up({ expect: "failure", env: { WEBEXTRACT_FORCE_DESTROY: "true" } });
    assert.match(output, /The next up continues with the remaining steps: startUrls/);
    world.operations();
    await world.project.up();
    assert.deepEqual(
      world.operations().filter((operation) => operation !== "getData"),
      ["updateTaskUrls"],
    );
    const { taskId } = await world.project.outputs();
    assert.deepEqual(world.emulator.inspect.startUrls(String(taskId)), ["https://shop.test/a"]);
  });

  it("is not copied again if its copy had no response, until the user resolves the outcome", async () => {
    world.program(task().replace('ExtractionTask("task"', 'ExtractionTask("third"'));
    world.emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
    const before = world.copies().length;
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /A copy of task "template-1" in group "[^"]*" may exist/);
    await world.project.refresh();
    await world.project.up({ expect: "failure" });
    assert.equal(world.copies().length, before + 1);
    const made = world.copies().at(-1);
    world.program(
      task()
        .replace('ExtractionTask("task"', 'ExtractionTask("third"')
        .replace("from: {", `from: { adoptTaskId: "${made}",`),
    );
    await world.project.up();
    assert.equal(world.copies().length, before + 1);
    assert.deepEqual(await world.project.outputs(), { taskId: made });
    assert.deepEqual(world.emulator.inspect.startUrls(String(made)), ["https://shop.test/a"]);
  });
});

describe("CloudSubtasks on the engine", () => {
  slowIt("stops and starts the subtasks that it lists", async () => {
    const world = await World.create({ program: "", emulator: { behaviour: { readsUntilFinished: 1000 } } });
    try {
      world.emulator.change.startRun("template-1");
      const subtasks = (): { subTaskId: string; status: string }[] => world.emulator.inspect.runs()[0]?.subtasks ?? [];
      const [one, two, three] = subtasks().map(({ subTaskId }) => subTaskId);
      const program = (ids: unknown[], desired: string): string =>
        `new CloudSubtasks("subtasks", { taskId: "template-1", subTaskIds: ${JSON.stringify(ids)}, desired: "${desired}" });`;
      world.operations();
      world.program(program([two, one], "stopped"));
      await world.project.up();
      assert.deepEqual(world.operations(), ["stopSubtasks"]);
      assert.deepEqual(
        subtasks().map(({ subTaskId, status }) => [subTaskId, status.toLowerCase() === "stopped"]),
        [
          [one, true],
          [two, true],
          [three, false],
        ],
      );
      world.program(program([one, two, three], "started"));
      await world.project.up();
      assert.equal(
        subtasks().some(({ status }) => status.toLowerCase() === "stopped"),
        false,
      );
    } finally {
      await world.remove();
    }
  });
});
