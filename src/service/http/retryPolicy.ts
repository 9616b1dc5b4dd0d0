import type { PreparedRequest } from "../contract/requests";
import type { Failure } from "../errors/failures";
import type { ClientSettings } from "../settings";
import { clock } from "./clock";

/** In milliseconds. The first wait is up to `firstStep`, each further wait up to twice as long, at most `longestStep`. */
const firstStep = 500;
const longestStep = 20_000;
/** Milliseconds between two attempts to change a running task. */
const busyStep = { least: 500, most: 10_000 };

/** Decides for one call whether and when another attempt follows a failed one. */
export class RetryPolicy {
  readonly #request: PreparedRequest;
  readonly #settings: Pick<ClientSettings, "maxRetries" | "busyTimeout">;
  readonly #once: boolean;
  #retries = 0;
  #busySince: number | undefined;
  #busyTries = 0;
  #outcomeUnknown = false;
  #lateFor = 0;
  last: Failure | undefined;

  constructor(request: PreparedRequest, settings: Pick<ClientSettings, "maxRetries" | "busyTimeout">, once = false) {
    this.#request = request;
    this.#settings = settings;
    this.#once = once;
  }

  /** Milliseconds to wait before the next attempt; undefined if there is none. */
  waitAfter(failure: Failure, left: number): number | undefined {
    this.last = failure;
    if (failure.outcome === "unknown") this.#outcomeUnknown = true;
    if (this.#once) return undefined;
    const wait = failure.kind === "busy" ? this.#waitWhileBusy() : this.#waitBeforeRetry(failure);
    if (wait !== undefined && wait >= left) {
      this.#lateFor = wait;
      if (failure.kind !== "busy") this.#retries -= 1;
      return undefined;
    }
    return wait;
  }

  /** The failure that the call ends with: an earlier attempt whose response was lost may have taken effect, whatever the last response was. */
  final(failure: Failure): Failure {
    if (!this.#outcomeUnknown) return failure;
    const kind = failure.kind === "unreachable" ? "outcomeUnknown" : failure.kind;
    return { ...failure, kind, outcome: "unknown" };
  }

  /** Whether an attempt was sent whose response never came. */
  get anyLost(): boolean {
    return this.#outcomeUnknown;
  }

  /** The attempts before the call ended with this failure, for the message. */
  historyBefore(failure: Failure): string {
    const parts = [];
    if (this.#busySince !== undefined) {
      parts.push(`Waited ${Math.round((clock.now() - this.#busySince) / 1000)} s for the task to end its run.`);
    }
    if (this.#retries > 0) parts.push(`Tried ${this.#retries + 1} times.`);
    if (this.#outcomeUnknown && failure.outcome === "notExecuted")
      parts.push("The response to an earlier attempt was lost, so the request may have taken effect.");
    if (this.#lateFor > 0)
      parts.push(`The next attempt, in ${Math.ceil(this.#lateFor / 1000)} s, would come after the call's deadline.`);
    return parts.join(" ");
  }

  #waitWhileBusy(): number | undefined {
    const now = clock.now();
    this.#busySince ??= now;
    // The service responded, so earlier connection failures are over.
    this.#retries = 0;
    const left = this.#busySince + this.#settings.busyTimeout - now;
    if (left <= 0) return undefined;
    const step = Math.min(busyStep.most, busyStep.least * 2 ** this.#busyTries);
    this.#busyTries += 1;
    return Math.min(left, step / 2 + Math.random() * (step / 2));
  }

  #waitBeforeRetry(failure: Failure): number | undefined {
    const may = failure.repeat === "anyOperation" || (failure.repeat === "repeatable" && this.#request.mayRepeat);
    if (!may || this.#retries >= this.#settings.maxRetries) return undefined;
    const jittered = Math.random() * Math.min(longestStep, firstStep * 2 ** this.#retries);
    this.#retries += 1;
    if (failure.staleConnection === true && this.#retries === 1) return 0;
    // Retry-After is a minimum; the jitter on top keeps many clients from returning at the same moment.
    return failure.retryAfter === undefined ? jittered : failure.retryAfter + Math.random() * firstStep;
  }
}
