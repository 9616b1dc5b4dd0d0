import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessFigures } from "./processes";
import { cpuSecondsOfEndedChildren, descendantsOf } from "./processes";

/** What some work took in the processes that it started. */
export interface Measured<T> {
  result: T;
  /** From begin to end. */
  wallSeconds: number;
  /** Of all processes that were started for it. */
  cpuSeconds: number;
  /** Each process seen, as it was when it was last seen. */
  processes: readonly ProcessFigures[];
}

const pollMilliseconds = 40;

/**
 * Does the work and watches the processes that it starts, directly or through others. Those that run already, like a service that the
 * work talks to, are not counted. One such work at a time.
 */
export async function measured<T>(work: () => Promise<T>): Promise<Measured<T>> {
  if (process.platform !== "linux") {
    throw new Error("Processes can be measured on Linux only: their figures are read from /proc.");
  }
  const before = new Set(descendantsOf(process.pid).map(({ pid }) => pid));
  const seen = new Map<number, ProcessFigures>();
  const look = (): void => {
    for (const each of descendantsOf(process.pid)) {
      if (!before.has(each.pid)) {
        // A peak of 0 is that of a process which has ended: the one seen before it counts.
        seen.set(each.pid, each.peakBytes === 0 ? { ...each, ...ended(seen.get(each.pid), each) } : each);
      }
    }
  };
  const endedBefore = cpuSecondsOfEndedChildren();
  const begin = performance.now();
  const doing = work();
  const stop = new AbortController();
  const watching = watch(look, stop.signal);
  try {
    const result = await doing;
    const wallSeconds = (performance.now() - begin) / 1000;
    const processes = [...seen.values()];
    const lastSeen = processes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    // Looking misses the last moments of each process; waiting misses processes that nobody waited for. Neither counts too much.
    const cpuSeconds = Math.max(cpuSecondsOfEndedChildren() - endedBefore, lastSeen);
    return { result, wallSeconds, cpuSeconds, processes };
  } finally {
    stop.abort();
    await watching;
  }
}

/** The most memory that one process held at once of those whose command fits, in MB. Throws where none was seen. */
export function peakMegabytes({ processes }: Measured<unknown>, command: RegExp): number {
  const fitting = processes.filter((each) => command.test(each.command));
  if (fitting.length === 0) {
    throw new Error(`no process fits ${command}; seen: ${processes.map((each) => each.command).join(", ")}`);
  }
  return Math.max(...fitting.map(({ peakBytes }) => peakBytes)) / 1e6;
}

function ended(last: ProcessFigures | undefined, now: ProcessFigures): Partial<ProcessFigures> {
  return { command: last?.command ?? now.command, peakBytes: last?.peakBytes ?? 0 };
}

async function watch(look: () => void, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    look();
    await sleep(pollMilliseconds, undefined, { signal: stop }).catch(() => undefined);
  }
}
