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
  /** Name for people, where it has one. */
  name: string | undefined;
  /** Property name to value. */
  properties: Record<string, string>;
  /** Kind of item, for a loop. */
  loopType: string | undefined;
  /** Items of the loop; empty where it has none. */
  loopItems: string[];
}

/** A task, as it is stored. */
export interface TaskView {
  /** The task's id. */
  taskId: string;
  /** The group it is in. */
  taskGroupId: string;
  /** Name for people, where it has one. */
  name: string | undefined;
  /** Its actions, in their order. */
  actions: ActionView[];
  /** Number of start URLs; {@link Inspection.startUrls} gives them. */
  startUrlCount: number;
}

/** A subtask, with what a client is not told. */
export interface SubtaskView {
  /** The subtask's id. */
  subTaskId: string;
  /** The emulator's own word, whatever clients are told. */
  status: SubtaskStatus;
  /** Pages read so far. */
  pagesRead: number;
  /** Pages that could not be read. */
  errors: VisitError[];
}

/** A batch. */
export interface RunView {
  /** Batch number. */
  lotNo: string;
  /** The task that ran. */
  taskId: string;
  /** Rows that have been read, also those that arrive late. */
  rowCount: number;
  /** Rows that are marked as exported. */
  exportedCount: number;
  /** The parts it was split into. */
  subtasks: SubtaskView[];
}

/** A row and its mark. */
export interface MarkedRow {
  /** The row, parsed. */
  row: Row;
  /** Whether it is marked as exported. */
  exported: boolean;
}

/** A look at what the service holds, as copies. */
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

  /** All tasks, in the order in which they were made. */
  tasks(): TaskView[] {
    return [...this.store.tasks.values()].map(viewTask);
  }

  /** One task; undefined where there is none. */
  task(taskId: string): TaskView | undefined {
    const task = this.store.tasks.get(taskId);
    return task && viewTask(task);
  }

  /** A task's start URLs; empty where there is no such task. */
  startUrls(taskId: string): string[] {
    return [...(this.store.tasks.get(taskId)?.startUrls.lines() ?? [])];
  }

  /** Batches of a task or of all, in the order of their starts. */
  runs(taskId?: string): RunView[] {
    const runs = taskId === undefined ? [...this.store.runs.values()] : this.store.runsOf(taskId);
    return runs.map(viewRun);
  }

  /** One batch; undefined where there is none. */
  run(lotNo: string): RunView | undefined {
    const run = this.store.runs.get(lotNo);
    return run && viewRun(run);
  }

  /** Rows of a task, or of one batch of it, in order, parsed. */
  rows(taskId: string, lotNo?: string): Row[] {
    return this.rowsWithMarks(taskId, lotNo).map(({ row }) => row);
  }

  /** Rows with whether they are marked as exported. */
  rowsWithMarks(taskId: string, lotNo?: string): MarkedRow[] {
    const runs = this.store.runsOf(taskId).filter((run) => lotNo === undefined || run.lotNo === lotNo);
    return runs.flatMap((run) =>
      run.rows.slice(0, run.rows.length).map((text, index) => ({
        row: JSON.parse(text) as Row,
        exported: run.exported.has(index),
      })),
    );
  }

  /** Rows of a task that are marked as exported. */
  exportedCount(taskId: string): number {
    return this.store.runsOf(taskId).reduce((sum, run) => sum + run.exported.count(run.rows.length), 0);
  }

  /** Rows of a task that a client can see at this moment. */
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
    subtasks: run.subtasks.map(({ subTaskId, status, pagesRead, errors }) => ({
      subTaskId,
      status,
      pagesRead,
      errors: errors.map((error) => ({ ...error })),
    })),
  };
}
