import { World } from "../world";
import { DiffTexts } from "./diffTexts";

const items = ["red", "green", "blue", "cyan", "pink", "gold", "grey"];
const urls = items.map((colour) => `https://shop.test/${colour}`);

interface Declared {
  copy?: string;
  whole?: string;
  url?: string;
  open?: string;
  each?: string;
  loopItems?: string[];
  startUrls?: string[];
  source?: string;
}

/** A TaskCopy and an ExtractionTask, with all resources that can depend on them. */
function program(declared: Declared = {}): string {
  const { copy = "", whole = "", url = "https://shop.test/", source = "template-1" } = declared;
  const { loopItems = items, startUrls = urls, each = "UrlList" } = declared;
  const { open = `Url: "${url}", Key: new pulumi.Config("test").requireSecret("key")` } = declared;
  return `
const from = { sourceTaskId: "${source}", taskGroupId: "group-1" };
const copy = new TaskCopy("copy", { ...from, ${copy} });
const whole = new ExtractionTask("whole", {
  from,
  actions: {
    open: { actionType: "NavigateAction", properties: { ${open} } },
    each: { actionType: "LoopAction", loop: { loopType: "${each}", items: ${JSON.stringify(loopItems)} } },
  },
  startUrls: { urls: ${JSON.stringify(startUrls)} },
  ${whole}
});
const settings = { open: { actionType: "NavigateAction", properties: { Wait: "3" } } };
const config = new TaskActionConfig("config", { taskId: copy.id, actions: settings });
new TaskLoopItems("loop", { taskId: copy.taskId, actionId: "each", loopType: "UrlList", items: ["https://shop.test/"] });
new TaskStartUrls("urls", { taskId: config.id, urls: ["https://shop.test/"] });
const run = new CloudRun("run", { taskId: whole.id, waitFor: "finished", pollSeconds: 0 });
new DataExport("rows", { taskId: whole.taskId, scope: "batch", lotNo: run.id, path: "rows/{lotNo}.ndjson" });
`;
}

describe("previews of tasks show", () => {
  const diffs = new DiffTexts(["TaskCopy", "ExtractionTask"]);
  let world: World;
  before(async () => {
    world = await World.create({ program: program(), secrets: { "test:key": "secret-value-8801" } });
  });
  after(async () => {
    await world.remove();
    diffs.finish();
  });
  /** What the changes up to now come to. */
  let changed: Declared = {};
  /** @returns the first program with this change only. */
  const change = (declared: Declared): string => {
    changed = { ...changed, ...declared };
    return program(declared);
  };

  it("a creation", async () => {
    await diffs.shows(world, "created");
  });

  it("a changed option, and no change of dependent resources", async () => {
    const option = 'onDelete: "retain", forceDestroy: true';
    await diffs.shows(world, "an option changed", { program: change({ copy: option, whole: option }), up: false });
  });

  it("only the changed property", async () => {
    await diffs.shows(world, "a property changed", { program: change({ url: "https://shop.test/new" }), up: false });
  });

  it("inserted list items in a few lines", async () => {
    const loopItems = [...items.slice(0, 4), "black", ...items.slice(4)];
    const startUrls = [...urls.slice(0, 4), "https://other.test/", ...urls.slice(4)];
    await diffs.shows(world, "a list with one more", { program: change({ loopItems, startUrls }), up: false });
  });

  it("no change for another order of a map or another case of a loop's type", async () => {
    const open = `Key: new pulumi.Config("test").requireSecret("key"), Url: "https://shop.test/"`;
    await diffs.shows(world, "written otherwise", { program: program({ open, each: "URLLIST" }), up: false });
  });

  it("that a secret changed, without its value", async () => {
    await world.project.configure({}, { "test:key": "secret-value-9902" });
    await diffs.shows(world, "a secret changed", { program: program(), up: false });
    // The previews from here on are of the task with all these changes.
    world.program(program(changed));
    await world.project.up();
  });

  it("no change if a task's own id is adopted", async () => {
    const [copy, whole] = ["copy", "whole"].map((name) => world.project.resource(name).id);
    const own = {
      copy: `adoptTaskId: "${copy}", ${changed.copy}`,
      whole: `${changed.whole}, from: { ...from, adoptTaskId: "${whole}" }`,
    };
    // The next preview is of a program without these ids, and shows nothing of it.
    await diffs.shows(world, "its own id adopted", { program: program({ ...changed, ...own }) });
  });

  it("drift: the value that the service has, and the value that the up will write", async () => {
    const { id = "" } = world.project.resource("whole");
    world.emulator.change.setProperty(id, "open", "Url", "https://somebody.test/");
    world.emulator.change.setLoopItems(id, "each", [...items, "white"]);
    await diffs.shows(world, "changed at the service", { program: program(changed), args: ["--refresh"] });
  });

  it("a replace, and its effect on dependent resources", async () => {
    world.emulator.change.addTask({ taskId: "template-2", taskGroupId: "group-1", actions: [] });
    await diffs.shows(world, "another source", { program: program({ ...changed, source: "template-2" }), up: false });
  });

  it("that a missing task will be created again", async () => {
    world.emulator.change.deleteTask(world.project.resource("copy").id ?? "");
    await diffs.shows(world, "gone at the service", { program: program(changed), args: ["--refresh"], up: false });
  });

  it("a removal", async () => {
    await diffs.shows(world, "deleted", { program: "", up: false });
  });
});
