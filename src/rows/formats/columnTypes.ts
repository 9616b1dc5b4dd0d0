import type { SchemaElement } from "hyparquet-writer";
import { failedIf, RowCount, RowsRefused } from "../checkedRows";
import type { ColumnType } from "./format";
import type { RowTable } from "./rowTable";
import { isOfType } from "./valueTypes";

/** A value as a Parquet writer takes it: a date in days, a timestamp in microseconds, since 1970. */
export type ColumnValue = string | number | bigint | boolean;

interface ColumnKind {
  element: Omit<SchemaElement, "name">;
  /**
   * From the content of a string, or the JSON of any other value. Undefined if the value does not fit: nothing is
   * rounded, cut or guessed.
   */
  convert(text: string): ColumnValue | undefined;
}

/** How each type is stored. */
export const columnKinds: Readonly<Record<ColumnType, ColumnKind>> = {
  string: {
    element: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
    convert: (text) => text,
  },
  int64: { element: { type: "INT64" }, convert: toInt64 },
  double: { element: { type: "DOUBLE" }, convert: toDouble },
  boolean: {
    element: { type: "BOOLEAN" },
    convert: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  },
  date: { element: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } }, convert: toDays },
  timestamp: {
    element: {
      type: "INT64",
      converted_type: "TIMESTAMP_MICROS",
      logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
    },
    convert: toMicroseconds,
  },
};

export const columnTypes = Object.keys(columnKinds) as ColumnType[];

function toInt64(text: string): bigint | undefined {
  if (!isOfType.integer(text)) {
    return undefined;
  }
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** A double keeps 15 digits of any number, and more of some. */
function toDouble(text: string): number | undefined {
  const value = Number(text);
  const isExact = text.length <= 15 ? value !== 0 || !/[1-9]/.test(text) : text === String(value);
  return isOfType.number(text) && Number.isFinite(value) && isExact ? value : undefined;
}

const msPerDay = 24 * 60 * 60 * 1000;

function toDays(text: string): number | undefined {
  return text.length === 10 && isOfType.date(text) ? Date.parse(text) / msPerDay : undefined;
}

/**
 * The date-time needs an offset: otherwise it is no moment. Node.js knows no leap seconds, and no part of a
 * millisecond.
 */
function toMicroseconds(text: string): bigint | undefined {
  const ms = text.length > 10 && isOfType.date(text) ? Date.parse(text.toUpperCase()) : Number.NaN;
  const [, micros = ""] = /\.\d{3}(\d{1,3})/.exec(text) ?? [];
  const isLonger = /\.\d{6}0*[1-9]/.test(text);
  return Number.isNaN(ms) || isLonger ? undefined : BigInt(ms) * 1000n + BigInt(micros.padEnd(3, "0"));
}

/**
 * A name that differs from that of a field in case only is misspelled: the field would be text, beside an empty column.
 * @throws RowsRefused
 */
export function requireNames(types: Readonly<Record<string, ColumnType>>, { names, absent }: RowTable): void {
  const failed = absent.flatMap((name) => {
    const isMeant = (field: string): boolean =>
      !Object.hasOwn(types, field) && field.toLowerCase() === name.toLowerCase();
    const field = names.find(isMeant);
    return failedIf(
      field !== undefined,
      name,
      `no row has this field; did you mean "${field}"? If both are fields, name both`,
    );
  });
  RowsRefused.throwIf(failed, "columns");
}

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
    const failed = columns.flatMap(({ name, type, misfits, count }) => {
      const reason = `${misfits.count} of ${count} values do not fit "${type}" (${misfits.describe()})`;
      return failedIf(misfits.count > 0, name, reason);
    });
    RowsRefused.throwIf(failed, "columns");
  }
}
