import type { Figure, Goal } from "../figure";
import type { PeerResult, PeersResult, PhaseName } from "../peers/result";

/** The goals for large stacks. In small stacks, most of the time is the start of the processes. */
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

/** All ratios of a run without a rate limit. */
export function ratiosOf(result: PeersResult): PeerFigure[] {
  if (result.requestsPerSecond !== undefined) {
    return [];
  }
  const { tasks } = result;
  const goal = (value: number, from = leastTasks): Goal | undefined =>
    tasks >= from ? { kind: "at most", value } : undefined;
  const whole = new Comparison(result, "ExtractionTask", "guide-style");
  const fine = new Comparison(result, "fine-grained", "guide-style");
  const floor = new Comparison(result, "ExtractionTask", "floor");
  const content = new Comparison(result, "ExtractionTask", "floor with content");
  const floorOfThree = new Comparison(result, "fine-grained", "floor of three");
  return [
    whole.time("first up", goal(tasks >= 500 ? 0.12 : 0.25)),
    whole.time("unchanged up", goal(0.4)),
    whole.of("state", ({ stateBytes }) => stateBytes, goal(0.15)),
    whole.of("memory of the program", (peer) => peer.phases["first up"]?.programMegabytes, goal(0.5)),
    whole.of("requests of the first up", (peer) => peer.phases["first up"]?.requests, goal(2 / 3, 0)),
    fine.time("first up", goal(0.5)),
    fine.time("unchanged up", goal(0.5)),
    fine.of("state", ({ stateBytes }) => stateBytes, goal(0.35)),
    floor.time("first up", goal(1.2), latencyOf),
    floor.time("unchanged up", goal(1.1)),
    floor.time("refresh", goal(1.2)),
    content.time("first up", goal(1.2), latencyOf),
    content.time("unchanged up", goal(1.1)),
    content.time("refresh", goal(1.2)),
    floorOfThree.time("first up", goal(1.2), latencyOf),
    floorOfThree.time("unchanged up", goal(1.1)),
    floorOfThree.time("refresh", goal(1.2)),
  ].flatMap((each) => each ?? []);
}

/** The least time that the requests of the first up take. */
function latencyOf(peer: PeerResult): number {
  return ((peer.phases["first up"]?.requests ?? 0) * latencySeconds) / atOnce;
}

class Comparison {
  private readonly ours: PeerResult | undefined;
  private readonly theirs: PeerResult | undefined;

  constructor(
    private readonly result: PeersResult,
    private readonly name: string,
    private readonly other: string,
  ) {
    this.ours = result.peers.find(({ peer }) => peer === name);
    this.theirs = result.peers.find(({ peer }) => peer === other);
  }

  /** @param without seconds of this package to subtract */
  time(
    phase: PhaseName,
    goal: Goal | undefined,
    without: (peer: PeerResult) => number = () => 0,
  ): PeerFigure | undefined {
    const label = without === latencyOf ? `${phase}, without the service's latency` : phase;
    const figure = this.of(
      label,
      (peer) => {
        const seconds = peer.phases[phase]?.wallSeconds;
        return seconds === undefined ? undefined : seconds - (peer === this.ours ? without(peer) : 0);
      },
      goal,
    );
    const cpuRatio = this.ratio((peer) => peer.phases[phase]?.cpuSeconds);
    return figure && { ...figure, cpuRatio };
  }

  of(label: string, read: (peer: PeerResult) => number | undefined, goal: Goal | undefined): PeerFigure | undefined {
    const value = this.ratio(read);
    if (value === undefined) {
      return undefined;
    }
    const name = `${this.name} against ${this.other}: ${label}`;
    return { name, tasks: this.result.tasks, value, unit: "x", goal, note: this.theirs?.note };
  }

  private ratio(read: (peer: PeerResult) => number | undefined): number | undefined {
    const ours = this.ours && read(this.ours);
    const theirs = this.theirs && read(this.theirs);
    return ours === undefined || theirs === undefined || theirs === 0 ? undefined : ours / theirs;
  }
}
