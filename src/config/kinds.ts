import type { Shape } from "../resources/args";
import { isRecord } from "../service/isRecord";

/** The kinds of values that a configuration key can have. In Pulumi and in the environment, every value is a string. */
export interface Kind<T> {
  /** The value that the string stands for, as the schema of the native plugin describes it. */
  readonly shape: Shape;
  /** What is allowed, for errors and the documentation. */
  readonly allowed: string;
  /** One more sentence for the error. */
  readonly hint?: string;
  /** Undefined when the string is not allowed. */
  parse(raw: string): T | undefined;
}

const text: Shape = { is: "string" };
const texts: Shape = { is: "list", of: text };

/** @param allowed what the string is, for errors and the documentation */
export function string(allowed = "a string"): Kind<string> {
  return { shape: text, allowed, parse: (raw) => raw };
}

/** A name that may stand in diffs, logs and files. */
export const label: Kind<string> = {
  shape: text,
  allowed: "1 to 100 letters, digits or characters of . _ : / + @ -",
  hint: "It is not secret: previews and the state show it.",
  parse: (raw) => (/^[\p{L}\p{N}._:/+@-]{1,100}$/u.test(raw) ? raw : undefined),
};

export const boolean: Kind<boolean> = {
  shape: { is: "boolean" },
  allowed: "true or false",
  parse(raw) {
    const word = raw.toLowerCase();
    return word === "true" || word === "false" ? word === "true" : undefined;
  },
};

export const number: Kind<number> = {
  shape: { is: "number", min: 0 },
  allowed: "a number",
  parse: (raw) => (raw.trim() !== "" && Number.isFinite(Number(raw)) ? Number(raw) : undefined),
};

export const integer: Kind<number> = {
  shape: { is: "number", min: 0, isInteger: true },
  allowed: "an integer",
  parse: (raw) => (raw.trim() !== "" && Number.isSafeInteger(Number(raw)) ? Number(raw) : undefined),
};

export function choice<T extends string>(...words: readonly T[]): Kind<T> {
  const allowed = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  return { shape: { is: "choice", of: words }, allowed, parse: (raw) => words.find((word) => word === raw) };
}

/** A JSON list, or items with commas between them. */
export function list(of: string): Kind<string[]> {
  return { shape: texts, allowed: `a list of ${of}, as JSON or with commas`, parse: parseList };
}

/** Words for true and false. Read as an id, such a word would have no effect. */
const booleanWords = ["true", "false", "yes", "no", "on", "off", "1", "0"];

export function booleanOrList(of: string): Kind<boolean | string[]> {
  return {
    shape: { is: "any" },
    allowed: `true, false or a list of ${of}, as JSON or with commas`,
    hint: "An id such as yes, no, on, off, 1 or 0 must be in a JSON list.",
    parse(raw) {
      const isBoolean = boolean.parse(raw);
      if (isBoolean !== undefined) return isBoolean;
      const items = parseList(raw);
      const isAmbiguous = !isJsonList(raw) && items?.some((item) => booleanWords.includes(item.toLowerCase()));
      return isAmbiguous ? undefined : items;
    },
  };
}

/** A JSON map with any of these names, each with a list of strings. */
export function mapOfLists<Name extends string>(...names: readonly Name[]): Kind<Partial<Record<Name, string[]>>> {
  return {
    shape: { is: "object", fields: Object.fromEntries(names.map((name) => [name, { kind: texts }])) },
    allowed: `a JSON map of ${names.join(", ")} to lists of strings`,
    parse(raw) {
      const map = parseMap(raw);
      const isRight = Object.entries(map ?? {}).every(
        ([name, words]) =>
          names.some((known) => known === name) &&
          Array.isArray(words) &&
          words.every((word) => typeof word === "string"),
      );
      return isRight ? (map as Partial<Record<Name, string[]>> | undefined) : undefined;
    },
  };
}

/** A JSON map of JSON maps. */
export function mapOfMaps(of: string): Kind<Record<string, Record<string, unknown>>> {
  return {
    shape: { is: "map", of: { is: "map", of: { is: "any" } } },
    allowed: `a JSON map of ${of}`,
    parse(raw) {
      const map = parseMap(raw);
      return map !== undefined && Object.values(map).every(isRecord)
        ? (map as Record<string, Record<string, unknown>>)
        : undefined;
    },
  };
}

function parseList(raw: string): string[] | undefined {
  const items = isJsonList(raw) ? parseJson(raw) : raw.split(",").map((item) => item.trim());
  const isRight =
    Array.isArray(items) && items.length > 0 && items.every((item) => typeof item === "string" && item !== "");
  return isRight ? items : undefined;
}

function isJsonList(raw: string): boolean {
  return raw.trimStart().startsWith("[");
}

function parseMap(raw: string): Record<string, unknown> | undefined {
  const value = parseJson(raw);
  return isRecord(value) ? value : undefined;
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
