import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";
import type { CloudRunState } from "../run/cloudRun";
import { mayPass } from "../run/runPatience";

/** How long a look at the rows may hold up the wait when it serves the display only. */
const mostSecondsForDisplay = 10;

/** How many rows a run has so far: one read of one row. Never of those that are not exported, which may hand rows out. */
export class BatchRows {
  /** At the last look; undefined where it could not be read. */
  total: number | undefined;
  private settledSince: number | undefined;
  private refused = false;

  constructor(
    private readonly run: CloudRunState,
    private readonly context: Context,
    /** How long the next request may take. */
    private readonly secondsForRequest: () => number,
  ) {}

  /** For the display, which does without where the service refuses. */
  async look(): Promise<void> {
    this.settledSince = undefined;
    if (this.refused) {
      return;
    }
    try {
      this.total = await this.read(Math.min(mostSecondsForDisplay, this.secondsForRequest()));
    } catch (error) {
      if (!isServiceError(error)) {
        throw error;
      }
      this.refused = !mayPass(error);
    }
  }

  /**
   * Rows have settled when their number is the same for `settleSeconds`. None at all is as often "not yet" as "nothing there", unless the
   * subtasks have finished (`mayBeNone`).
   */
  async haveSettled(mayBeNone: boolean): Promise<boolean> {
    const total = await this.read(this.secondsForRequest());
    const now = this.context.now();
    if (this.settledSince === undefined || total !== this.total) {
      this.settledSince = now;
    }
    this.total = total;
    return (total > 0 || mayBeNone) && now - this.settledSince >= (this.run.settleSeconds ?? 60) * 1000;
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
