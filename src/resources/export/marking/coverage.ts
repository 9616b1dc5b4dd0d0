import type { RowPage } from "../../../service/rows/rowPage";
import type { Context } from "../../resource";
import type { DataExportArgs } from "../model";
import { defaultPageSize } from "../model";

/** Why the rows cannot be marked, and what to do. Both are sentences without their full stop. */
export interface Objection {
  reason: string;
  next?: string;
}

export const exportAll = 'Use scope: "all", which reads every row of the task';

/**
 * Finds out whether each row that the mark will reach is in the file. The mark reaches all rows of the task, so what has to be read depends on the
 * scope of the export.
 */
export interface MarkCoverage {
  /** Rows of the task before the read. */
  readonly rowsBefore: number | undefined;
  /** Whether the service lists no row that a mark would reach. Valid after `prepare`. */
  readonly hasNothingToMark?: boolean;
  /** Before the read. */
  prepare(): Promise<Objection | undefined>;
  /** Before a page is written. */
  check(page: RowPage): Objection | undefined;
  /** After the file is written. `rows`: how many rows the task has now. */
  finish(rows: number, rowsInFile: number): Objection | undefined;
}

export function coverageOf(args: DataExportArgs, context: Context): MarkCoverage {
  if (args.scope === "all") {
    return new AllCoverage();
  }
  return args.scope === "batch" ? new BatchCoverage(args, context) : new NotExportedCoverage(args, context);
}

/** How many rows the task has. Not from the read of rows that are not exported: some services return each of them only once. */
export async function countRows(taskId: string, { client }: Context): Promise<number> {
  const { data } = await client.getData({ taskId, offset: 0, size: 1 });
  return data.total;
}

/** The first page of the rows that are not exported; undefined if the service did not respond. */
export async function readNotExported(
  taskId: string,
  { client }: Context,
  options: { pageSize?: number; maxRows?: number },
): Promise<RowPage | undefined> {
  for await (const page of client.rows({ taskId, notExported: true }, options)) {
    return page;
  }
  return undefined;
}

class AllCoverage implements MarkCoverage {
  rowsBefore: number | undefined;

  async prepare(): Promise<undefined> {}

  check(page: RowPage): undefined {
    // A row that arrives in an earlier batch moves the rows after it: one is read twice, another not at all, and the count is right.
    this.rowsBefore ??= page.total;
  }

  finish(rows: number, rowsInFile: number): Objection | undefined {
    return rows === rowsInFile ? undefined : { reason: `the task has ${rows} rows, and ${rowsInFile} were read` };
  }
}

/** The rows that are not exported must come in one response. */
class NotExportedCoverage implements MarkCoverage {
  rowsBefore: number | undefined;

  constructor(
    protected readonly args: DataExportArgs,
    protected readonly context: Context,
  ) {}

  async prepare(): Promise<Objection | undefined> {
    this.rowsBefore = await countRows(this.args.taskId, this.context);
    return undefined;
  }

  check(page: RowPage): Objection | undefined {
    if (page.afterLoss) {
      return { reason: responseWasLost, next: exportAll };
    }
    if (page.count !== page.total || page.count !== page.current || page.count >= this.pageSize) {
      const reason = `one response contained ${page.count} of ${page.total} rows that are not exported, and the mark would reach the others too`;
      return { reason, next: exportAll };
    }
    return undefined;
  }

  finish(_rows: number, _rowsInFile: number): Objection | undefined {
    return undefined;
  }

  protected get pageSize(): number {
    return this.context.settings.pageSize ?? defaultPageSize;
  }
}

/** The rows that are not exported must all be rows of the batch. */
class BatchCoverage extends NotExportedCoverage {
  /** The rows that are not exported and were not read yet. Counted, because rows of two batches can have the same text. */
  private readonly unread = new Map<string, number>();
  private unreadCount = 0;
  hasNothingToMark = false;

  override async prepare(): Promise<Objection | undefined> {
    await super.prepare();
    const first = await this.notExported();
    const objection = first && super.check(first);
    if (first === undefined || objection !== undefined) {
      return objection;
    }
    // A service that returns each row only once does not list those that it returned to a command that was killed.
    if (first.count > 0 && (await this.notExported())?.ndjson().equals(first.ndjson()) !== true) {
      const reason =
        "two reads of its rows that are not exported differ, so rows arrive, or the service returns each row only once";
      return { reason, next: exportAll };
    }
    this.hasNothingToMark = first.count === 0;
    this.expect(first.texts());
    return undefined;
  }

  private notExported(): Promise<RowPage | undefined> {
    return readNotExported(this.args.taskId, this.context, { pageSize: this.pageSize });
  }

  override check(page: RowPage): undefined {
    for (const text of this.unreadCount > 0 ? page.texts() : []) {
      const count = this.unread.get(text) ?? 0;
      if (count > 0) {
        this.unread.set(text, count - 1);
        this.unreadCount--;
      }
    }
  }

  override finish(): Objection | undefined {
    const reason = `${this.unreadCount} rows of other batches are not exported, and the mark would reach them too`;
    return this.unreadCount === 0 ? undefined : { reason, next: exportAll };
  }

  private expect(texts: readonly string[]): void {
    for (const text of texts) {
      this.unread.set(text, (this.unread.get(text) ?? 0) + 1);
    }
    this.unreadCount = texts.length;
  }
}

export const markNothing =
  "The next up marks nothing until each row that the service returned is known to be in a file.";

export const responseWasLost =
  "a response to the read was lost, and a service that returns each row only once will not return those rows again";
