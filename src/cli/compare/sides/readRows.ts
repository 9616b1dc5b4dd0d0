import { oneLine } from "../../../service/errors/foreignText";
import { CliError } from "../../exitCodes";
import type { Database } from "../database";
import { longestRow } from "./damaged";
import { parquetRows } from "./parquetRows";
import type { FoundRows } from "./side";
import type { TemporaryFile } from "./temporaryFile";
import { writeTemporary } from "./temporaryFile";
import { xlsxRows } from "./xlsxRows";

/** What a file says beside its rows. */
export interface ReadRows {
  /** Fields that it names. */
  readonly header: readonly string[];
  /** What a reader must know. */
  readonly notes: readonly string[];
}

/**
 * Reads a file into a table whose rows are maps from the names of fields to text. So no name becomes part of a statement, nor a column, which DuckDB would
 * rename, and DuckDB guesses nothing.
 */
export async function readRows(table: string, file: TemporaryFile, database: Database): Promise<ReadRows> {
  if (file.format === "parquet" || file.format === "xlsx") {
    const found: FoundRows = { header: [], notes: [] };
    const path = `${file.path}.ndjson`;
    const rows = file.format === "xlsx" ? xlsxRows(file.path, found) : parquetRows(file.path, database, found);
    await writeTemporary(path, rows, database);
    await readRows(table, { path, format: "ndjson", header: [] }, database);
    return found;
  }
  const source = `read_json(?, format = '${file.format === "json" ? "array" : "newline_delimited"}', records = 'false',
    columns = {cells: 'MAP(VARCHAR, VARCHAR)'}, maximum_object_size = ${longestRow})`;
  await database.rows(
    `CREATE TABLE ${table} AS
    SELECT CASE WHEN list_unique(map_keys(cells)) = cardinality(cells) THEN cells END AS cells FROM ${source}`,
    [file.path],
  );
  const [[refused] = []] = await database.rows(`SELECT min(rowid) FROM ${table} WHERE cells IS NULL`);
  if (refused !== null) {
    const [[fields] = []] = await database.rows(`SELECT map_keys(cells) FROM ${source} LIMIT 1 OFFSET ${refused}`, [
      file.path,
    ]);
    const names = (fields ?? []) as string[];
    const twice = names.find((each, index) => names.indexOf(each) < index);
    const what = twice === undefined ? "is null" : `has the field "${oneLine(twice)}" twice`;
    throw new CliError(`row ${Number(refused) + 1} ${what}`);
  }
  return { header: file.header, notes: [] };
}
