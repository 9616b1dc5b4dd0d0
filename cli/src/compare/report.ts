import { hideSecrets } from "../../../src/service/errors/secretShapes";
import { counted } from "../../../src/values/words";
import { fromDifference } from "../output/difference";
import type { Comparison, FieldComparison } from "./comparison";
import type { Failure } from "./conditions";
import { percentOf } from "./conditions";
import type { FieldFigures, ValueKind } from "./fieldFigures";
import type { Examples, Key, KeyedRows, RowChange, UnusableKeys } from "./keyedRows";
import { mostExamples } from "./keyedRows";
import type { KeyNames } from "./keyNames";
import { keyNames } from "./keyNames";

/** A comparison in words and tables, for the terminal and for Markdown. */
export interface Report {
  failures: readonly Phrase[];
  lines: readonly Phrase[];
  tables: readonly ReportTable[];
}

export interface ReportTable {
  /** What a row that does not fit is called. */
  what: string;
  /** What is left out. Only for a page. */
  note?: string;
  titles: readonly string[];
  rows: readonly (readonly Part[])[];
}

/** Words of ours, with what a page draws above them, and names and values of others, which must not become markup. */
export type Part = string | Drawing | { readonly foreign: string };
export type Phrase = readonly Part[];

export interface Drawing {
  readonly text: string;
  /** Shares from 0 to 1. */
  readonly bars?: { readonly base?: number; readonly head?: number };
  /** From 0 to 1, with gaps. */
  readonly line?: readonly (number | undefined)[];
}

export const foreign = (text: string): Part => ({ foreign: text });

/** @param withValues whether values of rows may be shown */
export function reportOf(comparison: Comparison, failures: readonly Failure[], withValues: boolean): Report {
  const { ignored, keyed, fittingKey, notes } = comparison;
  return {
    failures: failures.map(({ condition, found }) => [foreign(condition), " failed: ", foreign(found)]),
    lines: [
      ...sideLines(comparison),
      ...(ignored.length === 0 ? [] : [["Ignored: ", foreign(ignored.join(", "))]]),
      ...(keyed === undefined ? [] : keyLines(comparison, keyed, withValues)),
      ...(fittingKey === undefined
        ? []
        : [["Every row has another value of ", foreign(fittingKey), ": use it as --key to compare row by row."]]),
      ...notes.map((note) => [foreign(note)]),
    ],
    tables: keyed === undefined ? [figuresTable(comparison, withValues)] : keyedTables(keyed, comparison, withValues),
  };
}

function sideLines({ base, head, fields }: Comparison): Phrase[] {
  const change = rowChange(base.rows, head.rows);
  const only = (side: "base" | "head"): number => fields.filter((field) => field.only === side).length;
  return [
    ["Base: ", foreign(base.name), `, ${counted(base.rows, "row")}`],
    ["Head: ", foreign(head.name), `, ${counted(head.rows, "row")}${change === "" ? "" : ` (${change})`}`],
    [`${counted(fields.length, "field")}, ${only("base")} gone, ${only("head")} added`],
  ];
}

/** Empty if there is none. */
export function rowChange(before: number, now: number): string {
  const percent = percentOf(now - before, before);
  const inPercent = Number.isFinite(percent) ? `, ${signed(Number(percent.toFixed(1)))}%` : "";
  return now === before ? "" : `${signed(now - before)}${inPercent}`;
}

function keyLines({ key, base, head }: Comparison, keyed: KeyedRows, withValues: boolean): Phrase[] {
  const { added, removed, changed, unchanged } = keyed;
  const nameOf = withValues ? keyNames(keysIn(keyed), mostOfSeveral) : undefined;
  return [
    ["Key: ", foreign(key.join(", "))],
    [`Rows: ${added.rows} added, ${removed.rows} removed, ${changed} changed, ${unchanged} unchanged`],
    ...keysLine("Added", added, nameOf),
    ...keysLine("Removed", removed, nameOf),
    ...unusableLines(base.name, keyed.base, nameOf),
    ...unusableLines(head.name, keyed.head, nameOf),
  ];
}

function keysLine(what: string, { keyCount, keys }: Examples, nameOf: KeyNames | undefined): Phrase[] {
  return keys.length === 0 || nameOf === undefined ? [] : [[`${what}: `, ...keyList(keys, keyCount, nameOf)]];
}

function keyList(keys: Examples["keys"], count: number, nameOf: KeyNames): Part[] {
  const shown = keys.slice(0, mostExamples).flatMap((each, index) => [index === 0 ? "" : ", ", foreign(nameOf(each))]);
  return count > mostExamples ? [...shown, ", …"] : shown;
}

function unusableLines(name: string, unusable: UnusableKeys, nameOf: KeyNames | undefined): Phrase[] {
  const { empty, duplicates, notCompared } = unusable;
  const { rows, keys, keyCount } = duplicates;
  const examples: Part[] = nameOf !== undefined && keys.length > 0 ? [": ", ...keyList(keys, keyCount, nameOf)] : [];
  const line = (count: number, why: string, ...others: Part[]): Phrase[] =>
    count === 0 ? [] : [["Not compared in ", foreign(name), `: ${counted(count, "row")} ${why}`, ...others]];
  return [
    ...line(empty, "without a value of the key"),
    ...line(rows, "whose key occurs more than once", ...examples),
    ...line(notCompared - rows, "whose key occurs more than once in the other side"),
  ];
}

function keyedTables(keyed: KeyedRows, { base, head, fields }: Comparison, withValues: boolean): ReportTable[] {
  const nameOf = keyNames(keysIn(keyed), mostOfSeveral);
  const rows = { base: base.rows, head: head.rows };
  const changes: ReportTable = {
    what: "fields",
    titles: ["field", "changed rows", "filled", "distinct"],
    rows: fields.map((field) => [
      foreign(field.name),
      changedCell(field),
      filledCell(field),
      distinctCell(field, rows),
    ]),
  };
  const examples: ReportTable = {
    what: "examples",
    titles: ["field", "key", "old", "new"],
    rows: fields.flatMap(({ name, examples: found }) =>
      found.map(({ key, old, now }) => [foreign(name), foreign(nameOf(key)), ...changedCells(old, now)]),
    ),
  };
  return withValues && examples.rows.length > 0 ? [changes, examples] : [changes];
}

function figuresTable({ fields, base, head, keyed }: Comparison, withValues: boolean): ReportTable {
  const rows = { base: base.rows, head: head.rows };
  return {
    what: "fields",
    titles: [
      ...["field", "filled", "types", "distinct", "length"],
      ...(keyed === undefined ? [] : ["changed rows"]),
      ...(withValues ? ["most frequent in base", "most frequent in head"] : []),
    ],
    rows: fields.map((field) => [
      foreign(field.name),
      filledCell(field),
      bothSides(field, (figures, side) => typesIn(figures, rows[side])),
      distinctCell(field, rows),
      bothSides(field, lengthsIn),
      ...(keyed === undefined ? [] : [changedCell(field)]),
      ...(withValues ? [frequentIn(field.base), frequentIn(field.head)] : []),
    ]),
  };
}

/** The same report for a page, which has space for all figures and for the rows that differ. */
export function pageReport(comparison: Comparison, report: Report, withValues: boolean): Report {
  const { keyed } = comparison;
  const rows = keyed?.changes === undefined ? [] : [rowsTable(keyed, keyed.changes)];
  return { ...report, tables: [figuresTable(comparison, withValues), ...rows] };
}

/** A page has space for whole addresses. */
const mostOfPageKey = 140;

function rowsTable({ changed, added, removed }: KeyedRows, changes: readonly RowChange[]): ReportTable {
  const cut = [
    { what: "changed", found: new Set(changes.map(({ key }) => JSON.stringify(key))).size, of: changed },
    { what: "removed", found: removed.keys.length, of: removed.rows },
    { what: "added", found: added.keys.length, of: added.rows },
  ].filter(({ found, of }) => found < of);
  const nameOf = keyNames([...changes.map(({ key }) => key), ...removed.keys, ...added.keys], mostOfPageKey);
  const keyCell = (key: Key): Part => foreign(nameOf(key));
  return {
    what: "rows that differ",
    note:
      cut.length === 0
        ? undefined
        : `Only the first ones by their keys: ${cut.map(({ what, found, of }) => `${found} of ${counted(of, `${what} row`)}`).join(", ")}.`,
    titles: ["key", "row", "field", "base", "head"],
    rows: [
      ...changes.map(({ key, field, old, now }) => [
        ...[keyCell(key), "changed", foreign(field)],
        ...changedCells(old, now),
      ]),
      ...removed.keys.map((key) => [keyCell(key), "removed", "", "", ""]),
      ...added.keys.map((key) => [keyCell(key), "added", "", "", ""]),
    ],
  };
}

/** All keys that a report shows beside each other. */
function keysIn({ added, removed, fields, base, head }: KeyedRows): Key[] {
  const some = [added, removed, base.duplicates, head.duplicates].flatMap(({ keys }) => keys.slice(0, mostExamples));
  return [...some, ...[...fields.values()].flatMap(({ examples }) => examples.map(({ key }) => key))];
}

function filledCell({ only, filled: { base, head } }: FieldComparison): Part {
  return only === "base"
    ? { text: `gone (was ${share(base)})`, bars: { base } }
    : only === "head"
      ? { text: `new (${share(head)})`, bars: { head } }
      : { text: arrow(share(base), share(head)), bars: { base, head } };
}

function changedCell({ only, changed }: FieldComparison): string {
  return only === undefined ? String(changed) : "";
}

function distinctCell(field: FieldComparison, rows: { base: number; head: number }): string {
  return bothSides(field, ({ distinct }, side) => (rows[side] === 0 ? "" : String(distinct)));
}

function bothSides(
  { only, base, head }: FieldComparison,
  describe: (figures: FieldFigures, side: "base" | "head") => string,
): string {
  return only === undefined
    ? arrow(describe(base, "base"), describe(head, "head"))
    : describe(only === "base" ? base : head, only);
}

function arrow(old: string, now: string): string {
  return old === now ? old : `${old || "none"} -> ${now || "none"}`;
}

const kinds: Record<ValueKind, string> = { number: "number", date: "date", url: "URL", other: "other" };

function typesIn({ types, filled }: FieldFigures, rows: number): string {
  if (rows === 0) {
    return "";
  }
  const shares = [
    ...Object.entries(kinds).map(([kind, name]) => ({ name, count: types[kind as ValueKind] })),
    { name: "empty", count: rows - filled },
  ];
  return shares
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
    .map(({ name, count }) => (count === rows ? name : `${name} ${share(count / rows)}`))
    .join(", ");
}

function lengthsIn({ shortest, longest }: FieldFigures): string {
  return shortest === undefined ? "" : shortest === longest ? String(shortest) : `${shortest} to ${longest}`;
}

/** Characters of each of several values in one cell. */
const mostOfSeveral = 40;

function frequentIn({ frequent }: FieldFigures): Part {
  return frequent.length === 0 ? "" : foreign(frequent.map(({ value, rows }) => `${cut(value)} (${rows})`).join(", "));
}

function changedCells(old: string | undefined, now: string | undefined): Part[] {
  if (old === undefined || now === undefined) {
    return [valueCell(old), valueCell(now)];
  }
  // Before the cut, because half of a secret could not be found.
  const [one, other] = [hideSecrets(old), hideSecrets(now)];
  return [foreign(fromDifference(one, other)), foreign(fromDifference(other, one))];
}

function valueCell(value: string | undefined): Part {
  return value === undefined ? "none" : foreign(value);
}

/** Before the cut, because half of a secret could not be found. */
function cut(value: string): string {
  const shown = hideSecrets(value);
  return shown.length > mostOfSeveral ? `${shown.slice(0, mostOfSeveral)}…` : shown;
}

/** 100% and 0% only where it is all or nothing. */
export function share(part: number): string {
  const percent = part * 100;
  const rounded = Number(percent.toFixed(1));
  const isAll = rounded === 100 && part < 1;
  const isNone = rounded === 0 && part > 0;
  return isAll ? ">99.9%" : isNone ? "<0.1%" : `${rounded}%`;
}

function signed(number: number): string {
  return number > 0 ? `+${number}` : String(number);
}

/** Shares of filled rows from 0 to 1, by the names of the fields. */
export type FilledShares = ReadonlyMap<string, number>;

const mostNames = 3;
/** Of a filled share, unless it begins or ends at 0. */
const leastDifference = 0.01;

/** What is gone, then shares that differ, the largest differences first, then what is new: some of each. */
export function fieldChanges(before: FilledShares, after: FilledShares): string {
  const gone = [...before.keys()].filter((field) => !after.has(field));
  const added = [...after.keys()].filter((field) => !before.has(field));
  const filled = [...after]
    .map(([field, now]) => ({ field, now, old: before.get(field) ?? now }))
    .filter(({ old, now }) => old !== now && (Math.abs(now - old) >= leastDifference || old === 0 || now === 0))
    .sort((one, other) => Math.abs(other.now - other.old) - Math.abs(one.now - one.old));
  const all = [
    some(gone, (field) => `${cut(field)} gone`),
    some(filled, ({ field, old, now }) => `${cut(field)} ${share(old)} -> ${share(now)}`),
    some(added, (field) => `${cut(field)} new`),
  ];
  return all.filter((each) => each !== "").join(", ");
}

function some<T>(all: readonly T[], describe: (each: T) => string): string {
  const rest = all.length - mostNames;
  return [...all.slice(0, mostNames).map(describe), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}
