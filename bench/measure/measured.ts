import { setTimeout as sleep } from "node:timers/promises";
import type { Figure, Goal } from "../figure";
import type { ProcessFigures } from "./processes";
import { cpuSecondsOfEndedChildren, descendantsOf } from "./processes";

interface Times {
  /** From start to end. */
  wallSeconds: number;
  /** Of all processes that the work started. */
  cpuSeconds: number;
}

/** What some work and the processes that it started needed. */
export interface Measured<T> extends Times {
  result: T;
  /** Each process that was seen, with its last figures. */
  processes: readonly ProcessFigures[];
}

const pollMilliseconds = 40;

/**
 * Runs the work and watches the processes that it starts, directly or indirectly. Processes that ran before, for example a service, are not
 * counted. Runs one work at a time.
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
        // A process that has ended has a peak of 0; the value seen before counts.
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
    // Polling misses the last moments of each process. The times of waited-for children miss processes that nobody waited for. Takes the larger.
    const cpuSeconds = Math.max(cpuSecondsOfEndedChildren() - endedBefore, lastSeen);
    return { result, wallSeconds, cpuSeconds, processes };
  } finally {
    stop.abort();
    await watching;
  }
}

/** Highest memory in MB of a process whose command matches. Throws if none was seen. */
export function peakMegabytes({ processes }: Measured<unknown>, command: RegExp): number {
  const fitting = processes.filter((each) => command.test(each.command));
  if (fitting.length === 0) {
    throw new Error(`no process fits ${command}; seen: ${processes.map((each) => each.command).join(", ")}`);
  }
  return Math.max(...fitting.map(({ peakBytes }) => peakBytes)) / 1e6;
}

/** The times of a run. */
export function timesOf(name: string, { wallSeconds, cpuSeconds }: Times, goal?: Goal): Figure[] {
  return [
    { name, value: wallSeconds, unit: "s", goal },
    { name: `${name}, processor time`, value: cpuSeconds, unit: "cpu s" },
  ];
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
