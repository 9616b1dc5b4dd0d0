import type { ServiceError } from "../../../service/errors/errors";
import { isServiceError } from "../../../service/errors/errors";
import type { RowPage } from "../../../service/rows/rowPage";
import type { Context } from "../../resource";
import { ResourceError } from "../../resource";
import { withoutHint } from "../../task/lostResponse";
import { KeptFiles } from "../keptFiles";
import type { DataExportArgs, DataExportState } from "../model";
import { mayComeOnce, rowSource } from "../model";
import type { OutputFile } from "../outputFile";
import { markNothing } from "./coverage";
import type { Marking } from "./marking";

/**
 * Milliseconds between two progress messages. Each message is a call to the engine, and one for each page would take more time and memory
 * than the pages.
 */
const progressEveryMs = 500;

/** Reads all rows before any of them is marked. If the read fails, no rows remain but those that the service may not return again. */
export abstract class WholeRead implements Marking {
  readonly isExclusive = false;
  isComplete = false;

  constructor(
    protected readonly args: DataExportArgs,
    protected readonly context: Context,
  ) {}

  protected earlier: KeptFiles | undefined;

  async prepare(file: OutputFile): Promise<string | undefined> {
    const { args, context } = this;
    if (!mayComeOnce(args, context.settings)) {
      return undefined;
    }
    this.earlier = await KeptFiles.find(file, args, "reading", context);
    const found = this.earlier.describe();
    if (found !== undefined) {
      context.warn(`Task "${args.taskId}": ${found}. Delete them when their rows are in another file.`);
    }
    return this.earlier.pathFor(file);
  }

  /** Whether the rows are those that an earlier export has read. There can be more rows now. */
  protected get isOfEarlier(): boolean {
    return this.earlier?.haveRows === true;
  }

  abstract finish(state: DataExportState): Promise<DataExportState>;

  /** Called after each page was passed to the file. */
  protected async noted(_page: RowPage, _file: OutputFile): Promise<void> {}

  /** The error after an interruption. */
  protected interruption(rowCount: number, total: number): string {
    return `The command was interrupted after ${rowCount} of ${total} rows of task "${this.args.taskId}". No file was written, and nothing was marked. The next up exports again.`;
  }

  /** What follows if the service reports another number of rows than it returned. */
  protected readonly ifIncomplete: string = " The output complete is false.";

  async *pages(file: OutputFile): AsyncGenerator<RowPage, void, void> {
    const { args, context, earlier } = this;
    if (earlier?.haveRows === true) {
      yield* earlier.pages();
      return;
    }
    const { pageSize } = context.settings;
    const { maxRows } = args;
    let shownAt = Number.NEGATIVE_INFINITY;
    let total = 0;
    for await (const page of context.client.rows(rowSource(args), { maxRows, pageSize })) {
      yield page;
      await this.noted(page, file);
      this.isComplete = page.complete ?? false;
      total = page.total;
      const isLast = page.complete !== undefined;
      if (context.interrupted.aborted && !isLast) {
        throw new ResourceError(this.interruption(file.rowCount, page.total));
      }
      if (isLast || context.now() - shownAt >= progressEveryMs) {
        shownAt = context.now();
        context.progress(`${file.rowCount} of ${page.total} rows`);
      }
    }
    if (!this.isComplete && file.rowCount < (args.maxRows ?? Number.POSITIVE_INFINITY)) {
      context.warn(incompleteRead(`Task "${args.taskId}"`, file.rowCount, total) + this.ifIncomplete);
    }
  }

  check(_page: RowPage): void {}

  async written(): Promise<void> {
    await this.earlier?.written();
  }

  async fail(file: OutputFile, error: unknown): Promise<unknown> {
    const { earlier } = this;
    if (earlier !== undefined && file.rowCount === 0 && this.args.markExported === true && isLostResponse(error)) {
      await file.close();
      return new ResourceError(`${withoutHint(error)} ${earlier.nothingRead} ${markNothing}`);
    }
    if (earlier === undefined || file.rowCount === 0 || !(error instanceof Error)) {
      await file.discard();
      return error;
    }
    error.message += await earlier.keep(file);
    return error;
  }

  async release(): Promise<void> {
    this.earlier?.release();
  }
}

/** A warning: the service reports another number of rows than it returned. */
export function incompleteRead(of: string, rowCount: number, total: number): string {
  const what = total < rowCount ? "Rows may be there twice." : "Rows may be missing.";
  return `${of}: the service reports ${total} rows, and returned ${rowCount}. ${what}`;
}

function isLostResponse(error: unknown): error is ServiceError {
  return isServiceError(error) && error.operation === "getNotExportedData" && error.outcome !== "notExecuted";
}
