import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { quoted } from "../../../../src/service/errors/foreignText";
import { messageOf } from "../../../../src/values/errors";
import { CliError } from "../../exitCodes";
import type { Database } from "../database";
import type { FieldFigures } from "../fieldFigures";
import { fieldFigures } from "../fieldFigures";
import type { Layout } from "../layout";
import { layoutOf, maps, rowsAsMaps } from "../layout";
import { longestRow } from "../reading/reading";
import type { Side } from "./side";
import type { ReadOptions } from "./sideRows";
import { sideRows } from "./sideRows";
import type { StoredRows } from "./storedRows";
import { adviceOnInside, storedRows } from "./storedRows";

export interface LoadedSide {
  readonly rows: number;
  /** The fields by their names. */
  readonly fields: ReadonlyMap<string, FieldFigures>;
  /** What the side is, for people: with the lotNo where the user has not named it. */
  readonly name: string;
  /** What a reader of the report must know about the rows. */
  readonly notes: readonly string[];
}

/** The sides by their tables, which have one layout. */
export type LoadedSides<Tables extends Table> = Record<Tables, LoadedSide> & { layout: Layout };

export interface LoadOptions extends ReadOptions {
  readonly database: Database;
}

const mostFields = 5_000;
/** Bytes of a side whose fields are counted together. */
const mostTogether = 1_000_000;

/** The table of a side. */
type Table = "base" | "head";

/** Reads all rows of the sides into tables of the database. */
export async function loadSides<Tables extends Table>(
  sides: Readonly<Record<Tables, Side>>,
  options: LoadOptions,
): Promise<LoadedSides<Tables>> {
  const stored = new Map<Tables, StoredRows>();
  for (const table of Object.keys(sides) as Tables[]) {
    stored.set(table, await storeSide(table, sides[table], options));
  }
  const layout = layoutOf([...stored.values()].map(({ fields }) => fields));
  const loaded = {} as Record<Tables, LoadedSide>;
  for (const [table, rows] of stored) {
    loaded[table] = await loadSide(table, rows, layout, options);
  }
  return { ...loaded, layout };
}

/**
 * Reads all rows of a side into a table of maps.
 * @returns the fields that the side has even if no row has them
 */
export async function loadRows(table: Table, side: Side, options: LoadOptions): Promise<readonly string[]> {
  const rows = await storeSide(table, side, options);
  await fillTable(table, rows, maps, options);
  options.cli.terminal.endProgress();
  return rows.header;
}

async function storeSide(table: Table, side: Side, options: LoadOptions): Promise<StoredRows> {
  const { database, cli } = options;
  cli.terminal.progress(`Reading ${side.name}`);
  const stored = await storedRows(await sideRows(side, options), join(database.folder, `${table}.rows`), options);
  cli.terminal.endProgress();
  for (const note of stored.notes) {
    cli.terminal.warn(note);
  }
  return stored;
}

async function loadSide(table: Table, stored: StoredRows, layout: Layout, options: LoadOptions): Promise<LoadedSide> {
  const { name, header, notes } = stored;
  const { database, cli } = options;
  const { size } = await stat(stored.path);
  await fillTable(table, stored, layout, options);
  const fields = await fieldFigures(database, table, {
    layout,
    isSmall: size <= mostTogether,
    named: layout === maps ? header : (stored.fields ?? []),
  });
  if (fields.size > mostFields) {
    throw new CliError(`"${name}" has more than ${mostFields} fields. So many cannot be compared.`);
  }
  const [[rows] = []] = await database.rows(`SELECT count(*) FROM ${table}`);
  cli.terminal.endProgress();
  return { rows: Number(rows), fields, name, notes: [...notes, ...onlyRowNotes(stored, Number(rows))] };
}

/** Reads the stored rows into a table of text, and removes their file. DuckDB guesses nothing. */
async function fillTable(
  table: Table,
  { name, format, path, isList, inside }: StoredRows,
  layout: Layout,
  { database, cli }: LoadOptions,
): Promise<void> {
  cli.terminal.progress(`Reading ${name}`);
  const source = `?, format = '${isList ? "array" : "newline_delimited"}', maximum_object_size = ${longestRow}`;
  const fill = async (as: Layout): Promise<void> => {
    await database.rows(`CREATE TABLE ${table} AS ${as.read(source)}`, [path]);
    if (as === maps) {
      await refuseIncomplete(table, source, path, database);
    }
  };
  try {
    await fill(layout);
  } catch (error) {
    database.checkInterrupted();
    // Of a row as a map, more can be said.
    const why =
      layout === maps
        ? error
        : await fill(maps).then(
            () => error,
            (other) => other,
          );
    database.checkInterrupted();
    const isOnLines = format === "json" && !isList;
    const advice = [isOnLines ? linesAdvice : "", adviceOnInside(name, { inside })].filter((each) => each !== "");
    throw new CliError([`"${name}" cannot be read as ${format}: ${messageOf(why)}`, ...advice].join(". "));
  }
  await rm(path);
}

const linesAdvice = 'It begins with "{", so each of its lines must be a row';

/** A list of rows in an object, as services send it, is one row with a list. */
export function onlyRowNotes(file: Pick<StoredRows, "name" | "inside">, rows: number): string[] {
  const advice = rows === 1 ? adviceOnInside(file.name, file) : "";
  return advice === "" ? [] : [`"${file.name}" is one object, so one row. ${advice}`];
}

/** @throws CliError if a row is null or has a field twice */
async function refuseIncomplete(table: Table, source: string, path: string, database: Database): Promise<void> {
  const [[refused] = []] = await database.rows(`SELECT min(rowid) FROM ${table} WHERE cells IS NULL`);
  if (refused === null) {
    return;
  }
  const [[fields] = []] = await database.rows(
    `SELECT map_keys(cells) FROM ${rowsAsMaps(source)} LIMIT 1 OFFSET ${refused}`,
    [path],
  );
  const names = (fields ?? []) as string[];
  const twice = names.find((each, index) => names.indexOf(each) < index);
  const what = twice === undefined ? "is null" : `has the field ${quoted(twice)} twice`;
  throw new CliError(`row ${Number(refused) + 1} ${what}`);
}
