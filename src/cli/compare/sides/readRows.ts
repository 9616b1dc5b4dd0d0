import { oneLine } from "../../../service/errors/foreignText";
import { CliError } from "../../exitCodes";
import type { Database, Value } from "../database";
import type { TemporaryFile } from "./temporaryFile";
import { longestRow } from "./temporaryFile";

/**
 * Reads a file into a table whose rows are maps from the names of fields to text. So no name becomes part of a statement, nor a column, which DuckDB would
 * rename, and DuckDB guesses nothing.
 * @returns the fields that the file names beside its rows
 */
export async function readRows(table: string, file: TemporaryFile, database: Database): Promise<readonly string[]> {
  if (file.format === "parquet") {
    return await readParquet(table, file.path, database);
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
  return file.header;
}

/** The names come from the schema of the file, because DuckDB renames columns whose names differ only in case. */
async function readParquet(table: string, file: string, database: Database): Promise<string[]> {
  const source = "read_parquet(?, hive_partitioning = false, filename = false)";
  const columns = await database.rows(`DESCRIBE SELECT * FROM ${source}`, [file]);
  const names = namesIn(await database.rows("SELECT name, num_children FROM parquet_schema(?)", [file]));
  if (names.length !== columns.length || new Set(names).size < names.length) {
    throw new CliError("it has two columns of one name");
  }
  const cells = columns.map(([, type], index) => inText(`p${index}`, String(type)));
  // By position: a name can contain NUL, which ends a statement.
  const positions = names.map((_name, index) => `p${index}`);
  await database.rows(
    `CREATE TABLE ${table} AS SELECT map(?::JSON::VARCHAR[], [${cells.join(", ")}]) AS cells FROM ${source} AS t(${positions.join(", ")})`,
    [JSON.stringify(names), file],
  );
  return names;
}

/** The top-level names of a schema, which lists a parent before its children. */
function namesIn(schema: readonly Value[][]): string[] {
  const names: string[] = [];
  let at = 1;
  const skip = (): void => {
    const children = Number(schema[at]?.[1] ?? 0);
    at++;
    for (let child = 0; child < children; child++) {
      skip();
    }
  };
  while (at < schema.length) {
    names.push(String(schema[at]?.[0]));
    skip();
  }
  return names;
}

/** A nested value as JSON, any other as DuckDB writes it. */
function inText(column: string, type: string): string {
  const isNested = /[[(]/.test(type) && !/^DECIMAL/.test(type);
  return `CAST(${isNested ? `to_json(${column})` : column} AS VARCHAR)`;
}
