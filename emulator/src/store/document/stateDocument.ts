import type { ValidateFunction } from "ajv/dist/2020";
import Ajv2020 from "ajv/dist/2020";
import type { PageVisit } from "../../visit";
import type { CredentialsState } from "../credentials";
import { LineList } from "../lineList";
import { FailedPages } from "../pages/failedPages";
import { VisitQueue } from "../pages/visitQueue";
import type { RecordMap } from "../recordMap";
import { chunkRows, isRow, RowList } from "../rowList";
import type { RowRange } from "../rowMarks";
import { RowMarks } from "../rowMarks";
import type { Plan } from "../seed";
import { repeated, repeatedActions } from "../seed";
import type { Store, StoredAction, StoredGroup, StoredRun, StoredSubtask, StoredTask } from "../store";
import { Slices } from "./slices";
import { stateSchema } from "./stateSchema";

const format = "webextract-emulator";
const version = 1;

/** An action in JSON. */
export type ActionState = Omit<StoredAction, "properties"> & { properties: [string, string][] };
/** A task in JSON. */
export type TaskState = Omit<StoredTask, "startUrls" | "actions"> & { startUrls: string; actions: ActionState[] };
/** A subtask in JSON. */
type SubtaskState = Omit<StoredSubtask, "queue" | "failed"> & { queue: PageVisit[]; failed: PageVisit[] };
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
  yield headText(extras);
  for (const { name, records, textOf } of listsOf(store)) {
    yield `,"${name}":[`;
    let separator = "";
    for (const key of records.keys()) {
      yield separator;
      yield* textOf(key);
      separator = ",";
    }
    yield "]";
  }
  yield "}\n";
}

const recordsInPart = 100;

/** After it, what changes all the time is written without a pause. */
const mostRounds = 5;

/** A document as JSON, in parts. */
export interface DocumentText {
  /** Number of characters of its records. */
  length: number;
  parts: Iterable<string>;
  records: RecordParts;
}

/** The records of a document as JSON, each in parts. */
export interface RecordParts {
  groups: readonly string[][];
  tasks: readonly string[][];
  runs: readonly string[][];
}

/**
 * The state of one moment as JSON, in parts. Other work of the process goes on meanwhile: records that change after they were written are written
 * again, and the last of them together with the rest of the document, without a pause.
 */
export async function documentTextOfMoment(store: Store, extras: () => StateExtras): Promise<DocumentText> {
  const lists = listsOf(store).map((list) => ({
    ...list,
    texts: new Map<string, string[]>(),
    changed: list.records.watch(),
  }));
  const slices = new Slices();
  try {
    for (let round = 0; round < mostRounds; round += 1) {
      for (const { records, texts, changed, textOf } of lists) {
        const keys = round === 0 ? [...records.keys()] : [...changed];
        if (round > 0) changed.clear();
        for (const key of keys) {
          const parts: string[] = [];
          for (const part of textOf(key)) {
            parts.push(part);
            if (slices.isOver) await slices.next();
          }
          texts.set(key, parts);
        }
      }
    }
    for (const { texts, changed, textOf } of lists) {
      for (const key of changed) texts.set(key, [...textOf(key)]);
    }
    let length = 0;
    const records: Record<keyof RecordParts, readonly string[][]> = { groups: [], tasks: [], runs: [] };
    for (const { name, records: all, texts } of lists) {
      records[name] = Array.from(all.keys(), (key) => {
        const parts = texts.get(key) ?? [];
        for (const part of parts) length += part.length;
        return parts;
      });
    }
    return { length, parts: writtenText(headText(extras()), records), records };
  } finally {
    for (const { records, changed } of lists) records.unwatch(changed);
  }
}

function* writtenText(head: string, records: RecordParts): Generator<string> {
  yield head;
  for (const [name, texts] of Object.entries(records) as [string, readonly string[][]][]) {
    yield `,"${name}":[`;
    // A stream takes a turn for each part.
    for (let first = 0; first < texts.length; first += recordsInPart) {
      if (first > 0) yield ",";
      const [only, ...others] = texts.slice(first, first + recordsInPart);
      if (others.length === 0) yield* only ?? [];
      else yield [only, ...others].map((parts) => parts?.join("")).join(",");
    }
    yield "]";
  }
  yield "}\n";
}

function headText(extras: StateExtras): string {
  return JSON.stringify({ format, version, ...extras }).slice(0, -1);
}

interface RecordTexts {
  name: keyof RecordParts;
  records: Pick<RecordMap<object>, "keys" | "watch" | "unwatch">;
  /** The JSON text of a record, in parts of bounded length. */
  textOf(key: string): Iterable<string>;
}

function listsOf({ groups, tasks, runs }: Store): RecordTexts[] {
  return [
    { name: "groups", records: groups, textOf: (key) => textOf(groups.get(key)) },
    { name: "tasks", records: tasks, textOf: (key) => textOf(tasks.get(key), taskState) },
    { name: "runs", records: runs, textOf: (key) => runText(runs.get(key)) },
  ];
}

function textOf<T>(record: T | undefined, stateOf: (record: T) => unknown = (same) => same): string[] {
  return record === undefined ? [] : [JSON.stringify(stateOf(record))];
}

function* runText(run: StoredRun | undefined): Generator<string> {
  if (run === undefined) return;
  const { rows } = run;
  const { rows: _rows, ...rest } = runState({ ...run, rows: new RowList() });
  yield `${JSON.stringify(rest).slice(0, -1)},"rows":{"generated":${rows.generatedCount},"texts":[`;
  for (let first = rows.generatedCount; first < rows.length; first += chunkRows) {
    const texts = JSON.stringify(rows.slice(first, first + chunkRows)).slice(1, -1);
    yield first > rows.generatedCount ? `,${texts}` : texts;
  }
  yield "]}}";
}

/** All records of a store. */
export interface StoreContent {
  groups: readonly StoredGroup[];
  tasks: readonly StoredTask[];
  runs: readonly StoredRun[];
}

/** Replaces everything in the store. The store takes over the values of the document. */
export function fillStore(store: Store, { groups, tasks, runs }: StateDocument): void {
  replaceContent(store, { groups, tasks: tasks.map(reviveStateTask), runs: runs.map(reviveRun) });
}

/** Replaces everything in the store by these records. */
export function replaceContent(store: Store, { groups, tasks, runs }: StoreContent): void {
  store.clear();
  for (const group of groups) store.groups.set(group.taskGroupId, group);
  for (const task of tasks) store.tasks.set(task.taskId, task);
  for (const run of runs) store.keepRun(run);
}

/** Reads the records of a document, without a long pause of the process. */
export async function readRecords({ groups, tasks, runs }: RecordParts): Promise<StoreContent> {
  const slices = new Slices();
  const read = async <State, Stored>(texts: readonly string[][], revive: (state: State) => Stored) => {
    const records: Stored[] = [];
    for (const parts of texts) {
      if (slices.isOver) await slices.next();
      records.push(revive(JSON.parse(parts.join(""))));
    }
    return records;
  };
  return {
    groups: await read(groups, (group: StoredGroup) => group),
    tasks: await read(tasks, reviveStateTask),
    runs: await read(runs, reviveRun),
  };
}

function reviveStateTask(task: TaskState): StoredTask {
  return reviveTask(task, LineList.of([task.startUrls]));
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
  const problems = check(document)
    ? contradictions(document)
    : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
  if (problems.length === 0) return document as StateDocument;
  throw new Error(`${source} is damaged: ${problems.join(", ")}. Action: ${remedy}`);
}

function contradictions({ groups, tasks, runs }: StateDocument): string[] {
  const twice = (subject: string, ids: readonly string[]) =>
    repeated(ids).map((id) => `${subject} ${id} is there twice`);
  const taskIds = tasks.map(({ taskId }) => taskId);
  const known = new Set(taskIds);
  return [
    ...twice(
      "task group",
      groups.map(({ taskGroupId }) => taskGroupId),
    ),
    ...twice("task", taskIds),
    ...tasks.flatMap(repeatedActions),
    ...twice(
      "batch",
      runs.map(({ lotNo }) => lotNo),
    ),
    ...runs.flatMap((run, index) => [
      ...twice(
        `in batch ${run.lotNo}, subtask`,
        run.subtasks.map(({ subTaskId }) => subTaskId),
      ),
      ...(known.has(run.taskId) ? [] : [`batch ${run.lotNo} is of the unknown task ${run.taskId}`]),
      ...rowProblems(run, `/runs/${index}`),
    ]),
  ];
}

function rowProblems({ rows, subtasks, exported, handedOut }: RunState, path: string): string[] {
  const count = rows.generated + rows.texts.length;
  const outside = ([from, to]: RowRange) => from < 0 || to < from || to > count;
  const texts = [...rows.texts, ...subtasks.flatMap(({ unreleased }) => unreleased)];
  return [
    ...(rows.generated < 0 ? [`${path}/rows/generated must be at least 0`] : []),
    ...(texts.every(isRow) ? [] : [`${path} has a row that is no JSON object`]),
    ...([...exported, ...handedOut].some(outside) ? [`${path} has marks of rows that it does not have`] : []),
  ];
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
    subtasks: run.subtasks.map((subtask) => ({
      ...subtask,
      queue: subtask.queue.toJSON(),
      failed: subtask.failed.toJSON(),
    })),
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

function reviveSubtask(subtask: SubtaskState): StoredSubtask {
  return { ...subtask, queue: new VisitQueue(subtask.queue), failed: new FailedPages(subtask.failed) };
}
