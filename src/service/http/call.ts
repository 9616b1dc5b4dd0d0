import { clock } from "../../system/clock";
import type { PreparedRequest } from "../contract/requests";
import type { Failure } from "../errors/failures";
import type { CallOptions, ClientSettings } from "../options";

/**
 * In milliseconds. The first wait is up to `firstStep`, each further wait up to twice as long, at most `longestStep`.
 */
const firstStep = 500;
const longestStep = 20_000;
/** Most milliseconds between two attempts to change a running task. */
const longestBusyStep = 10_000;

/** Why the signal of a call is aborted at its deadline. */
export const deadlinePassed = new Error("the call's deadline passed");

/** One call: when it ends, and whether and when another attempt follows a failed one. */
export class Call {
  /** Aborted when the call ends: by its caller, with its client, or at its deadline. */
  readonly ended: AbortSignal;
  /** Aborted when the call ends or must not wait any longer. A request in progress can complete. */
  readonly waits: AbortSignal;
  /** Removes the timer of the deadline. */
  readonly dispose: () => void;
  /** The access tokens that the service refused. */
  readonly refused: string[] = [];
  /** The failure of the latest attempt. */
  last: Failure | undefined;
  /**
   * Whether an attempt was sent whose response never came or proves nothing: it may have taken effect, whatever the
   * last response was.
   */
  anyLost = false;
  readonly #settings: ClientSettings;
  readonly #once: boolean;
  readonly #end: number;
  #retries = 0;
  #busySince: number | undefined;
  #busyTries = 0;
  #isTooLate = false;

  /** @param ends when the client is closed, and when it sends no further requests */
  constructor(
    readonly request: PreparedRequest,
    settings: ClientSettings,
    { signal, deadlineSeconds = settings.deadlineSeconds, once = false }: CallOptions,
    { stopped, closed }: Record<"stopped" | "closed", AbortSignal>,
  ) {
    this.#settings = settings;
    this.#once = once;
    this.#end = clock.now() + deadlineSeconds * 1000;
    const deadline = new AbortController();
    this.dispose = clock.deadline(deadlineSeconds * 1000, () => deadline.abort(deadlinePassed));
    // The response to a refresh can hold the only valid refresh token: the client waits for it and stores it.
    const ends = [signal, deadline.signal, request.name === "refreshToken" ? undefined : closed];
    this.ended = AbortSignal.any(ends.filter((each) => each !== undefined));
    this.waits = AbortSignal.any([this.ended, settings.interrupted, stopped]);
  }

  get isEndedByCaller(): boolean {
    return this.ended.aborted && this.ended.reason !== deadlinePassed;
  }

  /** Milliseconds until the deadline. */
  get left(): number {
    return this.#end - clock.now();
  }

  /**
   * Whether the caller allows a second attempt, and it can do no harm: the first one had no effect, or two have the
   * effect of one.
   */
  mayRepeatAfter({ outcome }: Failure): boolean {
    return !this.#once && (this.request.mayRepeat || outcome === "notExecuted");
  }

  /** Milliseconds to wait before the next attempt; undefined if there is none. */
  waitAfter(failure: Failure): number | undefined {
    this.last = failure;
    this.anyLost ||= failure.outcome === "unknown";
    if (!this.mayRepeatAfter(failure)) return undefined;
    const wait = failure.kind === "busy" ? this.#waitWhileBusy() : this.#waitBeforeRetry(failure);
    if (wait === undefined) return undefined;
    this.#isTooLate = wait >= this.left;
    if (this.#isTooLate) return undefined;
    if (failure.kind !== "busy") this.#retries += 1;
    else if (this.#busyTries++ === 0) this.#sayWaiting();
    return wait;
  }

  /** The failure that the call ends with. */
  final(failure: Failure): Failure {
    if (!this.anyLost) return failure;
    const kind = failure.kind === "unreachable" ? "outcomeUnknown" : failure.kind;
    return { ...failure, kind, outcome: "unknown" };
  }

  /** The attempts before the call ended with this failure, for the message. */
  historyBefore({ outcome }: Failure): string {
    const isBusy = this.#busySince !== undefined;
    const seconds = Math.round((clock.now() - (this.#busySince ?? 0)) / 1000);
    return [
      isBusy ? `Waited ${seconds} s for the task to end its run.` : "",
      this.#retries > 0 ? `Tried ${this.#retries + 1} times.` : "",
      this.anyLost && outcome === "notExecuted"
        ? "The response to an earlier attempt was lost, so the request may have taken effect."
        : "",
      this.#isTooLate ? "The next attempt would come after the call's deadline." : "",
    ]
      .filter((part) => part !== "")
      .join(" ");
  }

  #waitWhileBusy(): number | undefined {
    const now = clock.now();
    this.#busySince ??= now;
    // The service responded, so earlier connection failures are over.
    this.#retries = 0;
    const left = this.#busySince + this.#settings.busyTimeoutSeconds * 1000 - now;
    if (left <= 0) return undefined;
    const step = Math.min(longestBusyStep, firstStep * 2 ** this.#busyTries);
    return Math.min(left, step / 2 + Math.random() * (step / 2));
  }

  #sayWaiting(): void {
    const { waiting, busyTimeoutSeconds } = this.#settings;
    waiting(`The task is running: ${this.request.name} waits up to ${busyTimeoutSeconds} s for its end.`);
  }

  #waitBeforeRetry({ repeat, retryAfter, staleConnection }: Failure): number | undefined {
    const may = repeat === "anyOperation" || (repeat === "repeatable" && this.request.mayRepeat);
    if (!may || this.#retries >= this.#settings.maxRetries) return undefined;
    if (staleConnection === true && this.#retries === 0) return 0;
    // Retry-After is a minimum; the jitter on top keeps many clients from returning at the same moment.
    if (retryAfter !== undefined) return retryAfter + Math.random() * firstStep;
    return Math.random() * Math.min(longestStep, firstStep * 2 ** this.#retries);
  }
}
