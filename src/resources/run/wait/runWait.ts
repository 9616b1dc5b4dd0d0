import { isServiceError } from "../../../service/errors/errors";
import type { Context } from "../../resource";
import { messageOf, PartialFailure, ResourceError } from "../../resource";
import type { CloudRunState } from "../cloudRunModel";
import { statusesOf, timesOf } from "../cloudRunModel";
import type { RunObservation } from "../observeRun";
import { observeRun } from "../observeRun";
import type { RunAdvice } from "../runAdvice";
import type { TerminalStatus } from "../subtaskList";
import { terminalStatusOf } from "../subtaskList";
import { RunPolling } from "./runPolling";
import { RunRows } from "./runRows";
import * as messages from "./waitMessages";

/**
 * Waits until the run has finished, and returns its state. Whatever ends the wait, the run exists: a partial failure keeps it in the state,
 * so that the next up continues to wait.
 */
export async function waitForRun(
  run: CloudRunState,
  context: Context,
  { atStart }: { atStart: boolean },
): Promise<CloudRunState> {
  const wait = new RunWait(run, context, atStart);
  try {
    return await wait.untilFinished();
  } catch (error) {
    throw new PartialFailure(whyEnded(error, wait.state, context.runAdvice), run.lotNo, {
      ...wait.state,
      pending: ["wait"],
    });
  }
}

function whyEnded(error: unknown, state: CloudRunState, advice: RunAdvice): string {
  if (isServiceError(error, "aborted")) {
    return messages.interrupted(state, advice);
  }
  return isServiceError(error) ? `${error.message} ${messages.mayContinue(state, advice)}` : messageOf(error);
}

class RunWait {
  /** As the last observation left it. */
  state: CloudRunState;
  private lastSeen: RunObservation | undefined;
  private readonly polling: RunPolling;
  private readonly rows: RunRows;

  constructor(
    run: CloudRunState,
    private readonly context: Context,
    private readonly atStart: boolean,
  ) {
    this.state = run;
    this.polling = new RunPolling(timesOf(run).timeoutSeconds, context);
    this.rows = new RunRows(run, context, this.polling.secondsForRequest);
  }

  async untilFinished(): Promise<CloudRunState> {
    await this.polling.until(() => this.poll(), timesOf(this.state).pollSeconds, {
      progress: () => messages.progress(this.sofar),
      timedOut: () => messages.timedOut(this.sofar),
      interrupted: () => messages.interrupted(this.state, this.context.runAdvice),
    });
    this.state = this.state.status === "failed" ? this.state : { ...this.state, status: "finished" };
    // The engine shows the last line beside the resource until the command ends.
    this.context.progress(messages.ended(this.sofar));
    return this.state;
  }

  private get sofar(): messages.WaitSoFar {
    const { state, lastSeen } = this;
    const statuses = statusesOf(state, this.context);
    const advice = this.context.runAdvice;
    return { state, statuses, advice, lastSeen, rows: this.rows.total, failure: this.polling.lastFailure };
  }

  private async poll(): Promise<boolean> {
    const { atStart, polling } = this;
    const seen = await observeRun(this.state, this.context, { atStart, secondsForRequest: polling.secondsForRequest });
    this.lastSeen = seen;
    this.state = seen.state;
    if (seen.shows === "laterRun" && !hasEndedWell(seen.state)) {
      throw new ResourceError(messages.superseded(seen.state, this.context.runAdvice));
    }
    this.refuseBadEnd(seen);
    return this.isFinished(seen);
  }

  /** Throws if the run has ended and subtasks have failed or were stopped. */
  private refuseBadEnd({ state, list, requestId }: RunObservation): void {
    const statuses = statusesOf(state, this.context);
    const terminalOf = (status: string): TerminalStatus | undefined => terminalStatusOf(status, statuses);
    const bad: readonly (TerminalStatus | undefined)[] = state.failOn === "never" ? ["stopped"] : ["failed", "stopped"];
    const unwanted = list.filter(({ status }) => bad.includes(terminalOf(status)));
    if (state.status !== "running" && unwanted.length > 0) {
      const end = unwanted.some(({ status }) => terminalOf(status) === "failed") ? "failed" : "stopped";
      throw new ResourceError(messages.endedBadly(state, { end, unwanted, requestId }, this.context.runAdvice));
    }
  }

  private async isFinished({ state, shows }: RunObservation): Promise<boolean> {
    const ended = shows === "laterRun" || (state.ownList !== undefined && hasEndedWell(state));
    // While the list is that of an earlier run, it is possible that this run's subtasks all wait: an unchanged number of rows proves
    // nothing.
    if (state.finishedWhen === "rowsSettled" && (ended || shows === "nothing")) {
      return this.rows.haveSettled(ended);
    }
    if (!ended) {
      await this.rows.readForProgress();
    }
    return ended;
  }
}

function hasEndedWell({ status, failOn }: CloudRunState): boolean {
  return status === "finished" || (status === "failed" && failOn === "never");
}
