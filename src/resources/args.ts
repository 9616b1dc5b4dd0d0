/**
 * What a resource takes: one spec for each argument, from which the checks, the replaces of a diff and later a schema are derived.
 *
 * Every problem is found in one pass and named by its property path. A value that a preview doesn't know yet is accepted everywhere.
 */

/** A value that is not known yet: an output of a resource that a preview has not created. */
export const unknown: unique symbol = Symbol("unknown value");

/** The value with something else in the place of each that is meant, in lists and maps of any depth. */
export function replaceEach(value: unknown, isMeant: (value: unknown) => boolean, by: unknown): unknown {
  if (isMeant(value)) {
    return by;
  }
  if (Array.isArray(value)) {
    return value.map((each) => replaceEach(each, isMeant, by));
  }
  return isMap(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaceEach(each, isMeant, by)]))
    : value;
}

/** One thing wrong with the arguments: `actions.open.properties.Url`, and what is allowed there. Never holds the value itself. */
export interface Problem {
  path: string;
  reason: string;
}

export type ValueCheck = (value: unknown, path: string, problems: Problem[]) => void;

export interface ArgSpec {
  check: ValueCheck;
  required?: boolean;
  /** Says where it comes from: what exists can be looked up without. */
  makes?: boolean;
  /** A changed value makes the engine replace the resource. */
  replaces?: boolean;
  /** Not written by the user: `check` adds it to the arguments, so that a diff shows that it changed. */
  derived?: boolean;
  /** A list that `check` makes one text of, or a map with such lists in it, under the names `items` and `urls`. */
  list?: boolean;
  /** Says how the resource is managed, not what it is: a change makes no call and repeats no work. */
  option?: boolean;
}

export type ArgsSpec = Readonly<Record<string, ArgSpec>>;

/** Names the kind of a value without showing it: a value may be a secret. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) {
    return "nothing";
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? "an empty list" : "a list";
  }
  if (value === "") {
    return "an empty text";
  }
  return { string: "a text", number: "a number", boolean: "true or false" }[typeof value as string] ?? "a map";
}

function expected(what: string, matches: (value: unknown) => boolean): ValueCheck {
  return (value, path, problems) => {
    if (value !== unknown && !matches(value)) {
      problems.push({ path, reason: `must be ${what}, is ${kindOf(value)}` });
    }
  };
}

/** A text that isn't empty. */
export const text: ValueCheck = expected(
  "a text that is not empty",
  (value) => typeof value === "string" && value !== "",
);

/** Any text; an empty one is a value like any other. */
export const anyText: ValueCheck = expected("a text", (value) => typeof value === "string");

export const flag: ValueCheck = expected("true or false", (value) => typeof value === "boolean");

export const anything: ValueCheck = () => {};

export function choice(...allowed: readonly string[]): ValueCheck {
  const listed = allowed.map((word) => `"${word}"`).join(" or ");
  return (value, path, problems) => {
    if (value !== unknown && !(typeof value === "string" && allowed.includes(value))) {
      const given = typeof value === "string" && value !== "" ? "another text" : kindOf(value);
      problems.push({ path, reason: `must be ${listed}, is ${given}` });
    }
  };
}

export function numberFrom(least: number, what = "a number"): ValueCheck {
  return (value, path, problems) => {
    if (value !== unknown && !(typeof value === "number" && Number.isFinite(value) && value >= least)) {
      const given = typeof value === "number" ? "another number" : kindOf(value);
      problems.push({ path, reason: `must be ${what} of at least ${least}, is ${given}` });
    }
  };
}

export function wholeNumberFrom(least: number): ValueCheck {
  return (value, path, problems) => {
    numberFrom(least, "a whole number")(value, path, problems);
    if (typeof value === "number" && value >= least && !Number.isInteger(value)) {
      problems.push({ path, reason: "must be a whole number, is another number" });
    }
  };
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a map holds under a name of the user's: `map[key]` would also find what every object has, such as `constructor`. */
export function entryOf<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** A list of at least one element. */
export function listOf(element: ValueCheck): ValueCheck {
  return (value, path, problems) => {
    if (value === unknown) {
      return;
    }
    if (!Array.isArray(value) || value.length === 0) {
      problems.push({ path, reason: `must be a list that is not empty, is ${kindOf(value)}` });
      return;
    }
    value.forEach((each, index) => {
      element(each, `${path}[${index}]`, problems);
    });
  };
}

/** A map of at least one entry; its keys are the user's (action ids, property names). */
export function mapOf(entry: ValueCheck): ValueCheck {
  return (value, path, problems) => {
    if (value === unknown) {
      return;
    }
    if (!isMap(value) || Object.keys(value).length === 0) {
      const given = isMap(value) ? "an empty map" : kindOf(value);
      problems.push({ path, reason: `must be a map that is not empty, is ${given}` });
      return;
    }
    for (const [key, each] of Object.entries(value)) {
      entry(each, `${path}.${key}`, problems);
    }
  };
}

/** An object with fields of known names. */
export function objectOf(spec: ArgsSpec): ValueCheck {
  return (value, path, problems) => {
    if (value === unknown) {
      return;
    }
    if (!isMap(value)) {
      problems.push({ path, reason: `must be a map, is ${kindOf(value)}` });
      return;
    }
    checkFields(spec, value, path, problems);
  };
}

/** Checks all fields of `args` against `spec`; unknown names are problems too, for they are mostly a slip of the pen. */
export function checkFields(spec: ArgsSpec, args: Record<string, unknown>, path: string, problems: Problem[]): void {
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  for (const name of Object.keys(args)) {
    if (args[name] !== undefined && !Object.hasOwn(spec, name)) {
      const known = Object.keys(spec).filter((each) => !spec[each]?.derived);
      problems.push({ path: at(name), reason: `is not a property of it. Known: ${known.join(", ")}` });
    }
  }
  for (const [name, field] of Object.entries(spec)) {
    const value = args[name];
    if (value !== undefined && value !== null) {
      if (!field.derived) {
        field.check(value, at(name), problems);
      }
    } else if (field.required) {
      problems.push({ path: at(name), reason: "is missing" });
    }
  }
}

/** All problems are to be found at once: what is wrong already, or missing, is looked at no further, as if it were not known yet. */
export function withoutWrong(value: unknown, problems: readonly Problem[], path = ""): unknown {
  if (path !== "" && problems.some((problem) => problem.path === path)) {
    return unknown;
  }
  const inside = problems.filter((problem) => isWithin(problem.path, path));
  if (inside.length === 0) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((each, index) => withoutWrong(each, inside, `${path}[${index}]`));
  }
  if (!isMap(value)) {
    return unknown;
  }
  const begin = path === "" ? "" : `${path}.`;
  const entries = Object.entries(value).map(
    ([name, each]) => [name, withoutWrong(each, inside, begin + name)] as const,
  );
  const isThere = (problem: Problem): boolean =>
    entries.some(([name]) => problem.path === begin + name || isWithin(problem.path, begin + name));
  const missing = inside.filter((problem) => !isThere(problem)).map((problem) => problem.path.slice(begin.length));
  return Object.fromEntries([...entries, ...missing.map((name) => [name, unknown])]);
}

function isWithin(path: string, outer: string): boolean {
  return outer === "" || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}

/** An object's fields without those that are given as nothing, which is the same as not to give them. */
export function given<T>(fields: T): T {
  const entries = isMap(fields) ? Object.entries(fields) : undefined;
  return entries === undefined ? fields : (Object.fromEntries(entries.filter(([, value]) => value !== null)) as T);
}

/** True if both are known and differ: what is unknown in a preview may turn out the same, so it alone never replaces anything. */
export function differs(before: unknown, now: unknown): boolean {
  return !holdsUnknown(before) && !holdsUnknown(now) && canonical(before) !== canonical(now);
}

/** True if the value, or anything in it, is not known yet. */
export function holdsUnknown(value: unknown): boolean {
  if (value === unknown) {
    return true;
  }
  return typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown);
}

/** A text that is the same for equal values, whatever the order of their keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (isMap(value)) {
    const entries = Object.entries(value).filter(([, each]) => each !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(",")}}`;
  }
  return value === undefined || value === null ? "null" : (JSON.stringify(value) ?? "null");
}

/** The arguments that a resource's work is made of; options change none of it. */
export function workArgs(spec: ArgsSpec, from: object): Record<string, unknown> {
  const names = Object.keys(spec).filter((name) => !spec[name]?.option);
  return Object.fromEntries(names.map((name) => [name, (from as Record<string, unknown>)[name]]));
}

/** The arguments that differ between two versions of a resource, options left out: those change no work that was done. */
export function changedArgs(spec: ArgsSpec, before: object, now: object): string[] {
  const old = workArgs(spec, before);
  return Object.entries(workArgs(spec, now)).flatMap(([name, value]) =>
    canonical(old[name]) === canonical(value) ? [] : [name],
  );
}
