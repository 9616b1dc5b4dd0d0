export type FieldType = "number" | "integer" | "date" | "url";

/** Whether a value is more than a missing one, null, and a blank string. */
export function isFilled(value: unknown): boolean {
  if (typeof value !== "string") {
    return value !== undefined && value !== null;
  }
  const first = value.charCodeAt(0);
  // Most strings begin with a printable character of ASCII, which takes less time to see than to match.
  return (first > 0x20 && first < 0x7f) || /\S/.test(value);
}

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const integer = /^-?(?:0|[1-9]\d*)$/;
/** RFC 3339, to which JSON Schema refers: a date, or a date with a time and an offset. 60 seconds are a leap second. */
const date =
  /^\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/i;
const url = /^https?:\/\/[^\s/?#]\S*$/i;

/** Whether a value that is filled has the type. */
export const isOfType: Record<FieldType, (value: unknown) => boolean> = {
  number: (value) => typeof value === "number" || (typeof value === "string" && number.test(value)),
  integer: (value) => (typeof value === "string" ? integer.test(value) : Number.isInteger(value)),
  date: (value) => typeof value === "string" && date.test(value) && isDay(value.slice(0, 10)),
  url: (value) => typeof value === "string" && url.test(value),
};

/** Node.js takes 30 February for 1 March. */
function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
