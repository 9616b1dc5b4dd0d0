import { Damaged, longestRow } from "./damaged";
import { compared } from "./valueText";

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** What can stand between two cells. */
const delimiters = [",", ";", "\t", "|"];

/**
 * The rows of a CSV (RFC 4180) as JSON, one a line, without empty cells. Its first line can name the delimiter, as in `sep=;`, for Excel. Otherwise it is the
 * one that divides the header into the most cells. Blank lines are no rows.
 * @param header gets the names
 */
export async function* csvRows(texts: AsyncIterable<string>, header: string[]): AsyncGenerator<string> {
  let records: Records | undefined;
  let rest = "";
  /** With a part of a record, more is read before it is looked at again, so that a long record takes linear time. */
  let enough = 0;
  for await (const text of texts) {
    rest += text;
    if (rest.length < enough) {
      continue;
    }
    if (records !== undefined || /[\r\n]/.test(rest.trimStart())) {
      records ??= new Records(rest, header);
      yield records.read(rest, false);
      rest = rest.slice(records.end);
    }
    enough = Math.min(2 * rest.length, longestRow + 1);
  }
  records ??= new Records(rest, header);
  yield records.read(rest, true);
}

/** Reads a CSV part by part. Most cells of wide rows are empty: such a cell takes no more than a look at its end. */
class Records {
  /** The end of the last record that was read. */
  end = 0;
  private readonly delimiter: number;
  /** Characters of the line that names the delimiter. */
  private skipped: number;
  private line = 1;
  private names: string[] = [];
  private keepsEmpty = false;

  /** @param begin the text up to the end of the first record, or more */
  constructor(
    begin: string,
    private readonly header: string[],
  ) {
    const named = /^sep=([^"\r\n])(?:\r\n?|\n|$)/i.exec(begin);
    const [line = ""] = begin
      .replace(/"[^"]*"?/g, "")
      .trimStart()
      .split(/[\r\n]/, 1);
    const counts = delimiters.map((each) => ({ each, count: line.split(each).length }));
    const [most] = counts.sort((one, other) => other.count - one.count);
    this.delimiter = (named?.[1] ?? most?.each ?? ",").charCodeAt(0);
    this.skipped = named?.[0].length ?? 0;
  }

  /** @param isEnd whether nothing comes after the text. Otherwise a record at its end may go on */
  read(text: string, isEnd: boolean): string {
    let rows = "";
    this.end = this.skipped;
    this.line += this.skipped > 0 ? 1 : 0;
    this.skipped = 0;
    while (this.end < text.length) {
      const row = this.record(text, isEnd);
      if (row === undefined) {
        break;
      }
      rows += row;
    }
    if (text.length - this.end > longestRow) {
      throw this.tooLong();
    }
    return rows;
  }

  /** The row of one record, empty for the header and a blank line. Undefined if the record does not end. */
  private record(text: string, isEnd: boolean): string | undefined {
    const { header, names, delimiter, end: begin } = this;
    const isHeader = names.length === 0;
    const skipsEmpty = !isHeader && !this.keepsEmpty;
    const found: string[] = [];
    let row = "";
    let column = 0;
    let lines = 0;
    let at = begin;
    for (; ; at++, column++) {
      const first = text.charCodeAt(at);
      if (first === delimiter && skipsEmpty) {
        continue;
      }
      const from = at;
      let cell = "";
      if (first === quote) {
        at = this.endOfQuoted(text, at, isEnd);
        if (at < 0) {
          return undefined;
        }
        cell = text.slice(from + 1, at - 1).replaceAll('""', '"');
        lines += linesIn(cell);
      } else {
        at = this.endOfBare(text, at, lines);
        cell = from === at ? "" : text.slice(from, at);
      }
      if (isHeader) {
        found.push(cell);
      } else if (cell !== "" || !skipsEmpty) {
        row += `${row === "" ? "" : ","}${names[column] ?? '""'}:${JSON.stringify(compared(cell))}`;
      }
      if (text.charCodeAt(at) !== delimiter) {
        break;
      }
    }
    // What follows may be a line feed, or the second mark of two.
    if (!isEnd && at + 1 >= text.length) {
      return undefined;
    }
    if (at - begin > longestRow) {
      throw this.tooLong();
    }
    const isBlank = at === begin;
    this.end = at + (text.startsWith("\r\n", at) ? 2 : 1);
    this.line += lines + 1;
    if (isBlank) {
      return "";
    }
    if (isHeader) {
      header.push(...found);
      this.names = found.map((name) => JSON.stringify(name));
      // A name that occurs twice is found in a row that has both.
      this.keepsEmpty = new Set(found).size < found.length;
      return "";
    }
    if (column + 1 !== header.length) {
      throw new Damaged(`Invalid Record Length: expect ${header.length}, got ${column + 1} on line ${this.line - 1}`);
    }
    return `{${row}}\n`;
  }

  private endOfBare(text: string, begin: number, lines: number): number {
    let at = begin;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === this.delimiter || code === lineFeed || code === carriageReturn) {
        break;
      }
      if (code === quote) {
        throw this.misplaced(lines);
      }
    }
    return at;
  }

  /** The place after the closing mark; -1 if the text ends before. */
  private endOfQuoted(text: string, begin: number, isEnd: boolean): number {
    for (let at = text.indexOf('"', begin + 1); at >= 0; at = text.indexOf('"', at + 2)) {
      const next = text.charCodeAt(at + 1);
      if (next === quote) {
        continue;
      }
      const isLast = at + 1 === text.length;
      if (isLast && !isEnd) {
        return -1;
      }
      if (!isLast && next !== this.delimiter && next !== lineFeed && next !== carriageReturn) {
        throw this.misplaced(linesIn(text.slice(this.end, at)));
      }
      return at + 1;
    }
    if (isEnd) {
      throw new Damaged(`Quote Not Closed: the file ends within a quoted cell of the record at line ${this.line}`);
    }
    return -1;
  }

  private misplaced(lines: number): Damaged {
    return new Damaged(`a quotation mark is out of place on line ${this.line + lines}`);
  }

  private tooLong(): Damaged {
    return new Damaged(`Max Record Size: the record at line ${this.line} has more than ${longestRow} bytes`);
  }
}

function linesIn(text: string): number {
  return text.split(/\r\n|\r|\n/).length - 1;
}
