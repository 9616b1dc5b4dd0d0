import type { LimitFunction } from "p-limit";
import pLimit from "p-limit";
import { clock, pause } from "../../system/clock";
import { onAbort } from "../../system/onAbort";
import type { Failure } from "../errors/failures";
import { serviceAddress } from "../serviceAddress";

export interface Limits {
  /** Most requests in flight. */
  concurrency: number;
  /** Most requests per second; Infinity if not set. */
  requestsPerSecond: number;
}

/** What a request through the limiter tells it. */
interface Result {
  failure?: Pick<Failure, "kind" | "retryAfter">;
}

/** Milliseconds. Also the time between two steps up, and the pause after a 429 without Retry-After. */
const second = 1000;

/**
 * Limits the requests to one service: their number in flight, and their rate if one is configured. After a 429, no
 * request starts for the time that the service asks for (Retry-After), or for a second, and then half as many requests
 * are in flight. That number rises again by one a second.
 */
export class Limiter {
  /** Whether the service has responded to a request with a success. */
  isReached = false;
  /** The one read that looks whether the service has the path. */
  reading: Promise<void> | undefined;
  readonly #limits: Limits;
  readonly #slots: LimitFunction;
  #lastCut = Number.NEGATIVE_INFINITY;
  #nextRise = 0;
  #nextStart = 0;
  #pausedUntil = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#slots = pLimit(limits.concurrency);
  }

  /** Most requests in flight now. */
  get concurrency(): number {
    return this.#slots.concurrency;
  }

  /** Milliseconds until the end of the pause that the service asked for. */
  get pause(): number {
    return Math.max(0, this.#pausedUntil - clock.now());
  }

  /** Sends a request in a slot, in order. Undefined if `waits` is aborted before, and no slot is free at once. */
  run<T extends Result>(waits: AbortSignal, send: () => Promise<T>): Promise<T | undefined> {
    const { activeCount, concurrency } = this.#slots;
    const isFree = activeCount < concurrency && this.#wait === 0;
    if (waits.aborted && !isFree) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      let isGivenUp = false;
      const stopListening = onAbort(waits, () => {
        isGivenUp = true;
        resolve(undefined);
      });
      const inSlot = async (): Promise<T | undefined> => {
        while (this.#wait > 0 && !waits.aborted) await pause(this.#wait, waits);
        stopListening();
        // The caller was told that nothing is sent.
        if (isGivenUp) return undefined;
        const begun = clock.now();
        this.#nextStart = begun + second / this.#limits.requestsPerSecond;
        const result = await send();
        if (result.failure?.kind === "rateLimited") this.#slowDown(begun, result.failure.retryAfter);
        else this.#rise();
        return result;
      };
      this.#slots(inSlot).then(resolve, reject);
    });
  }

  /** Milliseconds until the next request can start. */
  get #wait(): number {
    return Math.max(0, this.#pausedUntil - clock.now(), this.#nextStart - clock.now());
  }

  #slowDown(begun: number, retryAfter = second): void {
    const now = clock.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + retryAfter);
    // Requests that were in flight at the last cut say nothing about the new number.
    if (begun < this.#lastCut) return;
    this.#slots.concurrency = Math.max(1, Math.floor(this.concurrency / 2));
    this.#lastCut = now;
    this.#nextRise = this.#pausedUntil + second;
  }

  #rise(): void {
    const now = clock.now();
    if (now < this.#nextRise || this.concurrency === this.#limits.concurrency) return;
    this.#slots.concurrency += 1;
    this.#nextRise = now + second;
  }
}

const shared = new Map<string, { limiter: Limiter; clients: number }>();

/**
 * The limiter of all clients of this process for one service, with equal limits. `leave` is to be called once, when a
 * client is closed.
 */
export function joinLimiter({ baseUrl, ...limits }: Limits & { baseUrl: string }): {
  limiter: Limiter;
  leave: () => void;
} {
  const key = [serviceAddress(baseUrl), limits.concurrency, limits.requestsPerSecond].join(" ");
  const entry = shared.get(key) ?? { limiter: new Limiter(limits), clients: 0 };
  entry.clients += 1;
  shared.set(key, entry);
  const leave = (): void => {
    entry.clients -= 1;
    // What was learned goes too, because the next client can find another service at this address.
    if (entry.clients === 0) shared.delete(key);
  };
  return { limiter: entry.limiter, leave };
}
