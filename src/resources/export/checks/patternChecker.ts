import type { RowStep } from "./checkedRows";
import { RowCount } from "./rowCount";
import { isFilled, textOf } from "./valueTypes";

/** Matches the values of one field with a pattern. */
export class PatternChecker implements RowStep<unknown> {
  readonly unmatched = new RowCount();
  /** The row whose value the pattern could not be matched with in time. */
  stoppedAt: number | undefined;
  private readonly pattern: RegExp;

  constructor(pattern: string) {
    this.pattern = new RegExp(pattern, "u");
  }

  add(value: unknown, row: number): void {
    if (this.stoppedAt === undefined && isFilled(value) && !this.pattern.test(textOf(value))) {
      this.unmatched.note(row);
    }
  }

  stop(row: number): void {
    this.stoppedAt = row;
  }
}
