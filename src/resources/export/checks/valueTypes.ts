import { parsedUrl } from "../../../service/parsedUrl";
import type { FieldType } from "./rowChecks";

/** Whether a value is more than a missing one, null, and a blank string. */
export function isFilled(value: unknown): boolean {
  if (typeof value !== "string") {
    return value !== undefined && value !== null;
  }
  const first = value.charCodeAt(0);
  // Most strings begin with a printable character of ASCII, which takes less time to see than to match.
  return (first > 0x20 && first < 0x7f) || /\S/.test(value);
}

/** A value as text: a string as it is, any other value in its JSON form. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whether a value that is filled has the type. */
export const isOfType: Record<FieldType, (value: unknown) => boolean> = {
  number: (value) => typeof value === "number" || (typeof value === "string" && isNumber(value)),
  integer: (value) => (typeof value === "string" ? isInteger(value) : Number.isInteger(value)),
  date: (value) => typeof value === "string" && isDate(value),
  url: (value) => typeof value === "string" && isUrl(value),
};

function isNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

function isInteger(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)$/.test(text);
}

/** RFC 3339, to which JSON Schema refers: a date, or a date with a time and an offset. */
function isDate(text: string): boolean {
  const [date = "", time, ...more] = text.split(/t/i);
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date);
  if (parts === null || more.length > 0 || (time !== undefined && !isTime(time))) {
    return false;
  }
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** 60 seconds are a leap second. */
function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i.test(text);
}

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** The scheme and host of the last URL, with the slash that ends them. Most URLs of an export have the same. Every path after a valid host is valid. */
let lastOrigin = "";

/** The parser alone would also take white space around the URL, and `http:` without slashes. */
function isUrl(text: string): boolean {
  if (lastOrigin !== "" && text.startsWith(lastOrigin)) {
    return !/\s/.test(text);
  }
  const isValid = /^https?:\/\/\S+$/i.test(text) && parsedUrl(text) !== undefined;
  lastOrigin = isValid ? (/^https?:\/\/[^/\\?#]+\//i.exec(text)?.[0] ?? "") : lastOrigin;
  return isValid;
}
