import { readFile } from "node:fs/promises";
import type * as Library from "hucre/xlsx";
import { quoted } from "../../../../src/service/errors/foreignText";
import { importOptional } from "../../../../src/store/optionalPackage";
import { counted } from "../../../../src/values/words";
import type { FoundRows, ReadingOptions } from "./reading";
import { Damaged } from "./reading";
import { compared } from "./valueText";
import type { Sheet } from "./workbook";
import { Workbook } from "./workbook";

/** An optional peer dependency: few people compare workbooks. */
const packageName = "hucre";

type Cell = string | number | boolean | Date | null;

/**
 * The rows of a sheet of a workbook as JSON, many a piece, without empty cells. Its first row has the names. Integers
 * that a double cannot hold have the digits of the file.
 */
export async function* xlsxRows(
  path: string,
  found: FoundRows,
  { sheet: wanted }: Pick<ReadingOptions, "sheet">,
): AsyncGenerator<string> {
  const { streamXlsxRows } = load();
  const file = await readFile(path);
  const workbook = new Workbook(file);
  const sheet = chosenSheet(workbook.sheets, wanted, found);
  const lossy = sheet && workbook.lossyCells(sheet);
  let next = await lossy?.next();
  const withoutValue: string[] = [];
  found.fields = found.header;
  let keys: string[] | undefined;
  let lines = "";
  /** Rows without a value. At the end of a sheet they are no rows: their cells have only a format. */
  let blank = 0;
  for await (const { index, values } of streamXlsxRows(file, { sheet: sheet?.name })) {
    for (; next?.done === false && next.value.row <= index + 1; next = await lossy?.next()) {
      const { column, digits, address } = next.value;
      if (digits === undefined) {
        withoutValue.push(address);
      } else {
        values[column] = digits;
      }
    }
    if (keys === undefined) {
      const names = values.map((value) => textOf(value) ?? "");
      const twice = names.find((name, at) => names.indexOf(name) < at);
      if (twice !== undefined) {
        throw new Damaged(`it has two columns with the name ${quoted(twice)}`);
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
  const [first, ...others] = withoutValue;
  if (first !== undefined) {
    found.notes.push(
      `${counted(withoutValue.length, "cell")} ${others.length === 0 ? "has a formula" : "have formulas"} without a stored value and ${others.length === 0 ? "was" : "were"} read as empty, first ${first}. Open the file in a spreadsheet program and save it.`,
    );
  }
}

/** @throws Damaged if there is no such sheet */
function chosenSheet(sheets: readonly Sheet[], wanted: string | undefined, found: FoundRows): Sheet | undefined {
  const shown = (those: readonly Sheet[]): string =>
    those.map(({ name, isHidden }) => `${quoted(name)}${isHidden ? " (hidden)" : ""}`).join(", ");
  const chosen =
    wanted === undefined
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : sheets.find(({ name }) => name === wanted);
  const others = sheets.filter((each) => each !== chosen);
  if (wanted !== undefined && chosen === undefined) {
    throw new Damaged(`it has no sheet ${quoted(wanted)}. Its sheets: ${shown(sheets)}`);
  }
  if (wanted === undefined && chosen !== undefined && others.length > 0) {
    found.notes.push(`only sheet ${shown([chosen])} was read, not ${shown(others)}. --sheet NAME reads another one.`);
  }
  return chosen;
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
