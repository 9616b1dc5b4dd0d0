import { JsonRows, wholeLines } from "../../../resources/export/formats/jsonRows";
import { isRecord } from "../../../service/isRecord";
import { CliError } from "../../exitCodes";
import type { RowTable } from "./rowTable";

/** Reads one row a line into a table. Blank lines count for nothing. */
export async function readLines(texts: AsyncIterable<string>, table: RowTable, name: string): Promise<void> {
  let line = 0;
  for await (const text of wholeLines(texts, (length) => requireRowLength(length, name))) {
    for (let begin = 0; begin < text.length; ) {
      const found = text.indexOf("\n", begin);
      const end = found < 0 ? text.length : found;
      line++;
      const row = text.slice(begin, end);
      begin = end + 1;
      if (/[^ \t\r]/.test(row)) {
        addRow(row, table, () => `Line ${line} of "${name}"`);
      }
      if (table.isFull) {
        await table.flush();
      }
    }
  }
}

/** Reads a list of rows into a table. A file of one row a line is accepted too, and an empty file is a list without rows. */
export async function readList(texts: AsyncIterable<string>, table: RowTable, name: string): Promise<void> {
  const iterator = texts[Symbol.asyncIterator]();
  try {
    let next = await iterator.next();
    while (next.done !== true && !/[^ \t\r\n]/.test(next.value)) {
      next = await iterator.next();
    }
    if (next.done !== true) {
      const isLines = /^[ \t\r\n]*\{/.test(next.value);
      const all = joined(next.value, iterator);
      await (isLines ? readLines(all, table, name) : readElements(all, table, name));
    }
  } finally {
    // Otherwise, a failure would leave the file open.
    await iterator.return?.();
  }
}

async function readElements(texts: AsyncIterable<string>, table: RowTable, name: string): Promise<void> {
  const list = new ListScanner(name);
  for await (const text of texts) {
    for (const row of list.rowsIn(text)) {
      addRow(row, table, () => `Element ${list.count} of the list in "${name}"`);
      if (table.isFull) {
        await table.flush();
      }
    }
  }
  list.end();
}

async function* joined(first: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    yield next.value;
  }
}

const quoteOrBackslash = /["\\]/g;

/** Finds the elements of a list in pieces of text. Whether each is valid JSON is left to the one who takes it. */
class ListScanner {
  /** How many elements were found. */
  count = 0;
  private place: "before" | "element" | "within" | "after" = "before";
  private depth = 0;
  private isString = false;
  private isEscaped = false;
  private parts: string[] = [];
  private length = 0;

  constructor(private readonly name: string) {}

  *rowsIn(text: string): Generator<string> {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      if (this.isString) {
        at = this.skipString(text, at);
        continue;
      }
      const character = text[at] as string;
      if (this.place === "before" || this.place === "after") {
        this.outside(character);
        from = at + 1;
        continue;
      }
      const isSpace = " \t\r\n".includes(character);
      if (this.place === "element" && isSpace) {
        from = at + 1;
        continue;
      }
      if (this.depth === 0 && (character === "," || character === "]")) {
        const isEmpty = this.place === "element";
        if (isEmpty && (character === "," || this.count > 0)) {
          throw this.invalid();
        }
        this.place = character === "," ? "element" : "after";
        if (!isEmpty) {
          this.keep(text.slice(from, at));
          this.count++;
          yield this.take();
        }
        from = at + 1;
        continue;
      }
      this.place = "within";
      if (character === '"') {
        this.isString = true;
      } else if (character === "{" || character === "[") {
        this.depth++;
      } else if (character === "}" || character === "]") {
        this.depth--;
      }
    }
    this.keep(text.slice(from));
  }

  end(): void {
    if (this.place !== "after") {
      throw new CliError(`"${this.name}" ends within its list: it is cut off. Write the file again.`);
    }
  }

  /** The index of the last character of the string, or of the text. */
  private skipString(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      if (this.isEscaped) {
        this.isEscaped = false;
        continue;
      }
      quoteOrBackslash.lastIndex = at;
      at = quoteOrBackslash.exec(text)?.index ?? text.length;
      if (text[at] === "\\") {
        this.isEscaped = true;
      } else if (text[at] === '"') {
        this.isString = false;
        return at;
      }
    }
    return text.length;
  }

  private outside(character: string): void {
    if (" \t\r\n".includes(character)) {
      return;
    }
    if (this.place === "after" || character !== "[") {
      throw this.invalid();
    }
    this.place = "element";
  }

  private keep(part: string): void {
    this.parts.push(part);
    this.length += part.length;
    requireRowLength(this.length, this.name);
  }

  private take(): string {
    const row = this.parts.join("");
    this.parts = [];
    this.length = 0;
    return row;
  }

  private invalid(): CliError {
    return new CliError(
      `"${this.name}" is not a list of rows: invalid JSON after element ${this.count}. A .json file is one list of objects.`,
    );
  }
}

/** @throws CliError unless the text is one JSON object */
function addRow(row: string, table: RowTable, where: () => string): void {
  let parsed: unknown;
  try {
    parsed = JSON.parse(row);
  } catch {
    // The message of the parser shows values.
    throw new CliError(`${where()} is not valid JSON. A row is one JSON object.`);
  }
  if (!isRecord(parsed)) {
    throw new CliError(`${where()} is not a JSON object. A row is one JSON object.`);
  }
  const members = new JsonRows(row);
  members.nextRow();
  for (let expected = 0; members.nextMember(); expected++) {
    const column = members.isNamed(table.latinNames[expected]) ? expected : table.columnOf(members.name);
    if (!table.put(column, members.value)) {
      throw new CliError(`${where()} has the field "${table.names[column]}" twice, with different values.`);
    }
    expected = column;
  }
  table.endRow();
}

/** Node.js has a limit for the length of a string, and the row is in memory more than once. */
const longestRow = 128 * 1024 * 1024;

export function requireRowLength(length: number, name: string): void {
  if (length > longestRow) {
    throw new CliError(`"${name}" has a row of more than ${longestRow} bytes. A row of that size cannot be compared.`);
  }
}
