import { randomInt, randomUUID } from "node:crypto";
import type { VisitError } from "../visit";
import { EmulatorClock } from "./clock";
import { mainAccount } from "./credentials";
import { LineList } from "./lineList";
import { FailedPages } from "./pages/failedPages";
import type { VisitQueue } from "./pages/visitQueue";
import type { ReadRecord, StoredKey } from "./recordMap";
import { RecordMap } from "./recordMap";
import { RowList } from "./rowList";
import { RowMarks } from "./rowMarks";
import type { SeedAction, SeedTask } from "./seed";

/** State of a subtask. statusWords.ts chooses the word that a client sees. */
export type SubtaskStatus = "waiting" | "extracting" | "stopped" | "finished" | "failed";

export interface StoredAction {
  actionType: string;
  actionId: string;
  name: string | undefined;
  properties: Map<string, string>;
  loopType: string | undefined;
  loopItems: string[];
}

export interface StoredTask {
  taskId: string;
  taskGroupId: string;
  account: string;
  name: string | undefined;
  startUrls: LineList;
  actions: StoredAction[];
  urlsPerSubtask: number;
  syntheticRows: number | undefined;
  syntheticSubtasks: number;
}

export interface StoredSubtask {
  subTaskId: string;
  status: SubtaskStatus;
  /** Pages to open, in order. A page leaves the queue when it has been read or has failed. */
  queue: VisitQueue;
  /** Failed pages, until a page has been read. A start of the failed subtask tries them again. */
  failed: FailedPages;
  errors: VisitError[];
  pagesRead: number;
  /** Rows that wait for earlier subtasks, as JSON texts. */
  unreleased: string[];
  /** Number of rows that it generates. */
  syntheticRows: number;
}

export interface StoredRun {
  lotNo: string;
  taskId: string;
  /** Whether its subtasks are listed. */
  split: boolean;
  subtasks: StoredSubtask[];
  /** When it started, in milliseconds since 1970. Absent: a run of an earlier version of the emulator. */
  startedAt?: number;
  /** When its last subtask ended. Absent: it works, or is of an earlier version. */
  endedAt?: number;
  rows: RowList;
  exported: RowMarks;
  /** Rows that `/data/notexported` has returned. */
  handedOut: RowMarks;
  /** Number of reads of the subtask list that still show the previous batch. */
  listLag: number;
  /** Number of reads of the subtask list until it works; -1: it works immediately. */
  readsLeft: number;
  readsAsked: number;
  /** Reads of rows until all late rows have arrived, and the number of these reads at first. */
  lateReads: { left: number; of: number };
}

export interface StoredGroup {
  taskGroupId: string;
  account: string;
  name: string | undefined;
}

/** A batch of a state file, before it is read. */
export interface StoredLot {
  lotNo: string;
  taskId: string;
  running: boolean;
  /** Whether it has pages as a reference to the inputs of its task. */
  refersToInputs: boolean;
}

/** The records of a state file: their keys, and a function that reads one. */
interface StoredMap<V> {
  stored: readonly StoredKey[];
  read: ReadRecord<V>;
}

/** All records of a state file. */
export interface StoredRecords {
  groups: StoredMap<StoredGroup>;
  tasks: StoredMap<StoredTask>;
  runs: StoredMap<StoredRun>;
  lots: readonly StoredLot[];
  /** Reads the names of all tasks, by their ids. Undefined: it has none, or cannot be read. */
  readTaskNames: () => Map<string, string | undefined>;
}

/**
 * Everything that the emulator stores, except credentials. It contains no HTTP and no rules of the service. Code that changes a record tells the
 * store, so that the next save writes it.
 */
export class Store {
  readonly groups = new RecordMap<StoredGroup>();
  readonly tasks = new RecordMap<StoredTask>();
  /** In the order of the starts. */
  readonly runs = new RecordMap<StoredRun>();
  /** The batches of each task, in the order of the starts. */
  private readonly lotsByTask = new Map<string, string[]>();
  /** The batches that had not ended when the state file was written. */
  private readonly interrupted = new Set<string>();
  /** The batches whose pages the state file has as a reference to the inputs of their task. */
  private readonly referring = new Set<string>();
  /** Absent: nothing saves them. */
  private changedSubtasks: Map<StoredRun, Set<StoredSubtask>> | undefined;
  private readTaskNames: (() => Map<string, string | undefined>) | undefined;
  private storedTaskNames: Map<string, string | undefined> | undefined;
  private lastLotNo = 0n;
  /** The time of batch numbers. */
  clock = new EmulatorClock();

  /** Takes over the records of a state file, and collects changes from now on. */
  attach({ groups, tasks, runs, lots, readTaskNames }: StoredRecords): void {
    this.readTaskNames = readTaskNames;
    this.groups.attach(groups.stored, groups.read);
    this.tasks.attach(tasks.stored, tasks.read);
    this.runs.attach(runs.stored, runs.read);
    for (const lot of lots) this.keepLot(lot);
    this.changedSubtasks = new Map();
  }

  /** Collects changes for a new state file. Everything in the store is a change. */
  collect(): void {
    for (const records of [this.groups, this.tasks, this.runs]) records.collect();
    this.changedSubtasks = new Map();
  }

  /** Removes everything. Later batches still get higher numbers than the removed ones. */
  clear(): void {
    this.groups.clear();
    this.tasks.clear();
    this.runs.clear();
    this.lotsByTask.clear();
    this.interrupted.clear();
    this.referring.clear();
    this.changedSubtasks?.clear();
  }

  addGroup(taskGroupId: string, name?: string, account = mainAccount): void {
    this.groups.set(taskGroupId, { taskGroupId, account, name });
  }

  addTask(seed: SeedTask, account = mainAccount): StoredTask {
    const task: StoredTask = {
      taskId: seed.taskId,
      taskGroupId: seed.taskGroupId,
      account,
      name: seed.name,
      startUrls: LineList.of(seed.startUrls ?? []),
      actions: seed.actions.map(newAction),
      urlsPerSubtask: seed.urlsPerSubtask ?? 3,
      syntheticRows: seed.syntheticRows,
      syntheticSubtasks: seed.syntheticSubtasks ?? 1,
    };
    this.tasks.set(task.taskId, task);
    return task;
  }

  /** Copies the configuration of a task, without its runs and rows. */
  copyTask(source: StoredTask, taskGroupId: string): StoredTask {
    const copy: StoredTask = {
      ...source,
      taskId: randomUUID(),
      taskGroupId,
      actions: source.actions.map((action) => ({
        ...action,
        properties: new Map(action.properties),
        loopItems: [...action.loopItems],
      })),
    };
    this.tasks.set(copy.taskId, copy);
    return copy;
  }

  /** The name of a task, without reading the task: a search looks at all of them. */
  taskName(taskId: string): string | undefined {
    if (this.tasks.isRead(taskId)) return this.tasks.get(taskId)?.name;
    // They stay valid, because nothing changes a task without reading it.
    this.storedTaskNames ??= this.readTaskNames?.();
    return this.storedTaskNames?.get(taskId);
  }

  /** Called after each change of a task. */
  taskChanged(task: StoredTask): void {
    this.makePages(task.taskId);
    this.tasks.changed(task.taskId);
  }

  /** A state file has pages that are not made as a reference to the inputs of the task. The pages of a run stay when these change. */
  private makePages(taskId: string): void {
    if (this.changedSubtasks === undefined) return;
    for (const lotNo of this.lotsOf(taskId)) {
      if (!this.runs.isRead(lotNo) && !this.referring.has(lotNo)) continue;
      const run = this.runs.get(lotNo);
      for (const subtask of run?.subtasks ?? []) {
        const refers = refersToInputs(subtask);
        subtask.queue.makeAll();
        subtask.failed.makeAll();
        if (run !== undefined && refers) this.subtaskChanged(run, subtask);
      }
    }
  }

  /** A batch has changed: its rows, marks or counters. */
  runChanged(run: StoredRun): void {
    this.runs.changed(run.lotNo);
  }

  /** A subtask of a batch has changed. */
  subtaskChanged(run: StoredRun, subtask: StoredSubtask): void {
    this.runChanged(run);
    const changed = this.changedSubtasks?.get(run);
    if (changed === undefined) this.changedSubtasks?.set(run, new Set([subtask]));
    else changed.add(subtask);
  }

  /** The subtasks of a batch that changed after the last save. */
  unsavedSubtasks(run: StoredRun): ReadonlySet<StoredSubtask> {
    return this.changedSubtasks?.get(run) ?? new Set();
  }

  /** Number of records that changed after the last save. */
  get unsavedCount(): number {
    return this.groups.unsavedCount + this.tasks.unsavedCount + this.runs.unsavedCount;
  }

  /** Called after a failed save. */
  notSaved(): void {
    for (const records of [this.groups, this.tasks, this.runs]) records.notSaved();
  }

  /** Called after a save. */
  saved(): void {
    for (const records of [this.groups, this.tasks, this.runs]) records.saved();
    this.changedSubtasks?.clear();
  }

  /** Deletes a task with its runs and rows. */
  deleteTask(taskId: string): void {
    this.tasks.delete(taskId);
    for (const lotNo of this.lotsOf(taskId)) this.runs.delete(lotNo);
    this.lotsByTask.delete(taskId);
  }

  addRun(run: Omit<StoredRun, "lotNo">): StoredRun {
    const stored = { lotNo: this.nextLotNo(), startedAt: this.clock.now(), ...run };
    this.keepRun(stored);
    return stored;
  }

  /** Adds a run that has its number. */
  keepRun(run: StoredRun): void {
    this.runs.set(run.lotNo, run);
    this.keepLot({ ...run, running: false, refersToInputs: false });
  }

  private keepLot({ lotNo, taskId, running, refersToInputs }: StoredLot): void {
    const others = this.lotsByTask.get(taskId);
    if (others === undefined) this.lotsByTask.set(taskId, [lotNo]);
    else others.push(lotNo);
    if (running) this.interrupted.add(lotNo);
    if (refersToInputs) this.referring.add(lotNo);
    if (BigInt(lotNo) > this.lastLotNo) this.lastLotNo = BigInt(lotNo);
  }

  /** In the order of the starts. */
  runsOf(taskId: string): readonly StoredRun[] {
    return this.lotsOf(taskId).flatMap((lotNo) => this.runs.get(lotNo) ?? []);
  }

  /** The last runs of a task, in the order of the starts, without a look at the others. */
  latestRuns(taskId: string, count: number): readonly StoredRun[] {
    return this.lotsOf(taskId)
      .slice(-count)
      .flatMap((lotNo) => this.runs.get(lotNo) ?? []);
  }

  /** The newest run of a task that has not ended. */
  runningRun(taskId: string): StoredRun | undefined {
    const lotNo = this.lotsOf(taskId).findLast((each) => this.isUnfinished(each));
    return lotNo === undefined ? undefined : this.runs.get(lotNo);
  }

  /** All runs that have not ended, in the order of the starts. */
  unfinishedRuns(): StoredRun[] {
    return [...this.runs.keys()]
      .filter((lotNo) => this.isUnfinished(lotNo))
      .flatMap((lotNo) => this.runs.get(lotNo) ?? []);
  }

  /** Reads no batch that had ended when the state file was written. */
  private isUnfinished(lotNo: string): boolean {
    if (!this.runs.isRead(lotNo) && !this.interrupted.has(lotNo)) return false;
    const run = this.runs.get(lotNo);
    return run !== undefined && isRunning(run);
  }

  /** Batch numbers of a task, in the order of the starts. */
  lotsOf(taskId: string): readonly string[] {
    return this.lotsByTask.get(taskId) ?? [];
  }

  /** Batch numbers have 18 digits, made of the time: more than a double can hold. */
  private nextLotNo(): string {
    // A double cannot hold an odd number of this size, so a client that parses it as a number fails.
    const odd = BigInt(2 * randomInt(5000) + 1);
    const now = BigInt(this.clock.now()) * 10_000n + 621_355_968_000_000_000n + odd;
    return String(now > this.lastLotNo ? now : this.lastLotNo + 2n);
  }
}

export function newAction(seed: SeedAction): StoredAction {
  return {
    actionType: seed.actionType,
    actionId: seed.actionId,
    name: seed.name,
    properties: new Map(Object.entries(seed.properties ?? {})),
    loopType: seed.loopType,
    loopItems: [...(seed.loopItems ?? [])],
  };
}

/** A run without subtasks. */
export function newRun(taskId: string): Omit<StoredRun, "lotNo"> {
  return {
    taskId,
    split: true,
    subtasks: [],
    rows: new RowList(),
    exported: new RowMarks(),
    handedOut: new RowMarks(),
    listLag: 0,
    readsLeft: 0,
    readsAsked: 0,
    lateReads: { left: 0, of: 0 },
  };
}

export function newSubtask(queue: VisitQueue, syntheticRows = 0): StoredSubtask {
  return {
    subTaskId: randomUUID(),
    status: "waiting",
    queue,
    failed: new FailedPages(),
    errors: [],
    pagesRead: 0,
    unreleased: [],
    syntheticRows,
  };
}

/** Whether it has pages that are not made, so that a state file refers to the inputs of the task. */
export function refersToInputs({ queue, failed }: StoredSubtask): boolean {
  return queue.inputs !== undefined || failed.inputs !== undefined;
}

/** Whether a subtask has ended. It does nothing until it is started again. */
export function hasEnded(subtask: StoredSubtask): boolean {
  return subtask.status !== "waiting" && subtask.status !== "extracting";
}

export function isRunning(run: StoredRun): boolean {
  // From the end, because the first ones end first.
  return run.subtasks.findLast((subtask) => !hasEnded(subtask)) !== undefined;
}
