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

/** Typical extra delay of the first request of a process, in milliseconds. */
const coldStart = 100;

/** Share of a configured rate that is left after a single refusal. */
const shareAfterSingle = 0.9;

/** A refusal within these milliseconds after another one is not a single one. */ const repeatedWithin = 30 * second;

/**
 * Limits the requests to one service: their number in flight and their rate. The rate is unlimited until the service responds with 429.
 * Then it falls to half of the rate of the last second, and rises again slowly. A configured rate falls only to nine tenths after a single
 * 429. A pause that the service asks for (Retry-After) applies to all requests.
 */
export class Limiter {
  readonly #claims = new Set<LimiterClaim>();
  readonly #queue: Waiting[] = [];
  /** When the requests of the last second started. */
  readonly #granted: number[] = [];
  #inFlight = 0;
  #learnedRate = Number.POSITIVE_INFINITY;
  /** The rate at which the service last refused; the rise is slow around it. */
  #ceiling = Number.POSITIVE_INFINITY;
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

  /** Requests per second that can start now; Infinity if unlimited. */
  get rate(): number {
    return Math.min(this.#learnedRate, this.#configuredRate());
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
    // Requests that were in flight when the rate was cut say nothing about the new rate.
    if (grantedAt < this.#lastCut) return;
    const wentThrough = Math.max(1, this.#granted.filter((at) => at > now - second).length - 1);
    const rate = this.rate;
    // At a configured rate, uneven delays of the network can cause a single refusal. A second one soon after means that the rate is too
    // high.
    const isAtConfiguredRate =
      rate === this.#configuredRate() &&
      wentThrough + 1 > rate * shareAfterSingle &&
      now - this.#lastCut > repeatedWithin;
    this.#ceiling = Math.min(rate, wentThrough);
    this.#learnedRate = Math.max(0.5, this.#ceiling * (isAtConfiguredRate ? shareAfterSingle : 0.5));
    this.#lastCut = now;
    this.#lastRise = this.#pausedUntil;
  }

  #rise(): void {
    const now = clock.now();
    if (this.#learnedRate === Number.POSITIVE_INFINITY || now - this.#lastRise < second) return;
    this.#lastRise = now;
    // Fast up to the refused rate, slow around it, and fast again above it, because then the service's limit has changed.
    const isNear = Math.abs(this.#learnedRate - this.#ceiling) <= this.#ceiling * 0.1;
    this.#learnedRate += Math.max(this.#learnedRate, this.#ceiling) * (isNear ? 0.01 : 0.1);
  }

  #configuredRate(): number {
    return Math.min(...[...this.#claims].map(({ requestsPerSecond }) => requestsPerSecond));
  }

  #concurrency(): number {
    let bound = Number.POSITIVE_INFINITY;
    for (const claim of this.#claims) bound = Math.min(bound, claim.concurrency);
    return bound;
  }

  #pump(): void {
    this.#cancelTimer?.();
    while (this.#queue.length > 0 && this.#inFlight < this.#concurrency()) {
      const now = clock.now();
      const free = Math.max(this.#pausedUntil, this.#nextStart);
      if (free > now) {
        this.#cancelTimer = clock.wait(free - now, () => this.#pump());
        return;
      }
      this.#inFlight += 1;
      this.#granted.push(now);
      while ((this.#granted[0] ?? now) < now - second) this.#granted.shift();
      // The delay of a late timer is compensated. A pause is not, because a burst would exceed the limit.
      const spacing = second / (this.rate * evenShare);
      const isFirst = this.#nextStart === 0;
      this.#nextStart = Math.max(this.#nextStart, now - Math.min(spacing, lateTimer)) + spacing;
      if (isFirst && spacing > 0) this.#nextStart += coldStart;
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
