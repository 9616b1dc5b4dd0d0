import type { SchemaElement } from "hyparquet";
import { isOfType } from "../checks/valueTypes";
import type { ColumnType } from "./format";

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
