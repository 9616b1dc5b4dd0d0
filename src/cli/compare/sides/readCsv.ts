import { utf8 } from "../../../resources/export/formats/jsonRows";
import { counted } from "../../../resources/values";
import { CliError } from "../../exitCodes";
import { requireRowLength } from "./readJson";
import type { RowTable } from "./rowTable";

/** What can stand between two cells. */
const delimiters = [",", ";", "\t", "|"];

/**
 * Reads a CSV (RFC 4180) with a header line into a table. The delimiter is the one of comma, semicolon, tab and bar that occurs most often in the header. Every
 * record must have as many cells as the header. Blank lines count for nothing.
 */
export async function readCsv(texts: AsyncIterable<string>, table: RowTable, name: string): Promise<void> {
  const reader = new CsvReader(table, name);
  for await (const text of texts) {
    for (const _record of reader.recordsIn(text)) {
      if (table.isFull) {
        await table.flush();
      }
    }
  }
  reader.end();
}

type Place = "begin" | "plain" | "quoted" | "quote";

/** Takes pieces of text apart. A cell can begin in one piece and end in another. */
class CsvReader {
  private delimiter: string | undefined;
  /** The beginning of the file until the delimiter is known. */
  private head = "";
  private cells: string[] = [];
  private cell = "";
  /** Of the record so far. */
  private length = 0;
  private place: Place = "begin";
  private isAfterReturn = false;
  private hasHeader = false;
  private line = 1;
  private recordLine = 1;

  constructor(
    private readonly table: RowTable,
    private readonly name: string,
  ) {}

  *recordsIn(text: string): Generator<void> {
    if (this.delimiter !== undefined) {
      yield* this.scan(text, this.delimiter);
      return;
    }
    this.head += text;
    requireRowLength(this.head.length, this.name);
    const header = headerIn(this.head);
    if (header !== undefined) {
      yield* this.begin(header);
    }
  }

  end(): void {
    if (this.delimiter === undefined) {
      for (const _record of this.begin(this.head)) {
        // Each record was added.
      }
    }
    if (this.place === "quoted") {
      throw new CliError(
        `"${this.name}" ends within a quoted cell that begins in line ${this.recordLine}: it is cut off, or a quotation mark is missing.`,
      );
    }
    if (this.place !== "begin" || this.cells.length > 0) {
      this.endRecord();
    }
  }

  private *begin(header: string): Generator<void> {
    const { head } = this;
    this.delimiter = delimiterOf(header);
    this.head = "";
    yield* this.scan(head, this.delimiter);
  }

  private *scan(text: string, delimiter: string): Generator<void> {
    for (let at = 0; at < text.length; ) {
      if (this.place === "quoted") {
        const end = text.indexOf('"', at);
        const part = text.slice(at, end < 0 ? text.length : end);
        this.line += part.includes("\n") ? part.split("\n").length - 1 : 0;
        this.grow(part);
        if (end < 0) {
          return;
        }
        this.place = "quote";
        at = end + 1;
        continue;
      }
      const character = text[at] as string;
      const isFeedAfterReturn = this.isAfterReturn && character === "\n";
      this.isAfterReturn = false;
      if (isFeedAfterReturn) {
        at++;
      } else if (this.place === "quote" && character === '"') {
        this.grow('"');
        this.place = "quoted";
        at++;
      } else if (this.place === "begin" && character === '"') {
        this.place = "quoted";
        at++;
      } else if (character === delimiter) {
        this.endCell();
        at++;
      } else if (character === "\n" || character === "\r") {
        this.isAfterReturn = character === "\r";
        at++;
        const isBlank = this.place === "begin" && this.cells.length === 0;
        if (!isBlank) {
          this.endRecord();
          yield;
        }
        this.line++;
        this.recordLine = this.line;
      } else if (this.place === "quote") {
        throw new CliError(`Line ${this.line} of "${this.name}" has text after the closing quotation mark of a cell.`);
      } else {
        const end = endOfPlain(text, at, delimiter);
        this.grow(text.slice(at, end));
        this.place = "plain";
        at = end;
      }
    }
  }

  private grow(part: string): void {
    this.cell += part;
    this.length += part.length;
    requireRowLength(this.length, this.name);
  }

  private endCell(): void {
    this.cells.push(this.cell);
    this.length++;
    this.cell = "";
    this.place = "begin";
  }

  private endRecord(): void {
    this.endCell();
    const { cells, table, name } = this;
    this.cells = [];
    this.length = 0;
    if (!this.hasHeader) {
      this.hasHeader = true;
      this.addHeader(cells);
      return;
    }
    if (cells.length !== table.names.length) {
      throw new CliError(
        `Line ${this.recordLine} of "${name}" has ${counted(cells.length, "cell")}; the header has ${table.names.length}, ` +
          `with ${describeDelimiter(this.delimiter)} between them.`,
      );
    }
    for (let column = 0; column < cells.length; column++) {
      table.put(column, cells[column] as string);
    }
    table.endRow();
  }

  private addHeader(cells: readonly string[]): void {
    const twice = cells.find((cell, index) => this.table.columnOf(cell) !== index);
    if (twice !== undefined) {
      throw new CliError(`The header of "${this.name}" has the column "${utf8(twice)}" twice.`);
    }
  }
}

function describeDelimiter(delimiter: string | undefined): string {
  return { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" }[delimiter ?? ","] ?? "commas";
}

/** The index of the first character that does not belong to a cell without quotation marks. */
function endOfPlain(text: string, from: number, delimiter: string): number {
  const border = delimiter.charCodeAt(0);
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === border || code === 0x0a || code === 0x0d) {
      break;
    }
  }
  return at;
}

/** The first line with content, if the text contains its end. */
function headerIn(text: string): string | undefined {
  const begin = /[^\r\n]/.exec(text)?.index ?? text.length;
  let isQuoted = false;
  for (let at = begin; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      isQuoted = !isQuoted;
    } else if (!isQuoted && (character === "\n" || character === "\r")) {
      return text.slice(begin, at);
    }
  }
  return undefined;
}

function delimiterOf(header: string): string {
  const outside = header.split('"').filter((_part, index) => index % 2 === 0);
  const counts = delimiters.map((each) => outside.reduce((sum, part) => sum + part.split(each).length - 1, 0));
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ",";
}
