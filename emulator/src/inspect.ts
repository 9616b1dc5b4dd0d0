import type { Row } from "./contract";
import type { VisitError } from "./extraction/visit";
import type { Service } from "./service";
import { RowMarks } from "./store/rowMarks";
import { visibleRows } from "./store/runRows";
import type { Store, StoredRun, StoredTask, SubtaskStatus } from "./store/store";

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
export interface SubtaskView {
  /** The subtask's id. */
  subTaskId: string;
  /** The status, in the words of the emulator. */
  status: SubtaskStatus;
  /** Pages read so far. */
  pagesRead: number;
  /** Pages that could not be read. */
  errors: VisitError[];
  /** Failures that were followed by a retry, in their order. */
  retries: VisitError[];
}

/** A batch. */
export interface RunView {
  /** Batch number. */
  lotNo: string;
  /** The task that ran. */
  taskId: string;
  /** Number of rows, including late rows. */
  rowCount: number;
  /** Number of rows that are marked as exported. */
  exportedCount: number;
  /** Its subtasks. */
  subtasks: SubtaskView[];
}

/** A row and its mark. */
export interface MarkedRow {
  /** The row, parsed. */
  row: Row;
  /** Whether it is marked as exported. */
  exported: boolean;
}

/** Shows what the emulator holds, as copies. */
export class Inspection {
  private readonly store: Store;

  /** @hidden */
  constructor({ store }: Pick<Service, "store">) {
    this.store = store;
  }

  /** Ids of the task groups. */
  groups(): string[] {
    return [...this.store.groups.keys()];
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

  /** A task's start URLs; empty if the task does not exist. */
  startUrls(taskId: string): string[] {
    return [...(this.store.tasks.get(taskId)?.startUrls.lines() ?? [])];
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
    return this.store.runsOf(taskId).reduce((sum, run) => sum + run.exported.count(run.rows.length), 0);
  }

  /** Number of rows of a task that a client can see. */
  visibleCount(taskId: string): number {
    return this.store.runsOf(taskId).reduce((sum, run) => sum + visibleRows(run), 0);
  }
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

function viewRun(run: StoredRun): RunView {
  return {
    lotNo: run.lotNo,
    taskId: run.taskId,
    rowCount: run.rows.length,
    exportedCount: new RowMarks(run.exported.toJSON()).count(run.rows.length),
    subtasks: run.subtasks.map(({ subTaskId, status, pagesRead, errors, retries = [] }) => ({
      subTaskId,
      status,
      pagesRead,
      errors: errors.map((error) => ({ ...error })),
      retries: retries.map((error) => ({ ...error })),
    })),
  };
}
