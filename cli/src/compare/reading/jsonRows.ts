import { JsonScanner, openObject } from "../../../../src/service/contract/jsonScanner";
import type { FoundRows } from "./reading";
import { Damaged, longestRow, mostColumns } from "./reading";
import { compactJson, compared, endOfString } from "./valueText";

/**
 * The same JSON with the text of each value in place of the value: DuckDB would write numbers and nested values anew.
 * What is not valid stays as it is, so that DuckDB refuses it. Strings have U+FFFD for half of a surrogate pair, as
 * other formats have it.
 * @param found a list that begins with a row becomes rows on lines: many programs write those with the ending of a list
 * @throws Damaged for a list without an end, which DuckDB accepts after a comma, and for a row that is too long
 */
export async function* jsonRows(texts: AsyncIterable<string>, found: FoundRows): AsyncGenerator<string> {
  const reader = new RowsOfText();
  let rest = "";
  /** With a part of a row, more is read before it is looked at again, so that a long row takes linear time. */
  let enough = 0;
  let last: string | undefined;
  for await (const text of texts) {
    if (last === undefined && text.trimStart().startsWith("{")) {
      found.isList = false;
      found.inside = listInside(text);
    }
    last = text.trimEnd().at(-1) ?? last;
    rest += text;
    if (rest.length < enough) {
      continue;
    }
    const { isList } = found;
    const whole = isList ? rest : rest.slice(0, rest.lastIndexOf("\n") + 1);
    const { rows, end } = reader.read(whole, isList);
    if (isList) {
      yield rows;
      rest = rest.slice(end);
    } else {
      yield rows + reader.asIs(whole.slice(end));
      rest = rest.slice(whole.length);
    }
    enough = Math.min(2 * rest.length, longestRow + 1);
    if (rest.length > longestRow) {
      if (isList) {
        throw new Damaged(`a row has more than ${longestRow} bytes`);
      }
      yield reader.asIs(rest);
      rest = "";
    }
  }
  if (found.isList && last !== undefined && last !== "]") {
    throw new Damaged("it is cut off, or no list of rows");
  }
  const { rows, end } = reader.read(rest, found.isList);
  // Without an end of line, DuckDB takes a file of one character as empty.
  yield `${rows}${reader.asIs(rest.slice(end))}\n`;
  found.fields = reader.fields;
}

/** Where the first list of objects is in an object, by the begin of its text. */
function listInside(begin: string): string[] | undefined {
  const bytes = Buffer.from(begin);
  const scanner = new JsonScanner(bytes);
  let found: string[] | undefined;
  const look = (path: readonly string[]): void => {
    if (scanner.next() === openObject && path.length < deepestList) {
      scanner.object((from, to) => look([...path, JSON.parse(scanner.text(from, to))]));
      return;
    }
    if (path.length > 0 && /^\[\s*\{/.test(bytes.toString("latin1", scanner.at, scanner.at + 200))) {
      found ??= [...path];
    }
    scanner.skipValue();
  };
  try {
    look([]);
  } catch {
    // The begin ends in the middle.
  }
  return found;
}

const deepestList = 4;

const lineFeed = 0x0a;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const closeObject = 0x7d;

/** What can stand between rows on lines, and between those of a list. */
const blank = /^\s*$/;
const blankInList = /^[\s,[\]]*$/;

/**
 * Reads a text part by part. Most rows have the fields of the row before: for these, a look at the ends of values is
 * enough.
 */
class RowsOfText {
  private readonly names = new Set<string>();
  private isRowsOnly = true;
  /** What stands before each value of a usual row, such as `,"price":`. */
  private usual: readonly string[] = [];
  /** The first backslash that is not before the place where the text is read. */
  private backslash = 0;
  /** The rows of this text up to a place in it. */
  private rows = "";
  private copied = 0;

  get fields(): string[] | undefined {
    return this.isRowsOnly && this.names.size <= mostColumns ? [...this.names].sort() : undefined;
  }

  /** What is no row, or a part of one. */
  asIs(text: string): string {
    this.isRowsOnly &&= text === "";
    return text;
  }

  /** The rows of a text, and the place of the first one that has no end. */
  read(text: string, isList: boolean): { rows: string; end: number } {
    this.rows = "";
    this.copied = 0;
    this.backslash = -1;
    for (let end = 0; ; ) {
      const begin = text.indexOf("{", end);
      const next = begin < 0 ? text.length : begin;
      this.isRowsOnly &&=
        (next === end + 1 && text.charCodeAt(end) === lineFeed) ||
        (isList ? blankInList : blank).test(text.slice(end, next));
      if (begin < 0) {
        return { rows: this.rows + text.slice(this.copied), end: text.length };
      }
      end = this.usualRow(text, begin);
      if (end < 0) {
        end = this.row(text, begin);
      }
      if (end < 0) {
        return { rows: this.rows + text.slice(this.copied, begin), end: begin };
      }
    }
  }

  /**
   * The place after a row that has only usual fields, with strings and scalars as they mostly are. -1 for another row.
   */
  private usualRow(text: string, begin: number): number {
    const { rows, copied } = this;
    let at = begin;
    for (const before of this.usual) {
      if (!text.startsWith(before, at)) {
        continue;
      }
      at += before.length;
      const end = text.charCodeAt(at) === quote ? this.endOfUsualString(text, at) : this.endOfScalar(text, at);
      if (end < 0) {
        at = -1;
        break;
      }
      at = end;
    }
    if (at > begin && text.charCodeAt(at) === closeObject) {
      return at + 1;
    }
    this.rows = rows;
    this.copied = copied;
    return -1;
  }

  private endOfUsualString(text: string, begin: number): number {
    if (this.backslash < begin) {
      const found = text.indexOf("\\", begin);
      this.backslash = found < 0 ? text.length : found;
    }
    const first = text.charCodeAt(begin + 1);
    const end = text.indexOf('"', begin + 1);
    return first === space || first === openList || first === openObject || this.backslash < end ? -1 : end + 1;
  }

  private endOfScalar(text: string, begin: number): number {
    scalarAt.lastIndex = begin;
    const [scalar] = scalarAt.exec(text) ?? [];
    if (scalar === undefined) {
      return -1;
    }
    const end = begin + scalar.length;
    if (scalar !== "null") {
      this.replace(text, begin, end, `"${scalar}"`);
    }
    return end;
  }

  /** The place after any row; -1 if it does not end. */
  private row(text: string, begin: number): number {
    const { rows, copied } = this;
    const before: string[] = [];
    let end = begin;
    let isValue = false;
    for (let at = begin + 1; at < text.length; ) {
      const code = text.charCodeAt(at);
      if (code === closeObject) {
        // An escape in a name is replaced each time.
        if (before.length >= this.usual.length && !before.some((part) => part.includes("\\"))) {
          this.usual = before;
        }
        return at + 1;
      }
      if (code <= space || code === comma || code === colon) {
        isValue = code === colon || (isValue && code !== comma);
        at += 1;
        continue;
      }
      const endOfThis = endOfPart(text, at, code);
      if (endOfThis < 0) {
        break;
      }
      const part = text.slice(at, endOfThis);
      const other = code === quote ? stringText(part, isValue) : isValue ? valueText(part) : part;
      if (other !== part) {
        this.replace(text, at, endOfThis, other);
      }
      if (isValue) {
        before.push(text.slice(end, at));
        end = endOfThis;
      } else {
        this.addName(code === quote ? other : "");
      }
      at = endOfThis;
    }
    this.rows = rows;
    this.copied = copied;
    return -1;
  }

  private replace(text: string, begin: number, end: number, other: string): void {
    this.rows += text.slice(this.copied, begin) + other;
    this.copied = end;
  }

  private addName(json: string): void {
    if (this.names.size <= mostColumns) {
      try {
        this.names.add(JSON.parse(json));
      } catch {
        this.isRowsOnly = false;
      }
    }
  }
}

/** The place after a name or a value; -1 if it does not end. */
function endOfPart(text: string, begin: number, first: number): number {
  if (first === quote) {
    return endOfString(text, begin);
  }
  const part = /[[\]{}",:\s]/g;
  let depth = 0;
  for (let at = begin; ; ) {
    part.lastIndex = at;
    const found = part.exec(text);
    if (found === null) {
      return -1;
    }
    const [mark] = found;
    const isOpening = mark === "{" || mark === "[";
    const isClosing = mark === "}" || mark === "]";
    depth += isOpening ? 1 : isClosing ? -1 : 0;
    if (depth === 0 && isClosing) {
      return found.index + 1;
    }
    // The end of a number or a literal.
    if (depth < 0 || (depth === 0 && !isOpening)) {
      return Math.max(found.index, begin + 1);
    }
    at = mark === '"' ? endOfString(text, found.index) : found.index + 1;
    if (at < 0) {
      return -1;
    }
  }
}

function stringText(part: string, isValue: boolean): string {
  const mayBeJson = isValue && /^" *[[{]/.test(part);
  if (!mayBeJson && !part.includes("\\")) {
    return part;
  }
  let content: string;
  try {
    content = JSON.parse(part);
  } catch {
    return part;
  }
  const whole = Buffer.from(content).toString();
  return JSON.stringify(isValue ? compared(whole) : whole);
}

const number = "-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?";
const scalar = new RegExp(`^(?:true|false|${number})$`);
const scalarAt = new RegExp(`(?:true|false|null|${number})(?=[,}\\s])`, "y");

function valueText(part: string): string {
  if (scalar.test(part)) {
    return `"${part}"`;
  }
  const compact = compactJson(part);
  return compact === undefined ? part : JSON.stringify(compact);
}
