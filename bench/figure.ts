/** A goal for a figure. */
export interface Goal {
  kind: "under" | "at most" | "at least";
  /** In the figure's unit. */
  value: number;
}

export const under = (value: number): Goal => ({ kind: "under", value });
export const atMost = (value: number): Goal => ({ kind: "at most", value });
export const atLeast = (value: number): Goal => ({ kind: "at least", value });

/** One measured value. */
export interface Figure {
  /** What was measured. The same in each try of a bench. */
  name: string;
  value: number;
  /** `MB` is 1,000,000 bytes; `x` is a ratio of two values of one try. */
  unit: "s" | "ms" | "cpu s" | "MB" | "bytes" | "modules" | "closures" | "rows/s" | "requests/s" | "requests" | "x";
  /** Undefined for a value that only explains others. */
  goal?: Goal;
}

/** A measurement with a name on the command line. */
export interface Bench {
  name: string;
  /** Description in the list of benches. */
  summary: string;
  /** Runs one try and removes its files. Throws if the work was not done, because its figures would mean nothing. */
  run(options: BenchOptions): Promise<Figure[]>;
}

/** What the command line says about single benches. */
export interface BenchOptions {
  /** Numbers of tasks, for the benches of stacks with many. */
  tasks?: readonly number[] | undefined;
}

/** Whether a figure meets its goal. A figure without a goal does. */
export function keepsGoal({ value, goal }: Figure): boolean {
  switch (goal?.kind) {
    case undefined:
      return true;
    case "under":
      return value < goal.value;
    case "at most":
      return value <= goal.value;
    case "at least":
      return value >= goal.value;
  }
}

/**
 * Combines several tries. Other work on the machine can only make times longer, so the best time and speed count. It affects both sides of a
 * ratio, so the median counts. It does not affect sizes, so the largest counts.
 */
export function sumUpTries(tries: readonly (readonly Figure[])[]): Figure[] {
  const [first = []] = tries;
  return first.map((figure) => {
    const values = tries.flatMap((figures) =>
      figures.filter(({ name }) => name === figure.name).map(({ value }) => value),
    );
    return { ...figure, value: theOneThatCounts(figure.unit, values) };
  });
}

function theOneThatCounts(unit: Figure["unit"], values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const last = sorted.length - 1;
  switch (unit) {
    case "s":
    case "ms":
    case "cpu s":
      return sorted[0] ?? Number.NaN;
    case "x":
      return sorted[Math.floor(last / 2)] ?? Number.NaN;
    default:
      return sorted[last] ?? Number.NaN;
  }
}
