import { readFile } from "node:fs/promises";
import type * as Library from "hucre/xlsx";
import { oneLine } from "../../../service/errors/foreignText";
import { importOptional } from "../../optionalPackage";
import type { FoundRows } from "./reading";
import { Damaged } from "./reading";
import { compared } from "./valueText";

/** An optional peer dependency: few people compare workbooks. */
const packageName = "hucre";

type Cell = string | number | boolean | Date | null;

/**
 * The rows of the first sheet of a workbook as JSON, many a piece, without empty cells. Its first row has the names.
 */
export async function* xlsxRows(file: string, found: FoundRows): AsyncGenerator<string> {
  const library = load();
  found.fields = found.header;
  let keys: string[] | undefined;
  let lines = "";
  /** Rows without a value. At the end of a sheet they are no rows: their cells have only a format. */
  let blank = 0;
  for await (const { index, values } of library.streamXlsxRows(await readFile(file))) {
    if (keys === undefined) {
      const names = values.map((value) => textOf(value) ?? "");
      const twice = names.find((name, at) => names.indexOf(name) < at);
      if (twice !== undefined) {
        throw new Damaged(`it has two columns with the name "${oneLine(twice)}"`);
      }
      found.header.push(...names);
      keys = names.map((name) => JSON.stringify(name));
      continue;
    }
    if (values.every((value) => value === null || value === undefined)) {
      blank++;
      continue;
    }
    lines += "{}\n".repeat(blank) + rowOf(values, keys, index + 1);
    blank = 0;
    if (lines.length > mostCharacters) {
      yield lines;
      lines = "";
    }
  }
  yield lines;
}

const mostCharacters = 128 * 1024;

function rowOf(values: readonly Cell[], keys: readonly string[], number: number): string {
  const members = values.flatMap((value, column) => {
    const text = textOf(value);
    const key = keys[column];
    if (text === undefined) {
      return [];
    }
    if (key === undefined) {
      throw new Damaged(`row ${number} has a value behind the last column that has a name`);
    }
    return `${key}:${JSON.stringify(compared(text))}`;
  });
  return `{${members.join(",")}}\n`;
}

/** A date as DuckDB writes it for Parquet. Excel knows no time zones. */
function textOf(value: Cell | undefined): string | undefined {
  if (value === null || value === undefined || value === "") {
    return undefined;
  }
  if (!(value instanceof Date)) {
    return String(value);
  }
  const [day = "", time = ""] = value.toISOString().split("T");
  // Milliseconds, without zeros at the end.
  const fraction = String(Number(`0.${time.slice(9, 12)}`)).slice(1);
  return time.startsWith("00:00:00.000") ? day : `${day} ${time.slice(0, 8)}${fraction}`;
}

function load(): typeof Library {
  const library = importOptional(`${packageName}/xlsx`, process.cwd()) as typeof Library | undefined;
  if (library === undefined) {
    throw new Damaged(
      `an XLSX file needs the package ${packageName}, which is not installed: run "npm install ${packageName}" in this folder`,
    );
  }
  return library;
}
