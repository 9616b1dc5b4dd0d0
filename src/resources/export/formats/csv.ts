import { ResourceError } from "../../resource";
import type { CsvFormulas } from "../model";
import { JsonRows, rowsOf } from "./jsonRows";

/** The columns: all fields of all rows, in the order of their first appearance. */
export class Columns {
  /** UTF-8 read as Latin-1. */
  readonly names = new Set<string>();

  /** The columns of the first rows of a file, which are all in most files. */
  static async ofFirstRows(path: string): Promise<Columns> {
    const columns = new Columns();
    for await (const text of rowsOf(path)) {
      for (const rows = new JsonRows(text); rows.nextRow(); ) {
        while (rows.nextMember()) {
          columns.names.add(rows.name);
        }
      }
      break;
    }
    return columns;
  }

  /** Adds columns that no row may have, in the order of their names: the engine does not keep that of a map. */
  addLast(names: readonly string[]): void {
    for (const name of [...names].sort()) {
      this.names.add(Buffer.from(name, "utf8").toString("latin1"));
    }
  }
}

/**
 * A file of one row a line as CSV (RFC 4180, with line feeds), in constant memory. Cells keep what the service sent: numbers their digits, lists and
 * maps their JSON. A cell is empty if the field is missing or null. Fields without a column are added to the columns, and get no cells.
 */
export async function* csvOf(path: string, columns: Columns, formulas: CsvFormulas = "keep"): AsyncGenerator<Buffer> {
  const cellOf = formulas === "escape" ? (value: string) => quoted(withoutFormula(value)) : quoted;
  const names = [...columns.names];
  const cells = new Array<string>(names.length);
  const header = lineOf(names.map(cellOf));
  let line = 0;
  let csv = names.length === 0 ? "" : header;
  for await (const text of rowsOf(path)) {
    for (const rows = new JsonRows(text); rows.nextRow(); ) {
      // No row has had a field so far, and each record must have the same number of cells.
      csv += line === 0 && names.length === 0 ? header : "";
      line++;
      cells.fill("");
      let expected = 0;
      while (rows.nextMember()) {
        // Most rows have the same fields in the same order.
        const column = rows.isNamed(names[expected]) ? expected : names.indexOf(rows.name);
        const cell = cellOf(rows.value);
        if (column < 0) {
          columns.names.add(rows.name);
        } else if (cells[column] !== "" && cells[column] !== cell) {
          throw fieldIsTwice(line, rows.name, "CSV");
        } else {
          cells[column] = cell;
        }
        expected = column + 1;
      }
      csv += lineOf(cells);
    }
    yield Buffer.from(csv, "latin1");
    csv = "";
  }
  if (csv !== "") {
    yield Buffer.from(csv, "latin1");
  }
}

/** Readers skip blank lines, so a record of one empty cell has quotation marks. */
function lineOf(cells: readonly string[]): string {
  return `${cells.join(",") || '""'}\n`;
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Spreadsheets run a cell that begins so, and show one that begins with an apostrophe as text. */
function withoutFormula(value: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(value) && !/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(value);
  return isFormula ? `'${value}` : value;
}

/** @param name UTF-8 read as Latin-1 */
export function fieldIsTwice(line: number, name: string, format: string): ResourceError {
  const field = Buffer.from(name, "latin1").toString("utf8");
  return new ResourceError(
    `Row ${line} cannot be written as ${format}: it has the field "${field}" twice, with different values. No file was written. ` +
      `Use format "ndjson" or "json", which keep each row as it was sent.`,
  );
}
