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
  /** To be called once, when the request has ended. `limited`: the service responded that there were too many requests. */
  release(result: "done" | "limited", retryAfter?: number): void;
}

interface Waiting {
  grant: () => void;
}

/** Milliseconds. Also the time between two steps up, and the pause after a 429 without Retry-After. */
const second = 1000;

/** The longest pause, whatever the service asks for: one wrong header must not stop a process for ever. Milliseconds. */
const longestPause = 3600 * second;

/** Share of a rate that is used: requests sent at even intervals arrive at uneven ones, and a second at the service must not hold one too many. */
const evenShare = 0.97;

/** Typical delay of timers on a busy machine, in milliseconds. */
const lateTimer = 10;

/** Typical extra delay of the first request of a process, in milliseconds. */
const coldStart = 100;

/** Share of a configured rate that is left after a single refusal. */
const slightly = 0.9;

/** A refusal within so many milliseconds after another one is not a single one. */
const believedFor = 30 * second;

/**
 * Limits the requests to one service: so many in flight, and so many per second. The rate is unlimited until the service responds 429. Then it
 * is half of what went through in the last second (nine tenths, once, of a configured rate), and rises again slowly. A pause that the service
 * asks for (Retry-After) applies to all requests.
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

  /** Adds a client; the strictest limits of all clients apply. Returns how to remove it. */
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

  /** Requests per second that may start now; Infinity if unlimited. */
  get rate(): number {
    return Math.min(this.#learnedRate, this.#configuredRate());
  }

  /** Milliseconds until the end of the pause that the service asked for. */
  get pause(): number {
    return Math.max(0, this.#pausedUntil - clock.now());
  }

  /**
   * Waits for a slot, in order. Rejects with the signal's reason if it is aborted first.
   * @param waits aborted if only a slot that is free at once is taken
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
    // At a configured rate a single refusal may come from uneven delays on the way. A second one soon after means that the rate is too high.
    const isAtConfiguredRate =
      rate === this.#configuredRate() && wentThrough + 1 > rate * slightly && now - this.#lastCut > believedFor;
    this.#ceiling = Math.min(rate, wentThrough);
    this.#learnedRate = Math.max(0.5, this.#ceiling * (isAtConfiguredRate ? slightly : 0.5));
    this.#lastCut = now;
    this.#lastRise = this.#pausedUntil;
  }

  #rise(): void {
    const now = clock.now();
    if (this.#learnedRate === Number.POSITIVE_INFINITY || now - this.#lastRise < second) return;
    this.#lastRise = now;
    // Fast up to the rate that was refused, slow around it, and fast again above it: the service's limit has changed then.
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
      // A late timer may be made up for, but not a pause: a burst would break the limit.
      const spacing = second / (this.rate * evenShare);
      const isFirst = this.#nextStart === 0;
      this.#nextStart = Math.max(this.#nextStart, now - Math.min(spacing, lateTimer)) + spacing;
      if (isFirst && spacing > 0) this.#nextStart += coldStart;
      this.#queue.shift()?.grant();
    }
  }
}

const limiters = new Map<string, Limiter>();

/** Adds a client to the limiter of its service in this process, which lives as long as any client does. */
export function joinLimiter(baseUrl: string, claim: LimiterClaim): { limiter: Limiter; leave: () => void } {
  const limiter = limiters.get(baseUrl) ?? new Limiter();
  limiters.set(baseUrl, limiter);
  const leave = limiter.join(claim);
  return {
    limiter,
    leave: () => {
      leave();
      // Forgets the learned rate with the last client: the next one may find another service at this address.
      if (!limiter.inUse && limiters.get(baseUrl) === limiter) limiters.delete(baseUrl);
    },
  };
}
