import type { ValidateFunction } from "ajv/dist/2020";
import Ajv2020 from "ajv/dist/2020";
import type { PageVisit } from "../../extraction/visit";
import type { CredentialsState } from "../credentials";
import { LineList } from "../lineList";
import { RowList } from "../rowList";
import type { RowRange } from "../rowMarks";
import { RowMarks } from "../rowMarks";
import type { Plan } from "../seed";
import type { Store, StoredAction, StoredGroup, StoredRun, StoredSubtask, StoredTask } from "../store";
import { VisitQueue } from "../visitQueue";
import { stateSchema } from "./stateSchema";

const format = "webextract-emulator";
const version = 1;

/** An action in JSON. */
export type ActionState = Omit<StoredAction, "properties"> & { properties: [string, string][] };
/** A task in JSON. */
export type TaskState = Omit<StoredTask, "startUrls" | "actions"> & { startUrls: string; actions: ActionState[] };
/** A subtask in JSON. */
export type SubtaskState = Omit<StoredSubtask, "queue"> & { queue: PageVisit[] };
type RunState = Omit<StoredRun, "rows" | "exported" | "handedOut" | "subtasks"> & {
  subtasks: SubtaskState[];
  rows: { generated: number; texts: string[] };
  exported: RowRange[];
  handedOut: RowRange[];
};

/** Content of the state that is not in the store. */
export interface StateExtras {
  plan: Plan;
  credentials: CredentialsState;
}

/** The whole state as one JSON document. */
export interface StateDocument extends StateExtras {
  format: string;
  version: number;
  groups: StoredGroup[];
  tasks: TaskState[];
  runs: RunState[];
}

/** The whole state. Its values are those of the store: convert it to JSON before the store changes. */
export function stateDocument(store: Store, extras: StateExtras): StateDocument {
  return {
    format,
    version,
    ...extras,
    groups: [...store.groups.values()],
    tasks: [...store.tasks.values()].map(taskState),
    runs: [...store.runs.values()].map(runState),
  };
}

/** The document as JSON, in parts, because a text of all rows could be longer than a string can be. */
export function* documentText(store: Store, extras: StateExtras): Generator<string> {
  const head = JSON.stringify({ format, version, ...extras });
  yield head.slice(0, -1);
  yield* listText("groups", store.groups.values());
  yield* listText("tasks", store.tasks.values(), taskState);
  yield* listText("runs", store.runs.values(), runState);
  yield "}\n";
}

function* listText<T>(
  name: string,
  items: Iterable<T>,
  stateOf: (item: T) => unknown = (item) => item,
): Generator<string> {
  yield `,"${name}":[`;
  let separator = "";
  for (const item of items) {
    yield `${separator}${JSON.stringify(stateOf(item))}`;
    separator = ",";
  }
  yield "]";
}

/** Replaces everything in the store. The store takes over the values of the document. */
export function fillStore(store: Store, document: StateDocument): void {
  store.clear();
  for (const group of document.groups) store.groups.set(group.taskGroupId, group);
  for (const task of document.tasks) store.tasks.set(task.taskId, reviveTask(task, LineList.of([task.startUrls])));
  for (const run of document.runs) store.keepRun(reviveRun(run));
}

/**
 * Checks a parsed document.
 * @param source the subject of the messages, such as "the state file FILE".
 * @param remedy what the reader can do about a damaged document.
 * @throws Error that lists every problem with its path, but no values, which can be credentials.
 */
export function checkStateDocument(value: unknown, source: string, remedy: string): StateDocument {
  const document = value as Partial<StateDocument> | null;
  if (typeof document !== "object" || document === null || document.format !== format) {
    throw new Error(`${source} is not a state of the emulator: ${remedy}`);
  }
  if (document.version !== version) {
    throw new Error(`${source} has version ${String(document.version)}; this emulator reads version ${version}`);
  }
  const check = validate();
  if (check(document)) return document;
  const problems = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
  throw new Error(`${source} is damaged: ${problems.join(", ")}. Action: ${remedy}`);
}

let validator: ValidateFunction<StateDocument> | undefined;

/** Compiled at the first use, because a start without a state does not need it. */
function validate(): ValidateFunction<StateDocument> {
  validator ??= new Ajv2020({
    meta: false,
    validateSchema: false,
    strict: false,
    allErrors: true,
  }).compile<StateDocument>(stateSchema);
  return validator;
}

function taskState(task: StoredTask): TaskState {
  return {
    ...task,
    startUrls: task.startUrls.toString(),
    actions: actionStates(task),
  };
}

export function actionStates(task: StoredTask): ActionState[] {
  return task.actions.map((action) => ({ ...action, properties: [...action.properties] }));
}

function runState(run: StoredRun): RunState {
  return {
    ...run,
    subtasks: run.subtasks.map((subtask) => ({ ...subtask, queue: subtask.queue.toJSON() })),
    rows: run.rows.toJSON(),
    exported: run.exported.toJSON(),
    handedOut: run.handedOut.toJSON(),
  };
}

export function reviveTask(task: Omit<TaskState, "startUrls">, startUrls: LineList): StoredTask {
  return {
    ...task,
    // Absent in JSON. The view of a loaded task must equal the view of the original task.
    name: task.name,
    syntheticRows: task.syntheticRows,
    startUrls,
    actions: task.actions.map((action) => ({
      ...action,
      name: action.name,
      loopType: action.loopType,
      properties: new Map(action.properties),
    })),
  };
}

function reviveRun(run: RunState): StoredRun {
  return {
    ...run,
    subtasks: run.subtasks.map(reviveSubtask),
    rows: new RowList(run.rows),
    exported: new RowMarks(run.exported),
    handedOut: new RowMarks(run.handedOut),
  };
}

export function reviveSubtask(subtask: SubtaskState): StoredSubtask {
  return { ...subtask, queue: new VisitQueue(subtask.queue) };
}
