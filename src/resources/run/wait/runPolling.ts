import type { ServiceError } from "../../../service/errors/errors";
import { isServiceError } from "../../../service/errors/errors";
import type { Context } from "../../resource";
import { ResourceError } from "../../resource";

/** The minimum time for each poll in seconds, because the last poll begins when the time is up. */
const leastForPoll = 2;
/** The same if the time is 0, so that the first poll is the only one. */
const leastForOnlyPoll = 30;
/** Milliseconds until the poll after a failed one. The time doubles with each further failure. */
const firstPause = 1000;
const longestPause = 30_000;

/** Whether the same request can succeed later: the service was not reached, did not respond, or could not do it at that moment. */
export function mayPass(error: unknown): error is ServiceError {
  return isServiceError(error, "unreachable", "outcomeUnknown", "rateLimited", "busy");
}

export interface PollingEvents {
  /** The line to show after each poll that did not end the wait. */
  progress: () => string;
  /** The error if the time is up. */
  timedOut: () => string;
  /** The error if the user interrupts the command. */
  interrupted: () => string;
}

/** Polls the service for a limited time. A temporary failure does not end the polling. */
export class RunPolling {
  /** Why the last poll failed. Undefined if it succeeded. */
  lastFailure: ServiceError | undefined;
  private failuresInARow = 0;
  private readonly end: number;
  private endOfPoll: number;

  constructor(
    private readonly seconds: number,
    private readonly context: Context,
  ) {
    this.end = context.now() + seconds * 1000;
    this.endOfPoll = this.end;
  }

  /** How long a request of the present poll can take. */
  readonly secondsForRequest = (): number => Math.max(0, this.endOfPoll - this.context.now()) / 1000;

  /** Polls until `poll` returns true. */
  async until(poll: () => Promise<boolean>, pollSeconds: number, events: PollingEvents): Promise<void> {
    while (!(await this.try(poll))) {
      this.context.progress(events.progress());
      if (this.leftMs <= 0) {
        throw new ResourceError(events.timedOut());
      }
      await this.context.sleep(Math.min(this.pauseMs(pollSeconds), this.leftMs));
      if (this.context.interrupted.aborted) {
        throw new ResourceError(events.interrupted());
      }
    }
  }

  private async try(poll: () => Promise<boolean>): Promise<boolean> {
    const least = this.seconds === 0 ? leastForOnlyPoll : leastForPoll;
    this.endOfPoll = this.context.now() + Math.max(this.leftMs, least * 1000);
    try {
      const isDone = await poll();
      this.lastFailure = undefined;
      this.failuresInARow = 0;
      return isDone;
    } catch (error) {
      if (!mayPass(error)) {
        throw error;
      }
      this.lastFailure = error;
      this.failuresInARow++;
      return false;
    }
  }

  /** Longer after failures: fast repeats do not help a service in trouble. */
  private pauseMs(pollSeconds: number): number {
    const afterFailures = this.failuresInARow === 0 ? 0 : firstPause * 2 ** (this.failuresInARow - 1);
    return Math.max(pollSeconds * 1000, Math.min(afterFailures, longestPause));
  }

  private get leftMs(): number {
    return this.end - this.context.now();
  }
}
