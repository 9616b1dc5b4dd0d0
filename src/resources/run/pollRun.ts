import type { ServiceError } from "../../service/errors/errors";
import { isServiceError } from "../../service/errors/errors";
import { inSpan } from "../../system/spans";
import type { Context } from "../resource";
import type { CloudRunState } from "./cloudRunModel";
import { timesOf } from "./cloudRunModel";

/** The minimum time for each request of a poll in seconds, because the last poll begins when the time is up. */
const leastForRequest = 10;

/** The minimum between two reads: with `pollSeconds: 0`, a wait of an hour would be millions of requests. */
const leastPauseMs = 100;

export interface Polling {
  seconds: number;
  /**
   * Reads once. Returns true when there is nothing left to wait for.
   * @param deadlineSeconds how long a request can take
   */
  poll(deadlineSeconds: number): Promise<boolean>;
  /** What to show after each poll that did not end the wait. */
  progress(): string;
}

export interface EarlyEnd {
  reason: "timedOut" | "notFinished";
  /** When: a part of a sentence. */
  when: string;
  /** The failure of the last poll: a sentence, or nothing. */
  lastFailure: string;
}

/**
 * Polls until `poll` returns true. A failure that can pass does not end the polling.
 * @returns undefined, or what ended the polling before that
 */
export function pollRun(
  run: CloudRunState,
  { seconds, poll, progress }: Polling,
  context: Context,
): Promise<EarlyEnd | undefined> {
  const facts = () => ({ "webextract.task_id": run.taskId, "webextract.lot_no": run.lotNo });
  return inSpan("wait for run", facts, async () => {
    const pauseMs = Math.max(leastPauseMs, timesOf(run).pollSeconds * 1000);
    const end = context.now() + seconds * 1000;
    for (;;) {
      let failure: ServiceError | undefined;
      try {
        if (await poll(Math.max(leastForRequest, (end - context.now()) / 1000))) {
          return undefined;
        }
      } catch (error) {
        if (!isServiceError(error, "unreachable", "outcomeUnknown", "rateLimited", "busy", "aborted")) {
          throw error;
        }
        failure = error;
      }
      if (!context.interrupted.aborted) {
        showProgress(run, `${progress()}${failure === undefined ? "" : `; ${inShort(failure)}`}`, context);
        const leftMs = end - context.now();
        if (leftMs <= 0) {
          const lastFailure = failure === undefined ? "" : ` The last request failed: ${failure.message}`;
          return { reason: "timedOut", when: `within ${seconds} s`, lastFailure };
        }
        await context.sleep(Math.min(Math.max(pauseMs, failure === undefined ? 0 : 1000), leftMs));
      }
      if (context.interrupted.aborted) {
        return { reason: "notFinished", when: "before the command was interrupted", lastFailure: "" };
      }
    }
  });
}

/**
 * Shows the progress of a run. The engine cuts the line at the width of the terminal, after half of it is used for the
 * resource: so what changes comes first, and the lotNo last.
 */
export function showProgress({ lotNo }: CloudRunState, what: string, { progress }: Pick<Context, "progress">): void {
  progress(lotNo === "" ? what : `${what}, run ${lotNo}`);
}

/** Without the parts that differ each time, so that a log gets no new line for each poll. */
function inShort({ code, status, operation }: ServiceError): string {
  return `the last request failed (${operation}: ${code ?? status ?? "no response"})`;
}
