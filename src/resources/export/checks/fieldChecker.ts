import { hash } from "node:crypto";
import type { FailedCheck, FieldFigures } from "../../../rows/checkedRows";
import { failedIf, percent, RowCount } from "../../../rows/checkedRows";
import { isFilled, isOfType } from "../../../rows/formats/valueTypes";
import type { Row } from "../../../service/contract/types";
import { didYouMean } from "../../../values/words";
import type { FieldChecks } from "./rowChecks";

/** Values that `unique` remembers. They need about 120 MB. */
const mostDistinctValues = 2_000_000;

/** Longer values are remembered by their digests. */
const longestRemembered = 16;

export class FieldChecker {
  /** Whether a row has the field. */
  private occurs = false;
  private readonly empty = new RowCount();
  private readonly wrongType = new RowCount();
  /** The rows whose value has occurred before. */
  private readonly repeated = new RowCount();
  /** Each value, or 64 bits of its digest, so that the memory does not depend on the length of values. */
  private readonly values = new Set<string>();
  private hasTooMany = false;

  constructor(
    readonly name: string,
    private readonly checks: FieldChecks,
    /** The filled share in the last file that was accepted. */
    private readonly lastFilled?: number,
    private readonly mostDistinct = mostDistinctValues,
  ) {}

  /** @param before number of rows before these */
  add(rows: readonly Row[], before: number): void {
    const { name } = this;
    const { type, unique } = this.checks;
    // Such as constructor, which each row has. To ask each row takes longer than to read it.
    const isInherited = name in {};
    let row = before;
    for (const each of rows) {
      row++;
      const value = isInherited && !Object.hasOwn(each, name) ? undefined : each[name];
      this.occurs ||= value !== undefined;
      if (!isFilled(value)) {
        this.empty.note(row);
        continue;
      }
      if (type !== undefined && !isOfType[type](value)) {
        this.wrongType.note(row);
      }
      if (unique === true) {
        this.noteDistinct(typeof value === "string" ? value : JSON.stringify(value), row);
      }
    }
  }

  private noteDistinct(text: string, row: number): void {
    const value = text.length <= longestRemembered ? text : hash("sha256", text, "binary").slice(0, 8);
    if (this.values.has(value)) {
      this.repeated.note(row);
    } else if (this.values.size === this.mostDistinct) {
      this.hasTooMany = true;
    } else {
      this.values.add(value);
    }
  }

  /** @param names names of fields that rows have */
  failed(rows: number, names: readonly string[]): FailedCheck[] {
    const last =
      this.lastFilled === undefined
        ? ""
        : `; filled: ${percent(this.share(rows))} now, ${percent(this.lastFilled)} in the last accepted file`;
    return this.found(rows, names).map(({ check, reason }, index) => ({
      check,
      reason: reason + (index === 0 ? last : ""),
    }));
  }

  private found(rows: number, names: readonly string[]): FailedCheck[] {
    const { filled, type } = this.checks;
    const { empty, wrongType, repeated } = this;
    const check = `fields.${this.name}`;
    if (!this.occurs && filled !== 0) {
      const reason = rows === 0 ? "there are no rows" : `no row has this field${didYouMean(this.name, names)}`;
      return [{ check, reason }];
    }
    const without = `${empty.count} of ${rows} rows have no value (${empty.describe()}); at least ${percent(filled ?? 0)} must have one`;
    const wrong = (found: RowCount, what: string): string =>
      `${found.count} of ${rows - empty.count} values ${what} (${found.describe()})`;
    return [
      ...failedIf(this.share(rows) < (filled ?? 0), `${check}.filled`, without),
      ...failedIf(wrongType.count > 0, `${check}.type`, wrong(wrongType, `are not of type "${type}"`)),
      ...failedIf(repeated.count > 0, `${check}.unique`, wrong(repeated, "have occurred before")),
      ...failedIf(
        this.hasTooMany,
        `${check}.unique`,
        `more than ${this.mostDistinct} different values cannot be compared`,
      ),
    ];
  }

  figures(rows: number): FieldFigures {
    const { type, unique } = this.checks;
    return {
      filled: this.share(rows),
      empty: this.empty.count,
      ...(type !== undefined && { wrongType: this.wrongType.count }),
      ...(unique === true && { repeated: this.repeated.count }),
    };
  }

  private share(rows: number): number {
    return rows === 0 ? 0 : (rows - this.empty.count) / rows;
  }
}
