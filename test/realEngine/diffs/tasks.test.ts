import { template } from "../world";
import { Scenes } from "./scenes";

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
  key?: string;
}

/** A TaskCopy and an ExtractionTask, with all resources that can depend on them. */
function program(declared: Declared = {}): string {
  const { copy = "", whole = "", url = "https://shop.test/", source = "template-1", key = "key" } = declared;
  const { loopItems = items, startUrls = urls, each = "UrlList" } = declared;
  const { open = `Url: "${url}", Key: new pulumi.Config("test").requireSecret("${key}")` } = declared;
  return `
const from = { sourceTaskId: "${source}", taskGroupId: "group-1" };
const copy = new TaskCopy("copy@", { ...from, ${copy} });
const whole = new ExtractionTask("whole@", {
  from,
  actions: {
    open: { actionType: "NavigateAction", properties: { ${open} } },
    each: { actionType: "LoopAction", loop: { loopType: "${each}", items: ${JSON.stringify(loopItems)} } },
  },
  startUrls: { urls: ${JSON.stringify(startUrls)} },
  ${whole}
});
const settings = { open: { actionType: "NavigateAction", properties: { Wait: "3" } } };
const config = new TaskActionConfig("config@", { taskId: copy.id, actions: settings });
new TaskLoopItems("loop@", { taskId: copy.taskId, actionId: "each", loopType: "UrlList", items: ["https://shop.test/"] });
new TaskStartUrls("urls@", { taskId: config.id, urls: ["https://shop.test/"] });
const run = new CloudRun("run@", { taskId: whole.id, waitFor: "finished", pollSeconds: 0 });
new DataExport("rows@", { taskId: whole.taskId, scope: "batch", lotNo: run.id, path: "rows/{lotNo}.ndjson" });
`;
}

const longerList = [...items.slice(0, 4), "black", ...items.slice(4)];
const longerUrls = [...urls.slice(0, 4), "https://other.test/", ...urls.slice(4)];
const option = 'onDelete: "retain", forceDestroy: true';
/** A program with all changes of the first scenes. */
const changed = {
  ...{ copy: option, whole: option, url: "https://shop.test/new" },
  ...{ loopItems: longerList, startUrls: longerUrls },
};

describe("previews of tasks show", function () {
  this.timeout(300_000);
  const scenes = new Scenes(["TaskCopy", "ExtractionTask"], program);
  before(() =>
    scenes.run({
      seed: { ...template, tasks: [...template.tasks, { taskId: "template-2", taskGroupId: "group-1", actions: [] }] },
      secrets: { "test:key": "secret-value-8801", "test:otherKey": "secret-value-9902" },
    }),
  );
  after(() => scenes.end());

  scenes.it("a creation", "created", { before: "nothing", after: {} });

  scenes.it("a changed option, and no change of dependent resources", "an option changed", {
    after: { copy: option, whole: option },
  });

  scenes.it("only the changed property", "a property changed", { after: { url: changed.url } });

  scenes.it("inserted list items in a few lines", "a list with one more", {
    after: { loopItems: longerList, startUrls: longerUrls },
  });

  scenes.it("no change for another order of a map or another case of a loop's type", "written otherwise", {
    after: { open: `Key: new pulumi.Config("test").requireSecret("key"), Url: "https://shop.test/"`, each: "URLLIST" },
  });

  scenes.it("that a secret changed, without its value", "a secret changed", { after: { key: "otherKey" } });

  scenes.it("no change if a task's own id is adopted", "its own id adopted", {
    before: changed,
    after: ({ id }) => ({
      ...changed,
      copy: `adoptTaskId: "${id("copy")}", ${changed.copy}`,
      whole: `${changed.whole}, from: { ...from, adoptTaskId: "${id("whole")}" }`,
    }),
  });

  scenes.it("drift: the value that the service has, and the value that the up will write", "changed at the service", {
    before: changed,
    drift: ({ world: { emulator }, id }) => {
      emulator.change.setProperty(id("whole"), "open", "Url", "https://somebody.test/");
      emulator.change.setLoopItems(id("whole"), "each", [...items, "white"]);
    },
  });

  scenes.it("a replace, and its effect on dependent resources", "another source", { after: { source: "template-2" } });

  scenes.it("that a missing task will be created again", "gone at the service", {
    before: changed,
    drift: ({ world, id }) => void world.emulator.change.deleteTask(id("copy")),
  });

  scenes.it("a removal", "deleted", { before: changed, after: "nothing" });
});
