import { existsSync, readFileSync } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { CredentialsState } from "./credentials";
import { LineList } from "./lineList";
import { RowList } from "./rowList";
import type { RowRange } from "./rowMarks";
import { RowMarks } from "./rowMarks";
import type { Plan } from "./seed";
import type { Store, StoredAction, StoredGroup, StoredRun, StoredTask } from "./store";

const format = "webextract-emulator";
const version = 1;

type ActionState = Omit<StoredAction, "properties"> & { properties: [string, string][] };
type TaskState = Omit<StoredTask, "startUrls" | "actions"> & { startUrls: string; actions: ActionState[] };
type RunState = Omit<StoredRun, "rows" | "exported" | "handedOut"> & {
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
  if (!existsSync(file)) return undefined;
  const state = parseState(file);
  for (const group of state.groups) store.groups.set(group.taskGroupId, group);
  for (const task of state.tasks) store.tasks.set(task.taskId, reviveTask(task));
  for (const run of state.runs) store.runs.set(run.lotNo, reviveRun(run));
  return { plan: state.plan, credentials: state.credentials };
}

function parseState(file: string): State {
  let state: Partial<State> | null;
  try {
    state = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new Error(`the state file ${file} is not JSON: remove it, or use another file`);
  }
  if (typeof state !== "object" || state === null || state.format !== format) {
    throw new Error(`${file} is not a state file of the emulator: use another file`);
  }
  if (state.version !== version) {
    throw new Error(
      `the state file ${file} has version ${String(state.version)}; this emulator reads version ${version}`,
    );
  }
  const { plan, credentials, groups, tasks, runs } = state;
  if (
    plan === undefined ||
    credentials === undefined ||
    !Array.isArray(groups) ||
    !Array.isArray(tasks) ||
    !Array.isArray(runs)
  ) {
    throw new Error(`the state file ${file} is not complete: remove it, or use another file`);
  }
  return { format, version, plan, credentials, groups, tasks, runs };
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

  /** Writes the current state. Calls during a write share the next write. */
  save(): Promise<void> {
    if (this.file === undefined) return Promise.resolve();
    this.queued ??= this.writing.then(() => {
      this.queued = undefined;
      this.writing = this.write();
      return this.writing;
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
    // The file holds credentials.
    const handle = await open(temporary, "w", 0o600);
    try {
      await handle.writeFile(this.text());
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  }
}
