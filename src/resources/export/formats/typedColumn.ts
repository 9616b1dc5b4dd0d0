import { RowCount, RowsRefused } from "../checks/checkedRows";
import type { ColumnType } from "./format";

/** A column whose values have a type, as its format stores them. */
export class TypedColumn<T> {
  private readonly misfits = new RowCount();
  /** Number of values. */
  private count = 0;

  /** @param convert from the text of a cell. Undefined if it does not fit: nothing is rounded, cut or guessed */
  constructor(
    readonly name: string,
    readonly type: ColumnType,
    private readonly convert: (text: string) => T | undefined,
  ) {}

  /**
   * Undefined without a value, and for one that does not fit. In a column with a type, a blank text is no value: in
   * many rows, a field without a value is an empty string.
   */
  valueOf(text: string, line: number): T | undefined {
    if (this.type !== "string" && !/\S/.test(text)) {
      return undefined;
    }
    this.count++;
    const value = this.convert(text);
    if (value === undefined) {
      this.misfits.note(line);
    }
    return value;
  }

  /** @throws RowsRefused if values do not fit their types */
  static requireFit(columns: readonly TypedColumn<unknown>[]): void {
    const failed = columns.flatMap(({ name, type, misfits, count }) =>
      misfits.count === 0
        ? []
        : [{ check: name, reason: `${misfits.count} of ${count} values do not fit "${type}" (${misfits.describe()})` }],
    );
    if (failed.length > 0) {
      throw new RowsRefused(failed, "columns");
    }
  }
}

/** The type of a column. A field can have the name of a property of every object. */
export function typeOf(types: Readonly<Record<string, ColumnType>>, name: string): ColumnType {
  return (Object.hasOwn(types, name) ? types[name] : undefined) ?? "string";
}
