/**
 * How values are described and checked: arguments of resources, fields of requests and responses, keys of the
 * configuration. There is one description and one check, which says what must be given and what was given.
 *
 * No schema library fits: zod, typebox and arktype take more than 40 ms to load. valibot takes 6 ms, but reports only
 * the first unknown name and silently drops the keys `constructor` and `__proto__` of a map.
 */

import { isRecord, unknown } from "./plain";
import { describeShellPart, shellPartOf } from "./shellPart";
import { didYouMean } from "./words";

/**
 * What a value can be, named by `is`. A string is not empty unless it `mayBeEmpty`, `isLine` where it cannot contain a
 * line break, and `isForSystem` where the operating system gets it, so that it cannot contain NUL. One that `isPath` has
 * no part that only a shell replaces. An integer becomes a string where it `isId`. Numbers have inclusive bounds. `of` describes the values of a choice, a list or a map. Lists
 * that are `isLines` can be given as one string. `others` says what becomes of fields of an object without a
 * description; by default they are refused.
 */
export type Shape =
  | { readonly is: "any" | "boolean" | "scalar" }
  | {
      readonly is: "string";
      readonly isLine?: boolean;
      readonly isForSystem?: boolean;
      readonly isPath?: boolean;
      readonly mayBeEmpty?: boolean;
      readonly isId?: boolean;
    }
  | { readonly is: "number"; readonly min?: number; readonly max?: number; readonly isInteger?: boolean }
  | { readonly is: "choice"; readonly of: readonly string[] }
  | { readonly is: "list"; readonly of: Shape; readonly mayBeEmpty?: boolean; readonly isLines?: boolean }
  | { readonly is: "map"; readonly of: Shape; readonly mayBeEmpty?: boolean }
  | { readonly is: "object"; readonly fields: FieldSpecs; readonly others?: "kept" | "dropped" };

type StringShape = Extract<Shape, { is: "string" }>;

/** A shape whose values have exactly the type `T`. The property `type` exists for the compiler only. */
export type Kind<T> = Shape & { readonly type?: (value: T) => T };

/** The description of a field. */
export interface FieldSpec {
  /** Absent for a derived argument. */
  readonly kind?: Shape;
  readonly required?: boolean;
  /** The value that applies when none is given. The check never adds it: a later default would show in every diff. */
  readonly default?: unknown;
  /** Not written by the user: `check` adds it, so that a diff shows that it changed. */
  readonly derived?: boolean;
}

export type FieldSpecs = Readonly<Record<string, FieldSpec>>;

export const anything: Kind<unknown> = { is: "any" };
export const boolean: Kind<boolean> = { is: "boolean" };
/** A non-empty string. */
export const string: Kind<string> = { is: "string" };
/**
 * An id of the service. Older services send ids as numbers, and programs in YAML get digits of the configuration as a
 * number. An integer that a double may have rounded is refused, and so is a number as spreadsheets shorten it.
 */
export const id: Kind<string> = { is: "string", isId: true };
/** A part of a command. */
export const systemString: Kind<string> = { is: "string", isForSystem: true };
/** A file or a folder. */
export const filePath: Kind<string> = { is: "string", isForSystem: true, isPath: true };
/**
 * A string, which can be empty, a number or a boolean. `checkValue` turns it into the string that the service gets: a
 * number in its shortest form, as `String` and JSON write it, and a boolean as `true` or `false`. An integer that a
 * double may have rounded is refused.
 */
export const scalar: Kind<string | number | boolean> = { is: "scalar" };

export function number(min: number): Kind<number> {
  return { is: "number", min };
}

export function integer(min?: number): Kind<number> {
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
 * A list of single lines. `check` turns it into one string with a line for each item, because a diff then shows the
 * changed lines only. That string is accepted too.
 */
export const lines: Kind<string[]> = { is: "list", of: { is: "string", isLine: true }, isLines: true };
export const idLines: Kind<string[]> = { is: "list", of: { is: "string", isLine: true, isId: true }, isLines: true };

/** A map of at least one entry. Its keys are chosen by the user, such as action ids. */
export function mapOf<T>(of: Kind<T>): Kind<Record<string, T>> {
  return { is: "map", of };
}

/** A map of which nothing is known. */
export const freeMap: Kind<Record<string, unknown>> = { is: "map", of: anything, mayBeEmpty: true };

/** One thing that is wrong with a value. The reason never shows the value, which can be secret. */
export interface Problem {
  /** The property path, such as `actions.open.properties.Url`. */
  path: string;
  /** What was given and what is allowed. */
  reason: string;
  /**
   * Of what earlier versions accepted: whether the state has the same, or the paths whose values say so by being equal
   * there. What the state has is a warning; only a new value is refused.
   */
  stored?: boolean | readonly string[];
}

/**
 * Adds a problem for each part of the value that does not fit, and returns the value with `unknown` in place of these
 * parts. So later checks do not repeat a problem. Unknown parts fit everywhere. Scalars are strings in the result.
 */
export function checkValue(shape: Shape, value: unknown, path: string, problems: Problem[]): unknown {
  if (value === unknown) {
    return unknown;
  }
  if (shape.is === "string" && shape.isId && Number.isSafeInteger(value)) {
    return String(value);
  }
  const given = misfit(shape, value);
  if (given !== undefined) {
    problems.push({ path, reason: `must be ${describeShape(shape)}; got ${given}` });
    return unknown;
  }
  const part = shape.is === "string" && shape.isPath && typeof value === "string" ? shellPartOf(value) : undefined;
  if (part !== undefined) {
    const reason = `must be ${describeShape(shape)}; got ${describeShellPart(part)}`;
    problems.push({ path, reason, stored: [path] });
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
  if (shape.is === "map" && shape.of.is !== "any" && isRecord(value)) {
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([key, each]) => [key, checkValue(shape.of, each, `${path}.${key}`, problems)]),
    );
  }
  if (shape.is === "object" && isRecord(value)) {
    const fields = checkFields(shape.fields, value, path, problems, shape.others);
    return shape.others === "kept" ? { ...value, ...fields } : fields;
  }
  return value;
}

/**
 * Checks each field as `checkValue` does. A field that is null counts as not given, and is not in the result. A name
 * without a description is a problem: most often it is misspelled.
 */
export function checkFields(
  specs: FieldSpecs,
  args: Readonly<Record<string, unknown>>,
  path: string,
  problems: Problem[],
  others?: "kept" | "dropped",
): Record<string, unknown> {
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  for (const name of others === undefined ? Object.keys(args) : []) {
    if (args[name] !== undefined && !Object.hasOwn(specs, name)) {
      problems.push({ path: at(name), reason: unknownName(name, specs) });
    }
  }
  const fields = Object.entries(specs).map(([name, { kind, required }]) => {
    const value = args[name] ?? undefined;
    if (kind === undefined || (value === undefined && !required)) {
      return [name, value] as const;
    }
    if (value === undefined && kind.is !== "any") {
      problems.push({ path: at(name), reason: `is missing: it must be ${describeShape(kind)}` });
      return [name, unknown] as const;
    }
    return [name, checkValue(kind, value, at(name), problems)] as const;
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** What is wrong with a name that has no description. */
export function unknownName(name: string, specs: FieldSpecs): string {
  const valid = Object.keys(specs).filter((each) => !specs[each]?.derived);
  const home = valid.find((each) => {
    const kind = specs[each]?.kind;
    return kind?.is === "object" && Object.hasOwn(kind.fields, name);
  });
  const advice = didYouMean(name, valid) || (home === undefined ? "" : `; it belongs in ${home}.`);
  return `is not a valid name${advice === "" ? "; valid" : `${advice} Valid`} names: ${valid.join(", ")}`;
}

/** What was given in place of what the shape allows; undefined if the value fits. */
export function misfit(shape: Shape, value: unknown): string | undefined {
  if (shape.is === "string") {
    return misfitOfString(shape, value);
  }
  if (shape.is === "scalar" && typeof value === "number") {
    return inexact(value);
  }
  if (fits(shape, value)) {
    return undefined;
  }
  const isOther =
    shape.is === "number"
      ? typeof value === "number"
      : shape.is === "choice" && typeof value === "string" && value !== "" && !isBrokenText(value);
  return isOther ? `another ${typeof value}` : describeValue(value);
}

function fits(shape: Exclude<Shape, StringShape>, value: unknown): boolean {
  switch (shape.is) {
    case "any":
      return true;
    case "boolean":
      return typeof value === "boolean";
    case "scalar":
      return typeof value === "boolean" || (typeof value === "string" && !isBrokenText(value));
    case "number":
      return (
        typeof value === "number" &&
        (shape.isInteger ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
        value >= (shape.min ?? Number.NEGATIVE_INFINITY) &&
        value <= (shape.max ?? Number.POSITIVE_INFINITY)
      );
    case "choice":
      return typeof value === "string" && shape.of.includes(value);
    case "list":
      return Array.isArray(value)
        ? shape.mayBeEmpty === true || value.length > 0
        : shape.isLines === true && typeof value === "string" && value.trim() !== "";
    case "map":
      return isRecord(value) && (shape.mayBeEmpty === true || Object.keys(value).length > 0);
    case "object":
      return isRecord(value);
  }
}

function misfitOfString(shape: StringShape, value: unknown): string | undefined {
  if (typeof value === "number" && shape.isId) {
    return inexact(value) ?? describeValue(value);
  }
  if (typeof value !== "string" || isBrokenText(value)) {
    return describeValue(value);
  }
  if ((value === "" && !shape.mayBeEmpty) || (value.trim() === "" && shape.isLine)) {
    return describeValue(value);
  }
  if (shape.isLine && /[\r\n]/.test(value)) {
    return "a string with a line break";
  }
  if (shape.isForSystem && value.includes("\0")) {
    return "a string with a NUL character";
  }
  // `6.39E+17` is what a spreadsheet makes of 18 digits in a cell that is not text.
  if (shape.isId && /^\d(?:[.,]\d+)?E\+\d+$/.test(value)) {
    return "a number that a spreadsheet has shortened. Format the column as text there, and take the id from the service again";
  }
  return undefined;
}

/**
 * Describes a number that is not finite or has lost digits. Every double above the limit is an integer, which can be
 * rounded.
 */
function inexact(value: number): string | undefined {
  if (!Number.isFinite(value)) {
    return "a number that is not finite";
  }
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? undefined
    : `an integer beyond ${Number.MAX_SAFE_INTEGER}, whose last digits may be lost. Write it in quotes, and in the configuration of a YAML program in two pairs of them: '"…"'`;
}

/** Half of a surrogate pair is no character: it has no UTF-8, so nothing can send or store it. */
export function isBrokenText(text: string): boolean {
  return /\p{Cs}/u.test(text);
}

/** What a shape allows. */
export function describeShape(shape: Shape): string {
  switch (shape.is) {
    case "any":
      return "any value";
    case "boolean":
      return "a boolean";
    case "string":
      return `a ${shape.mayBeEmpty ? "" : "non-empty "}string${shape.isLine ? " without a line break" : ""}`;
    case "scalar":
      return "a string, a number or a boolean";
    case "number": {
      const least = shape.min === undefined ? "" : ` of at least ${shape.min}`;
      const range = shape.max === undefined ? least : ` from ${shape.min} to ${shape.max}`;
      return `${shape.isInteger ? "an integer" : "a number"}${range}`;
    }
    case "choice":
      return shape.of.map((word) => JSON.stringify(word)).join(" or ");
    case "list":
      return `a ${shape.mayBeEmpty ? "" : "non-empty "}list of ${shape.of.is}s`;
    case "map":
      return `a ${shape.mayBeEmpty ? "" : "non-empty "}map`;
    case "object":
      return "a map";
  }
}

/** Describes a value for an error without showing it, because it can be secret. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) {
    return "nothing";
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? "an empty list" : "a list";
  }
  if (typeof value === "string") {
    const kind = value === "" ? "an empty string" : value.trim() === "" ? "a blank string" : "a string";
    return isBrokenText(value) ? "a string with half of a surrogate pair" : kind;
  }
  if (isRecord(value)) {
    return Object.keys(value).length === 0 ? "an empty map" : "a map";
  }
  return `a ${typeof value}`;
}

const mostProblems = 10;

/** A list of a million bad items must not print a million problems. */
export function shortened(problems: readonly Problem[], path: string): Problem[] {
  const more = problems.length - mostProblems;
  return more > 0
    ? [...problems.slice(0, mostProblems), { path, reason: `has ${more} more problems like these` }]
    : [...problems];
}
