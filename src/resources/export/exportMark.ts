import type { Subtask } from "../../service/contract/types";
import type { RowPage } from "../../service/rows/rowPage";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import { terminalStatusOf } from "../run/subtaskList";
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
  /** Of a batch: the rows of the task that are not exported and were not read yet. */
  private unread: UnreadRows | undefined;

  private constructor(
    private readonly args: DataExportArgs,
    private readonly context: Context,
    private readonly before: Subtask[],
  ) {}

  /** Before the read: nothing may be at work that could add rows, and what can be seen to be in the way is seen before anything is written. */
  static async prepare(args: DataExportArgs, context: Context): Promise<TaskMark> {
    const { taskId, scope } = args;
    const list = await context.client.allSubtasks(taskId);
    const busy = list.filter(({ status }) => terminalStatusOf(status, context.settings.statuses) === undefined);
    if (busy.length > 0) {
      throw refused(
        args,
        `${busy.length} of its subtasks are still at work, so rows may be added while it is read. Nothing was written`,
      );
    }
    const mark = new TaskMark(args, context, list);
    if (scope !== "all") {
      mark.rowsBefore = await rowsOf(taskId, context);
    }
    if (scope === "batch") {
      mark.unread = await mark.notExported();
    }
    return mark;
  }

  /** Sees each page before it is written. */
  see(page: RowPage): void {
    if (this.args.scope === "notExported") {
      this.refusePartialAnswer(page);
    }
    if (this.args.scope === "all") {
      // By offset, rows that come into an earlier batch push those behind them on: one is read twice, another not at all, and the count is right.
      this.rowsBefore ??= page.total;
    }
    this.unread?.take(page);
  }

  /** Marking reaches the rows of every batch, so all that isn't exported must be in the one that is read. */
  private async notExported(): Promise<UnreadRows> {
    const source = { taskId: this.args.taskId, notExported: true } as const;
    for await (const page of this.context.client.rows(source, { pageSize: this.pageSize })) {
      this.refusePartialAnswer(page);
      return new UnreadRows(page.texts());
    }
    return new UnreadRows([]);
  }

  /** Rows that are not exported come in one answer: refuses before anything is written if there are more than one answer holds. */
  private refusePartialAnswer(page: RowPage): void {
    if (page.afterLoss) {
      throw refused(this.args, `${answerWasLost}. Nothing was written`);
    }
    if (page.count !== page.total || page.count !== page.current || page.count >= this.pageSize) {
      throw refused(
        this.args,
        `one answer held ${page.count} of its ${page.total} rows that are not exported, so rows that were not read would be marked. Nothing was written`,
      );
    }
  }

  /** After the write: answers why not, or nothing. */
  async objection(rowCount: number): Promise<string | undefined> {
    const { taskId, scope } = this.args;
    const list = await this.context.client.allSubtasks(taskId);
    if (listed(list) !== listed(this.before)) {
      return "its subtasks changed while it was read";
    }
    // Rows may arrive after the last subtask has ended. Not by the read of what is not exported: on some services that hands rows out.
    const rows = await rowsOf(taskId, this.context);
    this.rowsAtLook = rows;
    if (rows !== this.rowsBefore) {
      return `it has ${rows} rows now, and had ${this.rowsBefore} before it was read`;
    }
    if (this.unread !== undefined && this.unread.count > 0) {
      return `it has ${this.unread.count} rows of other batches that are not exported`;
    }
    return scope !== "all" || rows === rowCount ? undefined : `it has ${rows} rows, and ${rowCount} were read`;
  }

  /** After the mark: how many rows came since the last look. */
  async rowsSinceLook(): Promise<number> {
    return (await rowsOf(this.args.taskId, this.context)) - this.rowsAtLook;
  }

  refusal(reason: string): string {
    return refused(this.args, reason).message;
  }

  private get pageSize(): number {
    return this.context.settings.pageSize ?? defaultPageSize;
  }
}

/** Rows by their texts, as few as one answer holds. Counted, for rows of two batches may be alike to the letter. */
class UnreadRows {
  count: number;
  private readonly left = new Map<string, number>();

  constructor(texts: readonly string[]) {
    this.count = texts.length;
    for (const text of texts) {
      this.left.set(text, (this.left.get(text) ?? 0) + 1);
    }
  }

  /** These were read. */
  take(page: RowPage): void {
    for (const text of this.count > 0 ? page.texts() : []) {
      const left = this.left.get(text) ?? 0;
      if (left > 0) {
        this.left.set(text, left - 1);
        this.count--;
      }
    }
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

function refused({ taskId, scope }: DataExportArgs, reason: string): ResourceError {
  const wayOut = scope === "all" ? "" : ` To mark them, export with scope: "all", which reads every row of the task.`;
  return new ResourceError(
    `The rows of task "${taskId}" were not marked as exported: ${reason}.${wayOut} ` +
      `If this service marks only the rows that it handed out, set webextract:markScope to "returned".`,
  );
}
