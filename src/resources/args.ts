/**
 * How arguments are described, each once. The check at run time, the diff and the tables of docs/reference are read from the
 * description. The meaning of an argument is the doc comment in the interface of the arguments. The type `ArgsSpec<…>` makes the
 * compiler compare the two: they must have the same names, the same types and the same required arguments. Where only some combinations of
 * arguments are valid, `Form<…>` names each of them for the compiler, beside the `check` that refuses the others.
 *
 * No schema library fits: zod, typebox and arktype take more than 40 ms to load. valibot takes 6 ms, but reports only the first unknown
 * name and silently drops the keys `constructor` and `__proto__` of a map.
 */

import { isRecord } from "../service/isRecord";
import { canonical, describeValue, unknown } from "./values";

/** What a value can be. */
export type Shape =
  | { readonly is: "any" }
  | { readonly is: "boolean" }
  | { readonly is: "string"; readonly isLine?: boolean }
  | { readonly is: "scalar" }
  | { readonly is: "number"; readonly min: number; readonly max?: number; readonly isInteger?: boolean }
  | { readonly is: "choice"; readonly of: readonly string[] }
  | { readonly is: "list"; readonly of: Shape; readonly mayBeEmpty?: boolean; readonly isLines?: boolean }
  | { readonly is: "map"; readonly of: Shape }
  | { readonly is: "object"; readonly fields: ArgSpecs };

/** A shape whose values have exactly the type `T`. The property `type` exists for the compiler only. */
export type Kind<T> = Shape & { readonly type?: (value: T) => T };

export const anything: Kind<unknown> = { is: "any" };
export const boolean: Kind<boolean> = { is: "boolean" };
/** A non-empty string. */
export const string: Kind<string> = { is: "string" };
/**
 * A string, which can be empty, a number or a boolean. `checkValue` turns it into the string that the service gets: a number in its
 * shortest form, as `String` and JSON write it, and a boolean as `true` or `false`. An integer that a double may have rounded is refused.
 */
export const scalar: Kind<string | number | boolean> = { is: "scalar" };

export function number(min: number): Kind<number> {
  return { is: "number", min };
}

export function integer(min: number): Kind<number> {
  return { is: "number", min, isInteger: true };
}

/** A part of a whole, from 0 to 1. */
export const share: Kind<number> = { is: "number", min: 0, max: 1 };

export function choice<T extends string>(...of: readonly T[]): Kind<T> {
  return { is: "choice", of };
}

export function list<T>(of: Kind<T>, { mayBeEmpty = false } = {}): Kind<T[]> {
  return { is: "list", of, mayBeEmpty };
}

/**
 * A list of single lines. `check` turns it into one string with a line for each item, because a diff then shows the changed lines only.
 * That string is accepted too.
 */
export const lines: Kind<string[]> = { is: "list", of: { is: "string", isLine: true }, isLines: true };

/** A map of at least one entry. Its keys are chosen by the user, such as action ids. */
export function mapOf<T>(of: Kind<T>): Kind<Record<string, T>> {
  return { is: "map", of };
}

/** A map with fields of known names. */
export function object<T>(fields: ArgsSpec<T>): Kind<T> {
  return { is: "object", fields };
}

/** The description of one argument. */
export interface ArgSpec {
  /** Absent for a derived argument. */
  readonly kind?: Shape;
  readonly required?: boolean;
  /** The value that applies when the argument is not given. `check` never adds it: a later default would show in every diff. */
  readonly default?: unknown;
  /** A changed value makes the engine replace the resource. */
  readonly replaces?: boolean;
  /** Says how the resource is managed, not what it is: a change makes no call and repeats no work. */
  readonly option?: boolean;
  /** Only create needs it: an existing resource can be looked up without it. */
  readonly createOnly?: boolean;
  /** Names a file: part of its check depends on the disk. */
  readonly isFile?: boolean;
  /** Not written by the user: `check` adds it, so that a diff shows that it changed. */
  readonly derived?: boolean;
  /** The class gives the value to `check`, which derives the argument from it. */
  readonly givenByClass?: boolean;
}

export type ArgSpecs = Readonly<Record<string, ArgSpec>>;

/** The description that fits the interface `Args`, or the union of its forms, and no other. */
export type ArgsSpec<Args, Derived extends string = never> = {
  // The names of a union are taken together, because `Exclude` keeps the mapped type from distributing over its forms.
  readonly [Name in Exclude<keyof Args, never>]: DescribedArg<Exclude<Args[Name], undefined>> &
    (undefined extends Args[Name] ? { readonly required?: false } : { readonly required: true });
} & { readonly [Name in Derived]: ArgSpec & { readonly derived: true } };

/** A valid combination of the arguments `Args`: all of `Needs` are given, none of `Lacks`, and the others as in `Args`. */
export type Form<Args, Needs extends keyof Args, Lacks extends keyof Args = never> = Omit<Args, Needs | Lacks> &
  Required<Pick<Args, Needs>> & { [Name in keyof Pick<Args, Lacks>]?: undefined };

interface DescribedArg<T> extends ArgSpec {
  readonly kind: Kind<T>;
  readonly default?: T;
}

/** One thing that is wrong with the arguments. The reason never shows the value, which can be secret. */
export interface Problem {
  /** The property path, such as `actions.open.properties.Url`. */
  path: string;
  /** What was given and what is allowed. */
  reason: string;
}

/**
 * Adds a problem for each part of the value that does not fit, and returns the value with `unknown` in place of these parts. So later
 * checks do not repeat a problem. Unknown parts fit everywhere. Scalars are strings in the result.
 */
export function checkValue(shape: Shape, value: unknown, path: string, problems: Problem[]): unknown {
  if (value === unknown) {
    return unknown;
  }
  if (!fits(shape, value)) {
    problems.push({ path, reason: `must be ${describeShape(shape)}; got ${describeGiven(shape, value)}` });
    return unknown;
  }
  if (shape.is === "scalar") {
    return String(value);
  }
  if (shape.is === "list" && Array.isArray(value)) {
    const found: Problem[] = [];
    const items = value.map((item, index) => checkValue(shape.of, item, `${path}[${index}]`, found));
    problems.push(...shortened(found, path));
    return items;
  }
  if (shape.is === "map" && isRecord(value)) {
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([key, each]) => [key, checkValue(shape.of, each, `${path}.${key}`, problems)]),
    );
  }
  return shape.is === "object" && isRecord(value) ? checkFields(shape.fields, value, path, problems) : value;
}

/**
 * Checks each field as `checkValue` does. A field that is null counts as not given, and is not in the result. A name without a description
 * is a problem: most often it is misspelled.
 */
export function checkFields(
  specs: ArgSpecs,
  args: Readonly<Record<string, unknown>>,
  path: string,
  problems: Problem[],
): Record<string, unknown> {
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  for (const name of Object.keys(args)) {
    if (args[name] !== undefined && !Object.hasOwn(specs, name)) {
      const valid = Object.keys(specs).filter((each) => !specs[each]?.derived);
      problems.push({ path: at(name), reason: `is not a valid name; valid names: ${valid.join(", ")}` });
    }
  }
  const fields = Object.entries(specs).map(([name, { kind, required }]) => {
    const value = args[name] ?? undefined;
    if (value === undefined && kind !== undefined && required) {
      problems.push({ path: at(name), reason: `is missing: give ${describeShape(kind)}` });
      return [name, unknown] as const;
    }
    const isGiven = kind !== undefined && value !== undefined;
    return [name, isGiven ? checkValue(kind, value, at(name), problems) : value] as const;
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function fits(shape: Shape, value: unknown): boolean {
  switch (shape.is) {
    case "any":
      return true;
    case "boolean":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string" && (shape.isLine ? isLine(value) : value !== "");
    case "scalar":
      return typeof value === "number" ? isExact(value) : typeof value === "string" || typeof value === "boolean";
    case "number":
      return (
        Number.isFinite(value) &&
        (value as number) >= shape.min &&
        (value as number) <= (shape.max ?? Number.POSITIVE_INFINITY) &&
        (!shape.isInteger || Number.isInteger(value))
      );
    case "choice":
      return typeof value === "string" && shape.of.includes(value);
    case "list":
      return Array.isArray(value)
        ? shape.mayBeEmpty === true || value.length > 0
        : shape.isLines === true && typeof value === "string" && value.trim() !== "";
    case "map":
      return isRecord(value) && Object.keys(value).length > 0;
    case "object":
      return isRecord(value);
  }
}

/** Whether a number is finite and has kept its digits. Every double above the limit is an integer, which can be rounded. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function isLine(value: string): boolean {
  return value.trim() !== "" && !/[\r\n]/.test(value);
}

/** What a shape allows. */
export function describeShape(shape: Shape): string {
  switch (shape.is) {
    case "any":
      return "any value";
    case "boolean":
      return "a boolean";
    case "string":
      return `a non-empty string${shape.isLine ? " without a line break" : ""}`;
    case "scalar":
      return "a string, a number or a boolean";
    case "number":
      return `${shape.isInteger ? "an integer" : "a number"} ${shape.max === undefined ? `of at least ${shape.min}` : `from ${shape.min} to ${shape.max}`}`;
    case "choice":
      return shape.of.map((word) => `"${word}"`).join(" or ");
    case "list":
      return `a ${shape.mayBeEmpty ? "" : "non-empty "}list of ${shape.of.is}s`;
    case "map":
      return "a non-empty map";
    case "object":
      return "a map";
  }
}

function describeGiven(shape: Shape, value: unknown): string {
  if (shape.is === "string" && shape.isLine && typeof value === "string" && value.trim() !== "") {
    return "a string with a line break";
  }
  if (shape.is === "scalar" && typeof value === "number") {
    return Number.isFinite(value)
      ? `an integer beyond ${Number.MAX_SAFE_INTEGER}, whose last digits may be lost. Write it as a string`
      : "a number that is not finite";
  }
  const isOther =
    shape.is === "number"
      ? typeof value === "number"
      : shape.is === "choice" && typeof value === "string" && value !== "";
  return isOther ? `another ${typeof value}` : describeValue(value);
}

const mostProblems = 10;

/** A list of a million bad items must not print a million problems. */
export function shortened(problems: readonly Problem[], path: string): Problem[] {
  const more = problems.length - mostProblems;
  return more > 0
    ? [...problems.slice(0, mostProblems), { path, reason: `has ${more} more problems like these` }]
    : [...problems];
}

/** The arguments that determine a resource's work: all but options. */
export function workArgs(specs: ArgSpecs, from: object): Record<string, unknown> {
  const names = Object.keys(specs).filter((name) => !specs[name]?.option);
  return Object.fromEntries(names.map((name) => [name, (from as Record<string, unknown>)[name]]));
}

/** The names of the arguments that differ between two versions of a resource, without options. */
export function changedArgs(specs: ArgSpecs, before: object, now: object): string[] {
  const old = workArgs(specs, before);
  return Object.entries(workArgs(specs, now)).flatMap(([name, value]) =>
    canonical(old[name]) === canonical(value) ? [] : [name],
  );
}
