import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator, SeedTask } from "webextract-emulator";
import type { OperationName } from "../../internals/service";
import type { World } from "../world";

type Args = Record<string, unknown>;

/** One step of one resource that a kill interrupts. Each step has its own tasks and its own group. */
export interface KilledStep {
  name: string;
  type: string;
  /** The arguments before the step. Absent for a create. */
  before?: Args;
  /** The arguments after the step. Absent for a delete. */
  after?: Args;
  /** The request that is held during the kill. Without a task, a request about the copy that the step or an earlier one makes. */
  at: { operation: OperationName; taskId?: string; skip?: number };
  /** The requests of the step that must not be sent twice, and how often each may have an effect in the end. */
  once?: { operation: OperationName; taskId: string; times: number };
  /** Prepares the service for the step. */
  prepare?(emulator: Emulator): void;
  /** How a user resolves an unknown outcome. */
  adopt?: "adoptTaskId" | "adoptLotNo";
  /** Finds the result of the request, as a user would. */
  made?(emulator: Emulator): string | undefined;
  /** Checks the final state. */
  settled?(world: World): void;
}

const open = (url: string) => ({ open: { actionType: "NavigateAction", properties: { Url: url } } });
const loop = (items: string[]) => ({ loopType: "UrlList", mode: "append", items });
const old = "https://old.test/item";

const actions: SeedTask["actions"] = [
  { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://old.test/" } },
  { actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: [old] },
];

const propertyOf = ({ emulator }: World, taskId: string) => emulator.inspect.task(taskId)?.actions[0]?.properties.Url;
const itemsOf = ({ emulator }: World, taskId: string) => emulator.inspect.task(taskId)?.actions[1]?.loopItems;
const lastRun = (emulator: Emulator, taskId: string) => emulator.inspect.runs(taskId).at(-1);

/** The last copy in the group of a step. */
export function copyIn(emulator: Emulator, group: string): string | undefined {
  return emulator.inspect.tasks().findLast(({ taskId, taskGroupId }) => taskGroupId === group && taskId !== group)
    ?.taskId;
}

function taskCopy(name: string, before?: Args): KilledStep {
  return {
    name,
    type: "TaskCopy",
    before,
    after: { sourceTaskId: name, taskGroupId: name, onDelete: "retain" },
    at: { operation: "copyTask", taskId: name },
    once: { operation: "copyTask", taskId: name, times: 1 },
    adopt: "adoptTaskId",
    made: (emulator) => copyIn(emulator, name),
  };
}

/** The create of an ExtractionTask, killed at one of its requests. */
function wholeTask(name: string, operation: OperationName, declared: Args): KilledStep {
  return {
    name,
    type: "ExtractionTask",
    after: { from: { sourceTaskId: name, taskGroupId: name }, ...declared, onDelete: "retain" },
    at: operation === "copyTask" ? { operation, taskId: name } : { operation },
    once: { operation: "copyTask", taskId: name, times: 1 },
    adopt: "adoptTaskId",
    made: (emulator) => copyIn(emulator, name),
    settled: (world) => {
      const taskId = String(copyIn(world.emulator, name));
      assert.deepEqual(itemsOf(world, taskId), declared.actions === undefined ? [old] : [old, "a", "b"]);
      const urls = declared.startUrls === undefined ? [] : ["https://start.test/"];
      assert.deepEqual(world.emulator.inspect.startUrls(taskId), urls);
    },
  };
}

const wholeActions = (items: string[]) => ({
  actions: { ...open("https://new.test/"), each: { actionType: "LoopAction", loop: loop(items) } },
});
const wholeUrls = { startUrls: { urls: ["https://start.test/"] } };

function cloudRun(name: string, at: KilledStep["at"], args: Args = {}, before?: Args): KilledStep {
  return {
    name,
    type: "CloudRun",
    before,
    after: { taskId: name, ...args },
    at,
    once: { operation: "startTask", taskId: name, times: before === undefined ? 1 : 2 },
    adopt: "adoptLotNo",
    made: (emulator) => lastRun(emulator, name)?.lotNo,
  };
}

function dataExport(name: string, operation: OperationName, before?: Args): KilledStep {
  // The file may exist when the export runs again. Its name is in use then.
  const marks = operation === "markExported";
  const own = marks ? { path: `rows/${name}-{n}.ndjson`, markExported: true } : { path: `rows/${name}.ndjson` };
  return {
    name,
    type: "DataExport",
    before,
    after: { taskId: name, scope: "all", ...own, triggers: ["after"] },
    at: { operation, taskId: name },
    prepare: (emulator) => void emulator.change.insertRows(name, [{ n: 1 }, { n: 2 }]),
    // A second export marks again, but only rows of its file.
    settled: ({ emulator, project }) => {
      const file = String(project.resource(name).outputs?.file);
      assert.equal(readFileSync(join(project.folder, file), "utf8").trim().split("\n").length, 2);
      assert.equal(emulator.inspect.exportedCount(name), marks ? 2 : 0);
    },
  };
}

/** The same with checks, which the rows pass. */
function checkedExport(name: string): KilledStep {
  const step = dataExport(name, "getData");
  const checks = { minRows: 2, fields: { n: { filled: 1, type: "integer", unique: true } } };
  return { ...step, after: { ...step.after, checks } };
}

const stoppedRun = (name: string) => (emulator: Emulator) => {
  emulator.change.setSubtaskStatus(emulator.change.startRun(name), "stopped");
};

/** Placeholder for the id of the only subtask of this step's run, which is known only after the start. */
export const subtaskPlaceholder = "SUBTASK";

function cloudSubtasks(name: string, before: Args | undefined): KilledStep {
  return {
    name,
    type: "CloudSubtasks",
    before,
    after: { taskId: name, subTaskIds: [subtaskPlaceholder], desired: "started" },
    at: { operation: "startSubtasks", taskId: name },
    prepare: stoppedRun(name),
    settled: ({ emulator }) => assert.notEqual(lastRun(emulator, name)?.subtasks[0]?.status, "stopped"),
  };
}

export const creates: KilledStep[] = [
  taskCopy("copy"),
  wholeTask("whole-copy", "copyTask", { ...wholeActions(["a", "b"]), ...wholeUrls }),
  wholeTask("whole-settings", "updateTaskParameters", { ...wholeActions(["a", "b"]), ...wholeUrls }),
  wholeTask("whole-urls", "updateTaskUrls", wholeUrls),
  {
    name: "config",
    type: "TaskActionConfig",
    after: { taskId: "config", actions: open("https://new.test/") },
    at: { operation: "updateActionProperties", taskId: "config" },
    settled: (world) => assert.equal(propertyOf(world, "config"), "https://new.test/"),
  },
  {
    name: "parameters",
    type: "TaskParameters",
    after: {
      taskId: "parameters",
      actions: { ...open("https://new.test/"), each: { actionType: "LoopAction", loop: loop(["a"]) } },
    },
    at: { operation: "updateLoopItems", taskId: "parameters" },
    settled: (world) => assert.deepEqual(itemsOf(world, "parameters"), [old, "a"]),
  },
  {
    name: "items",
    type: "TaskLoopItems",
    after: { taskId: "items", actionId: "each", ...loop(["a", "b"]) },
    at: { operation: "updateLoopItems", taskId: "items" },
    settled: (world) => assert.deepEqual(itemsOf(world, "items"), [old, "a", "b"]),
  },
  {
    name: "urls",
    type: "TaskStartUrls",
    after: { taskId: "urls", urls: ["https://start.test/"] },
    at: { operation: "updateTaskUrls", taskId: "urls" },
    settled: ({ emulator }) => assert.deepEqual(emulator.inspect.startUrls("urls"), ["https://start.test/"]),
  },
  cloudRun("run", { operation: "startTask", taskId: "run" }),
  cloudRun("run-wait", { operation: "getSubtasks", taskId: "run-wait", skip: 1 }, { onDelete: "stop" }),
  cloudSubtasks("subtasks", undefined),
  dataExport("export-read", "getData"),
  checkedExport("export-checked"),
  dataExport("export-mark", "markExported"),
];

export const updates: KilledStep[] = [
  taskCopy("copy", { adoptTaskId: "another", onDelete: "retain" }),
  {
    ...wholeTask("whole-settings", "updateLoopItems", wholeActions(["a", "b"])),
    before: {
      from: { sourceTaskId: "whole-settings", taskGroupId: "whole-settings" },
      ...wholeActions(["a"]),
      onDelete: "retain",
    },
  },
  {
    name: "config",
    type: "TaskActionConfig",
    before: { taskId: "config", actions: open("https://first.test/") },
    after: { taskId: "config", actions: open("https://new.test/") },
    at: { operation: "updateActionProperties", taskId: "config" },
    settled: (world) => assert.equal(propertyOf(world, "config"), "https://new.test/"),
  },
  {
    name: "parameters",
    type: "TaskParameters",
    before: { taskId: "parameters", actions: { each: { actionType: "LoopAction", loop: loop(["a"]) } } },
    after: { taskId: "parameters", actions: { each: { actionType: "LoopAction", loop: loop(["a", "b"]) } } },
    at: { operation: "updateLoopItems", taskId: "parameters" },
    settled: (world) => assert.deepEqual(itemsOf(world, "parameters"), [old, "a", "b"]),
  },
  {
    name: "items",
    type: "TaskLoopItems",
    before: { taskId: "items", actionId: "each", ...loop(["a"]) },
    after: { taskId: "items", actionId: "each", ...loop(["a", "b"]) },
    at: { operation: "updateLoopItems", taskId: "items" },
    settled: (world) => assert.deepEqual(itemsOf(world, "items"), [old, "a", "b"]),
  },
  {
    name: "urls",
    type: "TaskStartUrls",
    before: { taskId: "urls", urls: ["https://first.test/"] },
    after: { taskId: "urls", urls: ["https://start.test/"] },
    at: { operation: "updateTaskUrls", taskId: "urls" },
    settled: ({ emulator }) => assert.deepEqual(emulator.inspect.startUrls("urls"), ["https://start.test/"]),
  },
  cloudRun(
    "run",
    { operation: "startTask", taskId: "run" },
    { triggers: [2], onDelete: "stop", pollSeconds: 0 },
    { taskId: "run", triggers: [1], onDelete: "stop", pollSeconds: 0 },
  ),
  cloudSubtasks("subtasks", { taskId: "subtasks", subTaskIds: [subtaskPlaceholder], desired: "stopped" }),
  dataExport("export-mark", "markExported", {
    taskId: "export-mark",
    scope: "all",
    path: "rows/export-mark-{n}.ndjson",
    markExported: true,
    triggers: ["before"],
  }),
];

const restored = (world: World, name: string) => assert.equal(propertyOf(world, name), "https://old.test/");

export const deletes: KilledStep[] = [
  {
    name: "copy",
    type: "TaskCopy",
    before: { sourceTaskId: "copy", taskGroupId: "copy", forceDestroy: true },
    at: { operation: "removeData" },
  },
  {
    name: "config",
    type: "TaskActionConfig",
    before: { taskId: "config", actions: open("https://new.test/"), onDelete: "restore" },
    at: { operation: "updateActionProperties", taskId: "config" },
    settled: (world) => restored(world, "config"),
  },
  {
    name: "parameters",
    type: "TaskParameters",
    before: {
      taskId: "parameters",
      actions: {
        ...open("https://new.test/"),
        each: { actionType: "LoopAction", loop: { ...loop(["a"]), mode: "replace" } },
      },
      onDelete: "restore",
    },
    at: { operation: "updateTaskParameters", taskId: "parameters" },
    settled: (world) => {
      restored(world, "parameters");
      assert.deepEqual(itemsOf(world, "parameters"), [old]);
    },
  },
  {
    name: "items",
    type: "TaskLoopItems",
    before: { taskId: "items", actionId: "each", ...loop(["a"]), mode: "replace", onDelete: "restore" },
    at: { operation: "updateLoopItems", taskId: "items" },
    settled: (world) => assert.deepEqual(itemsOf(world, "items"), [old]),
  },
  {
    name: "run",
    type: "CloudRun",
    before: { taskId: "run", onDelete: "stop", pollSeconds: 0 },
    at: { operation: "stopSubtasks", taskId: "run" },
    once: { operation: "startTask", taskId: "run", times: 1 },
    settled: ({ emulator }) => assert.equal(lastRun(emulator, "run")?.subtasks[0]?.status, "stopped"),
  },
];

/** The start of a run under a new label, killed at each of its requests. The arguments stay the same. */
const labelled = (name: string, at: Omit<KilledStep["at"], "taskId">, args: Args = {}): KilledStep => {
  const declared = { taskId: name, pollSeconds: 0, ...args };
  return cloudRun(name, { ...at, taskId: name }, declared, declared);
};

export const labelledStarts: KilledStep[] = [
  labelled("stop-old", { operation: "stopSubtasks" }, { onDelete: "stop" }),
  labelled("list", { operation: "getSubtasks" }),
  labelled("start", { operation: "startTask" }),
  labelled("start-stopped", { operation: "startTask" }, { onDelete: "stop" }),
];

/** The tasks and groups of these steps. */
export function seedFor(steps: readonly KilledStep[]) {
  const names = ["another", ...steps.map(({ name }) => name)];
  return {
    taskGroups: names.map((taskGroupId) => ({ taskGroupId })),
    tasks: names.map((taskId) => ({ taskId, taskGroupId: taskId, syntheticRows: 3, syntheticSubtasks: 1, actions })),
  };
}
