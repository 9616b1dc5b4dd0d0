import { utf8 } from "../../../resources/export/formats/jsonRows";
import { counted } from "../../../resources/values";
import { CliError } from "../../exitCodes";
import type { Division } from "./records";
import { recordsOf } from "./records";
import type { Cells, RowTable } from "./rowTable";

/** What can stand between two cells. */
const delimiters = [",", ";", "\t", "|"];

/**
 * Reads a CSV (RFC 4180) with a header line. The delimiter is the one that divides the header into the most cells. Every record must have as many cells as
 * the header. Blank lines count for nothing.
 */
export async function* readCsv(
  pieces: AsyncIterable<Uint8Array>,
  table: RowTable,
  name: string,
): AsyncGenerator<Cells[]> {
  let delimiter: string | undefined;
  const lines: Division<string[]> = {
    next(text, from) {
      if (delimiter === undefined) {
        const headers = delimiters.map((each) => ({ each, cells: recordAt(text, from, each)?.record.length ?? 0 }));
        const [most] = headers.sort((one, other) => other.cells - one.cells);
        // A header that is cut off for one delimiter could have more cells for it.
        delimiter = headers.every(({ cells }) => cells > 0) ? most?.each : undefined;
      }
      return delimiter === undefined ? undefined : recordAt(text, from, delimiter);
    },
    isRest: (text) => /^[\r\n]*$/.test(text),
    advice: "A quotation mark can be missing.",
  };
  let columns: number[] | undefined;
  let row = 0;
  for await (const records of recordsOf(pieces, name, lines)) {
    const rows: Cells[] = [];
    for (const cells of records) {
      if (columns === undefined) {
        columns = columnsOf(cells, table, name);
        continue;
      }
      row++;
      if (cells.length !== columns.length) {
        throw new CliError(
          `Row ${row} of "${name}" has ${counted(cells.length, "cell")}; the header has ${columns.length}, with ${JSON.stringify(delimiter)} between them.`,
        );
      }
      const inColumns = table.fields.emptyRow();
      for (const [index, cell] of cells.entries()) {
        inColumns[columns[index] as number] = cell;
      }
      rows.push(inColumns);
    }
    yield rows;
  }
}

/** The cells of the next record that is no blank line. A quotation mark belongs to a cell that does not begin with one. */
function recordAt(text: string, from: number, delimiter: string): ReturnType<Division<string[]>["next"]> {
  const plain = new RegExp(`[^${delimiter}\r\n]*`, "y");
  const cells: string[] = [];
  let at = from;
  while (text[at] === "\n" || text[at] === "\r") {
    at++;
  }
  for (; ; at++) {
    const end = endOfQuoted(text, at);
    const quoted = end === at ? "" : text.slice(at + 1, end - 1).replaceAll('""', '"');
    plain.lastIndex = end;
    cells.push(quoted + (plain.exec(text)?.[0] ?? ""));
    at = plain.lastIndex;
    if (at >= text.length) {
      return undefined;
    }
    if (text[at] !== delimiter) {
      return { record: cells, end: at + 1 };
    }
  }
}

/** The index behind the closing quotation mark of a cell that begins with one. Two of them are one that belongs to it. */
function endOfQuoted(text: string, begin: number): number {
  let at = begin;
  while (text[at] === '"') {
    const end = text.indexOf('"', at + 1);
    at = end < 0 ? text.length : end + 1;
  }
  return at;
}

function columnsOf(header: readonly string[], { fields, isFound }: RowTable, name: string): number[] {
  const columns = header.map((cell) => fields.columnOf(cell));
  const twice = header.find((_cell, index) => columns.indexOf(columns[index] as number) !== index);
  if (twice !== undefined) {
    throw new CliError(`The header of "${name}" has the column "${utf8(twice)}" twice.`);
  }
  for (const column of columns) {
    isFound[column] = true;
  }
  return columns;
}
