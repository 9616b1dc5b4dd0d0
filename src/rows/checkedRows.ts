/** What the checks of an export have found. No value of a row is in it. */
export interface CheckedRows {
  /** Number of rows. */
  rows: number;
  /**
   * The checks that the rows did not pass, such as `minRows` and `fields.price.type`, in the order of the arguments.
   */
  failed: string[];
  /** The fields that have checks, by their names. */
  fields?: Record<string, FieldFigures>;
  /** Number of rows that the schema does not allow. Only with `schema`. */
  invalid?: number;
  /** Number of rows in the last export that passed its checks before this one. */
  lastPassed?: number;
}

/** What the checks of a field have found. */
export interface FieldFigures {
  /** Share of rows with a value; 0 if there are no rows. */
  filled: number;
  /** Number of rows without a value. */
  empty: number;
  /** Number of values of another type. Only with `type`. */
  wrongType?: number;
  /** Number of values that have occurred before. Only with `unique`. */
  repeated?: number;
}

/** A check that the rows did not pass, and why. */
export interface FailedCheck {
  check: string;
  reason: string;
}

export function failedIf(hasFailed: boolean, check: string, reason: string): FailedCheck[] {
  return hasFailed ? [{ check, reason }] : [];
}

/** The rows did not pass. */
export class RowsRefused extends Error {
  override readonly name = "RowsRefused";
  /** @param argument the argument that says what the rows must be like */
  constructor(
    readonly failed: readonly FailedCheck[],
    readonly argument: "checks" | "columns" | "format" = "checks",
  ) {
    super("The rows did not pass their checks.");
  }

  /** @throws RowsRefused if a check has failed */
  static throwIf(failed: readonly FailedCheck[], argument?: RowsRefused["argument"]): void {
    if (failed.length > 0) {
      throw new RowsRefused(failed, argument);
    }
  }
}

export function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))}%`;
}

const mostShown = 5;

/** Counts rows and remembers the numbers of the first ones. */
export class RowCount {
  count = 0;
  private readonly first: number[] = [];

  note(row: number): void {
    this.count++;
    if (this.first.length < mostShown) {
      this.first.push(row);
    }
  }

  /** The first rows, such as `rows 3, 8`. */
  describe(): string {
    const numbers = this.first.join(", ");
    return `row${this.count === 1 ? "" : "s"} ${numbers}${this.count > this.first.length ? ", …" : ""}`;
  }
}
