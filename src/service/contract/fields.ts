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

export const string: Field<string> = {
  type: "string",
  read: (value, path) => (typeof value === "string" ? value : refuse(path, "a string", value)),
};

/** An id in a request. */
export const id: Field<string> = {
  type: "string",
  read: (value, path) =>
    typeof value === "string" && value.trim() !== "" ? value : refuse(path, "a non-empty string", value),
};

/** An id in a response. Older services send ids as numbers; their digits are kept, see `parseJson`. */
export const responseId: Field<string> = {
  type: "string",
  read: (value, path) =>
    id.read(typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value, path),
};

export const boolean: Field<boolean> = {
  type: "boolean",
  read: (value, path) => (typeof value === "boolean" ? value : refuse(path, "true or false", value)),
};

export const integer: Field<number> = {
  type: "integer",
  read: (value, path) =>
    typeof value === "number" && Number.isSafeInteger(value) ? value : refuse(path, "an integer", value),
};

export const atLeast = (least: number): Field<number> => ({
  type: "integer",
  read: (value, path) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= least
      ? value
      : refuse(path, `an integer of at least ${least}`, value),
});

/** Seconds as a number, or as a string, which some services send. */
export const seconds: Field<number | string> = {
  type: "integer",
  read: (value, path) =>
    (typeof value === "number" && Number.isFinite(value)) ||
    (typeof value === "string" && /^\s*\d+(\.\d+)?\s*$/.test(value))
      ? value
      : refuse(path, "a number of seconds", value),
};

/** The contract does not show its fields. */
export const freeObject: Field<Record<string, unknown>> = {
  type: "object",
  read: (value, path) => (isRecord(value) ? value : refuse(path, "an object", value)),
};

export const file: Field<UploadSource> = {
  type: "file",
  read: (value, path) => (isUploadSource(value) ? value : refuse(path, "an object with a function named open", value)),
};

export const constant = <T extends string>(only: T): Field<T> => ({
  type: "string",
  read: (value, path) => (value === only ? only : refuse(path, `"${only}"`, value)),
});

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

function isUploadSource(value: unknown): value is UploadSource {
  return isRecord(value) && typeof value.open === "function";
}

function refuse(path: string, expected: string, value: unknown): never {
  throw new FieldProblem(path, expected, value);
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === "") return "an empty string";
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
