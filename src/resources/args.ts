/**
 * What a resource takes: one spec for each argument, from which the checks, the replaces of a diff and later a schema are derived.
 *
 * Every problem is found in one pass and named by its property path. A value that a preview doesn't know yet is accepted everywhere.
 */

import { canonical, isMap, kindOf, unknown } from "./values";

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
