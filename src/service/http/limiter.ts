import type { Cancel } from "./clock";
import { clock } from "./clock";
import { onAbort } from "./onAbort";

/** The limits that one client sets for the limiter, which all clients of this process share. */
export interface LimiterClaim {
  /** Most requests in flight. */
  concurrency: number;
  /** Most requests per second; Infinity if not set. */
  requestsPerSecond: number;
}

/** A place among the requests in flight. */
export interface LimiterSlot {
  /** Call it once, when the request has ended. `limited`: the service responded with 429. */
  release(result: "done" | "limited", retryAfter?: number): void;
}

interface Waiting {
  grant: () => void;
}

/** Milliseconds. Also the time between two steps up, and the pause after a 429 without Retry-After. */
const second = 1000;

/** The longest pause in milliseconds, even if the service asks for more: a wrong header must not block a process forever. */
const longestPause = 3600 * second;

/**
 * Share of a rate that is used. Requests that are sent at even intervals arrive at uneven ones, and the service must not count one too many
 * in a second.
 */
const evenShare = 0.97;

/** Typical delay of timers on a busy machine, in milliseconds. */
const lateTimer = 10;

/**
 * Limits the requests to one service: their number in flight, and their rate if one is configured. After a 429, no request starts for the time that the
 * service asks for (Retry-After), or for a second, and then half as many requests are in flight. That number rises again by one a second.
 */
export class Limiter {
  readonly #claims = new Set<LimiterClaim>();
  readonly #queue: Waiting[] = [];
  #inFlight = 0;
  /** Most requests in flight, as the responses of 429 have shown. */
  #learned = Number.POSITIVE_INFINITY;
  #lastCut = Number.NEGATIVE_INFINITY;
  #lastRise = 0;
  #nextStart = 0;
  #pausedUntil = 0;
  #cancelTimer: Cancel | undefined;

  /** Adds a client; the strictest limits of all clients apply. Returns a function that removes the client. */
  join(claim: LimiterClaim): () => void {
    const own = { ...claim };
    this.#claims.add(own);
    return () => {
      this.#claims.delete(own);
      this.#pump();
    };
  }

  get inUse(): boolean {
    return this.#claims.size > 0;
  }

  /** Most requests in flight now. */
  get concurrency(): number {
    return Math.min(this.#learned, ...[...this.#claims].map(({ concurrency }) => concurrency));
  }

  /** Requests per second that can start now; Infinity if unlimited. */
  get rate(): number {
    return Math.min(...[...this.#claims].map(({ requestsPerSecond }) => requestsPerSecond));
  }

  /** Milliseconds until the end of the pause that the service asked for. */
  get pause(): number {
    return Math.max(0, this.#pausedUntil - clock.now());
  }

  /**
   * Waits for a slot, in order. Rejects with the signal's reason if it is aborted first.
   * @param waits aborted if the call must not wait: then it gets only a slot that is free at once
   */
  acquire(signal: AbortSignal, waits: AbortSignal = signal): Promise<LimiterSlot> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const giveUp = () => {
        const place = this.#queue.indexOf(waiting);
        if (place >= 0) this.#queue.splice(place, 1);
        reject(waits.reason);
      };
      const waiting: Waiting = {
        grant: () => {
          stopListening();
          resolve(this.#slot());
        },
      };
      const stopListening = onAbort(waits, giveUp);
      this.#queue.push(waiting);
      this.#pump();
      if (waits.aborted) giveUp();
    });
  }

  #slot(): LimiterSlot {
    const grantedAt = clock.now();
    let open = true;
    return {
      release: (result, retryAfter) => {
        if (!open) return;
        open = false;
        this.#inFlight -= 1;
        if (result === "limited") this.#slowDown(grantedAt, retryAfter);
        else this.#rise();
        this.#pump();
      },
    };
  }

  #slowDown(grantedAt: number, retryAfter: number | undefined): void {
    const now = clock.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(retryAfter ?? second, longestPause));
    // Requests that were in flight at the last cut say nothing about the new number.
    if (grantedAt < this.#lastCut) return;
    this.#learned = Math.max(1, Math.floor(this.concurrency / 2));
    this.#lastCut = now;
    this.#lastRise = this.#pausedUntil;
  }

  #rise(): void {
    const now = clock.now();
    if (now - this.#lastRise < second) return;
    this.#lastRise = now;
    this.#learned += 1;
  }

  #pump(): void {
    this.#cancelTimer?.();
    while (this.#queue.length > 0 && this.#inFlight < this.concurrency) {
      const now = clock.now();
      const free = Math.max(this.#pausedUntil, this.#nextStart);
      if (free > now) {
        this.#cancelTimer = clock.wait(free - now, () => this.#pump());
        return;
      }
      this.#inFlight += 1;
      // The delay of a late timer is compensated. A pause is not, because a burst would exceed the limit.
      const spacing = second / (this.rate * evenShare);
      this.#nextStart = Math.max(this.#nextStart, now - Math.min(spacing, lateTimer)) + spacing;
      this.#queue.shift()?.grant();
    }
  }
}

const limiters = new Map<string, Limiter>();

/** Adds a client to the limiter of its service in this process. The limiter is deleted with its last client. */
export function joinLimiter(baseUrl: string, claim: LimiterClaim): { limiter: Limiter; leave: () => void } {
  const limiter = limiters.get(baseUrl) ?? new Limiter();
  limiters.set(baseUrl, limiter);
  const leave = limiter.join(claim);
  return {
    limiter,
    leave: () => {
      leave();
      // The learned rate is deleted too, because the next client can find another service at this address.
      if (!limiter.inUse && limiters.get(baseUrl) === limiter) limiters.delete(baseUrl);
    },
  };
}
