import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Behaviour } from "webextract-emulator";
import { settingsOf } from "../service/matrix/hostile";
import { World } from "./world";

interface Life {
  url?: string;
  items?: string[];
  withFunctions?: boolean;
}

/** A task with each resource, and an export that marks. */
const program = (behaviour: Partial<Behaviour>, { url = "https://a.test/", items, withFunctions }: Life): string => {
  const { finishedWhen = "subtasks" } = lifeOf(behaviour);
  // A batch can be marked only if one response contains all rows that are not exported.
  const batch = `scope: "batch", lotNo: run.id`;
  const other = `scope: "${behaviour.markScope === "returned" ? "notExported" : "all"}", triggers: [run.id]`;
  const scope = behaviour.dataPageMax === undefined ? batch : other;
  return `
const { getActionsOutput, getBatchDataOutput, getSubtasksOutput } = require("pulumi-webextract");
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
new TaskActionConfig("config", { taskId: copy.id, actions: {
  open: { actionType: "NavigateAction", properties: { Url: ${JSON.stringify(url)} } } } });
new TaskParameters("parameters", { taskId: copy.id, actions: {
  open: { actionType: "NavigateAction", properties: { Wait: "3" } } } });
new TaskLoopItems("loop", { taskId: copy.id, actionId: "each", loopType: "UrlList", items: ${JSON.stringify(items ?? ["https://a.test/1"])} });
new TaskStartUrls("urls", { taskId: copy.id, urls: ["https://a.test/start"] });
const run = new CloudRun("run", { taskId: copy.id, waitFor: "finished", pollSeconds: 0, settleSeconds: 1, finishedWhen: "${finishedWhen}" });
const rows = new DataExport("rows", { taskId: copy.id, ${scope}, path: "out/{n}.ndjson", markExported: true });
exports.lotNo = run.lotNo;
exports.file = rows.file;
${withFunctions ? functions : ""}
`;
};

const functions = `
const plain = { plain: true };
exports.read = {
  actions: getActionsOutput({ taskIds: [copy.id], actionTypes: ["LoopAction", "NavigateAction"] }, plain),
  subtasks: getSubtasksOutput({ taskId: run.taskId }, plain),
  rows: getBatchDataOutput({ taskId: copy.id, lotNo: run.id }, plain).rows,
};
`;

function lifeOf(behaviour: Partial<Behaviour>): { finished?: string[]; finishedWhen?: string } {
  return Object.assign({}, ...settingsOf(behaviour).map(({ life }) => life));
}

/** The settings of a user of the client, as configuration. */
function configOf(behaviour: Partial<Behaviour>): Record<string, string> {
  const options = Object.assign({}, ...settingsOf(behaviour).map((setting) => setting.options));
  const { finished } = lifeOf(behaviour);
  const all = {
    ...options,
    ...(finished ? { statuses: JSON.stringify({ finished }) } : {}),
    ...(behaviour.markScope ? { markScope: behaviour.markScope } : {}),
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [`webextract:${name}`, String(value)]));
}

/** Runs the life of this task on a new emulator and a new stack. */
export async function liveOnEngine(behaviour: Partial<Behaviour>): Promise<void> {
  const world = await World.create({
    program: program(behaviour, { withFunctions: true }),
    emulator: { behaviour },
    config: configOf(behaviour),
  });
  try {
    await world.project.configure({}, { "webextract:refreshToken": world.emulator.credentials.refreshToken });
    await live(world, behaviour);
  } finally {
    await world.remove();
  }
}

async function live(world: World, behaviour: Partial<Behaviour>): Promise<void> {
  const { emulator, project } = world;
  /** Operations with an effect since the last call, without reads. */
  const writes = (): string[] => {
    const done = emulator.requests.filter(({ tookEffect }) => tookEffect).map(({ operation }) => operation);
    emulator.clearRequests();
    for (const once of ["copyTask", "startTask", "removeData"]) {
      assert.ok(done.filter((operation) => operation === once).length <= 1, `${once} once`);
    }
    // A repeatable request is sent again if the connection ends during the response.
    return [...new Set(done)].filter((operation) => !/^get|refreshToken/.test(operation));
  };
  const actions = (taskId: string) => emulator.inspect.task(taskId)?.actions ?? [];

  await project.up();
  assert.deepEqual(writes().sort(), [
    "copyTask",
    "markExported",
    "startTask",
    "updateActionProperties",
    "updateLoopItems",
    "updateTaskParameters",
    "updateTaskUrls",
  ]);
  const [taskId = "", ...others] = world.copies();
  assert.deepEqual(others, []);
  assert.equal(emulator.inspect.runs(taskId).length, 1);
  assert.deepEqual(actions(taskId)[0]?.properties, { Url: "https://a.test/", Wait: "3" });
  assert.deepEqual(actions(taskId)[1]?.loopItems, ["https://a.test/1"]);
  assert.deepEqual(emulator.inspect.startUrls(taskId), ["https://a.test/start"]);

  const { lotNo, file, read } = (await project.outputs()) as { lotNo: string; file: string; read: FunctionAnswers };
  const rows = emulator.inspect.rows(taskId, lotNo);
  assert.equal(rows.length, 25);
  const exported = (): unknown[] =>
    readFileSync(join(project.folder, file), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  assert.deepEqual(exported(), rows, "the file holds the rows of the service");
  assert.equal(emulator.inspect.exportedCount(taskId), 25, "and all of them are marked");
  // Only the reads by offset have an order of their own.
  assert.deepEqual(read.rows, behaviour.rowOrder === "newestFirst" ? rows.toReversed() : rows);
  assert.equal(read.subtasks.length, behaviour.splitting === "never" ? 0 : 3);
  assert.equal(read.actions.length, 1);

  world.program(program(behaviour, {}));
  await project.up();
  assert.deepEqual(emulator.requests, [], "an unchanged up asks nothing");

  await project.refresh();
  assert.deepEqual(writes(), [], "a refresh changes nothing");
  await project.up();
  assert.deepEqual(emulator.requests, [], "and finds nothing to do where nobody changed anything");

  emulator.change.setProperty(taskId, "open", "Url", "https://somebody.test/");
  emulator.change.setLoopItems(taskId, "each", ["https://somebody.test/1"]);
  await project.refresh();
  await project.up();
  assert.deepEqual(
    writes().sort(),
    ["updateActionProperties", "updateLoopItems"],
    "what somebody changed is put right",
  );

  world.program(program(behaviour, { url: "https://b.test/", items: ["https://b.test/1", "https://b.test/2"] }));
  await project.up();
  assert.deepEqual(
    writes().sort(),
    ["updateActionProperties", "updateLoopItems"],
    "a change is one write for each resource",
  );
  assert.deepEqual(actions(taskId)[0]?.properties, { Url: "https://b.test/", Wait: "3" });
  assert.deepEqual(actions(taskId)[1]?.loopItems, ["https://b.test/1", "https://b.test/2"]);

  await project.destroy({ expect: "failure" });
  assert.deepEqual(writes(), [], "rows that the task still holds are not removed unasked");
  await project.destroy({ env: { WEBEXTRACT_FORCE_DESTROY: taskId } });
  assert.deepEqual(writes(), ["removeData"]);
  assert.equal(emulator.inspect.visibleCount(taskId), 0);
  assert.deepEqual(exported(), rows, "the file stays");
}

interface FunctionAnswers {
  actions: unknown[];
  subtasks: unknown[];
  rows: unknown[];
}
