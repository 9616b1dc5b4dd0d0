import { isOfType } from "../checks/valueTypes";
import type { ColumnType } from "./format";

export const columnTypes: readonly ColumnType[] = ["string", "int64", "double", "boolean", "date", "timestamp"];

/** A value as a Parquet writer takes it. */
export type ColumnValue = string | number | bigint | boolean;

/**
 * What each type makes of the text of a value: the content of a string, or the JSON of any other value. Undefined if the value does not fit. Nothing is
 * rounded, cut or guessed.
 */
export const convertTo: Record<Exclude<ColumnType, "string">, (text: string) => ColumnValue | undefined> = {
  int64: toInt64,
  double: toDouble,
  boolean: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  date: toDays,
  timestamp: toMicroseconds,
};

const [least, greatest] = [-(2n ** 63n), 2n ** 63n - 1n];

function toInt64(text: string): bigint | undefined {
  if (!isOfType.integer(text)) {
    return undefined;
  }
  const value = BigInt(text);
  return value >= least && value <= greatest ? value : undefined;
}

/** A double keeps 15 digits of any number, and more of some. */
function toDouble(text: string): number | undefined {
  if (!isOfType.number(text)) {
    return undefined;
  }
  const value = Number(text);
  const isExact = (text.length <= 15 && !/e/i.test(text)) || digitsOf(text) === digitsOf(String(value));
  return Number.isFinite(value) && isExact ? value : undefined;
}

/** The digits of a number without those that its exponent stands for. */
function digitsOf(text: string): string {
  const [number = ""] = text.toLowerCase().split("e");
  const digits = number.replaceAll("-", "").replaceAll(".", "");
  let [from, to] = [0, digits.length];
  while (digits[from] === "0") from++;
  while (to > from && digits[to - 1] === "0") to--;
  return digits.slice(from, to);
}

const msPerDay = 24 * 60 * 60 * 1000;

function toDays(text: string): number | undefined {
  return text.length === 10 && isOfType.date(text) ? Date.parse(text) / msPerDay : undefined;
}

/** The date-time needs an offset: otherwise it is no moment. Node.js knows no leap seconds, and no part of a millisecond. */
function toMicroseconds(text: string): bigint | undefined {
  if (text.length < 20 || !isOfType.date(text)) {
    return undefined;
  }
  const offsetAt = text.length - (/z$/i.test(text) ? 1 : 6);
  const fraction = text.slice(20, Math.max(20, offsetAt));
  const ms = Date.parse(`${text.slice(0, 19)}${text.slice(offsetAt)}`.toUpperCase());
  const isMicroseconds = /^\d{0,6}0*$/.test(fraction);
  return Number.isNaN(ms) || !isMicroseconds
    ? undefined
    : BigInt(ms) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, "0"));
}
