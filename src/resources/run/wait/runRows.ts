import { isServiceError } from "../../../service/errors/errors";
import type { Context } from "../../resource";
import type { CloudRunState } from "../cloudRunModel";
import { cloudRunArgs } from "../cloudRunModel";
import { mayPass } from "./runPolling";

/** How long a read for the progress line can delay the wait. */
const mostSecondsForProgress = 10;

/** The number of rows that a run has so far, by a read of one row. Never from notexported, which can return rows only once. */
export class RunRows {
  /** At the last read. Undefined if none succeeded. */
  total: number | undefined;
  private settledSince: number | undefined;
  private isRefused = false;

  constructor(
    private readonly run: CloudRunState,
    private readonly context: Context,
    /** How long the next request can take. */
    private readonly secondsForRequest: () => number,
  ) {}

  /** Reads the number for the progress line. If the service refuses, the line does not contain it. */
  async readForProgress(): Promise<void> {
    this.settledSince = undefined;
    if (this.isRefused) {
      return;
    }
    try {
      this.total = await this.read(Math.min(mostSecondsForProgress, this.secondsForRequest()));
    } catch (error) {
      if (!isServiceError(error)) {
        throw error;
      }
      this.isRefused = !mayPass(error);
    }
  }

  /**
   * Rows have settled when their number has not changed for `settleSeconds`. Without any row, it is possible that the run has not begun to
   * extract: then the rows settle only if `mayBeNone` says that the subtasks have finished.
   */
  async haveSettled(mayBeNone: boolean): Promise<boolean> {
    const total = await this.read(this.secondsForRequest());
    const now = this.context.now();
    if (this.settledSince === undefined || total !== this.total) {
      this.settledSince = now;
    }
    this.total = total;
    const settleSeconds = this.run.settleSeconds ?? cloudRunArgs.settleSeconds.default;
    return (total > 0 || mayBeNone) && now - this.settledSince >= settleSeconds * 1000;
  }

  private async read(deadlineSeconds: number): Promise<number> {
    const { taskId, lotNo } = this.run;
    const request = { taskId, lotno: lotNo, offset: 0, size: 1 };
    const { data } = await this.context.client.getBatchData(request, {
      signal: this.context.interrupted,
      deadlineSeconds,
    });
    return data.total;
  }
}
