/** Values of arguments and states: plain data of any depth. In a preview, any part can be unknown. */

/** Stands for a value that a preview does not know: the output of a resource that does not exist yet. */
export const unknown: unique symbol = Symbol("unknown value");

/** Whether a value is an object and neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Replaces each part that matches, at any depth of lists and maps. */
export function replaceEach(value: unknown, matches: (value: unknown) => boolean, by: unknown): unknown {
  if (matches(value)) {
    return by;
  }
  if (Array.isArray(value)) {
    return value.map((each) => replaceEach(each, matches, by));
  }
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaceEach(each, matches, by)]))
    : value;
}

/** The entry under a key that a user chose. `map[key]` would also find inherited members such as `constructor`. */
export function entryOf<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** The value at a property path, such as `loop.items[0]`; undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  const names = path.split(/[.[\]]+/).filter((name) => name !== "");
  const within = (found: unknown, name: string): unknown =>
    typeof found === "object" && found !== null ? entryOf({ ...found } as Record<string, unknown>, name) : undefined;
  return names.reduce(within, value);
}

/**
 * True if both values are known and differ. An unknown value can turn out to be equal, so it never counts as a
 * difference.
 */
export function differs(before: unknown, now: unknown): boolean {
  return !holdsUnknown(before) && !holdsUnknown(now) && canonical(before) !== canonical(now);
}

/** True if the value or any part of it is unknown. */
export function holdsUnknown(value: unknown): boolean {
  if (value === unknown) {
    return true;
  }
  return typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown);
}

/** A string that is equal for equal values, whatever the order of their keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (isRecord(value)) {
    const entries = Object.entries(value).filter(([, each]) => each !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(",")}}`;
  }
  return value === undefined || value === null ? "null" : (JSON.stringify(value) ?? "null");
}

/** Whether a value is a map as in JSON, and not an object of a class, such as an output, a promise or a resource. */
export function isPlainMap(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The strings of a list; none if the value is no list. */
export function listOfStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** The value of a key, made at its first use. */
export function madeOnce<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
