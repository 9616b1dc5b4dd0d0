import { randomInt, randomUUID } from "node:crypto";
import type { PageVisit, VisitError } from "../extraction/visit";
import { mainAccount } from "./credentials";
import { LineList } from "./lineList";
import { RowList } from "./rowList";
import { RowMarks } from "./rowMarks";
import type { SeedAction, SeedTask } from "./seed";

/** What a subtask does; the words that a client sees are chosen in statusWords.ts. */
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
  /** Pages still to open, in order. A page leaves the queue when it has been read or has failed. */
  queue: PageVisit[];
  /** Pages that failed, to be tried again when a failed subtask is started. */
  failed: PageVisit[];
  errors: VisitError[];
  pagesRead: number;
  /** Rows that it has read and that wait for the subtasks before it, as JSON texts. */
  unreleased: string[];
  /** Rows that it makes out of nothing. */
  syntheticRows: number;
}

export interface StoredRun {
  lotNo: string;
  taskId: string;
  /** Whether the list shows subtasks. */
  split: boolean;
  subtasks: StoredSubtask[];
  rows: RowList;
  exported: RowMarks;
  /** Rows handed out by the read of what is not exported. */
  handedOut: RowMarks;
  /** Reads of the subtask list that still show the batch before. */
  listLag: number;
  /** Reads of the subtask list until it works; -1 when it works at once. */
  readsLeft: number;
  readsAsked: number;
  /** Reads of rows until all of them have arrived, and of how many. */
  lateReads: { left: number; of: number };
}

export interface StoredGroup {
  taskGroupId: string;
  account: string;
  name: string | undefined;
}

/** Everything that the emulated service remembers, but for credentials. Knows no HTTP and no rule of the service. */
export class Store {
  readonly groups = new Map<string, StoredGroup>();
  readonly tasks = new Map<string, StoredTask>();
  /** In the order of their starts. */
  readonly runs = new Map<string, StoredRun>();
  private lastLotNo = 0n;

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

  /** A copy has the configuration of its source, and none of its runs and rows. */
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

  /** The task is gone, with its runs and rows. */
  deleteTask(taskId: string): void {
    this.tasks.delete(taskId);
    for (const run of this.runsOf(taskId)) this.runs.delete(run.lotNo);
  }

  addRun(run: Omit<StoredRun, "lotNo">): StoredRun {
    const stored = { lotNo: this.nextLotNo(), ...run };
    this.runs.set(stored.lotNo, stored);
    return stored;
  }

  runsOf(taskId: string): StoredRun[] {
    return [...this.runs.values()].filter((run) => run.taskId === taskId);
  }

  /** Run numbers look like the real ones: 18 digits, made of the time, more than a double can hold. */
  private nextLotNo(): string {
    // An odd number of this size is never what a double makes of it: a client that parses it as a number is found out.
    const odd = BigInt(2 * randomInt(5000) + 1);
    const now = BigInt(Date.now()) * 10_000n + 621_355_968_000_000_000n + odd;
    for (const lotNo of this.runs.keys()) if (BigInt(lotNo) > this.lastLotNo) this.lastLotNo = BigInt(lotNo);
    this.lastLotNo = now > this.lastLotNo ? now : this.lastLotNo + 2n;
    return String(this.lastLotNo);
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

/** A run with nothing to do yet. */
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

export function newSubtask(queue: PageVisit[], syntheticRows = 0): StoredSubtask {
  return {
    subTaskId: randomUUID(),
    status: "waiting",
    queue,
    failed: [],
    errors: [],
    pagesRead: 0,
    unreleased: [],
    syntheticRows,
  };
}

/** At rest: it does nothing until it is started again. */
export function isAtRest(subtask: StoredSubtask): boolean {
  return subtask.status !== "waiting" && subtask.status !== "extracting";
}

export function isRunning(run: StoredRun): boolean {
  return run.subtasks.some((subtask) => !isAtRest(subtask));
}
