import type { Subtask } from "../../../service/contract/types";
import { isServiceError } from "../../../service/errors/errors";
import type { RowPage } from "../../../service/rows/rowPage";
import type { Context } from "../../resource";
import { messageOf, PartialFailure, ResourceError } from "../../resource";
import { runningOf } from "../../run/subtaskList";
import type { DataExportArgs, DataExportState } from "../model";
import { pendingMark } from "../model";
import type { Objection } from "./coverage";
import { countRows, MarkCoverage } from "./coverage";
import type { Marking } from "./marking";
import { exportAll } from "./marking";

/** Each mark that the service does not accept at that moment is sent again after another check. */
const maxMarks = 5;

/**
 * Marks rows on a service that marks all rows of the task (`webextract:markScope` is "task"). It marks only if each row that the mark will reach is
 * in the file.
 *
 * One window remains, between the last check and the mark: rows that arrive in it are marked unread. A count after the mark detects them.
 */
export class TaskMarking implements Marking {
  readonly isExclusive = false;
  /** Rows are marked only after the file has its name. */
  readonly mayHaveMarked = false;
  private readonly coverage: MarkCoverage;
  private subtasksBefore: readonly Subtask[] = [];
  private rowsAtLastCheck = 0;

  constructor(
    private readonly args: DataExportArgs,
    private readonly context: Context,
  ) {
    this.coverage = new MarkCoverage(args, context);
  }

  async prepare(): Promise<void> {
    const { client, settings } = this.context;
    this.subtasksBefore = await client.allSubtasks(this.args.taskId);
    const running = runningOf(this.subtasksBefore, settings.statuses).length;
    if (running > 0) {
      const reason = `${running} of its subtasks are running, so rows may arrive during the read`;
      this.refuse({ reason, next: "Run up again after the run has ended" });
    }
    this.refuse(await this.coverage.prepare());
  }

  async pageWritten(page: RowPage): Promise<void> {
    this.refuse(this.coverage.check(page));
  }

  /** Exclusive, so that no run of this program starts between the last check and the mark. */
  async finish(state: DataExportState): Promise<DataExportState> {
    return this.context.exclusive(state.taskId, () => this.mark(state));
  }

  private async mark(state: DataExportState): Promise<DataExportState> {
    for (let marks = 1; ; marks++) {
      const objection = await this.lastCheck(state);
      if (objection !== undefined) {
        const where = state.scope === "notExported" ? " into a new file" : "";
        const exists = `The ${state.rowCount} rows are in "${state.file}". The next up exports them again${where}.`;
        throw failed(notMarked(state, objection, exists), { ...state, pending: [pendingMark.refused] });
      }
      // The mark would reach rows that have arrived since.
      if (state.rowCount === 0 || this.coverage.hasNothingToMark) {
        return { ...state, marked: true };
      }
      try {
        await this.context.client.markExported({ taskId: state.taskId }, { once: true });
        break;
      } catch (error) {
        const isNotAccepted = isServiceError(error, "busy", "rateLimited") && error.outcome === "notExecuted";
        if (!isNotAccepted || marks >= maxMarks) {
          throw await this.failedMark(state, error);
        }
      }
    }
    const missed = await this.missedRows(state);
    if (missed !== undefined) {
      const message = `Task "${state.taskId}": the ${state.rowCount} rows in "${state.file}" are marked as exported. ${missed}`;
      throw failed(message, { ...state, marked: true, pending: [pendingMark.rowsMissed] });
    }
    return { ...state, marked: true };
  }

  private async lastCheck(state: DataExportState): Promise<Objection | undefined> {
    if (!state.complete) {
      return { reason: "not all of its rows could be read" };
    }
    const { taskId } = state;
    try {
      if (listed(await this.context.client.allSubtasks(taskId)) !== listed(this.subtasksBefore)) {
        return { reason: "its subtasks changed during the read" };
      }
      // Rows can arrive after the last subtask has ended.
      const rows = await countRows(taskId, this.context);
      this.rowsAtLastCheck = rows;
      return this.coverage.finish(rows, state.rowCount);
    } catch (error) {
      return { reason: `the check before the mark failed: ${messageOf(error).replace(/\.$/, "")}` };
    }
  }

  private async failedMark(state: DataExportState, error: unknown): Promise<PartialFailure> {
    const safe = `${messageOf(error)} The ${state.rowCount} rows are in "${state.file}".`;
    if (isServiceError(error) && error.outcome === "notExecuted") {
      return failed(`${safe} They are not marked. The next up exports them again.`, {
        ...state,
        pending: [pendingMark.refused],
      });
    }
    const next =
      "They may be marked, so keep this file. The next up exports into a new file. If the path allows only this name, add {n} to it.";
    const missed = await this.missedRows(state);
    return failed([safe, next, ...(missed === undefined ? [] : [missed])].join(" "), {
      ...state,
      pending: [pendingMark.outcomeUnknown],
    });
  }

  /** Nothing on this side can prevent that rows arrive between the last check and the mark. */
  private async missedRows(state: DataExportState): Promise<string | undefined> {
    const arrived = await countRows(state.taskId, this.context).then((rows) => rows - this.rowsAtLastCheck, messageOf);
    if (typeof arrived === "number" && arrived <= 0) {
      return undefined;
    }
    const what =
      typeof arrived === "number"
        ? `${arrived} rows arrived just before the mark. They may be marked as exported without being in a file.`
        : `Rows that arrived just before the mark may be marked as exported without being in a file. They could not be counted: ${arrived}`;
    return `${what} ${state.scope === "all" ? "The next up exports all rows again." : `${exportAll}.`}`;
  }

  private refuse(objection: Objection | undefined): void {
    if (objection !== undefined) {
      throw new ResourceError(notMarked(this.args, objection, "No file was written."));
    }
  }
}

function notMarked({ taskId }: DataExportArgs, { reason, next }: Objection, exists: string): string {
  const advice = next === undefined ? "" : ` ${next}.`;
  return (
    `The rows of task "${taskId}" were not marked as exported: ${reason}. ${exists}${advice} ` +
    `If this service marks only the rows that it returned, set webextract:markScope to "returned".`
  );
}

function failed(message: string, state: DataExportState): PartialFailure {
  return new PartialFailure(message, state.file, state);
}

function listed(list: readonly Subtask[]): string {
  return list
    .map(({ subTaskId, status }) => `${subTaskId} ${status}`)
    .sort()
    .join("\n");
}
