import type * as described from "../generated/admin";
import type { StoredRun } from "../store/store";
import { isRunning } from "../store/store";
import { countSubtasks } from "../store/subtaskCounts";

/** The state of a run at one time. */
export interface ProgressSample extends described.ProgressSample {}

interface Measured {
  samples: ProgressSample[];
  /** Least time between two samples. Doubles when there are too many. */
  intervalMs: number;
}

const mostSamples = 240;
const mostRuns = 100;
const firstIntervalMs = 100;

/** Measures the latest runs while they work. Keeps a bounded number of samples of each, in memory only. */
export class RunProgress {
  private readonly measured = new Map<string, Measured>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Called after each change of a run. */
  record(run: StoredRun): void {
    const known = this.measured.get(run.lotNo) ?? this.begin(run.lotNo);
    const at = this.now();
    const last = known.samples.at(-1);
    // The end of a run is a sample of its own. Others are not even counted, because a run can have a thousand subtasks and a million pages.
    if (last !== undefined && at - last.at < known.intervalMs && isRunning(run)) return;
    const sample = sampleOf(run, at);
    if (last !== undefined && isSame(last, sample)) return;
    known.samples.push(sample);
    if (known.samples.length > mostSamples) {
      known.samples = known.samples.filter((_, index) => index % 2 === 0);
      known.intervalMs *= 2;
    }
  }

  /** The samples of a run, in their order. The last one is its present state. */
  of(run: StoredRun): ProgressSample[] {
    const samples = this.measured.get(run.lotNo)?.samples ?? [];
    const last = samples.at(-1);
    const present = sampleOf(run, this.now());
    // A finished run does not get longer by waiting.
    return last !== undefined && isSame(last, present) && !isRunning(run) ? [...samples] : [...samples, present];
  }

  clear(): void {
    this.measured.clear();
  }

  private begin(lotNo: string): Measured {
    const fresh: Measured = { samples: [], intervalMs: firstIntervalMs };
    this.measured.set(lotNo, fresh);
    const [oldest] = this.measured.keys();
    if (this.measured.size > mostRuns && oldest !== undefined) this.measured.delete(oldest);
    return fresh;
  }
}

function sampleOf(run: StoredRun, at: number): ProgressSample {
  return { at, rows: run.rows.length, subtasks: countSubtasks(run) };
}

function isSame(one: ProgressSample, other: ProgressSample): boolean {
  return one.rows === other.rows && JSON.stringify(one.subtasks) === JSON.stringify(other.subtasks);
}
