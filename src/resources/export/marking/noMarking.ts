import type { Subtask } from "../../../service/contract/types";
import { countsOf, runningNow } from "../../run/subtaskList";
import type { DataExportState } from "../model";
import { pendingRun } from "../model";
import type { OutputFile } from "../outputFile";
import { WholeRead } from "./wholeRead";

/** An export that marks nothing. */
export class NoMarking extends WholeRead {
  protected readonly whatToDo: string =
    "The output complete is false. Each up exports the batch again until no subtask of the task is running. " +
    'To export once, after the end of the run, set waitFor: "finished" on the CloudRun.';
  private running: readonly Subtask[] = [];

  /** A batch that is still running can get more rows, whatever total the service reports. */
  override async prepare(file: OutputFile): Promise<string | undefined> {
    if (this.args.scope === "batch") {
      this.running = await runningNow(this.args.taskId, this.context);
    }
    return super.prepare(file);
  }

  async finish(state: DataExportState): Promise<DataExportState> {
    if (this.running.length === 0) {
      return state;
    }
    const partial = { ...state, complete: false };
    if (state.rowCount >= (state.maxRows ?? Number.POSITIVE_INFINITY)) {
      // The file has all rows that it can have, so another export would add none.
      return partial;
    }
    const statuses = Object.keys(countsOf(this.running).byStatus).join(", ");
    this.context.warn(
      `Task "${state.taskId}": ${this.running.length} subtasks were running (${statuses}) when the rows of batch ${state.lotNo} were read, so there may be more rows now. ` +
        `${this.whatToDo} ` +
        "If one of these statuses means that a subtask has ended, add it to webextract:statuses.",
    );
    return { ...partial, pending: [pendingRun] };
  }
}
