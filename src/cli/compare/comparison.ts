import { CliError } from "../exitCodes";
import type { Database } from "./database";
import type { FieldFigures } from "./fieldFigures";
import { fieldFigures, noFigures } from "./fieldFigures";
import type { FieldChanges, KeyedRows } from "./keyedRows";
import { compareByKey } from "./keyedRows";
import type { LoadedSide } from "./sides/loadSide";

/** What differs between two sets of rows. */
export interface Comparison {
  base: SideFigures;
  head: SideFigures;
  /** The fields of the key. Empty without a key. */
  key: readonly string[];
  /** Only with a key. */
  keyed?: KeyedRows;
  /** Without a key: the only field that is unique and filled on both sides. */
  fittingKey?: string;
  /** Changed ones first. */
  fields: readonly FieldComparison[];
  /** What a reader must know about the rows. */
  notes: readonly string[];
}

export interface SideFigures {
  name: string;
  rows: number;
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

interface PairedField {
  name: string;
  base: number;
  head: number;
}

export interface CompareOptions {
  key: readonly string[];
  /** Other fields that must be there, because conditions name them. */
  conditionFields: readonly string[];
  /** Whether a message may show names that the user has not given: those of a CSV without a header are values. */
  values: boolean;
  /** Whether the rows that differ are read. Needs a key. */
  details: boolean;
  /** Called with the share of the work that is done, from 0 to 1. */
  progress(share: number): void;
}

export interface LoadedSides {
  base: LoadedSide;
  head: LoadedSide;
}

/** Compares two sides that are in the database. */
export async function compareSides(
  database: Database,
  sides: LoadedSides,
  { key, conditionFields, values, details, progress }: CompareOptions,
): Promise<Comparison> {
  const { base, head } = sides;
  const pairs = pairedFields(base.table.names, head.table.names);
  const keyFields = key.map((name) => requireKey(name, pairs, sides, values));
  for (const name of conditionFields) {
    requireField(name, pairs, "--fail-on", values);
  }
  const rows = { base: base.table.rows, head: head.table.rows };
  const all = base.table.names.length + head.table.names.length;
  const ofBase = await fieldFigures(database, "base", base.table.names.length, (done) => progress(done / all / 2));
  const ofHead = await fieldFigures(database, "head", head.table.names.length, (done) =>
    progress(0.5 + done / all / 2),
  );
  const figures = pairs.map((pair) => fieldComparison(pair, { ofBase, ofHead, rows }));
  const isBoth = (pair: PairedField): boolean => pair.base >= 0 && pair.head >= 0;
  const compared = pairs.filter((pair) => isBoth(pair) && !key.includes(pair.name));
  const keyed =
    key.length === 0 ? undefined : await compareByKey(database, { key: keyFields, fields: compared, rows, details });
  const fields = keyed === undefined ? figures : figures.map((field) => ({ ...field, ...changesOf(field, keyed) }));
  return {
    base: { name: base.name, rows: rows.base },
    head: { name: head.name, rows: rows.head },
    key,
    keyed,
    fittingKey: key.length === 0 ? fittingKey(fields, rows) : undefined,
    fields: inOrder(fields),
    notes: [...base.notes, ...head.notes],
  };
}

/** The fields of both sides, those of the base first. A column of -1 means that the side lacks the field. */
function pairedFields(base: readonly string[], head: readonly string[]): PairedField[] {
  const ofHead = new Map(head.map((name, index) => [name, index]));
  const ofBase = new Set(base);
  return [
    ...base.map((name, index) => ({ name, base: index, head: ofHead.get(name) ?? -1 })),
    ...head.flatMap((name, index) => (ofBase.has(name) ? [] : [{ name, base: -1, head: index }])),
  ];
}

/** A side without any field, such as an empty file, has no row that could be compared by the key. */
function requireKey(
  name: string,
  pairs: readonly PairedField[],
  { base, head }: LoadedSides,
  values: boolean,
): PairedField {
  const found = requireField(name, pairs, "--key", values);
  const lacking = found.base < 0 ? base : found.head < 0 ? head : undefined;
  if (lacking !== undefined && lacking.table.names.length > 0) {
    throw new CliError(
      `--key names the field "${name}", which "${lacking.name}" does not have. A key must be in both sides.`,
      "usage",
    );
  }
  return { name, base: Math.max(found.base, 0), head: Math.max(found.head, 0) };
}

function requireField(
  name: string,
  pairs: readonly PairedField[],
  option: "--key" | "--fail-on",
  values: boolean,
): PairedField {
  const found = pairs.find((pair) => pair.name === name);
  if (found !== undefined || pairs.length === 0) {
    return found ?? { name, base: 0, head: 0 };
  }
  // biome-ignore lint/style/noCommonJs: most comparisons need no likely name
  const { didYouMean } = require("../../resources/likelyName") as typeof import("../../resources/likelyName");
  const names = values ? pairs.map((pair) => pair.name) : [];
  throw new CliError(
    `${option} names "${name}", which is no field of the rows${didYouMean(name, names) || "."}`,
    "usage",
  );
}

interface Figures {
  /** By column. */
  ofBase: readonly FieldFigures[];
  ofHead: readonly FieldFigures[];
  rows: { base: number; head: number };
}

function fieldComparison({ name, ...columns }: PairedField, { ofBase, ofHead, rows }: Figures): FieldComparison {
  const base = ofBase[columns.base] ?? noFigures;
  const head = ofHead[columns.head] ?? noFigures;
  const share = (filled: number, of: number): number => (of === 0 ? 0 : filled / of);
  return {
    name,
    ...(columns.head < 0 ? { only: "base" as const } : columns.base < 0 ? { only: "head" as const } : {}),
    filled: { base: share(base.filled, rows.base), head: share(head.filled, rows.head) },
    base,
    head,
    examples: [],
  };
}

/** A field of the key, or of one side, is not compared. */
function changesOf({ name }: FieldComparison, { fields }: KeyedRows): FieldChanges {
  return fields.get(name) ?? { changed: 0, examples: [] };
}

function fittingKey(fields: readonly FieldComparison[], rows: { base: number; head: number }): string | undefined {
  const sides = ["base", "head"] as const;
  const fitting = fields.filter((field) =>
    sides.every((side) => rows[side] > 0 && field[side].filled === rows[side] && field[side].distinct === rows[side]),
  );
  return fitting.length === 1 ? fitting[0]?.name : undefined;
}

/** Fields that are gone, added ones, those with the most changed rows, those whose figures differ, and the rest. */
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
