import assert from "node:assert/strict";
import { template, World } from "../world";
import { DiffTexts } from "./diffTexts";

const items = ["red", "green", "blue", "cyan", "pink", "gold", "grey"];
const urls = items.map((colour) => `https://shop.test/${colour}`);
const secrets = { "test:key": "secret-value-8801", "test:item": "secret-item-8802", "test:host": "secret-host-8803" };

interface Declared {
  task?: string;
  url?: string;
  open?: string;
  loopType?: string;
  loopItems?: string[];
  startUrls?: string[];
  taskId?: string;
}

/** All resources that configure a task, chained by id. */
function program(declared: Declared = {}): string {
  const { task = "", url = "https://shop.test/", loopType = "TextList", taskId = "copy.id" } = declared;
  const { loopItems = items, startUrls = urls } = declared;
  const { open = `Url: "${url}", Key: cfg.requireSecret("key"), Wait: "3"` } = declared;
  return `
const cfg = new pulumi.Config("test");
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1", ${task} });
const taskId = ${taskId};
const settings = new TaskActionConfig("settings", { taskId, actions: {
  open: { actionType: "NavigateAction", properties: { ${open} } },
} });
const parameters = new TaskParameters("parameters", { taskId: settings.id, actions: {
  more: { actionType: "NavigateAction", properties: { ${open} } },
  each: { actionType: "LoopAction", loop: { loopType: "${loopType}", items: ${JSON.stringify(loopItems)} } },
} });
const loop = new TaskLoopItems("loop", { taskId: parameters.id, actionId: "second", loopType: "${loopType}", items: ${JSON.stringify(loopItems)} });
new TaskLoopItems("loop-of-file", { taskId: loop.id, actionId: "third", loopType: "TextList", itemsFile: "items.txt" });
new TaskLoopItems("loop-of-secrets", { taskId: loop.id, actionId: "fourth", loopType: "TextList", items: ["red", cfg.requireSecret("item")] });
new TaskStartUrls("urls", { taskId: loop.id, urls: ${JSON.stringify(startUrls)} });
const other = new TaskCopy("other", { sourceTaskId: "template-1", taskGroupId: "group-1", ${task} });
new TaskStartUrls("urls-of-file", { taskId: other.id, file: "urls.txt" });
const third = new TaskCopy("third", { sourceTaskId: "template-1", taskGroupId: "group-1" });
new TaskStartUrls("urls-of-secrets", { taskId: third.id, urls: [
  "https://shop.test/", pulumi.interpolate\`https://\${cfg.requireSecret("host")}.test/\` ] });
`;
}

const actions = ["each", "second", "third", "fourth"].map((actionId) => ({
  actionType: "LoopAction",
  actionId,
  loopType: "TextList",
  loopItems: [],
}));
const open = { actionType: "NavigateAction", properties: { Url: "", Key: "", Wait: "" } };

/** The service returns values in another form than they were written, if its behaviour allows this. */
const seed = {
  ...template,
  tasks: template.tasks.map((task) => ({
    ...task,
    actions: [{ ...open, actionId: "open" }, { ...open, actionId: "more" }, ...actions],
  })),
};

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

describe("previews of settings show", () => {
  const diffs = new DiffTexts(["TaskActionConfig", "TaskParameters", "TaskLoopItems", "TaskStartUrls"]);
  let world: World;
  before(async () => {
    world = await World.create({
      program: program(),
      seed,
      secrets,
      files: { "items.txt": text(items), "urls.txt": text(urls) },
      emulator: { behaviour: { propertyValues: "typed", actionShape: "map" } },
    });
  });
  after(async () => {
    assert.deepEqual(world.project.findWritten([...Object.values(secrets), "other-secret-99"]), []);
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

  it("no change if an option of their task changed", async () => {
    const task = 'onDelete: "retain"';
    await diffs.shows(world, "an option of the task changed", { program: change({ task }), up: false });
  });

  it("only the changed property, also in JSON", async () => {
    world.program(change({ url: "https://shop.test/new" }));
    const { steps } = await world.project.previewJson();
    const detailed = steps
      .filter(({ op }) => op !== "same")
      .map(({ urn, detailedDiff }) => [urn.split("::").at(-1), detailedDiff]);
    const update = { kind: "update", inputDiff: true };
    assert.deepEqual(Object.fromEntries(detailed), {
      settings: { "actions.open.properties.Url": update },
      parameters: { "actions.more.properties.Url": update },
    });
    await diffs.shows(world, "a property changed", { up: false });
  });

  it("inserted list items in a few lines, and that a file changed", async () => {
    const loopItems = [...items.slice(0, 4), "black", ...items.slice(4)];
    const startUrls = [...urls.slice(0, 4), "https://other.test/", ...urls.slice(4)];
    world.project.write("items.txt", text(loopItems));
    world.project.write("urls.txt", text(startUrls));
    await diffs.shows(world, "a list with one more", { program: change({ loopItems, startUrls }), up: false });
  });

  it("no change for another order of a map, another case of a loop's type, or other line ends and a byte order mark of a file", async () => {
    for (const [file, lines] of Object.entries({ "items.txt": items, "urls.txt": urls })) {
      world.project.write(file, `\ufeff${text(lines).replaceAll("\n", "\r\n\r\n")}`);
    }
    const open = `Wait: "3", Key: cfg.requireSecret("key"), Url: "https://shop.test/"`;
    await diffs.shows(world, "written otherwise", { program: program({ open, loopType: "TEXTLIST" }), up: false });
  });

  it("that secrets changed, without their values", async () => {
    await world.project.configure({}, Object.fromEntries(Object.keys(secrets).map((key) => [key, "other-secret-99"])));
    await diffs.shows(world, "secrets changed", { program: program(), up: false });
    // The previews from here on are of the settings with all these changes.
    world.program(program(changed));
    world.project.write("items.txt", text(changed.loopItems ?? []));
    world.project.write("urls.txt", text(changed.startUrls ?? []));
    await world.project.up();
  });

  it("no change after a refresh if the service shows numbers as numbers", async () => {
    await diffs.shows(world, "unchanged at the service", { args: ["--refresh"], up: false });
  });

  it("drift: the value that the service has, and the value that the up will write", async () => {
    const { id = "" } = world.project.resource("copy");
    world.emulator.change.setProperty(id, "open", "Url", "https://somebody.test/");
    world.emulator.change.setProperty(id, "more", "Wait", "30");
    for (const actionId of ["each", "second", "third"]) {
      world.emulator.change.setLoopItems(id, actionId, [...items, "white"]);
    }
    await diffs.shows(world, "changed at the service", { args: ["--refresh"], up: false });
  });

  it("a replace if they move to another known task", async () => {
    await diffs.shows(world, "another task", { program: program({ ...changed, taskId: '"template-1"' }), up: false });
  });

  it("a replace if their task is replaced", async () => {
    await diffs.shows(world, "the task replaced", {
      program: program({ ...changed, task: 'taskGroupId: "group-2", onDelete: "retain"' }),
      up: false,
    });
  });

  it("a removal", async () => {
    await diffs.shows(world, "deleted", { program: "", up: false });
  });
});
