/** A limit that a figure has to keep. */
export interface Goal {
  kind: "under" | "at most" | "at least";
  /** In the figure's unit. */
  value: number;
}

/** One measured value. */
export interface Figure {
  /** What was measured. The same in each try of a bench. */
  name: string;
  value: number;
  /** `MB` is 1,000,000 bytes; `x` is a ratio of two values of one try. */
  unit: "s" | "cpu s" | "MB" | "bytes" | "modules" | "closures" | "rows/s" | "x";
  /** None where the value only explains others. */
  goal?: Goal;
}

/** One measurement with a name of its own on the command line. */
export interface Bench {
  name: string;
  /** What it does, for the list of benches. */
  summary: string;
  /** One try. Cleans up after itself. Throws where the work did not do what it should, for then its figures mean nothing. */
  run(): Promise<Figure[]>;
}

/** Whether a figure keeps its goal; one without a goal does. */
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
 * One list out of several tries. Other work on the machine only ever makes a time longer, so the best time and the best speed are the truest. A
 * ratio suffers on either side: the one in the middle counts. A size doesn't suffer: the worst one counts.
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
    case "cpu s":
      return sorted[0] ?? Number.NaN;
    case "x":
      return sorted[Math.floor(last / 2)] ?? Number.NaN;
    default:
      return sorted[last] ?? Number.NaN;
  }
}
