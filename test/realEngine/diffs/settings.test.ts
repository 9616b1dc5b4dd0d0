import assert from "node:assert/strict";
import { template } from "../world";
import { Scenes } from "./scenes";

const items = ["red", "green", "blue", "cyan", "pink", "gold", "grey"];
const urls = items.map((colour) => `https://shop.test/${colour}`);
const secrets = {
  ...{ "test:key": "secret-value-8801", "test:item": "secret-item-8802", "test:host": "secret-host-8803" },
  ...{
    "test:other-key": "other-secret-97",
    "test:other-item": "other-secret-98",
    "test:other-host": "other-secret-99",
  },
};

interface Declared {
  task?: string;
  url?: string;
  open?: string;
  loopType?: string;
  loopItems?: string[];
  startUrls?: string[];
  taskId?: string;
  /** The beginning of the keys of the secrets. */
  secret?: string;
  isOfWindows?: boolean;
}

/** All resources that configure a task, chained by id. */
function program(declared: Declared = {}): string {
  const { task = "", url = "https://shop.test/", loopType = "TextList", taskId = "copy.id", secret = "" } = declared;
  const { loopItems = items, startUrls = urls } = declared;
  const { open = `Url: "${url}", Key: cfg.requireSecret("${secret}key"), Wait: "3"` } = declared;
  return `
const cfg = new pulumi.Config("test");
const copy = new TaskCopy("copy@", { sourceTaskId: "template-1", taskGroupId: "group-1", ${task} });
const taskId = ${taskId};
const settings = new TaskActionConfig("settings@", { taskId, actions: {
  open: { actionType: "NavigateAction", properties: { ${open} } },
} });
const parameters = new TaskParameters("parameters@", { taskId: settings.id, actions: {
  more: { actionType: "NavigateAction", properties: { ${open} } },
  each: { actionType: "LoopAction", loop: { loopType: "${loopType}", items: ${JSON.stringify(loopItems)} } },
} });
const loop = new TaskLoopItems("loop@", { taskId: parameters.id, actionId: "second", loopType: "${loopType}", items: ${JSON.stringify(loopItems)} });
new TaskLoopItems("loop-of-file@", { taskId: loop.id, actionId: "third", loopType: "TextList", itemsFile: "items@.txt" });
new TaskLoopItems("loop-of-secrets@", { taskId: loop.id, actionId: "fourth", loopType: "TextList", items: ["red", cfg.requireSecret("${secret}item")] });
new TaskStartUrls("urls@", { taskId: loop.id, urls: ${JSON.stringify(startUrls)} });
const other = new TaskCopy("other@", { sourceTaskId: "template-1", taskGroupId: "group-1", ${task} });
new TaskStartUrls("urls-of-file@", { taskId: other.id, file: "urls@.txt" });
const third = new TaskCopy("third@", { sourceTaskId: "template-1", taskGroupId: "group-1" });
new TaskStartUrls("urls-of-secrets@", { taskId: third.id, urls: [
  "https://shop.test/", pulumi.interpolate\`https://\${cfg.requireSecret("${secret}host")}.test/\` ] });
`;
}

const actions = ["each", "second", "third", "fourth"].map((actionId) => ({
  actionType: "LoopAction",
  actionId,
  loopType: "TextList",
  loopItems: [],
}));
const open = { actionType: "NavigateAction", properties: { Url: "", Key: "", Wait: "" } };

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** The files of the same lists. */
function files({ loopItems = items, startUrls = urls, isOfWindows }: Declared = {}): Record<string, string> {
  const textOf = (lines: string[]) => (isOfWindows ? `\ufeff${text(lines).replaceAll("\n", "\r\n\r\n")}` : text(lines));
  return { "items@.txt": textOf(loopItems), "urls@.txt": textOf(startUrls) };
}

/** The service returns values in another form than they were written, if its behaviour allows this. */
const seed = {
  ...template,
  tasks: template.tasks.map((task) => ({
    ...task,
    actions: [{ ...open, actionId: "open" }, { ...open, actionId: "more" }, ...actions],
  })),
};

const longerList = [...items.slice(0, 4), "black", ...items.slice(4)];
const longerUrls = [...urls.slice(0, 4), "https://other.test/", ...urls.slice(4)];
/** A program with all changes of the first scenes. Its files contain the longer lists too. */
const changed: Declared = {
  ...{ task: 'onDelete: "retain"', url: "https://shop.test/new" },
  ...{ loopItems: longerList, startUrls: longerUrls },
};

describe("previews of settings show", function () {
  this.timeout(300_000);
  const types = ["TaskActionConfig", "TaskParameters", "TaskLoopItems", "TaskStartUrls"];
  const scenes = new Scenes(types, program, files);
  before(() =>
    scenes.run({
      seed,
      secrets,
      emulator: { behaviour: { propertyValues: "typed", actionShape: "map" } },
    }),
  );
  after(async () => {
    assert.deepEqual(scenes.world.project.findWritten(Object.values(secrets)), []);
    await scenes.end();
  });

  scenes.it("a creation", "created", { before: "nothing", after: {} });

  scenes.it("no change if an option of their task changed", "an option of the task changed", {
    after: { task: 'onDelete: "retain"' },
  });

  scenes.it("only the changed property", "a property changed", { after: { url: "https://shop.test/new" } });

  scenes.it("inserted list items in a few lines, and that a file changed", "a list with one more", {
    after: { loopItems: longerList, startUrls: longerUrls },
  });

  scenes.it(
    "no change for another order of a map, another case of a loop's type, or other line ends and a byte order mark of a file",
    "written otherwise",
    {
      after: {
        open: `Wait: "3", Key: cfg.requireSecret("key"), Url: "https://shop.test/"`,
        loopType: "TEXTLIST",
        isOfWindows: true,
      },
    },
  );

  scenes.it("that secrets changed, without their values", "secrets changed", { after: { secret: "other-" } });

  scenes.it("no change after a refresh if the service shows numbers as numbers", "unchanged at the service", {
    before: changed,
  });

  scenes.it("drift: the value that the service has, and the value that the up will write", "changed at the service", {
    before: changed,
    drift: ({ world: { emulator }, id }) => {
      emulator.change.setProperty(id("copy"), "open", "Url", "https://somebody.test/");
      emulator.change.setProperty(id("copy"), "more", "Wait", "30");
      for (const actionId of ["each", "second", "third"]) {
        emulator.change.setLoopItems(id("copy"), actionId, [...items, "white"]);
      }
    },
  });

  scenes.it("a replace if they move to another known task", "another task", {
    before: changed,
    after: { ...changed, taskId: '"template-1"' },
  });

  scenes.it("a replace if their task is replaced", "the task replaced", {
    before: changed,
    after: { ...changed, task: 'taskGroupId: "group-2", onDelete: "retain"' },
  });

  scenes.it("a removal", "deleted", { before: changed, after: "nothing" });

  it("only the changed property, also in JSON", async () => {
    const mark = scenes.declareOnly("a property changed");
    const { steps } = await scenes.world.project.previewJson();
    const detailed = steps
      .filter(({ op, urn }) => op !== "same" && urn.endsWith(mark))
      .map(({ urn, detailedDiff }) => [urn.split("::").at(-1), detailedDiff]);
    const update = { kind: "update", inputDiff: true };
    assert.deepEqual(Object.fromEntries(detailed), {
      [`settings${mark}`]: { "actions.open.properties.Url": update },
      [`parameters${mark}`]: { "actions.more.properties.Url": update },
    });
  });
});
