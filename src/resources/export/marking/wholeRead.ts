import type { RowPage } from "../../../service/rows/rowPage";
import type { Context } from "../../resource";
import { ResourceError } from "../../resource";
import type { DataExportArgs, DataExportState } from "../model";
import { rowSource } from "../model";
import type { OutputFile } from "../outputFile";
import type { Marking } from "./marking";

/** Nobody reads faster. Each message is a call to the engine, and one for each page would take more time and memory than the pages. */
const progressEveryMs = 500;

/** Reads all rows before any of them is marked. If that fails, nothing remains. */
export abstract class WholeRead implements Marking {
  readonly isExclusive = false;
  isComplete = false;

  constructor(
    protected readonly args: DataExportArgs,
    protected readonly context: Context,
  ) {}

  abstract prepare(): Promise<undefined>;
  abstract finish(state: DataExportState): Promise<DataExportState>;

  async *pages(file: OutputFile): AsyncGenerator<RowPage, void, void> {
    const { args, context } = this;
    const { taskId, maxRows } = args;
    let shownAt = Number.NEGATIVE_INFINITY;
    for await (const page of context.client.rows(rowSource(args), { maxRows, pageSize: context.settings.pageSize })) {
      yield page;
      this.isComplete = page.complete ?? false;
      const isLast = page.complete !== undefined;
      if (context.interrupted.aborted && !isLast) {
        throw new ResourceError(
          `The command was interrupted after ${file.rowCount} of ${page.total} rows of task "${taskId}". No file was written, and nothing was marked. The next up exports again.`,
        );
      }
      if (isLast || context.now() - shownAt >= progressEveryMs) {
        shownAt = context.now();
        context.progress(`${file.rowCount} of ${page.total} rows`);
      }
    }
    if (!this.isComplete && file.rowCount < (maxRows ?? Number.POSITIVE_INFINITY)) {
      context.warn(
        `Task "${taskId}": the service reports more rows than the ${file.rowCount} that it returned. The output complete is false.`,
      );
    }
  }

  check(_page: RowPage): void {}

  async fail(file: OutputFile, error: unknown): Promise<unknown> {
    await file.discard();
    return error;
  }
}
