import type { Format } from "./format";
import type { Cells } from "./rowTable";
import { RowTable } from "./rowTable";

/** Without it, Excel reads the file in the old character set of the country. */
const byteOrderMark = "\ufeff";

/**
 * A header line and a line for each row (RFC 4180, for programs with line feeds). A cell is empty if the field is
 * missing or null.
 */
export const csv: Format = {
  contentType: "text/csv",
  extension: ".csv",
  otherExtensions: [".tsv"],
  ownArguments: ["csv"],

  async *pieces(from, { checks, csv: args }) {
    const { for: reader, delimiter = "," } = args ?? { for: "programs" };
    const isForPeople = reader === "spreadsheets";
    const table = await RowTable.of(from, Object.keys(checks?.fields ?? {}));
    const needsQuotes = isForPeople ? /["\r\n,;\t|]/ : new RegExp(`["\r\n${delimiter}]`);
    const cellOf = (value = ""): string => quoted(isForPeople ? withoutFormula(value) : value, needsQuotes);
    const end = isForPeople ? "\r\n" : "\n";
    // Readers skip blank lines, so a record of one empty cell has quotation marks.
    const lineOf = (cells: Cells): string => `${cells.map(cellOf).join(delimiter) || '""'}${end}`;
    if (table.names.length > 0) {
      yield Buffer.from(`${isForPeople ? byteOrderMark : ""}${lineOf(table.names)}`);
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

function quoted(value: string, needsQuotes: RegExp): string {
  return needsQuotes.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/**
 * Where a formula can begin that is no number: also with a full-width sign, and behind each character that a
 * spreadsheet may take for the end of a cell or of a line. Its user chooses that one, and then quotation marks in the
 * middle of a cell protect nothing.
 */
const formulaBegin =
  /(?:^|[,;\t|\r\n][ "]*)(?=[=+\-@＝＋－＠])(?![+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?:$|[,;\t|\r\n"]))/g;

/** Spreadsheets show what begins with an apostrophe as text. */
function withoutFormula(value: string): string {
  const harmless = value.replace(formulaBegin, "$&'");
  return /^[\t\r\n]/.test(harmless) ? `'${harmless}` : harmless;
}
