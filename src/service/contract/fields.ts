import { isRecord } from "../isRecord";
import type { UploadSource } from "./types";

/** The type of a field, as in openapi.yaml. A list has the type of its items, an object the types of its fields. */
export type FieldType = "string" | "integer" | "boolean" | "object" | "file" | readonly [FieldType] | FieldTypes;

/** The types of an object's fields. */
export interface FieldTypes {
  readonly [name: string]: FieldType;
}

/** One field of a request or a response. */
export interface Field<T> {
  /** Its type in openapi.yaml. */
  readonly type: FieldType;
  /** Checks a value and returns it. Throws a FieldProblem if the value is wrong. */
  readonly read: (value: unknown, path: string) => T;
}

/** The fields of an object. The compiler compares them with the interface that callers see. */
export type Fields<T> = { readonly [Name in keyof T]-?: Field<T[Name]> };

/** A field with a wrong value. The message contains the path and the kind of the value, never the value itself. */
export class FieldProblem extends Error {
  constructor(path: string, expected: string, value: unknown) {
    super(`${path} must be ${expected}; got ${describe(value)}`);
  }
}

function field<T>(type: FieldType, expected: string, fits: (value: unknown) => boolean): Field<T> {
  return { type, read: (value, path) => (fits(value) ? (value as T) : refuse(path, expected, value)) };
}

export const string = field<string>("string", "a string", (value) => typeof value === "string");

/** An id in a request. */
export const id = field<string>(
  "string",
  "a non-empty string",
  (value) => typeof value === "string" && value.trim() !== "",
);

/** Half of a surrogate pair is no character: nothing can store it or send it back. */
const hasHalfOfPair = (text: string): boolean => /\p{Cs}/u.test(text);

const wholeId = field<string>(
  "string",
  "a non-empty string of whole characters",
  (value) => typeof value === "string" && value.trim() !== "" && !hasHalfOfPair(value),
);

/** An id in a response. Older services send ids as numbers; their digits are kept, see `parseJson`. */
export const responseId: Field<string> = {
  type: "string",
  read: (value, path) => wholeId.read(Number.isSafeInteger(value) ? String(value) : value, path),
};

export const boolean = field<boolean>("boolean", "true or false", (value) => typeof value === "boolean");

export const integer = field<number>("integer", "an integer", Number.isSafeInteger);

export const atLeast = (least: number): Field<number> =>
  field("integer", `an integer of at least ${least}`, (value) => Number.isSafeInteger(value) && Number(value) >= least);

/** Seconds as a number, or as a string, which some services send. */
export const seconds = field<number | string>(
  "integer",
  "a number of seconds",
  (value) => Number.isFinite(value) || (typeof value === "string" && /^\s*\d+(\.\d+)?\s*$/.test(value)),
);

/** The contract does not show its fields. */
export const freeObject = field<Record<string, unknown>>("object", "an object", isRecord);

export const file = field<UploadSource>(
  "file",
  "an object with a function named open",
  (value) => isRecord(value) && typeof value.open === "function",
);

export const constant = <T extends string>(only: T): Field<T> =>
  field("string", `"${only}"`, (value) => value === only);

export const optional = <T>(field: Field<T>): Field<T | undefined> => ({
  type: field.type,
  read: (value, path) => (value === undefined ? undefined : field.read(value, path)),
});

export const listOf = <T>(item: Field<T>): Field<T[]> => ({
  type: [item.type],
  read: (value, path) =>
    Array.isArray(value)
      ? value.map((entry, index) => item.read(entry, `${path}[${index}]`))
      : refuse(path, "a list", value),
});

/** An object in a request: only these fields are sent. */
export const object = <T extends object>(fields: Fields<T>): Field<T> => ({
  type: typesOf(fields),
  read: (value, path) => fieldsIn(fields, freeObject.read(value, path === "" ? "the request" : path), path) as T,
});

/** An object in a response. Fields that are not in the contract are kept unchanged. */
export const responseObject = <T extends object>(fields: Fields<T>): Field<T> => ({
  type: typesOf(fields),
  read: (value, path) => {
    const given = freeObject.read(value, path === "" ? "the response" : path);
    return { ...given, ...fieldsIn(fields, given, path) } as T;
  },
});

function fieldsIn(fields: object, given: Record<string, unknown>, path: string): Record<string, unknown> {
  const entries: [string, Field<unknown>][] = Object.entries(fields);
  const read = entries.flatMap(([name, field]) => {
    const value = field.read(given[name], path === "" ? name : `${path}.${name}`);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(read);
}

function typesOf(fields: object): FieldTypes {
  const entries: [string, Field<unknown>][] = Object.entries(fields);
  return Object.fromEntries(entries.map(([name, { type }]) => [name, type]));
}

function refuse(path: string, expected: string, value: unknown): never {
  throw new FieldProblem(path, expected, value);
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === "") return "an empty string";
  if (typeof value === "string" && hasHalfOfPair(value)) return "a string with half of a surrogate pair";
  switch (typeof value) {
    case "number":
      if (Number.isSafeInteger(value)) return "an integer";
      return Math.abs(value) > Number.MAX_SAFE_INTEGER ? "a number out of range" : "a number with a fraction";
    case "object":
      return "an object";
    default:
      return `a ${typeof value}`;
  }
}
