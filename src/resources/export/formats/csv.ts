import { Readable } from "node:stream";
import { ResourceError } from "../../resource";
import { Columns, fieldIsTwice } from "./columns";
import type { CsvFormulas, Format } from "./format";
import { JsonRows, rowsOf } from "./jsonRows";

/** A header line and a line for each row. */
export const csv: Format = {
  contentType: "text/csv",
  extension: ".csv",
  ownArguments: ["csvFormulas"],
  async write(from, write, { args }) {
    const columns = await Columns.of(from, Object.keys(args.checks?.fields ?? {}));
    await columns.writeWith(() => write(Readable.from(csvOf(from, columns, args.csvFormulas))));
  },
};

/**
 * A file of one row a line as CSV (RFC 4180, with line feeds), in constant memory. Cells keep what the service sent: numbers their digits, lists and
 * maps their JSON. A cell is empty if the field is missing or null. Fields without a column are added to the columns, and get no cells.
 */
async function* csvOf(path: string, columns: Columns, formulas: CsvFormulas = "keep"): AsyncGenerator<Buffer> {
  const cellOf = formulas === "escape" ? (value: string) => quoted(withoutFormula(value)) : quoted;
  const names = [...columns.names];
  const cells = new Array<string>(names.length);
  const titles = names.map(cellOf);
  const twice = titles.find((title, index) => titles.indexOf(title) !== index);
  if (twice !== undefined) {
    throw new ResourceError(
      `Two columns of the CSV would have the name "${Buffer.from(twice, "latin1").toString("utf8")}", because csvFormulas is "escape". ` +
        'No file was written. Use csvFormulas "keep", or format "ndjson" or "json".',
    );
  }
  const header = lineOf(titles);
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
