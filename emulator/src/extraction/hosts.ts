import { setTimeout as wait } from "node:timers/promises";
import { parsedUrl } from "./parsedUrl";
import { Slots } from "./slots";

/** What the requests to a host wait with. Tests replace it. */
export interface HostClock {
  now(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const realClock: HostClock = {
  now: () => performance.now(),
  wait: (ms, signal) => wait(ms, undefined, { signal }),
};

/** Limits of the requests to each host. */
export interface HostLimits {
  /** Maximum number of requests at the same time. 0: no limit. */
  connections: number;
  /** Minimum time between the starts of two requests, in milliseconds. */
  pauseMs: number;
}

interface Host {
  connections: Slots | undefined;
  /** The request that starts next has it. */
  turn: Slots;
  lastStart: number;
  /** The last start of each run. A run can want a longer pause than the others. */
  lastStarts: WeakMap<object, number>;
  /** Number of requests that wait for their start or are in progress. */
  requests: number;
}

/** Above this number of hosts, the one without requests whose last request ended first is forgotten. */
const mostHosts = 10_000;

/** Spares the hosts from which runs load pages: limits the connections to each, and pauses between its requests. */
export class Hosts {
  private readonly limits: HostLimits;
  private readonly clock: HostClock;
  /** In the order of their last ends. */
  private readonly hosts = new Map<string, Host>();

  constructor(limits: HostLimits, clock: HostClock = realClock) {
    this.limits = limits;
    this.clock = clock;
  }

  /**
   * Waits for the turn of a request.
   * @param runPauseMs Minimum time since the last start of the same run.
   * @returns a function to call at the end of the request.
   */
  async enter(url: string, run: object, runPauseMs: number, signal: AbortSignal): Promise<() => void> {
    const name = parsedUrl(url)?.host ?? "";
    const host = this.hostOf(name);
    let disconnect: (() => void) | undefined;
    let inProgress = true;
    const leave = () => {
      if (!inProgress) return;
      inProgress = false;
      disconnect?.();
      this.leave(name, host);
    };
    host.requests += 1;
    try {
      disconnect = await host.connections?.take(signal);
      await this.start(host, run, runPauseMs, signal);
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** A request that gives up its turn leaves no pause behind. */
  private async start(host: Host, run: object, runPauseMs: number, signal: AbortSignal): Promise<void> {
    const release = await host.turn.take(signal);
    try {
      const now = this.clock.now();
      const lastOfRun = host.lastStarts.get(run) ?? Number.NEGATIVE_INFINITY;
      const start = Math.max(now, host.lastStart + this.limits.pauseMs, lastOfRun + runPauseMs);
      if (start > now) await this.clock.wait(start - now, signal);
      host.lastStart = Math.max(start, this.clock.now());
      host.lastStarts.set(run, host.lastStart);
    } finally {
      release();
    }
  }

  private leave(name: string, host: Host): void {
    host.requests -= 1;
    if (host.requests > 0) return;
    this.hosts.delete(name);
    this.hosts.set(name, host);
    if (this.hosts.size <= mostHosts) return;
    for (const [oldest, { requests }] of this.hosts) {
      if (requests > 0) continue;
      this.hosts.delete(oldest);
      return;
    }
  }

  private hostOf(name: string): Host {
    const known = this.hosts.get(name);
    if (known !== undefined) return known;
    const { connections } = this.limits;
    const host: Host = {
      connections: connections === 0 ? undefined : new Slots(connections),
      turn: new Slots(1),
      lastStart: Number.NEGATIVE_INFINITY,
      lastStarts: new WeakMap(),
      requests: 0,
    };
    this.hosts.set(name, host);
    return host;
  }
}
