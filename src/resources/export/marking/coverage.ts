import type { RowPage } from "../../../service/rows/rowPage";
import type { Context } from "../../resource";
import type { DataExportArgs } from "../model";
import { defaultPageSize } from "../model";
import { readNotExported } from "../rowReader";
import { exportAll, responseWasLost } from "./marking";

/** Why the rows cannot be marked, and what to do. Both are sentences without their full stop. */
export interface Objection {
  reason: string;
  next?: string;
}

/** How many rows the task has. */
export async function countRows(taskId: string, { client }: Context): Promise<number> {
  const { data } = await client.getData({ taskId, offset: 0, size: 1 });
  return data.total;
}

/**
 * Finds out whether each row that the mark will reach is in the file. The mark reaches all rows of the task, so what has to be read depends on the
 * scope of the export.
 */
export class MarkCoverage {
  /** Rows of the task before the read. */
  rowsBefore: number | undefined;
  /** Whether the service lists no row that a mark would reach. Only for a batch. */
  hasNothingToMark = false;
  /** Rows that are not exported and were not read yet. Counted, because rows of two batches can have the same text. */
  private readonly unread = new Map<string, number>();
  private unreadCount = 0;

  constructor(
    private readonly args: DataExportArgs,
    private readonly context: Context,
  ) {}

  /** Before the read. */
  async prepare(): Promise<Objection | undefined> {
    const { taskId, scope } = this.args;
    if (scope === "all") {
      return undefined;
    }
    this.rowsBefore = await countRows(taskId, this.context);
    return scope === "batch" ? this.findNotExported() : undefined;
  }

  /** After a page was read. */
  check(page: RowPage): Objection | undefined {
    const { scope } = this.args;
    if (scope === "notExported") {
      return this.wholeResponse(page);
    }
    if (scope === "all") {
      // A row that arrives in an earlier batch moves the rows after it: one is read twice, another not at all, and the count is right.
      this.rowsBefore ??= page.total;
    }
    for (const text of this.unreadCount > 0 ? page.texts() : []) {
      const count = this.unread.get(text) ?? 0;
      if (count > 0) {
        this.unread.set(text, count - 1);
        this.unreadCount--;
      }
    }
    return undefined;
  }

  /** After the file is written. `rows`: how many rows the task has now. */
  finish(rows: number, rowsInFile: number): Objection | undefined {
    if (rows !== this.rowsBefore) {
      return { reason: `the task has ${rows} rows, and had ${this.rowsBefore} before the read` };
    }
    if (this.args.scope === "all" && rows !== rowsInFile) {
      return { reason: `the task has ${rows} rows, and ${rowsInFile} were read` };
    }
    const reason = `${this.unreadCount} rows of other batches are not exported, and the mark would reach them too`;
    return this.unreadCount === 0 ? undefined : { reason, next: exportAll };
  }

  /** All rows that are not exported must be rows of the batch. */
  private async findNotExported(): Promise<Objection | undefined> {
    const page = await readNotExported(this.args.taskId, this.context, { pageSize: this.pageSize });
    for (const text of page.texts()) {
      this.unread.set(text, (this.unread.get(text) ?? 0) + 1);
    }
    this.unreadCount = page.count;
    this.hasNothingToMark = page.count === 0;
    return this.wholeResponse(page);
  }

  /** The rows that are not exported must come in one response. */
  private wholeResponse(page: RowPage): Objection | undefined {
    if (page.afterLoss) {
      return { reason: responseWasLost, next: exportAll };
    }
    const isWhole = page.count === page.total && page.count === page.current && page.count < this.pageSize;
    const reason = `one response contained ${page.count} of ${page.total} rows that are not exported, and the mark would reach the others too`;
    return isWhole ? undefined : { reason, next: exportAll };
  }

  private get pageSize(): number {
    return this.context.settings.pageSize ?? defaultPageSize;
  }
}
