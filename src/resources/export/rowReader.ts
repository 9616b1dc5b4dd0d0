import type { Subtask } from "../../service/contract/types";
import { shownId } from "../../service/errors/foreignText";
import type { RowPage } from "../../service/rows/rowPage";
import { isRepeated } from "../../service/rows/rows";
import { ResourceError } from "../../values/errors";
import type { Context } from "../resource";
import { countsOf, runningNow } from "../run/subtaskList";
import type { DataExportArgs } from "./model";
import { defaultPageSize, pendingSteps, rowSource } from "./model";

/**
 * Milliseconds between two progress messages. Each message is a call to the engine, and one for each page would take
 * more time and memory than the pages.
 */
const progressEveryMs = 500;

/** Reads the rows of an export, page by page. */
export class RowReader {
  /** Whether the pages have as many rows as the service reports. Valid after the last page. */
  isComplete = false;
  private rowCount = 0;
  private running: readonly Subtask[] = [];
  /** Rows that were marked and that this export has not read. */
  private vanished = 0;
  private readonly maxRows: number;

  /** @param marksPages whether each page is marked before the next one is read */
  constructor(
    private readonly args: DataExportArgs,
    private readonly context: Context,
    private readonly marksPages: boolean,
  ) {
    this.maxRows = args.maxRows ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Whether a subtask was running before the read. A batch that is still running can get more rows, whatever total the
   * service reports.
   */
  get wasRunning(): boolean {
    return this.running.length > 0;
  }

  /** What is still to do after the export. Valid after the last page. */
  get pending(): string[] | undefined {
    // A file with maxRows rows has all rows that it can have, so another export would add none.
    return this.wasRunning && this.rowCount < this.maxRows ? [pendingSteps.run] : undefined;
  }

  /** The next page is requested only after the consumer is done with the page before. */
  async *pages(): AsyncGenerator<RowPage, void, void> {
    const { args, context, marksPages, maxRows } = this;
    const { taskId, scope, lotNo, markExported } = args;
    if (scope === "batch" && markExported !== true) {
      this.running = await runningNow(taskId, context);
    }
    const { pageSize } = context.settings;
    const pages = marksPages
      ? this.unmarkedPages()
      : context.client.rows(rowSource(args), { maxRows: args.maxRows, pageSize });
    let total = 0;
    let gap: RowPage["gap"];
    let afterLoss = false;
    let shownAt = Number.NEGATIVE_INFINITY;
    for await (const page of pages) {
      yield page;
      total = page.total + (marksPages ? this.rowCount : 0);
      this.rowCount += page.count;
      afterLoss ||= page.afterLoss === true;
      this.isComplete = page.complete === true && this.vanished === 0 && !afterLoss;
      gap = page.gap;
      if (context.interrupted.aborted && page.complete !== true) {
        const exists = marksPages ? "" : " No file was written, and nothing was marked. Run the same command again.";
        throw new ResourceError(
          `The export was interrupted after ${this.rowCount} of ${total} rows of task "${taskId}".${exists}`,
        );
      }
      if (page.complete !== undefined || context.now() - shownAt >= progressEveryMs) {
        shownAt = context.now();
        context.progress(`${this.rowCount} of ${total} rows`);
      }
    }
    if (afterLoss) {
      context.warn(
        `Task "${taskId}": a response to the read was lost, and it may have contained other rows. If the service returns each row only once, they are missing. ` +
          'scope "all" exports every row of the task.',
      );
    } else if (!this.isComplete && !marksPages && this.rowCount < maxRows) {
      context.warn(incompleteRead(`Task "${taskId}"`, this.rowCount, total, gap));
    }
    if (scope === "notExported" && this.rowCount === 0) {
      context.warn(
        `Task "${taskId}": the service returned no rows, because none are left that are not exported. Everybody who uses the task shares the marks, so another export may have marked ` +
          'its rows. scope "all" exports every row of the task.',
      );
    }
    if (this.pending !== undefined) {
      const statuses = Object.keys(countsOf(this.running).byStatus).join(", ");
      context.warn(
        `Task "${taskId}": ${this.running.length} subtasks were running (${statuses}) when the rows of batch ${shownId(String(lotNo))} were read, so there may be more rows now. ` +
          "Export again after the end of the run. If one of these statuses means that a subtask has ended, add it to webextract:statuses.",
      );
    }
  }

  /**
   * The same request returns the next rows, because those before are marked. A mark reaches rows of a lost response
   * too, so no later read may be smaller: a size that the service has accepted once stays.
   */
  private async *unmarkedPages(): AsyncGenerator<RowPage, void, void> {
    const { args, context, maxRows } = this;
    let { pageSize = defaultPageSize } = context.settings;
    let before: RowPage | undefined;
    while (this.rowCount < maxRows) {
      const size = Math.min(pageSize, maxRows - this.rowCount);
      const page = await firstNotExported(args.taskId, context, { pageSize: size, maxRows: size });
      pageSize = Math.min(pageSize, page.size ?? size);
      const vanished = before === undefined ? 0 : before.total - before.count - page.total;
      const next = `the service may mark all rows of the task: then set webextract:markScope to "task".`;
      if (before !== undefined && page.count > 0 && isRepeated(page, before)) {
        throw new ResourceError(
          `Task "${args.taskId}": the same rows came again after they were marked, so the export stopped: ${next}`,
        );
      }
      if (vanished > 0) {
        this.vanished += vanished;
        context.warn(
          `Task "${args.taskId}": ${vanished} rows were exported by somebody else during this export, or ${next}`,
        );
      }
      yield page;
      if (page.count === 0) {
        return;
      }
      before = page;
    }
  }
}

/** The first page of the rows that are not exported. */
export async function firstNotExported(
  taskId: string,
  { client }: Context,
  options: { pageSize?: number; maxRows?: number },
): Promise<RowPage> {
  for await (const page of client.rows({ taskId, notExported: true }, options)) {
    return page;
  }
  throw new ResourceError(`Task "${taskId}": the service did not respond to a read of its rows.`);
}

/** A warning: the rows that the service returned are not those that it reports. */
export function incompleteRead(of: string, rowCount: number, total: number, gap: RowPage["gap"]): string {
  const counts = `the service reports ${total} rows, and returned ${rowCount}.`;
  if (gap === "moved") {
    return (
      `${of}: rows arrived or were removed during the read, and the other rows moved, so rows may be missing or there twice: ${counts} ` +
      "Read them again when nothing adds or removes rows."
    );
  }
  if (gap === "emptyPage") {
    return `${of}: the service returned an empty page, although rows are left: ${counts} Rows are missing. Read them again.`;
  }
  return `${of}: ${counts} ${total < rowCount ? "Rows may be there twice." : "Rows may be missing."}`;
}
