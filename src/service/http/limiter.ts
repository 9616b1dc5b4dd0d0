import type { Cancel } from "./clock";
import { clock } from "./clock";
import { onAbort } from "./onAbort";

export interface Limits {
  /** Most requests in flight. */
  concurrency: number;
  /** Most requests per second; Infinity if not set. */
  requestsPerSecond: number;
}

/** Ends the use of a slot. To be called once. `limited`: the service responded with 429, and asks to wait for these milliseconds. */
export type Release = (result: "done" | "limited", retryAfter?: number) => void;

/** Milliseconds. Also the time between two steps up, and the pause after a 429 without Retry-After. */
const second = 1000;

/**
 * Limits the requests to one service: their number in flight, and their rate if one is configured. After a 429, no request starts for the time that the
 * service asks for (Retry-After), or for a second, and then half as many requests are in flight. That number rises again by one a second.
 */
export class Limiter {
  readonly #limits: Limits;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #concurrency: number;
  #lastCut = Number.NEGATIVE_INFINITY;
  #nextRise = 0;
  #nextStart = 0;
  #pausedUntil = 0;
  #cancelTimer: Cancel | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#concurrency = limits.concurrency;
  }

  /** Most requests in flight now. */
  get concurrency(): number {
    return this.#concurrency;
  }

  /** Milliseconds until the end of the pause that the service asked for. */
  get pause(): number {
    return Math.max(0, this.#pausedUntil - clock.now());
  }

  /** Waits for a slot, in order. Undefined if `waits` is aborted and no slot is free at once. */
  acquire(waits: AbortSignal): Promise<Release | undefined> {
    return new Promise((resolve) => {
      const start = () => resolve(this.#slot());
      const giveUp = () => {
        const place = this.#waiting.indexOf(start);
        if (place >= 0) this.#waiting.splice(place, 1);
        resolve(undefined);
      };
      onAbort(waits, giveUp);
      this.#waiting.push(start);
      this.#startWaiting();
      if (waits.aborted) giveUp();
    });
  }

  #slot(): Release {
    const begun = clock.now();
    return (result, retryAfter) => {
      this.#inFlight -= 1;
      if (result === "limited") this.#slowDown(begun, retryAfter);
      else this.#rise();
      this.#startWaiting();
    };
  }

  #slowDown(begun: number, retryAfter = second): void {
    const now = clock.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + retryAfter);
    // Requests that were in flight at the last cut say nothing about the new number.
    if (begun < this.#lastCut) return;
    this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2));
    this.#lastCut = now;
    this.#nextRise = this.#pausedUntil + second;
  }

  #rise(): void {
    const now = clock.now();
    if (now < this.#nextRise || this.#concurrency === this.#limits.concurrency) return;
    this.#concurrency += 1;
    this.#nextRise = now + second;
  }

  #startWaiting(): void {
    this.#cancelTimer?.();
    while (this.#waiting.length > 0 && this.#inFlight < this.#concurrency) {
      const now = clock.now();
      const wait = Math.max(this.#pausedUntil, this.#nextStart) - now;
      if (wait > 0) {
        this.#cancelTimer = clock.wait(wait, () => this.#startWaiting());
        return;
      }
      this.#inFlight += 1;
      this.#nextStart = now + second / this.#limits.requestsPerSecond;
      this.#waiting.shift()?.();
    }
  }
}

const shared = new Map<string, { limiter: Limiter; clients: Set<symbol> }>();

/** The limiter of all clients of this process for one service, with equal limits. It is deleted with its last client. */
export function joinLimiter({ baseUrl, concurrency, requestsPerSecond }: Limits & { baseUrl: string }): {
  limiter: Limiter;
  leave: () => void;
} {
  const key = [baseUrl, concurrency, requestsPerSecond].join(" ");
  const entry = shared.get(key) ?? { limiter: new Limiter({ concurrency, requestsPerSecond }), clients: new Set() };
  const client = Symbol(key);
  entry.clients.add(client);
  shared.set(key, entry);
  const leave = () => {
    entry.clients.delete(client);
    // What was learned goes too, because the next client can find another service at this address.
    if (entry.clients.size === 0 && shared.get(key) === entry) shared.delete(key);
  };
  return { limiter: entry.limiter, leave };
}
