import { isUtf8 } from "node:buffer";
import { CliError } from "../../exitCodes";

/** How a text is divided into records. */
export interface Division<T> {
  /** The next record; undefined if the text ends before it does. */
  next(text: string, from: number): { readonly record: T; readonly end: number } | undefined;
  /** Whether a text can stand behind the last record. */
  isRest(text: string): boolean;
  /** What can be wrong if another text stands there. */
  readonly advice: string;
}

/** A row that is longer cannot be handed over to DuckDB, which has a buffer of twice this size for each thread. */
export const longestRow = 32 * 1024 * 1024;

/**
 * The records of a file, some at a time. An end of line that is missing at the end is added.
 * @throws CliError if the text ends within a record
 */
export async function* recordsOf<T>(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  division: Division<T>,
): AsyncGenerator<T[]> {
  let rest = "";
  let count = 0;
  const take = (): T[] => {
    const records: T[] = [];
    let from = count === 0 && rest.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
    for (let found = division.next(rest, from); found !== undefined; found = division.next(rest, from)) {
      records.push(found.record);
      from = found.end;
    }
    rest = rest.slice(from);
    count += records.length;
    return records;
  };
  let triedLength = 0;
  for await (const text of latinTextOf(pieces, name)) {
    rest += text;
    // Otherwise, a long record would be looked through again with each piece.
    if (rest.length >= 2 * triedLength) {
      yield take();
      triedLength = rest.length;
      requireRowLength(rest.length, name);
    }
  }
  rest += "\n";
  yield take();
  if (!division.isRest(rest)) {
    throw new CliError(`"${name}" is cut off or invalid after record ${count}. ${division.advice}`);
  }
}

export function requireRowLength(length: number, name: string): void {
  if (length > longestRow) {
    throw new CliError(`"${name}" has a row of more than ${longestRow} bytes. A row of that size cannot be compared.`);
  }
}

const byteOrderMark = "\u00ef\u00bb\u00bf";

/**
 * The text of pieces: UTF-8 read as Latin-1, as in `JsonRows`. Each byte is one character.
 * @throws CliError if the bytes are not UTF-8
 */
async function* latinTextOf(pieces: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece]);
    const end = beforeLastCharacter(bytes);
    rest = bytes.subarray(end);
    if (!isUtf8(bytes.subarray(0, end))) {
      throw notUtf8(name);
    }
    yield bytes.toString("latin1", 0, end);
  }
  if (!isUtf8(rest)) {
    throw notUtf8(name);
  }
  yield Buffer.from(rest).toString("latin1");
}

/** The index of the last character if that is none of ASCII, because it can be incomplete. */
function beforeLastCharacter(bytes: Uint8Array): number {
  const isPart = (byte = 0): boolean => byte >= 0x80 && byte < 0xc0;
  let at = bytes.length;
  while (bytes.length - at < 4 && isPart(bytes[at - 1])) {
    at--;
  }
  return (bytes[at - 1] ?? 0) >= 0xc0 ? at - 1 : at;
}

function notUtf8(name: string): CliError {
  return new CliError(`"${name}" is not UTF-8. Save it as UTF-8.`);
}
