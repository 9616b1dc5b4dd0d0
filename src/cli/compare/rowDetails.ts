import type { Database, Value } from "./database";
import { mostShown } from "./fieldFigures";
import type { ComparedField } from "./joins";
import { inTheSameTables, joinOf, keyIn, keysIn } from "./joins";

/** The values of the key's fields. */
export type Key = readonly string[];

/** The rows that differ, the first ones by their keys. */
export interface RowDetails {
  changes: readonly RowChange[];
  /** The rows that the changes are of. */
  changedRows: number;
  added: readonly Key[];
  removed: readonly Key[];
}

export interface RowChange {
  key: Key;
  field: string;
  old: string | undefined;
  now: string | undefined;
}

const mostRows = 1_000;
/** Of all rows together, because a row can have thousands of fields. */
const mostChanges = 5_000;

/** Reads what a page shows. To be called when the rows are joined. */
export async function rowDetails(
  database: Database,
  parts: readonly string[],
  fields: readonly ComparedField[],
): Promise<RowDetails> {
  await database.run(
    `CREATE TEMP TABLE shown_pairs AS SELECT * FROM pairs WHERE base_row IN (SELECT row FROM changed_rows) ORDER BY ${parts} LIMIT ${mostRows}`,
  );
  const found: (RowChange & { row: number; place: number })[] = [];
  for (const together of inTheSameTables(fields)) {
    const cells = (side: "base" | "head"): string => together.map((field) => `${side}.c${field[side]}`).join(", ");
    const rows = await database.rows(`
      WITH cells AS (
        SELECT ${keyIn("pairs", parts)} AS key, pairs.rowid AS row, unnest([${[...together.keys()].join(", ")}]) AS field,
          unnest([${cells("base")}]) AS old, unnest([${cells("head")}]) AS now
        FROM ${joinOf("shown_pairs", together)})
      SELECT row, field, key, left(old, ${mostShown}), left(now, ${mostShown})
      FROM cells WHERE old IS DISTINCT FROM now ORDER BY row, field LIMIT ${mostChanges}`);
    for (const [row, index, key, old, now] of rows) {
      const field = together[Number(index)] as ComparedField;
      const change = { key: (key as Value[]).map(String), field: field.name, old: textOf(old), now: textOf(now) };
      found.push({ ...change, row: Number(row), place: field.base });
    }
  }
  const changes = found.sort((one, other) => one.row - other.row || one.place - other.place).slice(0, mostChanges);
  return {
    changes,
    changedRows: new Set(changes.map(({ row }) => row)).size,
    added: await keysWithout(database, "head", "base", parts),
    removed: await keysWithout(database, "base", "head", parts),
  };
}

async function keysWithout(database: Database, side: string, other: string, parts: readonly string[]): Promise<Key[]> {
  const [[keys] = []] = await database.rows(
    `SELECT min(${keyIn(side, parts)}, ${mostRows}) FROM ${side}_once AS ${side} ANTI JOIN ${other}_once AS ${other} USING (${parts})`,
  );
  return keysIn(keys);
}

function textOf(value: Value | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
