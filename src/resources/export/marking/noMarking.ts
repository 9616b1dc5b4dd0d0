import { isServiceError } from "../../../service/errors/errors";
import { runningOf } from "../../run/subtaskList";
import type { DataExportState } from "../model";
import { WholeRead } from "./wholeRead";

/** An export that marks nothing. */
export class NoMarking extends WholeRead {
  private running = 0;

  /** The rows of a batch that is still running may become more, whatever total the service reports. */
  async prepare(): Promise<undefined> {
    if (this.args.scope === "batch") {
      this.running = await this.countRunning();
    }
  }

  async finish(state: DataExportState): Promise<DataExportState> {
    if (this.running === 0) {
      return state;
    }
    this.context.warn(
      `Task "${state.taskId}": ${this.running} subtasks were running when the rows of batch ${state.lotNo} were read, so there may be more rows now. The output complete is false. ` +
        `Set waitFor: "finished" on the CloudRun, and change triggers to export again.`,
    );
    return { ...state, complete: false };
  }

  /** The list has no lotNo: it is that of the latest run. */
  private async countRunning(): Promise<number> {
    const { client, settings } = this.context;
    try {
      return runningOf(await client.allSubtasks(this.args.taskId), settings.statuses).length;
    } catch (error) {
      // An account may be allowed to read rows and not subtasks.
      if (isServiceError(error)) {
        return 0;
      }
      throw error;
    }
  }
}
