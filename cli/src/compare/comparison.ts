import { didYouMean, shellWord } from "../../../src/values/words";
import { CliError } from "../exitCodes";
import type { Database } from "./database";
import type { FieldFigures } from "./fieldFigures";
import { noFigures } from "./fieldFigures";
import type { FieldChanges, KeyedRows } from "./keyedRows";
import { compareByKey } from "./keyedRows";
import type { LoadedSide, LoadedSides } from "./sides/loadSide";

/** What differs between two sets of rows. */
export interface Comparison {
  base: Pick<LoadedSide, "name" | "rows">;
  head: Pick<LoadedSide, "name" | "rows">;
  /** The fields of the key. Empty without a key. */
  key: readonly string[];
  /** Fields that are not compared. */
  ignored: readonly string[];
  /** Only with a key. */
  keyed?: KeyedRows;
  /** Without a key: the only field that is unique and filled on both sides. */
  fittingKey?: string;
  /** Changed ones first. */
  fields: readonly FieldComparison[];
  /** What a reader must know about the rows. */
  notes: readonly string[];
}

export interface FieldComparison {
  name: string;
  /** The only side that has the field. */
  only?: "base" | "head";
  /** Shares of all rows, from 0 to 1. */
  filled: { base: number; head: number };
  base: FieldFigures;
  head: FieldFigures;
  /** Rows of both sides in which the field differs. Only with a key, and 0 for a field that only one side has. */
  changed?: number;
  examples: FieldChanges["examples"];
}

export interface CompareOptions {
  key: readonly string[];
  /** Other fields that must be there, because conditions name them. */
  conditionFields: readonly string[];
  /** Fields that are left out. */
  ignored: readonly string[];
  /** Whether a message may show names that the user has not given: those of a CSV without a header are values. */
  values: boolean;
  /** Whether the rows that differ are read. Needs a key. */
  details: boolean;
}

/** Compares two sides that are in the database. */
export async function compareSides(
  database: Database,
  { layout, base, head }: LoadedSides<"base" | "head">,
  { key, conditionFields, ignored, values, details }: CompareOptions,
): Promise<Comparison> {
  const all = [...new Set([...base.fields.keys(), ...head.fields.keys()])].sort();
  requireFields(ignored, all, "--ignore", values);
  const names = all.filter((name) => !ignored.includes(name));
  for (const name of key) {
    requireKey(name, [base, head], values);
  }
  requireFields(conditionFields, all, "--fail-on", values);
  const rows = { base: base.rows, head: head.rows };
  const both = names.filter((name) => base.fields.has(name) && head.fields.has(name));
  const keyed =
    key.length === 0 ? undefined : await compareByKey(database, { key, layout, fields: both, rows, details });
  const fields = names.map((name): FieldComparison => {
    const of = { base: base.fields.get(name) ?? noFigures, head: head.fields.get(name) ?? noFigures };
    const share = (side: "base" | "head"): number => (rows[side] === 0 ? 0 : of[side].filled / rows[side]);
    return {
      name,
      ...(!head.fields.has(name) ? { only: "base" as const } : !base.fields.has(name) ? { only: "head" as const } : {}),
      filled: { base: share("base"), head: share("head") },
      ...of,
      ...(keyed === undefined ? { examples: [] } : (keyed.fields.get(name) ?? { changed: 0, examples: [] })),
    };
  });
  return {
    base: { name: base.name, rows: rows.base },
    head: { name: head.name, rows: rows.head },
    ...{ key, ignored, keyed },
    fittingKey: key.length === 0 ? fittingKey(fields, rows) : undefined,
    fields: inOrder(fields),
    notes: [...base.notes, ...head.notes],
  };
}

/** @throws CliError if a key or a condition names an ignored field */
export function requireCompared(
  ignored: readonly string[],
  key: readonly string[],
  conditionFields: readonly string[],
): void {
  for (const name of ignored) {
    const option = key.includes(name) ? "--key" : conditionFields.includes(name) ? "--fail-on" : undefined;
    if (option !== undefined) {
      throw new CliError(
        `--ignore and ${option} both name "${name}". Leave one of them out. No rows were read.`,
        "usage",
      );
    }
  }
}

function requireKey(name: string, sides: readonly LoadedSide[], values: boolean): void {
  const names = sides.flatMap(({ fields }) => [...fields.keys()]);
  requireFields([name], names, "--key", values);
  // A side without any field, such as an empty file, has no row that could be compared by the key.
  const lacking = sides.find(({ fields }) => fields.size > 0 && !fields.has(name));
  if (lacking !== undefined) {
    throw new CliError(
      `--key names the field "${name}", which "${lacking.name}" does not have${didYouMean(name, values ? [...lacking.fields.keys()] : []) || "."} A key must be in both sides.`,
      "usage",
    );
  }
}

/** @throws CliError for a field that no side has, unless no side has any */
export function requireFields(
  given: readonly string[],
  names: readonly string[],
  option: "--key" | "--fail-on" | "--ignore",
  values: boolean,
): void {
  const name = given.find((each) => !names.includes(each));
  if (name !== undefined && names.length > 0) {
    const parts = name.split(",").map((part) => part.trim());
    if (parts.length > 1 && parts.every((part) => names.includes(part))) {
      const each = parts.map((part) => `${option} ${shellWord(part)}`).join(" ");
      throw new CliError(`${option} takes one field at a time, and got "${name}": use ${each}.`, "usage");
    }
    throw new CliError(
      `${option} names "${name}", which is no field of the rows${didYouMean(name, values ? names : []) || "."}`,
      "usage",
    );
  }
}

function fittingKey(fields: readonly FieldComparison[], rows: { base: number; head: number }): string | undefined {
  const sides = ["base", "head"] as const;
  const fitting = fields.filter((field) =>
    sides.every((side) => rows[side] > 0 && field[side].filled === rows[side] && field[side].distinct === rows[side]),
  );
  return fitting.length === 1 ? fitting[0]?.name : undefined;
}

/**
 * Fields that are gone, added ones, those with the most changed rows, those whose figures differ, and the rest, each by
 * their names.
 */
function inOrder(fields: readonly FieldComparison[]): FieldComparison[] {
  const rank = (field: FieldComparison): number =>
    field.only === "base" ? 0 : field.only === "head" ? 1 : isDifferent(field) ? 2 : 3;
  const change = ({ filled }: FieldComparison): number => Math.abs(filled.head - filled.base);
  return [...fields].sort(
    (one, other) => rank(one) - rank(other) || (other.changed ?? 0) - (one.changed ?? 0) || change(other) - change(one),
  );
}

/** Whether anything that a report shows about the field differs between the sides. */
export function isDifferent({ only, changed = 0, filled, base, head }: FieldComparison): boolean {
  const shown = ({ distinct, types, shortest, longest, frequent }: FieldFigures): string =>
    JSON.stringify([distinct, types, shortest, longest, frequent]);
  return only !== undefined || changed > 0 || filled.base !== filled.head || shown(base) !== shown(head);
}
