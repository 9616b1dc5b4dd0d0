import type { Row } from "../service/types";
import { RowMarks } from "./rowMarks";
import { visibleRows } from "./runRows";
import type { Service } from "./service";
import type { Store, StoredRun, StoredTask, SubtaskStatus } from "./store";
import type { VisitError } from "./visit";

/** An action, as it is stored. */
export interface ActionView {
  actionType: string;
  actionId: string;
  name: string | undefined;
  properties: Record<string, string>;
  loopType: string | undefined;
  loopItems: string[];
}

/** A task, as it is stored. */
export interface TaskView {
  taskId: string;
  taskGroupId: string;
  name: string | undefined;
  actions: ActionView[];
  startUrlCount: number;
}

/** A subtask, with what a client is not told. */
export interface SubtaskView {
  subTaskId: string;
  status: SubtaskStatus;
  pagesRead: number;
  errors: VisitError[];
}

/** A batch. */
export interface RunView {
  lotNo: string;
  taskId: string;
  /** Rows that have been read, also those that arrive late. */
  rowCount: number;
  exportedCount: number;
  subtasks: SubtaskView[];
}

/** A look at what the service holds, as copies. */
export class Inspection {
  private readonly store: Store;

  constructor({ store }: Pick<Service, "store">) {
    this.store = store;
  }

  groups(): string[] {
    return [...this.store.groups.keys()];
  }

  /** All tasks, in the order in which they were made. */
  tasks(): TaskView[] {
    return [...this.store.tasks.values()].map(viewTask);
  }

  task(taskId: string): TaskView | undefined {
    const task = this.store.tasks.get(taskId);
    return task && viewTask(task);
  }

  startUrls(taskId: string): string[] {
    return [...(this.store.tasks.get(taskId)?.startUrls.lines() ?? [])];
  }

  /** Batches of a task or of all, in the order of their starts. */
  runs(taskId?: string): RunView[] {
    const runs = taskId === undefined ? [...this.store.runs.values()] : this.store.runsOf(taskId);
    return runs.map(viewRun);
  }

  run(lotNo: string): RunView | undefined {
    const run = this.store.runs.get(lotNo);
    return run && viewRun(run);
  }

  /** Rows of a task, or of one batch of it, in order, parsed. */
  rows(taskId: string, lotNo?: string): Row[] {
    return this.rowsWithMarks(taskId, lotNo).map(({ row }) => row);
  }

  /** Rows with whether they are marked as exported. */
  rowsWithMarks(taskId: string, lotNo?: string): { row: Row; exported: boolean }[] {
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
