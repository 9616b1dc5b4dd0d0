import { readdirSync, readFileSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import Ajv2020 from "ajv/dist/2020";
import type { PageVisit } from "../extraction/visit";
import type { CredentialsState } from "./credentials";
import { LineList } from "./lineList";
import { RowList } from "./rowList";
import type { RowRange } from "./rowMarks";
import { RowMarks } from "./rowMarks";
import type { Plan } from "./seed";
import { stateSchema } from "./stateSchema";
import type { Store, StoredAction, StoredGroup, StoredRun, StoredSubtask, StoredTask } from "./store";
import { VisitQueue } from "./visitQueue";

const format = "webextract-emulator";
const version = 1;

type ActionState = Omit<StoredAction, "properties"> & { properties: [string, string][] };
type TaskState = Omit<StoredTask, "startUrls" | "actions"> & { startUrls: string; actions: ActionState[] };
type SubtaskState = Omit<StoredSubtask, "queue"> & { queue: PageVisit[] };
type RunState = Omit<StoredRun, "rows" | "exported" | "handedOut" | "subtasks"> & {
  subtasks: SubtaskState[];
  rows: { generated: number; texts: string[] };
  exported: RowRange[];
  handedOut: RowRange[];
};

interface State {
  format: string;
  version: number;
  plan: Plan;
  credentials: CredentialsState;
  groups: StoredGroup[];
  tasks: TaskState[];
  runs: RunState[];
}

/** Content of the state file that is not in the store. */
export interface StateExtras {
  plan: Plan;
  credentials: CredentialsState;
}

/**
 * Fills an empty store from the file.
 * @returns undefined if the file does not exist.
 * @throws Error with the reason why the file is not valid. The file does not change.
 */
export function loadState(file: string, store: Store): StateExtras | undefined {
  const text = readState(file);
  if (text === undefined) return undefined;
  const state = parseState(file, text);
  for (const group of state.groups) store.groups.set(group.taskGroupId, group);
  for (const task of state.tasks) store.tasks.set(task.taskId, reviveTask(task));
  for (const run of state.runs) store.keepRun(reviveRun(run));
  return { plan: state.plan, credentials: state.credentials };
}

function readState(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (code === "ENOENT") return undefined;
    if (code === "EISDIR") throw new Error(`the state file ${file} is a folder: name a file in it`);
    if (code === "EACCES" || code === "EPERM") {
      throw new Error(`the state file ${file} cannot be read, because this user has no permission (${code})`);
    }
    throw new Error(`the state file ${file} cannot be read (${code})`);
  }
}

/** A damaged file can hold rows that are nowhere else, so no message advises to delete it. */
const remedy = "restore it from a copy, or start with another file";

function parseState(file: string, text: string): State {
  let state: Partial<State> | null;
  try {
    state = JSON.parse(text);
  } catch {
    throw new Error(`the state file ${file} is not JSON: ${remedy}`);
  }
  if (typeof state !== "object" || state === null || state.format !== format) {
    throw new Error(`${file} is not a state file of the emulator: use another file`);
  }
  if (state.version !== version) {
    throw new Error(
      `the state file ${file} has version ${String(state.version)}; this emulator reads version ${version}`,
    );
  }
  const validate = new Ajv2020({ meta: false, validateSchema: false, strict: false }).compile<State>(stateSchema);
  if (validate(state)) return state;
  // Never the value, which can be a credential.
  const problems = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
  throw new Error(`the state file ${file} is damaged: ${problems.join(", ")}. Action: ${remedy}`);
}

function reviveTask(task: TaskState): StoredTask {
  return {
    ...task,
    startUrls: LineList.of([task.startUrls]),
    actions: task.actions.map((action) => ({
      ...action,
      // Absent in JSON. The view of a loaded task must equal the view of the original task.
      name: action.name,
      loopType: action.loopType,
      properties: new Map(action.properties),
    })),
  };
}

function reviveRun(run: RunState): StoredRun {
  return {
    ...run,
    subtasks: run.subtasks.map((subtask) => ({ ...subtask, queue: new VisitQueue(subtask.queue) })),
    rows: new RowList(run.rows),
    exported: new RowMarks(run.exported),
    handedOut: new RowMarks(run.handedOut),
  };
}

function stateText(store: Store, extras: StateExtras): string {
  const tasks = [...store.tasks.values()].map((task) => ({
    ...task,
    startUrls: task.startUrls.toString(),
    actions: task.actions.map((action) => ({ ...action, properties: [...action.properties] })),
  }));
  const state = {
    format,
    version,
    ...extras,
    groups: [...store.groups.values()],
    tasks,
    runs: [...store.runs.values()],
  };
  return `${JSON.stringify(state)}\n`;
}

/** Minimum time between two saves of background work. Changes of a request are saved before its response. */
const backgroundMs = 200;

/** Writes the state file as a whole. */
export class StateWriter {
  private readonly file: string | undefined;
  private readonly text: () => string;
  private writing: Promise<void> = Promise.resolve();
  private queued: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(file: string | undefined, store: Store, extras: () => StateExtras) {
    this.file = file;
    this.text = () => stateText(store, extras());
  }

  /** Removes what killed processes have left. Only for the owner of the lock. */
  async prepare(): Promise<void> {
    if (this.file === undefined) return;
    const folder = dirname(this.file);
    const start = `${basename(this.file)}.`;
    const left = readdirSync(folder).filter(
      (name) => name.startsWith(start) && /^\d+\.tmp$/.test(name.slice(start.length)),
    );
    await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
  }

  /** Writes the current state. Calls during a write share the next write. */
  save(): Promise<void> {
    if (this.file === undefined) return Promise.resolve();
    this.queued ??= this.writing.then(() => {
      this.queued = undefined;
      const write = this.write();
      // A failed write must not fail the next one.
      this.writing = write.catch(() => undefined);
      return write;
    });
    return this.queued;
  }

  /** Writes within a short time. */
  saveSoon(onError: (error: unknown) => void): void {
    if (this.file === undefined || this.timer !== undefined || this.closed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.save().catch(onError);
    }, backgroundMs);
  }

  /** Writes for the last time. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.save();
  }

  private async write(): Promise<void> {
    const { file } = this;
    if (file === undefined) return;
    await mkdir(dirname(file), { recursive: true });
    const temporary = `${file}.${process.pid}.tmp`;
    try {
      // The file holds credentials.
      const handle = await open(temporary, "w", 0o600);
      try {
        await handle.writeFile(this.text());
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  }
}
