import type { ServiceError } from "../../service/errors/errors";
import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";

/** Seconds that each look may take: the last one begins when the time of its wait is up. */
const leastForLook = 2;
/** Seconds, where the wait is one look and nothing else. */
const leastForOnlyLook = 30;
/** Milliseconds until the next look after one that failed; twice as long after each further one. */
const firstPause = 1000;
const longestPause = 30_000;

/** Whether the same request may well succeed later: the service was not reached, did not answer, or could not just then. */
export function mayPass(error: unknown): error is ServiceError {
  return isServiceError(error, "unreachable", "outcomeUnknown", "rateLimited", "busy");
}

/** The time of one wait that looks again and again. What passes by itself does not end it: it goes on looking until its time is up. */
export class RunPatience {
  /** Why the last look failed; none where it did not. */
  problem: ServiceError | undefined;
  private failuresInARow = 0;
  private readonly end: number;
  private endOfLook: number;

  constructor(
    private readonly seconds: number,
    private readonly context: Context,
  ) {
    this.end = context.now() + seconds * 1000;
    this.endOfLook = this.end;
  }

  get isOver(): boolean {
    return this.leftMs <= 0;
  }

  /** How long a request of the present look may take. */
  readonly secondsForRequest = (): number => Math.max(0, this.endOfLook - this.context.now()) / 1000;

  /** What a look answers; nothing where it failed for a reason that may pass. */
  async look<T>(look: () => Promise<T>): Promise<T | undefined> {
    const least = this.seconds === 0 ? leastForOnlyLook : leastForLook;
    this.endOfLook = this.context.now() + Math.max(this.leftMs, least * 1000);
    try {
      const answer = await look();
      this.problem = undefined;
      this.failuresInARow = 0;
      return answer;
    } catch (error) {
      if (!mayPass(error)) {
        throw error;
      }
      this.problem = error;
      this.failuresInARow++;
      return undefined;
    }
  }

  /** Until the next look, or until the time is up. */
  pause(pollSeconds: number): Promise<void> {
    // A service in trouble is not helped by looks in quick succession.
    const pause = this.problem === undefined ? 0 : firstPause * 2 ** (this.failuresInARow - 1);
    return this.context.sleep(Math.min(Math.max(pollSeconds * 1000, Math.min(pause, longestPause)), this.leftMs));
  }

  private get leftMs(): number {
    return this.end - this.context.now();
  }
}

/** For the live progress: without what differs each time, so that a log gets no line for each look. */
export function inShort({ kind, status, operation }: ServiceError): string {
  const answered = status === undefined ? "no answer" : `the service answered ${status}`;
  const why = { unreachable: "no connection", rateLimited: "too many requests", busy: "the task is busy" } as const;
  const said = kind in why ? why[kind as keyof typeof why] : answered;
  return `the last request failed (${operation}: ${said})`;
}
