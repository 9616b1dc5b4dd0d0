import { Damaged, longestRow } from "./damaged";
import { compactJson, compared, endOfString } from "./valueText";

/** `json` is a list of rows, `ndjson` has a row on each line. */
export type JsonFormat = "json" | "ndjson";

/** What a file is, by its name and its first character. */
export interface FoundFormat {
  format: JsonFormat;
}

/**
 * The same JSON with the text of each value in place of the value: DuckDB would write numbers and nested values anew. What is not valid stays as it is, so
 * that DuckDB refuses it. Strings have U+FFFD for half of a surrogate pair, as other formats have it.
 * @param found a list that begins with a row becomes rows on lines: many programs write those with the ending of a list
 * @throws Damaged for a list without an end, which DuckDB accepts after a comma, and for a row that is too long
 */
export async function* jsonRows(texts: AsyncIterable<string>, found: FoundFormat): AsyncGenerator<string> {
  let rest = "";
  /** With a part of a row, more is read before it is looked at again, so that a long row takes linear time. */
  let enough = 0;
  let last: string | undefined;
  for await (const text of texts) {
    if (last === undefined && text.trimStart().startsWith("{")) {
      found.format = "ndjson";
    }
    last = text.trimEnd().at(-1) ?? last;
    rest += text;
    if (rest.length < enough) {
      continue;
    }
    const { format } = found;
    const whole = format === "json" ? rest : rest.slice(0, rest.lastIndexOf("\n") + 1);
    const { rows, end } = rowsIn(whole);
    if (format === "json") {
      yield rows;
      rest = rest.slice(end);
    } else {
      yield rows + whole.slice(end);
      rest = rest.slice(whole.length);
    }
    enough = Math.min(2 * rest.length, longestRow + 1);
    if (rest.length > longestRow) {
      if (format === "json") {
        throw new Damaged(`a row has more than ${longestRow} bytes`);
      }
      yield rest;
      rest = "";
    }
  }
  if (found.format === "json" && last !== undefined && last !== "]") {
    throw new Damaged("it is cut off, or no list of rows");
  }
  const { rows, end } = rowsIn(rest);
  // Without an end of line, DuckDB takes a file of one character as empty.
  yield `${rows}${rest.slice(end)}\n`;
}

/** The rows of a text, and the place of the first one that has no end. */
function rowsIn(text: string): { rows: string; end: number } {
  let rows = "";
  let end = 0;
  for (;;) {
    const begin = text.indexOf("{", end);
    if (begin < 0) {
      return { rows: rows + text.slice(end), end: text.length };
    }
    rows += text.slice(end, begin);
    const row = rowAt(text, begin);
    if (row === undefined) {
      return { rows, end: begin };
    }
    rows += row.text;
    end = row.end;
  }
}

const comma = 0x2c;
const colon = 0x3a;
const quote = 0x22;
const closeObject = 0x7d;

/** Undefined if the row does not end. */
function rowAt(text: string, begin: number): { text: string; end: number } | undefined {
  let row = "";
  let copied = begin;
  let isValue = false;
  for (let at = begin + 1; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === closeObject) {
      return { text: row + text.slice(copied, at + 1), end: at + 1 };
    }
    if (code <= 0x20 || code === comma || code === colon) {
      isValue = code === colon || (isValue && code !== comma);
      at += 1;
      continue;
    }
    const end = endOfPart(text, at, code);
    if (end < 0) {
      return undefined;
    }
    const part = text.slice(at, end);
    const other = code === quote ? stringText(part, isValue) : isValue ? valueText(part) : part;
    if (other !== part) {
      row += text.slice(copied, at) + other;
      copied = end;
    }
    at = end;
  }
  return undefined;
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

const scalar = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

function valueText(part: string): string {
  if (scalar.test(part)) {
    return `"${part}"`;
  }
  const compact = compactJson(part);
  return compact === undefined ? part : JSON.stringify(compact);
}
