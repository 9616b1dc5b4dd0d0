import type { Database, Value } from "./database";
import { isBlank, mostShown } from "./fieldFigures";

/** What became of the rows, by their keys. */
export interface KeyedRows {
  added: Examples;
  removed: Examples;
  changed: number;
  unchanged: number;
  /** By the position of the pair of columns. */
  fields: readonly FieldChanges[];
  base: UnusableKeys;
  head: UnusableKeys;
}

/** Rows with their number, and the keys of the first ones. */
export interface Examples {
  rows: number;
  /** More than there are examples of them if the rest is left out. */
  keyCount: number;
  keys: readonly Key[];
}

/** The values of the key's fields. */
export type Key = readonly string[];

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
  /** The columns of the key, in both sides. */
  key: readonly { base: number; head: number }[];
  /** The columns of each other field that both sides have. */
  fields: readonly { base: number; head: number }[];
  rows: { base: number; head: number };
}

const mostExamples = 5;
/** More columns in one statement need too much memory. */
const fieldsAtOnce = 64;

/** Joins the tables `base` and `head` by a key. */
export async function compareByKey(database: Database, { key, fields, rows }: Keying): Promise<KeyedRows> {
  const parts = key.map((_each, index) => `k${index}`);
  for (const side of ["base", "head"] as const) {
    const columns = key.map((each, index) => `c${each[side]} AS k${index}`).join(", ");
    const isUsable = key.map((each) => `NOT ${isBlank(`c${each[side]}`)}`).join(" AND ");
    await database.run(
      `CREATE VIEW ${side}_keyed AS SELECT ${columns}, rowid AS row, * FROM ${side} WHERE ${isUsable}`,
    );
    await database.run(
      `CREATE TEMP TABLE ${side}_twice AS SELECT ${parts}, count(*) AS n FROM ${side}_keyed GROUP BY ALL HAVING n > 1`,
    );
  }
  await database.run(
    `CREATE TEMP TABLE twice AS SELECT ${parts} FROM base_twice UNION SELECT ${parts} FROM head_twice`,
  );
  const same = (one: string, other: string): string =>
    parts.map((part) => `${one}.${part} = ${other}.${part}`).join(" AND ");
  for (const side of ["base", "head"]) {
    await database.run(
      `CREATE VIEW ${side}_once AS SELECT * FROM ${side}_keyed AS keyed WHERE NOT EXISTS (FROM twice WHERE ${same("keyed", "twice")})`,
    );
  }
  const [base, head] = [
    await unusableKeys(database, "base", rows.base, parts),
    await unusableKeys(database, "head", rows.head, parts),
  ];
  const compared = {
    base: rows.base - base.empty - base.notCompared,
    head: rows.head - head.empty - head.notCompared,
  };
  const { pairs, added, removed } = await countPairs(database, parts, compared);
  const changes: FieldChanges[] = [];
  await database.run("CREATE TEMP TABLE changed_rows (row BIGINT)");
  for (let begin = 0; begin < fields.length; begin += fieldsAtOnce) {
    changes.push(...(await compareFields(database, parts, fields.slice(begin, begin + fieldsAtOnce))));
  }
  const [[changed] = []] = await database.rows("SELECT count(DISTINCT row) FROM changed_rows");
  return {
    ...{ added, removed, changed: Number(changed), unchanged: pairs - Number(changed) },
    ...{ fields: changes, base, head },
  };
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

/** The keys that both sides have, and those that one has. */
async function countPairs(
  database: Database,
  parts: readonly string[],
  compared: { base: number; head: number },
): Promise<{ pairs: number; added: Examples; removed: Examples }> {
  const missing = async (side: string, other: string): Promise<Value[]> => {
    const [row = []] = await database.rows(
      `SELECT count(*), min(${keyIn(side, parts)}, ${mostExamples}) FROM ${side}_once AS ${side} ANTI JOIN ${other}_once AS ${other} USING (${parts})`,
    );
    return row;
  };
  const [removed, removedKeys] = await missing("base", "head");
  const pairs = compared.base - Number(removed);
  const [, addedKeys] = compared.head > pairs ? await missing("head", "base") : [];
  return {
    pairs,
    added: oneRowEach(compared.head - pairs, addedKeys),
    removed: oneRowEach(Number(removed), removedKeys),
  };
}

function oneRowEach(rows: number, keys: Value | undefined): Examples {
  return { rows, keyCount: rows, keys: keysIn(keys) };
}

/** The changes of some fields. The rows that have one are noted, because those of other fields can be the same rows. */
async function compareFields(
  database: Database,
  parts: readonly string[],
  fields: Keying["fields"],
): Promise<FieldChanges[]> {
  const joined = `base_once AS base JOIN head_once AS head USING (${parts})`;
  const differs = fields.map(({ base, head }) => `base.c${base} IS DISTINCT FROM head.c${head}`);
  const cut = (column: string): string => `left(${column}, ${mostShown})`;
  const figures = fields.flatMap(({ base, head }, index) => [
    `count(*) FILTER (${differs[index]})`,
    `min({'key': ${keyIn("base", parts)}, 'old': ${cut(`base.c${base}`)}, 'now': ${cut(`head.c${head}`)}}, ${mostExamples}) FILTER (${differs[index]})`,
  ]);
  await database.run(`INSERT INTO changed_rows SELECT base.row FROM ${joined} WHERE ${differs.join(" OR ")}`);
  const [row = []] = await database.rows(`SELECT ${figures.join(", ")} FROM ${joined}`);
  return fields.map((_field, index): FieldChanges => {
    const examples = (row[index * 2 + 1] ?? []) as { key: Value[]; old: Value; now: Value }[];
    return {
      changed: Number(row[index * 2]),
      examples: examples.map(({ key, old, now }) => ({
        key: key.map(String),
        old: old === null ? undefined : String(old),
        now: now === null ? undefined : String(now),
      })),
    };
  });
}

/** The key of a row as a list. */
function keyIn(table: string, parts: readonly string[]): string {
  return `[${parts.map((part) => `left(${table}.${part}, ${mostShown})`).join(", ")}]`;
}

function keysIn(found: Value | undefined): Key[] {
  return ((found ?? []) as Value[][]).map((key) => key.map(String));
}
