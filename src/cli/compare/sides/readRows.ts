import { rm } from "node:fs/promises";
import type { ExportFormat } from "../../../resources/export/formats/formats";
import { oneLine } from "../../../service/errors/foreignText";
import { CliError } from "../../exitCodes";
import type { Database } from "../database";
import type { Layout } from "../layout";
import { maps, rowsAsMaps } from "../layout";
import { longestRow } from "./damaged";
import { readers } from "./readers";
import type { FoundRows } from "./side";
import type { TemporaryFile } from "./temporaryFile";
import { writeTemporary } from "./temporaryFile";

/** Rows as JSON, and what a reader must know about them. */
export interface RowsFile extends TemporaryFile {
  readonly notes: readonly string[];
}

/** The same file as JSON. */
export async function rowsFile(file: TemporaryFile, format: ExportFormat, database: Database): Promise<RowsFile> {
  const { path } = file;
  const reader = readers[format];
  if ("fromText" in reader) {
    return { ...file, notes: [] };
  }
  const found: FoundRows = { header: [], notes: [] };
  const rows = `${path}.ndjson`;
  await writeTemporary(rows, reader.fromFile(path, database, found), database);
  await rm(path);
  return { path: rows, format: "ndjson", header: found.header, fields: found.header, notes: found.notes };
}

/** Reads a file into a table of text. DuckDB guesses nothing. */
export async function readRows(
  table: string,
  { path, format }: Pick<RowsFile, "path" | "format">,
  { layout, database }: { layout: Layout; database: Database },
): Promise<void> {
  const source = `?, format = '${format === "json" ? "array" : "newline_delimited"}', maximum_object_size = ${longestRow}`;
  await database.rows(`CREATE TABLE ${table} AS ${layout.read(source)}`, [path]);
  if (layout === maps) {
    await refuseIncomplete(table, source, { path, database });
  }
}

/** @throws CliError if a row is null or has a field twice */
async function refuseIncomplete(
  table: string,
  source: string,
  { path, database }: { path: string; database: Database },
): Promise<void> {
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
  const what = twice === undefined ? "is null" : `has the field "${oneLine(twice)}" twice`;
  throw new CliError(`row ${Number(refused) + 1} ${what}`);
}
