import { Damaged, longestRow } from "./reading";
import { compared } from "./valueText";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const openList = 0x5b;
const backslash = 0x5c;
const openObject = 0x7b;
const closeObject = 0x7d;

/** What can stand between two cells. */
const delimiters = [",", ";", "\t", "|"];

/**
 * The rows of a CSV (RFC 4180) as JSON, one a line, without empty cells. Its first line can name the delimiter, as in
 * `sep=;`, for Excel. Otherwise it is the one that divides the header into the most cells. Blank lines are no rows.
 * @param header gets the names
 * @param usual the delimiter of a header that has it
 */
export async function* csvRows(
  texts: AsyncIterable<string>,
  header: string[],
  usual?: string,
): AsyncGenerator<Uint8Array> {
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
      records ??= new Records(rest, header, usual);
      const bytes = Buffer.from(rest);
      yield records.read(bytes, false);
      rest = bytes.toString("utf8", records.end);
    }
    enough = Math.min(2 * rest.length, longestRow + 1);
  }
  records ??= new Records(rest, header, usual);
  yield records.read(Buffer.from(rest), true);
}

const unnamed = Buffer.from(',"":');

/** Bytes that become more. */
class Output {
  length = 0;
  private bytes: Buffer;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  get written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  byte(code: number): void {
    this.reserve(1);
    this.bytes[this.length++] = code;
  }

  text(text: string): void {
    this.reserve(3 * text.length);
    this.length += this.bytes.write(text, this.length);
  }

  /** Of a row that begins at a place, the first comma becomes the mark of an object. */
  endRow(begin: number): void {
    if (this.length === begin) {
      this.byte(openObject);
    } else {
      this.bytes[begin] = openObject;
    }
    this.byte(closeObject);
    this.byte(lineFeed);
  }

  /** Most cells are so short that a call of the library would take longer. */
  copy(source: Uint8Array, begin = 0, end = source.length): void {
    this.reserve(end - begin);
    const { bytes, length } = this;
    if (end - begin > 100) {
      bytes.set(source.subarray(begin, end), length);
    } else {
      for (let at = begin; at < end; at++) {
        bytes[length + at - begin] = source[at] as number;
      }
    }
    this.length = length + end - begin;
  }

  private reserve(more: number): void {
    if (this.length + more > this.bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (this.length + more));
      larger.set(this.written);
      this.bytes = larger;
    }
  }
}

/** Reads a CSV part by part, as bytes: strings for each cell would take several times as long. */
class Records {
  /** The end of the last record that was read. */
  end = 0;
  private readonly delimiter: Buffer;
  /** Bytes of the line that names the delimiter. */
  private skipped: number;
  private line = 1;
  /** What stands before the value of each column in a row, from the comma on. */
  private names: Buffer[] = [];
  private keepsEmpty = false;
  /** Whether the last cell is the same in JSON between quotation marks. */
  private isPlain = false;
  private out = new Output(0);

  /** @param begin the text up to the end of the first record, or more */
  constructor(
    begin: string,
    private readonly header: string[],
    usual = ",",
  ) {
    const named = /^sep=([^"\r\n])(?:\r\n?|\n|$)/i.exec(begin);
    const [line = ""] = begin
      .replace(/"[^"]*"?/g, "")
      .trimStart()
      .split(/[\r\n]/, 1);
    const counts = delimiters.map((each) => ({ each, count: line.split(each).length }));
    const [most] = counts.sort((one, other) => other.count - one.count);
    const likely = usual !== "," && line.includes(usual) ? usual : (most?.each ?? ",");
    this.delimiter = Buffer.from(named?.[1] ?? likely);
    this.skipped = Buffer.byteLength(named?.[0] ?? "");
  }

  /** @param isEnd whether nothing comes after the bytes. Otherwise a record at their end may go on */
  read(bytes: Buffer, isEnd: boolean): Uint8Array {
    this.out = new Output(2 * bytes.length + 1_000);
    this.end = this.skipped;
    this.line += this.skipped > 0 ? 1 : 0;
    this.skipped = 0;
    while (this.end < bytes.length) {
      const { length } = this.out;
      if (!this.record(bytes, isEnd)) {
        this.out.length = length;
        break;
      }
    }
    if (bytes.length - this.end > longestRow) {
      throw this.tooLong();
    }
    return this.out.written;
  }

  /** Writes the row of one record, nothing for the header and a blank line. False if the record does not end. */
  private record(bytes: Buffer, isEnd: boolean): boolean {
    const { header, names, end: begin, out } = this;
    const last = this.delimiter.length - 1;
    const isHeader = names.length === 0;
    const skipsEmpty = !isHeader && !this.keepsEmpty;
    const found: string[] = [];
    const { length } = out;
    let column = 0;
    let lines = 0;
    let at = begin;
    for (; ; at += last + 1, column++) {
      if (skipsEmpty && this.isDelimiter(bytes, at)) {
        continue;
      }
      const isQuoted = bytes[at] === quote;
      const from = isQuoted ? at + 1 : at;
      at = isQuoted ? this.endOfQuoted(bytes, at, isEnd) : this.endOfBare(bytes, at, lines);
      if (at < 0) {
        return false;
      }
      const to = isQuoted ? at - 1 : at;
      const text = this.isPlain && !isHeader ? undefined : bytes.toString("utf8", from, to).replaceAll('""', '"');
      lines += text === undefined || !isQuoted ? 0 : linesIn(text);
      if (isHeader) {
        found.push(text ?? "");
      } else if (from < to || !skipsEmpty) {
        out.copy(names[column] ?? unnamed);
        if (text === undefined) {
          out.byte(quote);
          out.copy(bytes, from, to);
          out.byte(quote);
        } else {
          out.text(JSON.stringify(compared(text)));
        }
      }
      if (!this.isDelimiter(bytes, at)) {
        break;
      }
    }
    // What follows may be a line feed, or the second mark of two.
    if (!isEnd && at + 1 >= bytes.length) {
      return false;
    }
    if (at - begin > longestRow) {
      throw this.tooLong();
    }
    const isBlank = at === begin;
    this.end = at + (bytes[at] === carriageReturn && bytes[at + 1] === lineFeed ? 2 : 1);
    this.line += lines + 1;
    if (isBlank) {
      out.length = length;
      return true;
    }
    if (isHeader) {
      header.push(...found);
      this.names = found.map((name) => Buffer.from(`,${JSON.stringify(name)}:`));
      // A name that occurs twice is found in a row that has both.
      this.keepsEmpty = new Set(found).size < found.length;
      return true;
    }
    if (column + 1 !== header.length) {
      throw new Damaged(`Invalid Record Length: expect ${header.length}, got ${column + 1} on line ${this.line - 1}`);
    }
    out.endRow(length);
    return true;
  }

  private isDelimiter(bytes: Buffer, at: number): boolean {
    const { delimiter } = this;
    return (
      bytes[at] === delimiter[0] &&
      (delimiter.length === 1 || bytes.subarray(at, at + delimiter.length).equals(delimiter))
    );
  }

  private endOfBare(bytes: Buffer, begin: number, lines: number): number {
    const [delimiter] = this.delimiter;
    let isPlain = mayBePlain(bytes[begin]);
    let at = begin;
    for (; at < bytes.length; at++) {
      const code = bytes[at] as number;
      if (code === lineFeed || code === carriageReturn || (code === delimiter && this.isDelimiter(bytes, at))) {
        break;
      }
      if (code === quote) {
        throw this.misplaced(lines);
      }
      if (code < space || code === backslash) {
        isPlain = false;
      }
    }
    this.isPlain = isPlain;
    return at;
  }

  /** The place after the closing mark; -1 if the bytes end before. */
  private endOfQuoted(bytes: Buffer, begin: number, isEnd: boolean): number {
    let isPlain = mayBePlain(bytes[begin + 1]);
    for (let at = begin + 1; at < bytes.length; at++) {
      const code = bytes[at] as number;
      if (code < space || code === backslash) {
        isPlain = false;
      }
      if (code !== quote) {
        continue;
      }
      const next = bytes[at + 1];
      if (next === quote) {
        isPlain = false;
        at++;
        continue;
      }
      const isLast = at + 1 === bytes.length;
      if (isLast && !isEnd) {
        return -1;
      }
      if (!isLast && next !== lineFeed && next !== carriageReturn && !this.isDelimiter(bytes, at + 1)) {
        throw this.misplaced(linesIn(bytes.toString("utf8", this.end, at)));
      }
      this.isPlain = isPlain;
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

/** Before a list or an object can be white space. */
function mayBePlain(first: number | undefined): boolean {
  return first !== space && first !== openList && first !== openObject;
}

function linesIn(text: string): number {
  return text.split(/\r\n|\r|\n/).length - 1;
}
