import type { Database, Value } from "./database";
import { isBlank, mostShown, name, nameOf } from "./fieldFigures";
import type { Layout } from "./layout";

/** The values of the key's fields. */
export type Key = readonly string[];

/** What became of the rows, by their keys. */
export interface KeyedRows {
  added: Examples;
  removed: Examples;
  changed: number;
  unchanged: number;
  /** The first ones of rows that have changed. */
  changedKeys: readonly Key[];
  /** By the name of the field. Only of fields that have changed in a row. */
  fields: ReadonlyMap<string, FieldChanges>;
  base: UnusableKeys;
  head: UnusableKeys;
  /** The changes of the first rows by their keys. */
  changes?: readonly RowChange[];
}

/** Rows with their number, and the first ones of their keys. */
export interface Examples {
  rows: number;
  /** More than there are keys here if the rest is left out. */
  keyCount: number;
  keys: readonly Key[];
}

export interface FieldChanges {
  changed: number;
  examples: readonly RowChange[];
}

/** A long value is shown from before the first character that differs. */
export interface RowChange {
  key: Key;
  field: string;
  old: string | undefined;
  now: string | undefined;
}

/** Rows of a side that cannot be compared. */
export interface UnusableKeys {
  /** A field of the key has no value. */
  empty: number;
  /** Keys that more than one row of this side has. */
  duplicates: Examples;
  /** Rows that are not compared because their key occurs more than once, in this side or in the other. */
  notCompared: number;
}

export interface Keying {
  key: readonly string[];
  layout: Layout;
  /** The fields that both sides have. */
  fields: readonly string[];
  rows: { base: number; head: number };
  /** Whether the rows that differ are read. */
  details: boolean;
}

export const mostExamples = 5;
/** Of each kind. */
const mostRows = 1_000;
/** Of all rows together, because a row can have thousands of fields. */
const mostChanges = 5_000;

/** Joins the sides by a key. */
export async function compareByKey(
  database: Database,
  { key: names, layout, fields, rows, details }: Keying,
): Promise<KeyedRows> {
  const cells = names.map((field) => layout.cell(field));
  const isUsable = cells.map((cell) => `NOT ${isBlank(cell)}`).join(" AND ");
  const parts = cells.map((_cell, index) => `part${index}`).join(", ");
  const keysOf = (side: string, numbers: string): string =>
    `SELECT ${cells.map((cell, index) => `${cell} AS part${index}`).join(", ")}, ${numbers} FROM ${side} WHERE ${isUsable}`;
  // The number of rows with this key in each side, and one of these rows.
  await database.rows(
    `CREATE TEMP TABLE keys AS
    SELECT [${parts}] AS key, count(base_row) AS base, count(head_row) AS head, min(base_row) AS base_row, min(head_row) AS head_row
    FROM (
      ${keysOf("base", "rowid AS base_row, NULL AS head_row")}
      UNION ALL ${keysOf("head", "NULL, rowid")})
    GROUP BY ${parts}`,
  );
  await database.rows(
    `CREATE TEMP TABLE changes AS ${layout.changed("SELECT base_row, head_row FROM keys WHERE base = 1 AND head = 1", fields)}`,
  );
  const one = async (select: string): Promise<Value[]> => (await database.rows(select))[0] ?? [];
  const examples = async (count: string, where: string, most: number): Promise<Examples> => {
    const [found, keyCount, keys] = await one(
      `SELECT sum(${count}), count(*), min(${shown("key")}, ${most}) FROM keys WHERE ${where}`,
    );
    return { rows: Number(found), keyCount: Number(keyCount), keys: ((keys ?? []) as Value[][]).map(asKey) };
  };
  const unusable = async (side: "base" | "head"): Promise<UnusableKeys> => {
    const [usable, twice] = await one(`SELECT sum(${side}), sum(${side}) FILTER (base > 1 OR head > 1) FROM keys`);
    const duplicates = await examples(side, `${side} > 1`, mostExamples);
    return { empty: rows[side] - Number(usable), duplicates, notCompared: Number(twice) };
  };
  const [changed] = await one("SELECT count(DISTINCT base_row) FROM changes");
  const [pairs] = await one("SELECT count(*) FROM keys WHERE base = 1 AND head = 1");
  return {
    added: await examples("head", "head = 1 AND base = 0", mostRows),
    removed: await examples("base", "base = 1 AND head = 0", mostRows),
    changed: Number(changed),
    unchanged: Number(pairs) - Number(changed),
    changedKeys: (await database.rows(`SELECT ${shown("key")} FROM (${firstChanged}) ORDER BY key`)).map(([found]) =>
      asKey(found),
    ),
    fields: await fieldChanges(database, layout),
    base: await unusable("base"),
    head: await unusable("head"),
    changes: details ? await firstChanges(database, layout) : undefined,
  };
}

/** The keys of the first rows that have changed. */
const firstChanged = `SELECT key, base_row FROM keys WHERE base = 1 AND head = 1 AND base_row IN (SELECT base_row FROM changes) ORDER BY key LIMIT ${mostRows}`;

async function fieldChanges(database: Database, layout: Layout): Promise<Map<string, FieldChanges>> {
  const rows = await database.rows(`SELECT ${name("field")}, count(*) FROM changes GROUP BY field`);
  const examples = await changedValues(
    database,
    layout,
    `SELECT field, one.* FROM (
      SELECT field, unnest(min({'key': key, 'base_row': base_row, 'head_row': head_row}, ${mostExamples})) AS one
      FROM changes JOIN keys USING (base_row, head_row) GROUP BY field)`,
  );
  const fields = new Map(
    rows.map(([field, changed]) => [nameOf(field), { changed: Number(changed), examples: [] as RowChange[] }]),
  );
  for (const each of examples) {
    fields.get(each.field)?.examples.push(each);
  }
  return fields;
}

async function firstChanges(database: Database, layout: Layout): Promise<RowChange[]> {
  return await changedValues(
    database,
    layout,
    `SELECT key, changes.* FROM changes JOIN (${firstChanged}) USING (base_row) ORDER BY key, field LIMIT ${mostChanges}`,
  );
}

/** @param chosen the changes, with their keys */
async function changedValues(database: Database, layout: Layout, chosen: string): Promise<RowChange[]> {
  const cellsOf = (side: "base" | "head", value: string): string =>
    `SELECT rowid AS ${side}_row, unnest(${layout.fields}) AS field, unnest(${layout.values}) AS ${value}
    FROM ${side} WHERE rowid IN (SELECT ${side}_row FROM places)`;
  await database.rows(
    `CREATE OR REPLACE TEMP TABLE chosen AS
    WITH places AS MATERIALIZED (${chosen})
    SELECT key, field, coalesce(old, '') AS old, coalesce(now, '') AS now
    FROM places LEFT JOIN (${cellsOf("base", "old")}) USING (base_row, field) LEFT JOIN (${cellsOf("head", "now")}) USING (head_row, field)`,
  );
  const rows = await database.rows(`
    SELECT rowid, ${shown("key")}, ${name("field")}, left(old, ${mostShown}) AS old, left(now, ${mostShown}) AS now FROM chosen
    ORDER BY key, field`);
  const changes: RowChange[] = [];
  for (const [row, key, field, ...begins] of rows) {
    const [old, now] = begins[0] === begins[1] ? await laterPart(database, String(row)) : begins;
    changes.push({ key: asKey(key), field: nameOf(field), old: textOf(old), now: textOf(now) });
  }
  return changes;
}

/** Characters before the first one that differs: a secret that begins there is found as a whole, and hidden. */
const mostBefore = 10_000;

/**
 * Both values of a change from before the first character that differs. One change at a time, because values can be
 * long.
 */
async function laterPart(database: Database, row: string): Promise<string[]> {
  const [values = []] = await database.rows("SELECT old, now FROM chosen WHERE rowid = ?::BIGINT", [row]);
  const [old = "", now = ""] = values.map(String);
  let place = mostShown;
  while (old[place] === now[place]) {
    place++;
  }
  return [old, now].map((text) => text.slice(Math.max(0, place - mostBefore), place + mostShown));
}

function shown(key: string): string {
  return `[left(part, ${mostShown}) FOR part IN ${key}]`;
}

function asKey(value: Value | undefined): Key {
  return (value as Value[]).map(String);
}

function textOf(value: Value | undefined): string | undefined {
  return value === null || value === undefined || value === "" ? undefined : String(value);
}
