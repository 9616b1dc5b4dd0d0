import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { slowIt } from "../../environment";
import type { World } from "../world";
import { nativeWorld, prelude } from "./nativeWorld";

const program = (url: string, items: string[]) => `
const copy = native("TaskCopy", "copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
const config = native("TaskActionConfig", "config", { taskId: copy.id, actions: {
  open: { actionType: "NavigateAction", properties: { Url: ${JSON.stringify(url)} } } } });
const parameters = native("TaskParameters", "parameters", { taskId: copy.id, actions: {
  open: { actionType: "NavigateAction", properties: { Wait: 3 } } } });
const loop = native("TaskLoopItems", "loop", { taskId: copy.id, actionId: "each", loopType: "UrlList", items: ${JSON.stringify(items)} });
const urls = native("TaskStartUrls", "urls", { taskId: copy.id, urls: ["https://a.test/start"] });
const run = native("CloudRun", "run", { taskId: copy.id, waitFor: "finished", pollSeconds: 0, rerunOn: [urls] },
  { dependsOn: [config, parameters, loop, urls] });
const rows = native("DataExport", "rows", { taskId: copy.id, scope: "batch", lotNo: run.id, path: "out/{n}.ndjson", markExported: true });
native("CloudSubtasks", "subtasks", { taskId: copy.id, subTaskIds: pulumi.runtime.invokeOutput("webextract:index:getSubtasks", { taskId: run.taskId })
  .apply(({ subtasks }) => subtasks.map(({ subTaskId }) => subTaskId)), desired: "started" });
native("ExtractionTask", "whole", { from: { sourceTaskId: "template-1", taskGroupId: "group-2" },
  actions: { each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["https://w.test/1"] } } } });
exports.lotNo = run.lotNo;
exports.file = rows.file;
exports.taskId = copy.taskId;
`;

describe("the nine resources on the native plugin", () => {
  let world: World;
  before(async () => {
    world = await nativeWorld({ program: program("https://a.test/", ["https://a.test/1"]) });
  });
  after(() => world.remove());

  /** Operations with an effect since the last call, without reads. */
  const writes = (): string[] => {
    const done = world.emulator.requests.filter(({ tookEffect }) => tookEffect).map(({ operation }) => operation);
    world.emulator.clearRequests();
    return done.filter((operation) => !operation.startsWith("get")).sort();
  };

  it("are made with one write each", async () => {
    await world.project.up();
    assert.equal(
      writes().join(" "),
      "copyTask copyTask markExported startSubtasks startTask updateActionProperties updateLoopItems updateTaskParameters updateTaskParameters updateTaskUrls",
    );
    const { taskId, lotNo, file } = (await world.project.outputs()) as Record<string, string>;
    assert.deepEqual(world.emulator.inspect.task(taskId ?? "")?.actions[0]?.properties, {
      Url: "https://a.test/",
      Wait: "3",
    });
    const rows = readFileSync(join(world.project.folder, file ?? ""), "utf8")
      .trimEnd()
      .split("\n");
    assert.deepEqual(
      rows.map((row) => JSON.parse(row)),
      world.emulator.inspect.rows(taskId ?? "", lotNo),
    );
  });

  slowIt("are unchanged in the next up, which only reads for the function", async () => {
    const { output } = await world.project.up();
    assert.match(output, /10 unchanged/);
    assert.deepEqual([...new Set(world.operations())], ["getSubtasks"]);
  });

  it("show what differs by its path, and a list by its lines", async () => {
    world.program(prelude + program("https://b.test/", ["https://a.test/0", "https://a.test/1"]));
    const { steps } = await world.project.previewJson();
    const detailed = steps.flatMap(({ urn, detailedDiff }) =>
      Object.keys(detailedDiff ?? {}).map((path) => `${urn.split("::").at(-1)} ${path}`),
    );
    assert.deepEqual(detailed.sort(), [
      "config actions.open.properties.Url",
      "loop count",
      "loop items",
      "loop sha256",
    ]);
    assert.deepEqual([...new Set(world.operations())], ["getSubtasks"], "a preview only reads for the function");
    const { output } = await world.project.up({ args: ["--diff"] });
    assert.match(output, /\+ https:\/\/a\.test\/0\n +https:\/\/a\.test\/1/);
    assert.deepEqual(writes(), ["updateActionProperties", "updateLoopItems"]);
  });

  slowIt("warn of a property that the task lacks, in a preview with a refresh", async () => {
    const now = program("https://b.test/", ["https://a.test/0", "https://a.test/1"]);
    world.program(prelude + now.replace("{ Url:", '{ MaxPage: "2", Url:').replace("Wait: 3", "Wait: 3, Waits: 4"));
    const { output } = await world.project.preview({ args: ["--refresh"] });
    assert.match(output, /does not show property "MaxPage" of action "open" \(only Url, Wait\)/);
    assert.match(output, /does not show property "Waits" of action "open" \(did you mean "Wait"\?\)/);
    assert.deepEqual(writes(), []);
    world.program(prelude + now);
  });

  it("find drift in a refresh, and put it right", async () => {
    const { taskId = "" } = (await world.project.outputs()) as Record<string, string>;
    world.emulator.change.setProperty(taskId, "open", "Url", "https://somebody.test/");
    await world.project.up({ args: ["--refresh"] });
    assert.deepEqual(writes(), ["updateActionProperties"]);
  });

  it("refuse to remove rows in a destroy, and remove them if they must", async () => {
    const { taskId = "" } = (await world.project.outputs()) as Record<string, string>;
    const { output } = await world.project.destroy({ expect: "failure" });
    assert.match(output, /WEBEXTRACT_FORCE_DESTROY=/);
    assert.deepEqual(writes(), []);
    await world.project.destroy({ env: { WEBEXTRACT_FORCE_DESTROY: taskId } });
    assert.deepEqual(writes(), ["removeData"]);
  });
});
