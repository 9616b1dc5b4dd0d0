import { relative } from "node:path";
import { isServiceError } from "../../../service/errors/errors";
import type { RowPage } from "../../../service/rows/rowPage";
import type { Context } from "../../resource";
import { messageOf, PartialFailure, ResourceError } from "../../resource";
import { RowsRefused } from "../checks/checkedRows";
import type { RowChecker } from "../checks/rowChecker";
import { isRemote } from "../destinations/remotePath";
import { KeptFiles } from "../keptFiles";
import type { DataExportArgs, DataExportState } from "../model";
import { defaultPageSize, pendingMark } from "../model";
import type { OutputFile } from "../outputFile";
import { markNothing, readNotExported } from "./coverage";
import type { Marking } from "./marking";

const wayOut =
  'Export once with scope: "all" and without markExported, which reads every row. Then rename each file that ends in ".part", and run up again.';

/**
 * Marks rows on a service that marks the rows that it returned (`webextract:markScope` is "returned"). Each page is read, written, synced
 * and marked, until no row is left. A mark reaches all rows that were returned since the last mark, so it is sent only if each response is
 * known to be in a file.
 */
export class ReturnedMarking implements Marking {
  /** Of two exports at a time, each would mark rows that only the other has. */
  readonly isExclusive = true;
  isComplete = false;
  private abandoned: KeptFiles | undefined;
  private marked = 0;
  private vanished = 0;
  private previous = { content: "", total: 0, count: 0 };
  /** Rows were requested, or the file is complete and has no name yet. A failure must then leave a file that the next export finds. */
  private inDoubt = false;

  constructor(
    private readonly args: DataExportArgs,
    private readonly context: Context,
    private readonly checker?: RowChecker,
  ) {}

  async prepare(file: OutputFile): Promise<string> {
    this.abandoned = await KeptFiles.find(file, this.args, "marking", this.context);
    return this.abandoned.pathFor(file);
  }

  async *pages(file: OutputFile): AsyncGenerator<RowPage, void, void> {
    if (this.abandoned?.haveRows === true && !this.abandoned.haveUnfinished) {
      yield* this.abandoned.pages();
      this.inDoubt = true;
      return;
    }
    while (file.rowCount < this.maxRows) {
      const page = await this.read(file);
      this.noteVanished(page);
      this.isComplete = this.vanished === 0 && (page.count === 0 || page.count === page.total);
      if (page.count === 0 && page.total === 0) {
        // That there are no rows proves nothing: a service can count only those that it has not returned.
        const found = this.abandoned?.describe();
        if (found !== undefined) {
          this.context.warn(`Task "${this.args.taskId}": ${found}.`);
        }
        break;
      }
      const isEarlierLost = page.afterLoss === true || this.abandoned?.haveUnfinished === true;
      if (page.count > 0) {
        yield page;
        await file.flush();
        this.inDoubt = false;
      }
      if (isEarlierLost) {
        await this.requireSameRows(page, file);
      }
      if (page.count === 0) {
        break;
      }
      this.requireChecked(page, file);
      if (this.marksAtEnd) {
        break;
      }
      await this.context.client.markExported({ taskId: this.args.taskId });
      this.marked = file.rowCount;
      this.context.progress(`${this.marked} rows written and marked`);
      if (this.checker?.refuses) {
        break;
      }
      if (this.context.interrupted.aborted) {
        throw new ResourceError(`The command was interrupted during the export of task "${this.args.taskId}".`);
      }
    }
    this.inDoubt = true;
  }

  check(page: RowPage): void {
    const content = page.ndjson().toString("latin1");
    if (content === this.previous.content && page.total >= this.previous.total) {
      throw new ResourceError(
        `Task "${this.args.taskId}": the service returned the same rows again after they were marked, so the export stopped. ` +
          `The service may mark only all rows of the task: then set webextract:markScope to "task".`,
      );
    }
    this.previous = { content, total: page.total, count: page.count };
  }

  async finish(state: DataExportState): Promise<DataExportState> {
    if (this.marksAtEnd && state.rowCount > 0) {
      await this.markAll(state);
    }
    return { ...state, marked: true };
  }

  /**
   * An object in S3 is complete or does not exist, so its rows are marked after it is complete. The rows after those of the first response could be
   * read only after the mark, so there is one response. `check` of DataExport limits maxRows to it.
   */
  private get marksAtEnd(): boolean {
    return isRemote(this.args.path);
  }

  private async markAll(state: DataExportState): Promise<void> {
    try {
      await this.context.client.markExported({ taskId: state.taskId });
    } catch (error) {
      const isNotMarked = isServiceError(error) && error.outcome === "notExecuted";
      const next = isNotMarked
        ? "They are not marked. The next up exports them again."
        : "They may be marked, so keep it. The next up exports the rows that are not marked.";
      const message = `${messageOf(error)} The ${state.rowCount} rows are in "${state.file}". ${next}`;
      const pending = [isNotMarked ? pendingMark.refused : pendingMark.outcomeUnknown];
      throw new PartialFailure(message, state.file, { ...state, pending });
    }
  }

  /**
   * If no rows are in doubt, the rows that were read become a usual file with a state. Otherwise the temporary file stays, and the next
   * export finds it.
   */
  async fail(file: OutputFile, error: unknown): Promise<Error> {
    const found = this.abandoned?.describe();
    const problem = messageOf(error);
    const said = found === undefined || problem.includes(found) ? problem : `${problem} Besides, ${found}.`;
    if (this.marksAtEnd && file.isRead && file.rowCount > 0) {
      return new ResourceError(`${said}${await this.abandoned?.keep(file)} Nothing was marked.`);
    }
    if (!this.inDoubt) {
      if (file.rowCount === 0) {
        await file.discard();
        return new ResourceError(said);
      }
      try {
        const checked = this.checker?.figures(this.checker.failed());
        const state = { ...this.args, checked, ...(await file.finish()), complete: this.isComplete, marked: false };
        const message = `${said} ${this.counted(file)} All of them are in "${state.file}". Keep that file. The next up exports the rows that are not marked.`;
        return new PartialFailure(message, state.file, { ...state, pending: [pendingMark.outcomeUnknown] });
      } catch {
        // The rows are still in the temporary file.
      }
    }
    await file.close();
    const name = relative(this.context.folder, file.temporaryPath);
    const rows =
      file.rowCount === 0
        ? this.abandoned?.nothingRead
        : `${this.counted(file)} All of them are in "${name}", one a line. Keep that file.`;
    return new ResourceError(`${said} ${rows} ${markNothing}`);
  }

  async written(): Promise<void> {
    await this.abandoned?.written();
  }

  async release(): Promise<void> {
    this.abandoned?.release();
  }

  /** The next page can be read only after the mark of this one. So checks that refuse rows need all rows in one response. */
  private requireChecked({ count, total }: RowPage, file: OutputFile): void {
    if (!this.checker?.refuses) {
      return;
    }
    if (count < total && file.rowCount < this.maxRows) {
      const reason = `one response contained ${count} of ${total} rows, and the others can be read only after these are marked: set maxRows to at most ${count}, raise webextract:pageSize, or set onFail to "warn"`;
      throw new RowsRefused([{ check: "onFail", reason }]);
    }
    this.checker.requirePassed();
  }

  private async read(file: OutputFile): Promise<RowPage> {
    const { context } = this;
    const pageSize = Math.min(context.settings.pageSize ?? defaultPageSize, this.maxRows - file.rowCount);
    this.inDoubt = true;
    const page = await readNotExported(this.args.taskId, context, { pageSize, maxRows: pageSize }).catch(
      (error: unknown) => {
        this.inDoubt = !isServiceError(error) || error.outcome !== "notExecuted";
        throw error;
      },
    );
    if (page !== undefined) {
      this.inDoubt = page.count > 0;
      return page;
    }
    throw new ResourceError(`Task "${this.args.taskId}": the service did not respond to a read of its rows.`);
  }

  private noteVanished(page: RowPage): void {
    const vanished = this.previous.total - this.previous.count - page.total;
    if (vanished > 0) {
      this.vanished += vanished;
      this.context.warn(
        `Task "${this.args.taskId}": ${vanished} rows were exported by somebody else during this export, ` +
          `or the service marks all rows of the task: then set webextract:markScope to "task".`,
      );
    }
  }

  /**
   * No file contains the rows of an earlier response. The mark is safe only if the service returns those rows again: the same read must return the same
   * rows, and they must be all rows.
   */
  private async requireSameRows(page: RowPage, file: OutputFile): Promise<void> {
    if (page.count === page.total) {
      const again = await this.read(file);
      if (again.total === page.total && again.ndjson().equals(page.ndjson())) {
        this.inDoubt = false;
        await this.abandoned?.rename();
        return;
      }
      await file.write(again);
      await file.flush();
    }
    this.inDoubt = true;
    throw new ResourceError(
      `Task "${this.args.taskId}": ${this.abandoned?.describe() ?? "a response to the read of its rows was lost, so the export stopped"}. ` +
        `The service may have returned rows that no file contains, and the next mark would include them. Nothing more was marked. ${wayOut}`,
    );
  }

  private counted(file: OutputFile): string {
    return `${file.rowCount} rows were read, and ${this.marked} of them are certainly marked.`;
  }

  private get maxRows(): number {
    return this.args.maxRows ?? Number.POSITIVE_INFINITY;
  }
}
