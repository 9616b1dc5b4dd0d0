import { randomBytes } from "node:crypto";
import { quoted } from "../../../../src/service/errors/foreignText";
import { counted, firstOf } from "../../../../src/values/words";
import type { FoundRows, RowDatabase } from "./reading";
import { Damaged } from "./reading";
import { compared } from "./valueText";

/** Of columns in a note. */
const mostNames = 3;

/**
 * The rows of a Parquet file as JSON, one a line, without nulls. DuckDB joins the cells of a row that have a value,
 * because it takes much longer to make a list of them all. The names come from the schema of the file, because DuckDB
 * renames columns whose names differ only in case.
 */
export async function* parquetRows(
  file: string,
  found: FoundRows,
  { database }: { database: RowDatabase },
): AsyncGenerator<string> {
  const source = "read_parquet(?, hive_partitioning = false, filename = false)";
  const columns = await database.rows(`DESCRIBE SELECT * FROM ${source}`, [file]);
  const names = namesIn(await database.rows("SELECT name, num_children FROM parquet_schema(?)", [file]));
  if (names.length !== columns.length || new Set(names).size < names.length) {
    throw new Damaged("it has two columns of one name");
  }
  found.header.push(...names);
  found.fields = names;
  const unmarked = names.filter((_name, index) => columns[index]?.[1] === "BLOB");
  if (unmarked.length > 0) {
    const shown = firstOf(unmarked.map(quoted), mostNames);
    found.notes.push(
      `${counted(unmarked.length, "column")} of bytes ${unmarked.length === 1 ? "is" : "are"} not marked as text: ${shown}. What is valid UTF-8 was read as text.`,
    );
  }
  // Nobody can have written it into a value.
  const mark = randomBytes(9).toString("base64");
  const cells = columns.map(([, type], index) => `'${mark}${index}:' || ${inText(`p${index}`, String(type))}`);
  // By position: a name can contain NUL, which ends a statement.
  const positions = names.map((_name, index) => `p${index}`);
  const keys = names.map((name) => JSON.stringify(name));
  for await (const texts of database.texts(
    `SELECT concat('', ${cells.join(", ")}) FROM ${source} AS t(${positions.join(", ")})`,
    [file],
  )) {
    yield texts.map((text) => rowOf(text.split(mark).slice(1), keys)).join("");
  }
}

function rowOf(cells: readonly string[], keys: readonly string[]): string {
  const members = cells.map((cell) => {
    const colon = cell.indexOf(":");
    return `${keys[Number(cell.slice(0, colon))]}:${JSON.stringify(compared(cell.slice(colon + 1)))}`;
  });
  return `{${members.join(",")}}\n`;
}

/** The top-level names of a schema, which lists a parent before its children. */
function namesIn(schema: readonly unknown[][]): string[] {
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

/** A nested value as JSON, bytes as text if they are UTF-8, any other value as DuckDB writes it. */
function inText(column: string, type: string): string {
  const isNested = /[[(]/.test(type) && !/^DECIMAL/.test(type);
  const text = `CAST(${isNested ? `to_json(${column})` : column} AS VARCHAR)`;
  return type === "BLOB" ? `coalesce(TRY(decode(${column})), ${text})` : text;
}
