import type { Database, Value } from "./database";
import { isBlank, mostShown, name, nameOf } from "./fieldFigures";

/** The values of the key's fields. */
export type Key = readonly string[];

/** What became of the rows, by their keys. */
export interface KeyedRows {
  added: Examples;
  removed: Examples;
  changed: number;
  unchanged: number;
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
  examples: readonly { key: Key; old: string | undefined; now: string | undefined }[];
}

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
  /** The fields that both sides have. */
  fields: readonly string[];
  rows: { base: number; head: number };
  /** Whether the rows that differ are read. */
  details: boolean;
}

export const mostExamples = 5;
const mostRows = 1_000;
/** Of all rows together, because a row can have thousands of fields. */
const mostChanges = 5_000;

/** Joins the sides by a key. */
export async function compareByKey(database: Database, { key, fields, rows, details }: Keying): Promise<KeyedRows> {
  const cells = key.map((_name, index) => `cells[$${index + 1}::VARCHAR]`);
  const isUsable = cells.map((cell) => `NOT ${isBlank(cell)}`).join(" AND ");
  const list = cells.join(", ");
  // The number of rows with this key in each side, and one of these rows.
  await database.rows(
    `CREATE TEMP TABLE keys AS
    SELECT key, count(base_row) AS base, count(head_row) AS head, min(base_row) AS base_row, min(head_row) AS head_row
    FROM (
      SELECT [${list}] AS key, rowid AS base_row, NULL AS head_row FROM base WHERE ${isUsable}
      UNION ALL SELECT [${list}], NULL, rowid FROM head WHERE ${isUsable})
    GROUP BY key`,
    key,
  );
  await database.rows(
    `CREATE TEMP TABLE changes AS
    WITH pairs AS MATERIALIZED (
      SELECT key, base.cells AS base, head.cells AS head
      FROM keys JOIN base ON base.rowid = base_row JOIN head ON head.rowid = head_row
      WHERE keys.base = 1 AND keys.head = 1 AND base.cells IS DISTINCT FROM head.cells),
    old AS (SELECT key, unnest(map_keys(base)) AS field, unnest(map_values(base)) AS old FROM pairs),
    now AS (SELECT key, unnest(map_keys(head)) AS field, unnest(map_values(head)) AS now FROM pairs)
    SELECT key, field, nullif(left(old, ${mostShown}), '') AS old, nullif(left(now, ${mostShown}), '') AS now
    FROM old FULL JOIN now USING (key, field)
    WHERE coalesce(old, '') <> coalesce(now, '') AND field IN (SELECT unnest(?::JSON::VARCHAR[]))`,
    [JSON.stringify(fields)],
  );
  const one = async (select: string): Promise<Value[]> => (await database.rows(select))[0] ?? [];
  const examples = async (count: string, where: string, most: number): Promise<Examples> => {
    const [found, keyCount, keys] = await one(
      `SELECT sum(${count}), count(*), min(${shown("key")}, ${most}) FROM keys WHERE ${where}`,
    );
    return { rows: Number(found), keyCount: Number(keyCount), keys: ((keys ?? []) as Value[][]).map(keyOf) };
  };
  const mostKeys = details ? mostRows : mostExamples;
  const unusable = async (side: "base" | "head"): Promise<UnusableKeys> => {
    const [usable, twice] = await one(`SELECT sum(${side}), sum(${side}) FILTER (base > 1 OR head > 1) FROM keys`);
    const duplicates = await examples(side, `${side} > 1`, mostExamples);
    return { empty: rows[side] - Number(usable), duplicates, notCompared: Number(twice) };
  };
  const [changed] = await one("SELECT count(DISTINCT key) FROM changes");
  const [pairs] = await one("SELECT count(*) FROM keys WHERE base = 1 AND head = 1");
  return {
    added: await examples("head", "head = 1 AND base = 0", mostKeys),
    removed: await examples("base", "base = 1 AND head = 0", mostKeys),
    changed: Number(changed),
    unchanged: Number(pairs) - Number(changed),
    fields: await fieldChanges(database),
    base: await unusable("base"),
    head: await unusable("head"),
    changes: details ? await firstChanges(database) : undefined,
  };
}

async function fieldChanges(database: Database): Promise<Map<string, FieldChanges>> {
  const rows = await database.rows(
    `SELECT ${name("field")}, count(*), min({'key': ${shown("key")}, 'old': old, 'now': now}, ${mostExamples}) FROM changes GROUP BY field`,
  );
  return new Map(
    rows.map(([field, changed, found]) => {
      const examples = (found as { key: Value; old: Value; now: Value }[]).map(({ key, old, now }) => ({
        ...{ key: keyOf(key), old: textOf(old), now: textOf(now) },
      }));
      return [nameOf(field), { changed: Number(changed), examples }];
    }),
  );
}

async function firstChanges(database: Database): Promise<RowChange[]> {
  const rows = await database.rows(`
    SELECT ${shown("key")}, ${name("field")}, old, now FROM changes WHERE key IN (SELECT DISTINCT key FROM changes ORDER BY key LIMIT ${mostRows})
    ORDER BY key, field LIMIT ${mostChanges}`);
  return rows.map(([key, field, old, now]) => ({
    ...{ key: keyOf(key), field: nameOf(field), old: textOf(old), now: textOf(now) },
  }));
}

function shown(key: string): string {
  return `[left(part, ${mostShown}) FOR part IN ${key}]`;
}

function keyOf(value: Value | undefined): Key {
  return (value as Value[]).map(String);
}

function textOf(value: Value | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
