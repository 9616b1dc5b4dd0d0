import { Readable } from "node:stream";
import type * as Yazl from "yazl";
import { entryOf } from "../../values/plain";
import { failedIf, RowCount, RowsRefused } from "../checkedRows";
import { columnKinds, requireNames, TypedColumn } from "./columnTypes";
import type { ColumnType, Format } from "./format";
import { RowTable } from "./rowTable";
import * as parts from "./xlsxParts";

/** Of Excel. It repairs a file with more by leaving rows out. */
const most = { rows: 1_048_576, columns: 16_384, characters: 32_767 };
const others = 'Use format "csv" or "parquet".';

/** A sheet with a header and a row for each row. No cell is a formula or a link. */
export const xlsx: Format = {
  contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  extension: ".xlsx",
  ownArguments: ["columns"],
  compressesItself: ["none"],
  hasLimits: true,

  async *pieces(from, { columns: types = {} }) {
    const table = await RowTable.of(from, Object.keys(types));
    requireNames(types, table);
    requireSpace(table);
    const sheet = Readable.from(piecesOfSheet(table, types), { objectMode: false });
    const zip = new (zipLibrary().ZipFile)();
    // The same rows become the same bytes.
    const entry = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, mode: 0o100644 };
    for (const [name, content] of Object.entries(parts.fixed(table))) {
      zip.addBuffer(Buffer.from(content), name, entry);
    }
    zip.addReadStream(sheet, parts.sheetName, entry);
    zip.end();
    const output = zip.outputStream as Readable;
    sheet.once("error", (error) => output.destroy(error));
    try {
      yield* output;
    } finally {
      sheet.destroy();
    }
  },
};

function requireSpace({ names, rowCount }: RowTable): void {
  const rows = `${rowCount}, and a sheet has at most ${most.rows} with its header. ${others}`;
  const columns = `${names.length}, and a sheet has at most ${most.columns}. ${others}`;
  const failed = [
    ...failedIf(rowCount + 1 > most.rows, "rows", rows),
    ...failedIf(names.length > most.columns, "columns", columns),
  ];
  RowsRefused.throwIf(failed, "format");
}

async function* piecesOfSheet(
  table: RowTable,
  types: Readonly<Record<string, ColumnType>>,
): AsyncGenerator<string, void> {
  const columns = table.names.map((name, index) => new Column(name, entryOf(types, name) ?? "string", index));
  yield parts.sheetBegin(table, await widthsOf(table));
  yield parts.row(
    1,
    columns.map(({ letters, name }) => parts.cell(`${letters}1`, parts.styles.header, parts.content.string(name))),
  );
  // A text in a column of numbers would be an error in formulas.
  const { letters: blank } = columns.find(({ type }) => type === "string") ?? { letters: "A" };
  let line = 0;
  for await (const rows of table.parts()) {
    let xml = "";
    for (const cells of rows) {
      line++;
      const filled = cells.map((text, index) => (text === undefined ? "" : (columns[index]?.cell(text, line) ?? "")));
      xml += filled.some((cell) => cell !== "") ? parts.row(line + 1, filled) : parts.blankRow(blank, line + 1);
    }
    yield xml;
  }
  TypedColumn.requireFit(columns);
  requireShort(columns);
  yield parts.sheetEnd(table);
}

function requireShort(columns: readonly Column[]): void {
  const failed = columns.flatMap(({ name, long }) => {
    const rows = `${long.describe()} ${long.count === 1 ? "has" : "have"} more`;
    const reason = `a cell has at most ${most.characters} characters, and ${rows}. ${others}`;
    return failedIf(long.count > 0, `field "${name}"`, reason);
  });
  RowsRefused.throwIf(failed, "format");
}

class Column extends TypedColumn<string> {
  readonly letters: string;
  /** Rows whose text is too long. */
  readonly long = new RowCount();

  constructor(name: string, type: ColumnType, index: number) {
    super(name, type, (text) => {
      const value = columnKinds[type].convert(text);
      return value === undefined ? undefined : parts.content[type](value as never);
    });
    this.letters = parts.lettersOf(index);
  }

  /** The cell of a text. None if it is empty. */
  cell(text: string, line: number): string {
    if (text.length > most.characters) {
      this.long.note(line);
      return "";
    }
    const content = text === "" ? undefined : this.valueOf(text, line);
    return content === undefined ? "" : parts.cell(`${this.letters}${line + 1}`, parts.styles[this.type], content);
  }
}

const rowsForWidths = 200;

/** The widths of the columns, in characters, by their first rows. */
async function widthsOf(table: RowTable): Promise<number[]> {
  const widths = table.names.map((name) => name.length);
  let seen = 0;
  for await (const rows of table.parts()) {
    for (const cells of rows) {
      for (const [index, text = ""] of cells.entries()) {
        widths[index] = Math.max(widths[index] ?? 0, text.length);
      }
      seen++;
      if (seen === rowsForWidths) {
        return widths;
      }
    }
  }
  return widths;
}

/** A part of the provider's bundle. Programs load this module too, without its library beside it, and write no rows. */
function zipLibrary(): typeof Yazl {
  // biome-ignore lint/style/noCommonJs: an import at the top would load the library in every program
  return require("yazl");
}
