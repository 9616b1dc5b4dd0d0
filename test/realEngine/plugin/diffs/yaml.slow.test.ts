import assert from "node:assert/strict";
import { DiffTexts } from "../../diffs/diffTexts";
import type { World } from "../../world";
import { template } from "../../world";
import { yamlProgram, yamlWorld } from "../nativeWorld";

const colours = ["red", "green", "blue", "cyan", "pink", "gold", "grey"];
const secrets = { "test:key": "secret-value-8801", "test:item": "secret-item-8802" };

interface Declared {
  source?: string;
  onDelete?: string;
  url?: string;
  items?: string[];
  startUrls?: string[];
  week?: number;
  checks?: string;
}

/** All resources, so that a change of one shows what it does to the others. */
function program(declared: Declared = {}): string {
  const { source = "template-1", onDelete = "removeData", url = "https://shop.test/", items = colours } = declared;
  const { startUrls = colours.map((colour) => `https://shop.test/${colour}`), week = 1, checks = "{}" } = declared;
  return `
config:
  key: { type: string, secret: true }
  item: { type: string, secret: true }
resources:
  copy:
    type: webextract:TaskCopy
    properties: { sourceTaskId: ${source}, taskGroupId: group-1, onDelete: ${onDelete} }
  settings:
    type: webextract:TaskActionConfig
    properties:
      taskId: \${copy.id}
      actions: { open: { actionType: NavigateAction, properties: { Url: "${url}", Key: "\${key}" } } }
  parameters:
    type: webextract:TaskParameters
    properties:
      taskId: \${copy.id}
      actions: { each: { actionType: LoopAction, loop: { loopType: TextList, items: ${JSON.stringify(items)} } } }
  loop:
    type: webextract:TaskLoopItems
    properties: { taskId: "\${copy.id}", actionId: second, loopType: TextList, items: ${JSON.stringify(items)} }
  loop-of-secrets:
    type: webextract:TaskLoopItems
    properties: { taskId: "\${copy.id}", actionId: third, loopType: TextList, items: [red, "\${item}"] }
  second-copy:
    type: webextract:TaskCopy
    properties: { sourceTaskId: template-1, taskGroupId: group-1 }
  urls:
    type: webextract:TaskStartUrls
    properties: { taskId: "\${second-copy.id}", urls: ${JSON.stringify(startUrls)} }
  whole:
    type: webextract:ExtractionTask
    properties:
      from: { sourceTaskId: ${source}, taskGroupId: group-1 }
      actions: { open: { actionType: NavigateAction, properties: { Url: "${url}" } } }
  run:
    type: webextract:CloudRun
    properties: { taskId: "\${copy.id}", waitFor: finished, pollSeconds: 0, triggers: { week: ${week} }, rerunOn: ["\${settings}"] }
    options: { dependsOn: ["\${settings}", "\${parameters}", "\${loop}", "\${loop-of-secrets}"] }
  rows:
    type: webextract:DataExport
    properties: { taskId: "\${copy.id}", scope: batch, lotNo: "\${run.lotNo}", path: "rows/{lotNo}.ndjson", checks: ${checks} }
`;
}

const loops = ["each", "second", "third"].map((actionId) => ({
  actionType: "LoopAction",
  actionId,
  loopType: "TextList",
  loopItems: [],
}));
const seed = {
  ...template,
  taskGroups: [{ taskGroupId: "group-1" }],
  tasks: ["template-1", "template-2"].map((taskId) => ({
    taskId,
    taskGroupId: "group-1",
    syntheticRows: 25,
    actions: [{ actionType: "NavigateAction", actionId: "open", properties: { Url: "", Key: "" } }, ...loops],
  })),
};

describe("previews of a YAML program on the native plugin show", () => {
  const types = ["TaskCopy", "TaskActionConfig", "TaskParameters", "TaskLoopItems", "TaskStartUrls"];
  const diffs = new DiffTexts([...types, "ExtractionTask", "CloudRun", "DataExport"], __dirname, (world, text) =>
    world.project.write("Pulumi.yaml", yamlProgram(text)),
  );
  let world: World;
  before(async () => {
    world = await yamlWorld(program(), { seed, secrets });
  });
  after(async () => {
    assert.deepEqual(world.project.findWritten([...Object.values(secrets), "other-secret-99"]), []);
    await world.remove();
    diffs.finish();
  });

  it("a creation", async () => {
    await diffs.shows(world, "created");
  });

  it("no change", async () => {
    await diffs.shows(world, "unchanged", { up: false });
  });

  it("a changed property by its path, and the new run that reads it", async () => {
    await diffs.shows(world, "a property changed", { program: program({ url: "https://shop.test/new" }), up: false });
  });

  it("the lines of a list that changed", async () => {
    const items = ["red", "lime", ...colours.slice(2), "white"];
    const startUrls = colours.slice(1).map((colour) => `https://shop.test/${colour}`);
    await diffs.shows(world, "lists changed", { program: program({ items, startUrls }), up: false });
  });

  it("that a secret changed, without its value", async () => {
    await world.project.configure({}, { "test:key": "other-secret-99" });
    await diffs.shows(world, "a secret changed", { program: program(), up: false });
    await world.project.configure({}, { "test:key": secrets["test:key"] });
  });

  it("an option that changes nothing else", async () => {
    await diffs.shows(world, "an option changed", { program: program({ onDelete: "retain" }), up: false });
  });

  it("a changed trigger as a new run, and checks of an export", async () => {
    const checks = "{ minRows: 5, fields: { number: { filled: 0.9 } } }";
    await diffs.shows(world, "a trigger and checks changed", { program: program({ week: 2, checks }), up: false });
  });

  it("another source as another task, and what follows from it", async () => {
    await diffs.shows(world, "another source", { program: program({ source: "template-2" }), up: false });
  });

  it("a removal", async () => {
    await diffs.shows(world, "deleted", { program: "resources: {}", up: false });
  });
});
