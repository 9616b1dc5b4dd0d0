import { setTimeout as wait } from "node:timers/promises";
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

interface Host {
  slots: Slots | undefined;
  /** Earliest start of the next request. */
  free: number;
}

/** Spares the hosts from which runs load pages: limits the connections to each, and pauses between its requests. */
export class Hosts {
  private readonly connections: number;
  private readonly clock: HostClock;
  private readonly hosts = new Map<string, Host>();

  /** @param connections Maximum number for one host. 0: no limit. */
  constructor(connections: number, clock: HostClock = realClock) {
    this.connections = connections;
    this.clock = clock;
  }

  /**
   * Waits for the turn of a request.
   * @returns a function to call at the end of the request.
   */
  async enter(url: string, pauseMs: number, signal: AbortSignal): Promise<() => void> {
    const host = this.hostOf(url);
    const release = (await host.slots?.take(signal)) ?? (() => undefined);
    try {
      const now = this.clock.now();
      const start = Math.max(now, host.free);
      host.free = start + pauseMs;
      if (start > now) await this.clock.wait(start - now, signal);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  private hostOf(url: string): Host {
    const name = URL.canParse(url) ? new URL(url).host : "";
    const known = this.hosts.get(name);
    if (known !== undefined) return known;
    const host = { slots: this.connections === 0 ? undefined : new Slots(this.connections), free: 0 };
    this.hosts.set(name, host);
    return host;
  }
}
