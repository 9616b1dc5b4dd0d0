import type { Subtask } from "../../service/contract/types";
import type { RowPage } from "../../service/rows/rowPage";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import { restOf } from "../run/subtaskList";
import type { DataExportArgs } from "./dataExport";

/**
 * Marking rows as exported, where the service marks "the task's data": all of it, read or not (`webextract:markScope` = task). It's done
 * only where every row that it will mark is known to be in the file.
 *
 * One window remains, between the last look and the mark: rows that come then are marked unread. It's looked for afterwards
 * (`rowsSinceLook`), so that it never stays unsaid.
 */
export class TaskMark {
  /** Rows of the task when its pages began to be read. */
  private rowsBefore: number | undefined;
  private rowsAtLook = 0;

  private constructor(
    private readonly args: DataExportArgs,
    private readonly context: Context,
    private readonly before: Subtask[],
  ) {}

  /** Before the read: nothing may be at work that could add rows. */
  static async prepare(args: DataExportArgs, context: Context): Promise<TaskMark> {
    const list = await context.client.allSubtasks(args.taskId);
    const busy = list.filter(({ status }) => restOf(status, context.settings.statuses) === undefined);
    if (busy.length > 0) {
      throw refused(
        args,
        `${busy.length} of its subtasks are still at work, so rows may be added while it is read. Nothing was written`,
      );
    }
    const mark = new TaskMark(args, context, list);
    if (args.scope === "notExported") {
      mark.rowsBefore = await rowsOf(args.taskId, context);
    }
    return mark;
  }

  /** Sees each page before it is written. */
  see(page: RowPage, size: number): void {
    if (this.args.scope === "notExported") {
      this.refusePartialAnswer(page, size);
    }
    if (this.args.scope === "all") {
      // By offset, rows that come into an earlier batch push those behind them on: one is read twice, another not at all, and the count is right.
      this.rowsBefore ??= page.total;
    }
  }

  /** Rows that are not exported come in one answer: refuses before anything is written if there are more than one answer holds. */
  private refusePartialAnswer(page: RowPage, size: number): void {
    if (page.afterLoss) {
      throw refused(
        this.args,
        `${answerWasLost}. Nothing was written. Export with scope: "all", which reads every row first`,
      );
    }
    if (page.count !== page.total || page.count !== page.current || page.count >= size) {
      throw refused(
        this.args,
        `one answer held ${page.count} of its ${page.total} rows that are not exported, so marking would mark rows that were not read. ` +
          `Nothing was written. Export with scope: "all", which reads every row first`,
      );
    }
  }

  /** After the write: answers why not, or nothing. `written` counts the texts of the exported rows, where the scope is one batch. */
  async objection(rowCount: number, written: ReadonlyMap<string, number> | undefined): Promise<string | undefined> {
    const { taskId, scope } = this.args;
    const list = await this.context.client.allSubtasks(taskId);
    if (listed(list) !== listed(this.before)) {
      return "its subtasks changed while it was read";
    }
    // Rows may arrive after the last subtask has ended. Not by the read of what is not exported: on some services that hands rows out.
    const rows = await rowsOf(taskId, this.context);
    this.rowsAtLook = rows;
    if (scope === "batch") {
      return this.batchObjection(written);
    }
    if (rows !== this.rowsBefore) {
      return `it has ${rows} rows now, and had ${this.rowsBefore} before it was read`;
    }
    return scope === "notExported" || rows === rowCount ? undefined : `it has ${rows} rows, and ${rowCount} were read`;
  }

  /** After the mark: how many rows came since the last look. */
  async rowsSinceLook(): Promise<number> {
    return (await rowsOf(this.args.taskId, this.context)) - this.rowsAtLook;
  }

  /** Marking reaches the rows of every batch, so all that isn't exported must be in this one. */
  private async batchObjection(written: ReadonlyMap<string, number> | undefined): Promise<string | undefined> {
    if (written === undefined) {
      return "the batch has more rows than one answer can show to be the only ones that are not exported";
    }
    const size = this.context.settings.pageSize ?? defaultPageSize;
    for await (const page of this.context.client.rows(
      { taskId: this.args.taskId, notExported: true },
      { pageSize: size },
    )) {
      if (page.afterLoss) {
        return answerWasLost;
      }
      if (page.count !== page.total || page.count >= size) {
        return `it has ${page.total} rows that are not exported and one answer holds ${page.count}, too few to tell whether all are of this batch; scope: "all" reads and marks every row`;
      }
      // Counted, for rows of two batches may be alike to the letter.
      const left = new Map(written);
      const isCovered = (text: string): boolean => {
        const count = left.get(text) ?? 0;
        left.set(text, count - 1);
        return count > 0;
      };
      if (!page.texts().every(isCovered)) {
        return "it has rows of other batches that are not exported";
      }
      break;
    }
    return undefined;
  }

  refusal(reason: string): string {
    return refused(this.args, reason).message;
  }
}

export const defaultPageSize = 1000;

/** Why a mark could reach rows that nobody has. */
export const answerWasLost =
  "an answer to the read was lost on the way, and on a service that hands out each row only once its rows never came";

async function rowsOf(taskId: string, { client }: Context): Promise<number> {
  const { data } = await client.getData({ taskId, offset: 0, size: 1 });
  return data.total;
}

function listed(list: readonly Subtask[]): string {
  return list
    .map(({ subTaskId, status }) => `${subTaskId} ${status}`)
    .sort()
    .join("\n");
}

function refused(args: DataExportArgs, reason: string): ResourceError {
  return new ResourceError(
    `The rows of task "${args.taskId}" were not marked as exported: ${reason}. ` +
      `If this service marks only the rows that it handed out, set webextract:markScope to "returned".`,
  );
}
