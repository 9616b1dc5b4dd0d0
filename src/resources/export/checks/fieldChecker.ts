import type { FailedCheck, FieldFigures, RowStep } from "./checkedRows";
import { percent } from "./checkedRows";
import { DistinctValues, mostDistinctValues } from "./distinctValues";
import type { FieldChecks } from "./rowChecks";
import { RowCount } from "./rowCount";
import { isFilled, isOfType, textOf } from "./valueTypes";

/** Checks the values of one field. */
export class FieldChecker implements RowStep<unknown> {
  /** Whether a row has the field. */
  private occurs = false;
  private readonly empty = new RowCount();
  private readonly wrongType = new RowCount();
  private readonly unmatched = new RowCount();
  private readonly repeated = new RowCount();
  private readonly pattern: RegExp | undefined;
  private readonly distinct: DistinctValues | undefined;
  /** The row whose value the pattern could not be matched with in time. */
  private stoppedAt: number | undefined;
  /** Whether a value could not be compared with all values before. */
  private overflowed = false;

  constructor(
    readonly name: string,
    private readonly checks: FieldChecks,
    mostDistinct = mostDistinctValues,
  ) {
    const { pattern, unique } = checks;
    this.pattern = pattern === undefined ? undefined : new RegExp(pattern, "u");
    this.distinct = unique === true ? new DistinctValues(mostDistinct) : undefined;
  }

  get mayNotEnd(): boolean {
    return this.pattern !== undefined;
  }

  /** @param value undefined if the row does not have the field */
  add(value: unknown, number: number): void {
    // The pattern comes first: if its time runs out, the row has not been counted.
    const filled = isFilled(value);
    const isUnmatched = filled && this.stoppedAt === undefined && this.pattern?.test(textOf(value)) === false;
    this.occurs ||= value !== undefined;
    if (!filled) {
      this.empty.note(number);
      return;
    }
    if (isUnmatched) {
      this.unmatched.note(number);
    }
    const { type } = this.checks;
    if (type !== undefined && !isOfType[type](value)) {
      this.wrongType.note(number);
    }
    if (this.distinct !== undefined) {
      const wasFull = this.distinct.isFull;
      if (!this.distinct.add(textOf(value))) {
        this.repeated.note(number);
      } else if (wasFull) {
        this.overflowed = true;
      }
    }
  }

  stop(number: number): void {
    this.stoppedAt = number;
  }

  /** @param namesOfRows the names of fields that rows have */
  failed(rows: number, namesOfRows: () => readonly string[]): FailedCheck[] {
    const { filled = 0, type } = this.checks;
    const { empty, wrongType, unmatched, repeated } = this;
    const at = `fields.${this.name}`;
    if (rows > 0 && !this.occurs && this.checks.filled !== 0) {
      // biome-ignore lint/style/noCommonJs: loaded for a field that no row has. Most exports need no likely name.
      const { didYouMean } = require("../../likelyName") as typeof import("../../likelyName");
      return [{ check: at, reason: `no row has this field${didYouMean(this.name, namesOfRows())}` }];
    }
    const values = rows - empty.count;
    const wrong = (check: string, { count }: RowCount, reason: () => string): FailedCheck[] =>
      count === 0 ? [] : [{ check: `${at}.${check}`, reason: `${count} of ${values} values ${reason()}` }];
    return [
      ...(this.share(rows) >= filled
        ? []
        : [
            {
              check: `${at}.filled`,
              reason: `${empty.count} of ${rows} rows have no value (${empty.inWords()}); at least ${percent(filled)} must have one`,
            },
          ]),
      ...wrong("type", wrongType, () => `are not of type "${type}" (${wrongType.inWords()})`),
      ...wrong("pattern", unmatched, () => `do not match (${unmatched.inWords()})`),
      ...(this.stoppedAt === undefined
        ? []
        : [
            {
              check: `${at}.pattern`,
              reason: `could not be matched in time with the value of row ${this.stoppedAt}: use a pattern without repetitions within repetitions`,
            },
          ]),
      ...wrong("unique", repeated, () => `have occurred before (${repeated.inWords()})`),
      ...(this.overflowed
        ? [{ check: `${at}.unique`, reason: `more than ${this.distinct?.size} different values cannot be compared` }]
        : []),
    ];
  }

  figures(rows: number): FieldFigures {
    const { type, pattern, unique } = this.checks;
    return {
      filled: this.share(rows),
      empty: this.empty.count,
      ...(type !== undefined && { wrongType: this.wrongType.count }),
      ...(pattern !== undefined && { unmatched: this.unmatched.count }),
      ...(unique === true && { repeated: this.repeated.count }),
    };
  }

  private share(rows: number): number {
    return rows === 0 ? 1 : (rows - this.empty.count) / rows;
  }
}
