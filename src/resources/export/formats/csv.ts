import type { Format } from "./format";
import type { Cells } from "./rowTable";
import { RowTable } from "./rowTable";

/** A header line and a line for each row (RFC 4180, with line feeds). A cell is empty if the field is missing or null. */
export const csv: Format = {
  contentType: "text/csv",
  extension: ".csv",
  ownArguments: ["csvFormulas"],

  async *pieces(from, { checks, csvFormulas }) {
    const table = await RowTable.of(from, Object.keys(checks?.fields ?? {}));
    const cellOf = (value = ""): string => quoted(csvFormulas === "escape" ? withoutFormula(value) : value);
    // Readers skip blank lines, so a record of one empty cell has quotation marks.
    const lineOf = (cells: Cells): string => `${cells.map(cellOf).join(",") || '""'}\n`;
    if (table.names.length > 0) {
      yield Buffer.from(lineOf(table.names));
    }
    for await (const rows of table.parts()) {
      let lines = "";
      for (const cells of rows) {
        lines += lineOf(cells);
      }
      yield Buffer.from(lines);
    }
  },
};

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Spreadsheets run a cell that begins so, also with a full-width sign, and show one that begins with an apostrophe as text. */
function withoutFormula(value: string): string {
  const isFormula =
    /^[=+\-@＝＋－＠\t\r\n]/.test(value) && !/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(value);
  return isFormula ? `'${value}` : value;
}
