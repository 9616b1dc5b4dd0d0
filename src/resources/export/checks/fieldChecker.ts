import type { Row } from "../../../service/contract/types";
import { didYouMean } from "../../../service/errors/likelyName";
import type { FailedCheck, FieldFigures } from "./checkedRows";
import { failedIf, percent } from "./checkedRows";
import { DistinctValues, mostDistinctValues } from "./distinctValues";
import type { FieldChecks } from "./rowChecks";
import { RowCount } from "./rowCount";
import { isFilled, isOfType, textOf } from "./valueTypes";

/** Checks the values of one field. */
export class FieldChecker {
  /** Whether a row has the field. */
  private occurs = false;
  private readonly empty = new RowCount();
  private readonly wrongType = new RowCount();
  private readonly distinct: DistinctValues | undefined;

  constructor(
    readonly name: string,
    private readonly checks: FieldChecks,
    /** The filled share in the last file that was accepted. */
    private readonly lastFilled?: number,
    mostDistinct = mostDistinctValues,
  ) {
    this.distinct = checks.unique === true ? new DistinctValues(mostDistinct) : undefined;
  }

  /** @param before number of rows before these */
  add(rows: readonly Row[], before: number): void {
    const { name } = this;
    // Such as constructor, which each row has. To ask each row takes longer than to read it.
    const isInherited = name in {};
    const { type } = this.checks;
    const fits = type === undefined ? undefined : isOfType[type];
    let row = before;
    for (const each of rows) {
      row++;
      const value = isInherited && !Object.hasOwn(each, name) ? undefined : each[name];
      this.occurs ||= value !== undefined;
      if (!isFilled(value)) {
        this.empty.note(row);
        continue;
      }
      if (fits?.(value) === false) {
        this.wrongType.note(row);
      }
      this.distinct?.add(textOf(value), row);
    }
  }

  /** @param names names of fields that rows have */
  failed(rows: number, names: readonly string[]): FailedCheck[] {
    const [first, ...others] = this.found(rows, names);
    if (first === undefined || this.lastFilled === undefined) {
      return first === undefined ? [] : [first, ...others];
    }
    const shares = `filled: ${percent(this.share(rows))} now, ${percent(this.lastFilled)} in the last accepted file`;
    return [{ ...first, reason: `${first.reason}; ${shares}` }, ...others];
  }

  private found(rows: number, names: readonly string[]): FailedCheck[] {
    const { filled = 0, type } = this.checks;
    const { empty, wrongType, distinct } = this;
    const at = `fields.${this.name}`;
    if (rows === 0) {
      return this.checks.filled === 0 ? [] : [{ check: at, reason: "there are no rows" }];
    }
    if (!this.occurs && this.checks.filled !== 0) {
      return [{ check: at, reason: `no row has this field${didYouMean(this.name, names)}` }];
    }
    const values = rows - empty.count;
    const wrong = (check: string, found: RowCount | undefined, what: string): FailedCheck[] =>
      found === undefined
        ? []
        : failedIf(
            found.count > 0,
            `${at}.${check}`,
            `${found.count} of ${values} values ${what} (${found.describe()})`,
          );
    const without = `${empty.count} of ${rows} rows have no value (${empty.describe()})`;
    return [
      ...failedIf(this.share(rows) < filled, `${at}.filled`, `${without}; at least ${percent(filled)} must have one`),
      ...wrong("type", wrongType, `are not of type "${type}"`),
      ...wrong("unique", distinct?.repeated, "have occurred before"),
      ...failedIf(
        distinct?.overflowed === true,
        `${at}.unique`,
        `more than ${distinct?.most} different values cannot be compared`,
      ),
    ];
  }

  figures(rows: number): FieldFigures {
    const { type } = this.checks;
    const { distinct } = this;
    return {
      filled: this.share(rows),
      empty: this.empty.count,
      ...(type !== undefined && { wrongType: this.wrongType.count }),
      ...(distinct !== undefined && { repeated: distinct.repeated.count }),
    };
  }

  private share(rows: number): number {
    return rows === 0 ? 0 : (rows - this.empty.count) / rows;
  }
}
