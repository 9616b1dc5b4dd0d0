import type { ServiceError } from "../../service/errors/errors";
import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";
import type { CloudRunState } from "./cloudRunModel";
import { timesOf } from "./cloudRunModel";

/** The minimum time for the requests of each poll in seconds, because the last poll begins when the time is up. */
const leastForPoll = 2;
/** The same if the time is 0, so that the first poll is the only one. */
const leastForOnlyPoll = 30;

export interface Polling {
  seconds: number;
  /**
   * Reads once. Returns true when there is nothing left to wait for.
   * @param secondsLeft how long the next request can take
   */
  poll(secondsLeft: () => number): Promise<boolean>;
  /** The line to show after each poll that did not end the wait. */
  progress(): string;
}

export interface EarlyEnd {
  /** When: a part of a sentence. */
  when: string;
  /** The failure of the last poll: a sentence, or nothing. */
  lastFailure: string;
  isTimeout: boolean;
}

/**
 * Polls until `poll` returns true. A failure that can pass does not end the polling.
 * @returns undefined, or what ended the polling before that
 */
export async function pollRun(
  run: CloudRunState,
  { seconds, poll, progress }: Polling,
  context: Context,
): Promise<EarlyEnd | undefined> {
  const pauseMs = timesOf(run).pollSeconds * 1000;
  const end = context.now() + seconds * 1000;
  const least = (seconds === 0 ? leastForOnlyPoll : leastForPoll) * 1000;
  for (;;) {
    const endOfPoll = Math.max(end, context.now() + least);
    let failure: ServiceError | undefined;
    try {
      if (await poll(() => Math.max(0, endOfPoll - context.now()) / 1000)) {
        return undefined;
      }
    } catch (error) {
      if (!isServiceError(error, "unreachable", "outcomeUnknown", "rateLimited", "busy", "aborted")) {
        throw error;
      }
      failure = error;
    }
    if (!context.interrupted.aborted) {
      context.progress(`${progress()}${failure === undefined ? "" : `; ${inShort(failure)}`}`);
      const leftMs = end - context.now();
      if (leftMs <= 0) {
        const lastFailure = failure === undefined ? "" : ` The last request failed: ${failure.message}`;
        return { when: `within ${seconds} s`, lastFailure, isTimeout: true };
      }
      // After a failure, a pause even with pollSeconds 0.
      await context.sleep(Math.min(Math.max(pauseMs, failure === undefined ? 0 : 1000), leftMs));
    }
    if (context.interrupted.aborted) {
      return { when: "before the command was interrupted", lastFailure: "", isTimeout: false };
    }
  }
}

/** Without the parts that differ each time, so that a log gets no new line for each poll. */
function inShort({ code, status, operation }: ServiceError): string {
  return `the last request failed (${operation}: ${code ?? status ?? "no response"})`;
}
