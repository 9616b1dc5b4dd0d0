import type { Row } from "./contract";
import type * as described from "./generated/admin";
import type { ProgressSample, RunProgress } from "./runs/runProgress";
import type { Service } from "./service";
import { visibleRows } from "./store/runRows";
import type { Store, StoredRun, StoredSubtask, StoredTask } from "./store/store";
import { isRunning } from "./store/store";
import { countSubtasks } from "./store/subtaskCounts";
import { errorCount } from "./visit";

/** An action, as it is stored. */
export interface ActionView {
  /** Kind of action. */
  actionType: string;
  /** Id within the task. */
  actionId: string;
  /** Display name. */
  name: string | undefined;
  /** Properties by name. */
  properties: Record<string, string>;
  /** Kind of item, for a loop. */
  loopType: string | undefined;
  /** Items of the loop; empty if there are none. */
  loopItems: string[];
}

/** A task, as it is stored. */
export interface TaskView {
  /** The task's id. */
  taskId: string;
  /** Its group. */
  taskGroupId: string;
  /** Display name. */
  name: string | undefined;
  /** Its actions, in their order. */
  actions: ActionView[];
  /** Number of start URLs; {@link Inspection.startUrls} gives them. */
  startUrlCount: number;
}

/** A subtask, with details that a client cannot see. */
export interface SubtaskView extends described.Subtask {}

/** A batch. */
export interface RunView extends described.Run {}

/** A batch, without its subtasks. */
export interface RunSummary extends described.RunSummary {}

/** A task, with the numbers of what it has. */
export interface TaskSummary extends described.TaskSummary {}

/** `running`: a subtask waits or works. Otherwise, `stopped` or `failed` if a subtask is. */
export type RunStatus = "running" | "stopped" | "failed" | "finished";

/** Which batches are wanted. Default: all. */
export interface RunFilter {
  /** Only batches of this task. */
  taskId?: string;
  /** Only batches whose number contains this string, or the id or name of whose task does, in any case. */
  search?: string;
  /** Only batches of this status. */
  status?: RunStatus;
}

/** A part of a list. */
export interface ListPart {
  /** Number of items to skip. */
  offset: number;
  /** Maximum number of items. */
  limit: number;
}

/** A row as it is stored, and its mark. */
export interface RowText {
  /** The row's JSON text. */
  text: string;
  /** Whether it is marked as exported. */
  exported: boolean;
}

/** A row and its mark. */
export interface MarkedRow {
  /** The row, parsed. */
  row: Row;
  /** Whether it is marked as exported. */
  exported: boolean;
}

/** A search by status reads at most this number of batches, and no more after this number of subtasks, so that it takes a short time. */
const mostExaminedRuns = 500;
const mostExaminedSubtasks = 20_000;

/** Shows what the emulator holds, as copies. */
export class Inspection {
  private readonly store: Store;
  private readonly measured: RunProgress;

  /** @hidden */
  constructor({ store, progress }: Pick<Service, "store" | "progress">) {
    this.store = store;
    this.measured = progress;
  }

  /** Ids of the task groups. */
  groups(): string[] {
    return [...this.store.groups.keys()];
  }

  /** Ids of the tasks, in the order of creation. */
  taskIds(): string[] {
    return [...this.store.tasks.keys()];
  }

  /** All tasks, in the order of creation. */
  tasks(): TaskView[] {
    return [...this.store.tasks.values()].map(viewTask);
  }

  /** One task; undefined if it does not exist. */
  task(taskId: string): TaskView | undefined {
    const task = this.store.tasks.get(taskId);
    return task && viewTask(task);
  }

  /** A task's start URLs, at most `limit` of them; empty if the task does not exist. */
  startUrls(taskId: string, limit = Number.POSITIVE_INFINITY): string[] {
    const urls: string[] = [];
    for (const url of this.store.tasks.get(taskId)?.startUrls.lines() ?? []) {
      if (urls.length >= limit) break;
      urls.push(url);
    }
    return urls;
  }

  /** Batches of one task or of all tasks, in the order of the starts. */
  runs(taskId?: string): RunView[] {
    const runs = taskId === undefined ? [...this.store.runs.values()] : this.store.runsOf(taskId);
    return runs.map(viewRun);
  }

  /** One batch; undefined if it does not exist. */
  run(lotNo: string): RunView | undefined {
    const run = this.store.runs.get(lotNo);
    return run && viewRun(run);
  }

  /**
   * A part of the tasks, in the order of creation.
   * @param search only tasks whose id or name contains this string, in any case.
   */
  taskPage({ offset, limit, search = "" }: ListPart & { search?: string }): { total: number; tasks: TaskSummary[] } {
    const ids = findTasks(this.store, search);
    const part = ids.slice(offset, offset + limit);
    return { total: ids.length, tasks: part.flatMap((taskId) => this.taskSummary(taskId) ?? []) };
  }

  /** The numbers of what a task has; undefined if it does not exist. */
  taskSummary(taskId: string): TaskSummary | undefined {
    const task = this.store.tasks.get(taskId);
    return task && this.summarizeTask(task);
  }

  /**
   * A part of the batches, the newest first. A search by another status than `running` reads batches, so it looks at the newest ones only.
   * @returns `examined`, the number of these, if there are more.
   */
  runPage({ offset, limit, ...filter }: ListPart & RunFilter): {
    total: number;
    examined?: number;
    runs: RunSummary[];
  } {
    const { ids, examined } = findRuns(this.store, filter);
    const part = ids.slice(offset, offset + limit);
    return { total: ids.length, examined, runs: part.flatMap((lotNo) => this.runSummary(lotNo) ?? []) };
  }

  /** One batch, without its subtasks; undefined if it does not exist. */
  runSummary(lotNo: string): RunSummary | undefined {
    const run = this.store.runs.get(lotNo);
    return run && summarizeRun(run);
  }

  /** Samples of a batch while it worked, in their order; undefined if it does not exist. The last one is its present state. */
  progress(lotNo: string): ProgressSample[] | undefined {
    const run = this.store.runs.get(lotNo);
    return run && this.measured.of(run);
  }

  /** A part of the subtasks of a batch; undefined if it does not exist. */
  subtaskPage(lotNo: string, { offset, limit }: ListPart): { total: number; subtasks: SubtaskView[] } | undefined {
    const run = this.store.runs.get(lotNo);
    return run && { total: run.subtasks.length, subtasks: run.subtasks.slice(offset, offset + limit).map(viewSubtask) };
  }

  /** A part of the rows of a batch, as they are stored; undefined if it does not exist. */
  rowPage(lotNo: string, { offset, limit }: ListPart): { total: number; rows: RowText[] } | undefined {
    const run = this.store.runs.get(lotNo);
    if (run === undefined) return undefined;
    const texts = run.rows.slice(offset, offset + limit);
    return {
      total: run.rows.length,
      rows: texts.map((text, index) => ({ text, exported: run.exported.has(offset + index) })),
    };
  }

  /** Parsed rows of a task or of one batch, in order. */
  rows(taskId: string, lotNo?: string): Row[] {
    return this.rowsWithMarks(taskId, lotNo).map(({ row }) => row);
  }

  /** Rows with their exported marks. */
  rowsWithMarks(taskId: string, lotNo?: string): MarkedRow[] {
    const runs = this.store.runsOf(taskId).filter((run) => lotNo === undefined || run.lotNo === lotNo);
    return runs.flatMap((run) =>
      run.rows.slice(0, run.rows.length).map((text, index) => ({
        row: JSON.parse(text) as Row,
        exported: run.exported.has(index),
      })),
    );
  }

  /** Number of rows of a task that are marked as exported. */
  exportedCount(taskId: string): number {
    return this.store.runsOf(taskId).reduce((sum, run) => sum + numbersOf(run).exportedCount, 0);
  }

  /** Number of rows of a task that a client can see. */
  visibleCount(taskId: string): number {
    return this.store.runsOf(taskId).reduce((sum, run) => sum + visibleRows(run), 0);
  }

  private summarizeTask(task: StoredTask): TaskSummary {
    const runs = this.store.runsOf(task.taskId);
    const latest = runs.at(-1);
    return {
      taskId: task.taskId,
      taskGroupId: task.taskGroupId,
      name: task.name,
      actionCount: task.actions.length,
      startUrlCount: task.startUrls.count,
      runCount: runs.length,
      rowCount: runs.reduce((sum, run) => sum + run.rows.length, 0),
      exportedCount: this.exportedCount(task.taskId),
      latestRun: latest && summarizeRun(latest),
    };
  }
}

/** The ids and names only: a state file can hold a hundred thousand tasks that have not been read. */
function findTasks(store: Store, search: string): string[] {
  const ids = [...store.tasks.keys()];
  const wanted = search.toLowerCase();
  if (wanted === "") return ids;
  const nameOf = (taskId: string) => store.taskName(taskId) ?? "";
  return ids.filter((taskId) => [taskId, nameOf(taskId)].some((text) => text.toLowerCase().includes(wanted)));
}

/** The newest first. The ids only, as long as no status is wanted. */
function findRuns(store: Store, { taskId, search = "", status }: RunFilter): { ids: string[]; examined?: number } {
  let ids = [...(taskId === undefined ? store.runs.keys() : store.lotsOf(taskId))].reverse();
  if (search !== "") {
    const ofTasks = new Set(findTasks(store, search).flatMap((each) => store.lotsOf(each)));
    ids = ids.filter((lotNo) => lotNo.includes(search) || ofTasks.has(lotNo));
  }
  if (status === undefined) return { ids };
  if (status === "running") {
    const running = new Set(store.unfinishedRuns().map(({ lotNo }) => lotNo));
    return { ids: ids.filter((lotNo) => running.has(lotNo)) };
  }
  const found: string[] = [];
  let subtasks = 0;
  for (const [index, lotNo] of ids.entries()) {
    if (index >= mostExaminedRuns || subtasks >= mostExaminedSubtasks) return { ids: found, examined: index };
    const run = store.runs.get(lotNo);
    subtasks += run?.subtasks.length ?? 0;
    if (run !== undefined && statusOf(run) === status) found.push(lotNo);
  }
  return { ids: found };
}

function viewTask(task: StoredTask): TaskView {
  return {
    taskId: task.taskId,
    taskGroupId: task.taskGroupId,
    name: task.name,
    startUrlCount: task.startUrls.count,
    actions: task.actions.map((action) => ({
      ...action,
      properties: Object.fromEntries(action.properties),
      loopItems: [...action.loopItems],
    })),
  };
}

/** What every view of a batch shows. */
function numbersOf({ lotNo, taskId, startedAt, endedAt, rows, exported }: StoredRun) {
  return { lotNo, taskId, startedAt, endedAt, rowCount: rows.length, exportedCount: exported.count(rows.length) };
}

function viewRun(run: StoredRun): RunView {
  return { ...numbersOf(run), subtasks: run.subtasks.map(viewSubtask) };
}

function viewSubtask({ subTaskId, status, pagesRead, errors }: StoredSubtask): SubtaskView {
  return { subTaskId, status, pagesRead, errors: errors.map((error) => ({ ...error })) };
}

function statusOf(run: StoredRun): RunStatus {
  if (isRunning(run)) return "running";
  const { stopped, failed } = countSubtasks(run);
  return stopped > 0 ? "stopped" : failed > 0 ? "failed" : "finished";
}

function summarizeRun(run: StoredRun): RunSummary {
  return {
    ...numbersOf(run),
    pagesRead: run.subtasks.reduce((sum, { pagesRead }) => sum + pagesRead, 0),
    errorCount: run.subtasks.reduce((sum, { errors }) => sum + errorCount(errors), 0),
    subtasks: countSubtasks(run),
  };
}
