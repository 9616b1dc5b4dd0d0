import type { Subtask } from "../../service/contract/types";
import { isServiceError } from "../../service/errors/errors";
import type { RowPage } from "../../service/rows/rowPage";
import { messageOf, PartialFailure, ResourceError } from "../../values/errors";
import type { Context } from "../resource";
import { runningOf } from "../run/subtaskList";
import type { DataExportArgs, DataExportState } from "./model";
import { defaultPageSize, marksPages, pendingSteps } from "./model";
import type { RowFile } from "./rowFile";
import { firstNotExported } from "./rowReader";
import { noteMarking } from "./takeOverExport";

/**
 * Sets the exported mark of the rows. There is one implementation for each way in which a service marks rows. Other
 * exports that mark and writes of the same task wait meanwhile.
 */
export interface Marking {
  /** Whether a mark was sent. Then the rows in the file must not get lost. */
  readonly mayHaveMarked: boolean;
  /** Before the read. Throws if the rows could not be marked. */
  prepare(): Promise<void>;
  /** After each page was passed to the file. Throws if the rows could not be marked. */
  pageWritten(page: RowPage, file: RowFile): Promise<void>;
  /** The file is complete and has its name. Returns the state to keep, or throws a PartialFailure with it. */
  finish(state: DataExportState): Promise<DataExportState>;
}

/** The way in which the service marks rows. Undefined if the export marks none. */
export function markingOf(args: DataExportArgs, context: Context): Marking | undefined {
  if (args.markExported !== true) {
    return undefined;
  }
  return context.settings.markScope === "returned"
    ? new ReturnedMarking(args, context)
    : new TaskMarking(args, context);
}

const responseWasLost = "a response to the read was lost, and it may have contained other rows";
const readFromCache =
  "a cache on the way sent rows that it had stored before, and the mark could reach others: exclude the service from the cache";

/**
 * Marks rows on a service that marks the rows that it returned (`webextract:markScope` is "returned"). Either each page
 * is read, written, synced and marked, until no row is left, or all rows come in one response, and are marked when the
 * file has its name.
 */
class ReturnedMarking implements Marking {
  mayHaveMarked = false;

  constructor(
    private readonly args: DataExportArgs,
    private readonly context: Context,
  ) {}

  async prepare(): Promise<void> {}

  async pageWritten(page: RowPage, file: RowFile): Promise<void> {
    const { taskId } = this.args;
    if (page.afterLoss === true || this.context.client.cacheAge !== undefined) {
      const reason = page.afterLoss === true ? responseWasLost : readFromCache;
      throw new ResourceError(
        `The rows of task "${taskId}" were not marked as exported: ${reason}. Run the same command again.`,
      );
    }
    if (marksPages(this.args, this.context.settings) && page.count > 0) {
      await file.flush();
      if (!this.mayHaveMarked) await noteMarking(this.args, file.path, this.context);
      this.mayHaveMarked = true;
      await this.context.client.markExported({ taskId });
    }
  }

  async finish(state: DataExportState): Promise<DataExportState> {
    const { taskId, rowCount, file } = state;
    if (!marksPages(this.args, this.context.settings) && rowCount > 0) {
      try {
        await this.context.client.markExported({ taskId });
      } catch (error) {
        // Also after a refusal: the next mark reaches them too.
        const message = `${messageOf(error)} The ${rowCount} rows are in "${file}". They may be marked, so keep this file. The next up exports the rows that are not marked.`;
        throw new PartialFailure(message, file, { ...state, pending: [pendingSteps.unknownMark] });
      }
    }
    return { ...state, marked: true };
  }
}

/** Each mark that the service does not accept at that moment is sent again after another check. */
const maxMarks = 5;

/**
 * Marks rows on a service that marks all rows of the task (`webextract:markScope` is "task"). It marks only if each row
 * that the mark will reach is in the file. What has to be read to know that depends on the scope of the export.
 *
 * One window remains, between the last check and the mark: rows that arrive in it are marked unread. A count after the
 * mark detects them.
 */
class TaskMarking implements Marking {
  /** Rows are marked only after the file has its name. */
  readonly mayHaveMarked = false;
  private subtasksBefore = "";
  /** Rows of the task before the read. */
  private rowsBefore: number | undefined;
  private rowsAtLastCheck = 0;
  /**
   * Of a batch: rows that are not exported and were not read yet. Counted, because rows of two batches can have the
   * same text.
   */
  private readonly unread = new Map<string, number>();
  /** Of a batch: the service lists no row that a mark would reach. */
  private hasNothingToMark = false;

  constructor(
    private readonly args: DataExportArgs,
    private readonly context: Context,
  ) {}

  async prepare(): Promise<void> {
    const { client, settings } = this.context;
    const { taskId, scope } = this.args;
    const subtasks = await client.allSubtasks(taskId);
    this.subtasksBefore = listed(subtasks);
    const running = runningOf(subtasks, settings.statuses).length;
    if (running > 0) {
      throw this.refusal(`${running} of its subtasks are running, so rows may arrive during the read`);
    }
    if (scope === "all") {
      return;
    }
    this.rowsBefore = await this.countRows();
    if (scope === "batch") {
      const page = await firstNotExported(taskId, this.context, { pageSize: this.pageSize });
      this.requireWhole(page);
      this.hasNothingToMark = page.count === 0;
      for (const text of page.texts()) {
        this.unread.set(text, (this.unread.get(text) ?? 0) + 1);
      }
    }
  }

  async pageWritten(page: RowPage): Promise<void> {
    if (this.args.scope === "notExported") {
      this.requireWhole(page);
    }
    // A row that arrives in an earlier batch moves the rows after it: one is read twice, another not at all, and the
    // count is right.
    this.rowsBefore ??= page.total;
    for (const text of this.unread.size > 0 ? page.texts() : []) {
      const count = this.unread.get(text) ?? 1;
      this.unread.set(text, count - 1);
      if (count === 1) {
        this.unread.delete(text);
      }
    }
  }

  async finish(state: DataExportState): Promise<DataExportState> {
    const { taskId, file, rowCount, scope } = state;
    const rows = `The ${rowCount} rows are in "${file}".`;
    for (let marks = 1; ; marks++) {
      const objection = await this.lastCheck(state);
      if (objection !== undefined) {
        const where = scope === "notExported" ? " into a new file" : "";
        const { message } = this.refusal(objection, `${rows} The next up exports them again${where}.`);
        throw failed(message, { ...state, pending: [pendingSteps.mark] });
      }
      // The mark would reach rows that have arrived since.
      if (rowCount === 0 || this.hasNothingToMark) {
        return { ...state, marked: true };
      }
      try {
        await this.context.client.markExported({ taskId }, { once: true });
        break;
      } catch (error) {
        const isNotExecuted = isServiceError(error) && error.outcome === "notExecuted";
        if (!isNotExecuted) {
          const next =
            "They may be marked, so keep this file. The next up exports into a new file. If the path allows only this name, add {n} to it.";
          const message = `${messageOf(error)} ${rows} ${next}${await this.missedRows()}`;
          throw failed(message, { ...state, pending: [pendingSteps.unknownMark] });
        }
        if (!isServiceError(error, "busy", "rateLimited", "credential") || marks >= maxMarks) {
          const message = `${error.message} ${rows} They are not marked. The next up exports them again.`;
          throw failed(message, { ...state, pending: [pendingSteps.mark] });
        }
      }
    }
    const missed = await this.missedRows();
    if (missed !== "") {
      const message = `Task "${taskId}": the ${rowCount} rows in "${file}" are marked as exported.${missed}`;
      throw failed(message, { ...state, marked: true, pending: [pendingSteps.rowsMissed] });
    }
    if (scope === "all" && (await this.hasUnmarkedRows())) {
      const why = "after the mark, the service still returns rows that are not exported";
      const { message } = this.refusal(why, `${rows} The next up exports them again.`);
      throw failed(message, { ...state, pending: [pendingSteps.mark] });
    }
    return { ...state, marked: true };
  }

  /**
   * A service that marks the rows that it returned has marked none: nothing has read them as rows that are not
   * exported. The row that this read returns is in the file.
   */
  private async hasUnmarkedRows(): Promise<boolean> {
    try {
      const page = await firstNotExported(this.args.taskId, this.context, { pageSize: 1, maxRows: 1 });
      return page.count > 0;
    } catch (error) {
      // The mark was accepted, and nothing says that it had no effect.
      if (isServiceError(error)) {
        return false;
      }
      throw error;
    }
  }

  /** Why the rows cannot be marked: a sentence without its full stop. */
  private async lastCheck({ complete, rowCount }: DataExportState): Promise<string | undefined> {
    const { taskId, scope } = this.args;
    if (!complete) {
      return "not all of its rows could be read";
    }
    try {
      if (listed(await this.context.client.allSubtasks(taskId)) !== this.subtasksBefore) {
        return "its subtasks changed during the read";
      }
      // Rows can arrive after the last subtask has ended.
      this.rowsAtLastCheck = await this.countRows();
    } catch (error) {
      return `the check before the mark failed: ${messageOf(error).replace(/\.$/, "")}`;
    }
    if (this.context.client.cacheAge !== undefined) {
      return readFromCache;
    }
    const rows = this.rowsAtLastCheck;
    if (rows !== this.rowsBefore || (scope === "all" && rows !== rowCount)) {
      return `the task has ${rows} rows, and had ${this.rowsBefore} before the read, which returned ${rowCount}`;
    }
    const others = [...this.unread.values()].reduce((sum, count) => sum + count, 0);
    return others === 0
      ? undefined
      : `${others} rows of other batches are not exported, and the mark would reach them too`;
  }

  /**
   * Nothing on this side can prevent that rows arrive between the last check and the mark. Returns an empty string, or
   * sentences about them.
   */
  private async missedRows(): Promise<string> {
    const arrived = await this.countRows().then((rows) => rows - this.rowsAtLastCheck, messageOf);
    if (typeof arrived === "number" && arrived <= 0) {
      return "";
    }
    const what =
      typeof arrived === "number"
        ? `${arrived} rows arrived just before the mark.`
        : `Rows that arrived just before the mark could not be counted: ${arrived}`;
    const next = this.args.scope === "all" ? "The next up exports all rows again." : exportAll;
    return ` ${what} They may be marked as exported without being in a file. ${next}`;
  }

  private async countRows(): Promise<number> {
    const { data } = await this.context.client.getData({ taskId: this.args.taskId, offset: 0, size: 1 });
    return data.total;
  }

  /** The rows that are not exported must come in one response. */
  private requireWhole(page: RowPage): void {
    if (page.afterLoss) {
      throw this.refusal(responseWasLost);
    }
    // A full page proves nothing where total counts the rows of the page. It is smaller if the service refused the size.
    const isFull = page.count >= (page.size ?? this.pageSize);
    if (page.count !== page.total || page.count !== page.current || isFull) {
      throw this.refusal(
        `one response contained ${page.count} of ${page.total} rows that are not exported, and the mark would reach the others too`,
      );
    }
  }

  private get pageSize(): number {
    return this.context.settings.pageSize ?? defaultPageSize;
  }

  private refusal(reason: string, exists = "No file was written."): ResourceError {
    const { taskId, scope } = this.args;
    const next = `Run up again when no subtask is running.${scope === "all" ? "" : ` ${exportAll}`}`;
    return new ResourceError(
      `The rows of task "${taskId}" were not marked as exported: ${reason}. ${exists} ${next} ` +
        `If this service marks only the rows that it returned, set webextract:markScope to "returned".`,
    );
  }
}

const exportAll = 'Use scope: "all", which reads every row of the task.';

function failed(message: string, state: DataExportState): PartialFailure {
  return new PartialFailure(message, state.file, state);
}

function listed(list: readonly Subtask[]): string {
  return list
    .map(({ subTaskId, status }) => `${subTaskId} ${status}`)
    .sort()
    .join("\n");
}
