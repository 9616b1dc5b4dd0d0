import type { Database, Value } from "./database";
import { isBlank, mostShown } from "./fieldFigures";
import type { ComparedField } from "./joins";
import { inTheSameTables, joinOf, keyIn, keysIn } from "./joins";
import type { Key, RowDetails } from "./rowDetails";
import { rowDetails } from "./rowDetails";
import { tableOf } from "./sides/rowTable";

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
  details?: RowDetails;
}

/** Rows with their number, and the keys of the first ones. */
export interface Examples {
  rows: number;
  /** More than there are examples of them if the rest is left out. */
  keyCount: number;
  keys: readonly Key[];
}

export interface FieldChanges {
  changed: number;
  examples: readonly { key: Key; old: string | undefined; now: string | undefined }[];
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
  key: readonly ComparedField[];
  /** The other fields that both sides have. */
  fields: readonly ComparedField[];
  rows: { base: number; head: number };
  /** Whether the rows that differ are read. */
  details: boolean;
}

const mostExamples = 5;

/** Joins the sides by a key. */
export async function compareByKey(database: Database, { key, fields, rows, details }: Keying): Promise<KeyedRows> {
  const parts = key.map((_each, index) => `k${index}`);
  for (const side of ["base", "head"] as const) {
    await database.run(`CREATE TEMP TABLE ${side}_keyed AS ${keysOf(key, side)}`);
    await database.run(
      `CREATE TEMP TABLE ${side}_twice AS SELECT ${parts}, count(*) AS n FROM ${side}_keyed GROUP BY ${parts} HAVING n > 1`,
    );
  }
  await database.run(
    `CREATE TEMP TABLE twice AS SELECT ${parts} FROM base_twice UNION SELECT ${parts} FROM head_twice`,
  );
  for (const side of ["base", "head"]) {
    await database.run(
      `CREATE TEMP VIEW ${side}_once AS SELECT * FROM ${side}_keyed AS keyed ANTI JOIN twice USING (${parts})`,
    );
  }
  await database.run(
    `CREATE TEMP TABLE pairs AS SELECT ${parts}, base.row AS base_row, head.row AS head_row
     FROM base_once AS base JOIN head_once AS head USING (${parts})`,
  );
  const changes = new Map<string, FieldChanges>();
  await database.run("CREATE TEMP TABLE changed_rows (row BIGINT)");
  for (const together of inTheSameTables(fields)) {
    await compareFields(database, parts, together, changes);
  }
  const [[changed, pairs] = []] = await database.rows(
    "SELECT (SELECT count(DISTINCT row) FROM changed_rows), (SELECT count(*) FROM pairs)",
  );
  return {
    added: await rowsWithout(database, "head", "base", parts),
    removed: await rowsWithout(database, "base", "head", parts),
    changed: Number(changed),
    unchanged: Number(pairs) - Number(changed),
    fields: changes,
    base: await unusableKeys(database, "base", rows.base, parts),
    head: await unusableKeys(database, "head", rows.head, parts),
    ...(details && { details: await rowDetails(database, parts, fields) }),
  };
}

/** The keys of the rows that have a value in each of its fields. */
function keysOf(key: readonly ComparedField[], side: "base" | "head"): string {
  const columns = key.map((each) => `c${each[side]}`);
  const [first, ...others] = [...new Set(key.map((each) => tableOf(side, each[side])))];
  const joins = others.map((each) => ` JOIN ${each} ON ${each}.rowid = ${first}.rowid`).join("");
  const isUsable = columns.map((each) => `NOT ${isBlank(each)}`).join(" AND ");
  return `SELECT ${columns.map((each, index) => `${each} AS k${index}`).join(", ")}, ${first}.rowid AS row FROM ${first}${joins} WHERE ${isUsable}`;
}

async function unusableKeys(
  database: Database,
  side: "base" | "head",
  rows: number,
  parts: readonly string[],
): Promise<UnusableKeys> {
  const [[keyed] = []] = await database.rows(`SELECT count(*) FROM ${side}_keyed`);
  const [[once] = []] = await database.rows(`SELECT count(*) FROM ${side}_once`);
  const [[duplicates, keyCount, keys] = []] = await database.rows(
    `SELECT sum(n), count(*), min(${keyIn("twice", parts)}, ${mostExamples}) FROM ${side}_twice AS twice`,
  );
  return {
    empty: rows - Number(keyed),
    duplicates: { rows: Number(duplicates), keyCount: Number(keyCount), keys: keysIn(keys) },
    notCompared: Number(keyed) - Number(once),
  };
}

/** The rows of a side whose key the other side does not have. */
async function rowsWithout(
  database: Database,
  side: string,
  other: string,
  parts: readonly string[],
): Promise<Examples> {
  const [[rows, keys] = []] = await database.rows(
    `SELECT count(*), min(${keyIn(side, parts)}, ${mostExamples}) FROM ${side}_once AS ${side} ANTI JOIN ${other}_once AS ${other} USING (${parts})`,
  );
  return { rows: Number(rows), keyCount: Number(rows), keys: keysIn(keys) };
}

/** Adds the changes of some fields. The rows that have one are noted, because those of other fields can be the same rows. */
async function compareFields(
  database: Database,
  parts: readonly string[],
  fields: readonly ComparedField[],
  changes: Map<string, FieldChanges>,
): Promise<void> {
  const joined = joinOf("pairs", fields);
  const isChanged = fields.map(({ base, head }) => `base.c${base} IS DISTINCT FROM head.c${head}`).join(" OR ");
  const listOf = (side: "base" | "head"): string => fields.map((field) => `${side}.c${field[side]}`).join(", ");
  await database.run(`INSERT INTO changed_rows SELECT base_row FROM ${joined} WHERE ${isChanged}`);
  const rows = await database.rows(`
    WITH cells AS (
      SELECT ${keyIn("pairs", parts)} AS key, unnest([${[...fields.keys()].join(", ")}]) AS field,
        unnest([${listOf("base")}]) AS old, unnest([${listOf("head")}]) AS now
      FROM ${joined} WHERE ${isChanged})
    SELECT field, count(*), min({'key': key, 'old': left(old, ${mostShown}), 'now': left(now, ${mostShown})}, ${mostExamples})
    FROM cells WHERE old IS DISTINCT FROM now GROUP BY field`);
  for (const [field, changed, found] of rows) {
    const examples = found as { key: Value[]; old: Value; now: Value }[];
    changes.set(fields[Number(field)]?.name ?? "", {
      changed: Number(changed),
      examples: examples.map(({ key, old, now }) => ({
        key: key.map(String),
        old: old === null ? undefined : String(old),
        now: now === null ? undefined : String(now),
      })),
    });
  }
}
