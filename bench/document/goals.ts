import type { Figure } from "../figure";
import { atMost } from "../figure";
import type { PeerResult, PeersResult, PhaseName } from "../peers/result";

/** The goals are for large stacks. In small stacks, most of the time is the start of the processes. */
const leastTasks = 100;
/** Number of steps that the engine runs at a time on two cores, and response time of the service. */
const atOnce = 8;
const latencySeconds = 0.02;

/** A ratio of two peers in one run, with its goal. */
export interface PeerFigure extends Figure {
  tasks: number;
  /** The same ratio of processor times. Other work on the machine affects it less. */
  cpuRatio?: number;
  /** A remark, for example that a phase failed. */
  note?: string;
}

/** What is compared, and the most that it may be. */
interface Measure {
  label: string;
  read(peer: PeerResult): number | undefined;
  /** Seconds of this package that do not count. */
  without?(peer: PeerResult): number;
  cpu?(peer: PeerResult): number | undefined;
  most: number;
  /** The goal is for stacks of this size or larger. */
  from?: number;
}

/** All ratios of a run without a rate limit. */
export function ratiosOf(result: PeersResult): PeerFigure[] {
  if (result.requestsPerSecond !== undefined) {
    return [];
  }
  const withoutLatency: Measure = {
    ...time("first up", 1.2),
    label: "first up, without the service's latency",
    without: ({ phases }) => ((phases["first up"]?.requests ?? 0) * latencySeconds) / atOnce,
  };
  const againstFloor = [withoutLatency, time("unchanged up", 1.1), time("refresh", 1.2)];
  return [
    ...compare(result, "ExtractionTask", "guide-style", [
      time("first up", result.tasks >= 500 ? 0.12 : 0.25),
      time("unchanged up", 0.4),
      state(0.15),
      { label: "memory of the program", read: ({ phases }) => phases["first up"]?.programMegabytes, most: 0.5 },
      { label: "requests of the first up", read: ({ phases }) => phases["first up"]?.requests, most: 2 / 3, from: 0 },
    ]),
    ...compare(result, "fine-grained", "guide-style", [time("first up", 0.5), time("unchanged up", 0.5), state(0.35)]),
    ...compare(result, "ExtractionTask", "floor", againstFloor),
    ...compare(result, "ExtractionTask", "floor with content", againstFloor),
    ...compare(result, "fine-grained", "floor of three", againstFloor),
  ];
}

function time(phase: PhaseName, most: number): Measure {
  return {
    label: phase,
    read: ({ phases }) => phases[phase]?.wallSeconds,
    cpu: ({ phases }) => phases[phase]?.cpuSeconds,
    most,
  };
}

function state(most: number): Measure {
  return { label: "state", read: ({ stateBytes }) => stateBytes, most };
}

function compare({ tasks, peers }: PeersResult, of: string, to: string, measures: readonly Measure[]): PeerFigure[] {
  const [ours, theirs] = [of, to].map((name) => peers.find(({ peer }) => peer === name));
  if (ours === undefined || theirs === undefined) {
    return [];
  }
  return measures.flatMap(({ label, read, without, cpu, most, from = leastTasks }): PeerFigure[] => {
    const value = ratio(read(ours), read(theirs), without?.(ours));
    const goal = tasks >= from ? atMost(most) : undefined;
    const name = `${of} against ${to}: ${label}`;
    const cpuRatio = cpu && ratio(cpu(ours), cpu(theirs));
    return value === undefined ? [] : [{ name, tasks, value, unit: "x", goal, cpuRatio, note: theirs.note }];
  });
}

function ratio(ours: number | undefined, theirs: number | undefined, without = 0): number | undefined {
  return ours === undefined || theirs === undefined || theirs === 0 ? undefined : (ours - without) / theirs;
}
