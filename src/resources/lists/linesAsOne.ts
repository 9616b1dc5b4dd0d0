import type { ArgSpecs, Shape } from "../args";
import { entryOf, isPlainMap } from "../values";

/** What to send for a list that is no plain one, by the names of fields. `derived`: what `check` derives from it. */
type OtherList = (name: string, list: unknown, derived: readonly string[]) => Record<string, unknown>;

/**
 * Arguments with one string for each list of lines, as `check` makes it. One string is far less work for the program
 * and the engine than a message for each item.
 */
export function linesAsOne(
  specs: ArgSpecs,
  args: Readonly<Record<string, unknown>>,
  other: OtherList,
): Record<string, unknown> {
  const derived = Object.keys(specs).filter((name) => specs[name]?.derived);
  const fields = Object.entries(args).flatMap(([name, value]) => {
    const kind = entryOf(specs, name)?.kind;
    if (kind?.is === "list" && kind.isLines === true && value !== undefined) {
      return isPlainList(value) ? [[name, value.join("\n")]] : Object.entries(other(name, value, derived));
    }
    return [[name, kind === undefined ? value : linesWithin(kind, value, other)]];
  });
  return Object.fromEntries(fields);
}

function linesWithin(kind: Shape, value: unknown, other: OtherList): unknown {
  if (!isPlainMap(value)) {
    return value;
  }
  if (kind.is === "map") {
    const entries = Object.entries(value).map(([key, each]) => [key, linesWithin(kind.of, each, other)]);
    return Object.fromEntries(entries);
  }
  return kind.is === "object" ? linesAsOne(kind.fields, value, other) : value;
}

/**
 * Whether each item is known, not secret, and a string that `check` accepts. `check` names an invalid item by its
 * index, so such a list stays a list.
 */
function isPlainList(list: unknown): list is string[] {
  return (
    Array.isArray(list) &&
    list.length > 0 &&
    list.every((item) => typeof item === "string" && item.trim() !== "" && !/[\r\n]/.test(item))
  );
}
