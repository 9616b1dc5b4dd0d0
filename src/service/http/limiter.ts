import type { Cancel } from "./clock";
import { clock } from "./clock";
import { onAbort } from "./onAbort";

/** What one client asks of the limiter that it shares with the others of this process. */
export interface LimiterClaim {
  /** Requests in flight at most. */
  concurrency: number;
  /** Requests a second at most; Infinity where none was set. */
  requestsPerSecond: number;
}

/** Leave to send one request. */
export interface Permit {
  /** To be called once, when the request has ended. `limited`: the service answered that there were too many. */
  release(result: "done" | "limited", retryAfter?: number): void;
}

interface Waiting {
  grant: () => void;
}

/** Milliseconds between two steps up, and of the pause after an answer "too many" that names none. */
const second = 1000;

/** A service that asks for a longer pause is asked again after this one: one wrong header must not stop a process for good. */
const longestPause = 3600 * second;

/** Even steps arrive uneven: of a rate, this share keeps a second at the service from holding one too many. */
const evenShare = 0.97;

/** How late timers are on a busy machine, about. Milliseconds. */
const lateTimer = 10;

/** How much later than those after it the first request of a process leaves, about. Milliseconds. */
const coldStart = 100;

/** What is left of a told rate after a single refusal. */
const slightly = 0.9;

/** Two refusals within so many milliseconds are no single ones. */
const believedFor = 30 * second;

/**
 * Shares out requests to one service: so many in flight, and so many a second. The second bound is unset until the service says "too many
 * requests": then it is half of what went through in the last second (nine tenths, once, of a rate that was told), and rises again slowly. A
 * pause that the service asks for holds for all.
 */
export class Limiter {
  readonly #claims = new Set<LimiterClaim>();
  readonly #queue: Waiting[] = [];
  /** When the requests of the last second were let go. */
  readonly #granted: number[] = [];
  #inFlight = 0;
  #learnedRate = Number.POSITIVE_INFINITY;
  /** What went through when the service last refused: near it the rise becomes slow. */
  #ceiling = Number.POSITIVE_INFINITY;
  #lastCut = Number.NEGATIVE_INFINITY;
  #lastRise = 0;
  #nextSlot = 0;
  #pausedUntil = 0;
  #cancelTimer: Cancel | undefined;

  /** Counts a client in; the strictest claim of all holds. */
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

  /** Requests a second that are let through now; Infinity where nothing bounds them. */
  get rate(): number {
    return Math.min(this.#learnedRate, this.#toldRate());
  }

  /** Milliseconds until the pause that the service asked for is over. */
  get pause(): number {
    return Math.max(0, this.#pausedUntil - clock.now());
  }

  /**
   * Waits for its turn, in order. Rejects with the signal's reason when that is aborted first.
   * @param waits aborted where only a turn that comes at once is taken
   */
  acquire(signal: AbortSignal, waits: AbortSignal = signal): Promise<Permit> {
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
          resolve(this.#permit());
        },
      };
      const stopListening = onAbort(waits, giveUp);
      this.#queue.push(waiting);
      this.#pump();
      if (waits.aborted) giveUp();
    });
  }

  #permit(): Permit {
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
    // Requests that were under way when the rate was cut say nothing about the new rate.
    if (grantedAt < this.#lastCut) return;
    const wentThrough = Math.max(1, this.#granted.filter((at) => at > now - second).length - 1);
    const rate = this.rate;
    // At a limit that was told, one request too many is what the way to the service makes of even steps. A second one soon after says otherwise.
    const isAtToldRate =
      rate === this.#toldRate() && wentThrough + 1 > rate * slightly && now - this.#lastCut > believedFor;
    this.#ceiling = Math.min(rate, wentThrough);
    this.#learnedRate = Math.max(0.5, this.#ceiling * (isAtToldRate ? slightly : 0.5));
    this.#lastCut = now;
    this.#lastRise = this.#pausedUntil;
  }

  #rise(): void {
    const now = clock.now();
    if (this.#learnedRate === Number.POSITIVE_INFINITY || now - this.#lastRise < second) return;
    this.#lastRise = now;
    // Well above what was refused once, the limit is another one by now: a few refusals of a bad moment must not slow everything for long.
    const isOutdated = this.#learnedRate > this.#ceiling * 1.1;
    const isNear = !isOutdated && this.#learnedRate >= this.#ceiling * 0.9;
    this.#learnedRate += (isOutdated ? this.#learnedRate : this.#ceiling) * (isNear ? 0.01 : 0.1);
  }

  #toldRate(): number {
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
      const free = Math.max(this.#pausedUntil, this.#nextSlot);
      if (free > now) {
        this.#cancelTimer = clock.wait(free - now, () => this.#pump());
        return;
      }
      this.#inFlight += 1;
      this.#granted.push(now);
      while ((this.#granted[0] ?? now) < now - second) this.#granted.shift();
      // A late timer may be made up for, a pause may not: a burst is what a limit forbids.
      const spacing = second / (this.rate * evenShare);
      const isFirst = this.#nextSlot === 0;
      this.#nextSlot = Math.max(this.#nextSlot, now - Math.min(spacing, lateTimer)) + spacing;
      if (isFirst && spacing > 0) this.#nextSlot += coldStart;
      this.#queue.shift()?.grant();
    }
  }
}

const limiters = new Map<string, Limiter>();

/** Counts a client in with the limiter of this process for its service, which lives as long as any client does. */
export function joinLimiter(baseUrl: string, claim: LimiterClaim): { limiter: Limiter; leave: () => void } {
  const limiter = limiters.get(baseUrl) ?? new Limiter();
  limiters.set(baseUrl, limiter);
  const leave = limiter.join(claim);
  return {
    limiter,
    leave: () => {
      leave();
      // What was learned of a service goes with its last client: the next one may find another service there.
      if (!limiter.inUse && limiters.get(baseUrl) === limiter) limiters.delete(baseUrl);
    },
  };
}
