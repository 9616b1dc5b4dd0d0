import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import type { Shape } from "../../values/kinds";
import { misfit } from "../../values/kinds";
import { entryOf, isPlainMap } from "../../values/plain";
import type { ArgSpecs } from "../args";

/**
 * Lists with an item on each line, in a string or a file. They are sent, counted and hashed in one form: UTF-8 without
 * a byte order mark, `\n` after each line, no blank lines. So a checkout with CRLF line ends has the same list.
 *
 * `check` converts a list among the arguments into such a string. A diff of a string shows the inserted lines; a diff
 * of a list would show each item that moved. The string itself is accepted too, because `ignoreChanges` passes the
 * stored string.
 */

/** The items of a list. The state of a static get was never checked, so its list can be an array. */
export function splitLines(list: string | readonly string[]): string[] {
  const lines = typeof list === "string" ? list.split("\n").map(withoutReturn) : list;
  return lines.map((line, index) => (index === 0 ? withoutMark(line) : line)).filter((line) => line.trim() !== "");
}

/** Of a line end of CRLF. */
function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** A file can begin with a byte order mark, which is not part of its first line. */
function withoutMark(line: string): string {
  return line.startsWith("\ufeff") ? line.slice(1) : line;
}

/**
 * The items as one string. The last line ends like the others. Otherwise a diff would show it as changed when an item
 * is added after it. The string of `before` is returned if it has the same items, whatever its line ends are, so that
 * an unchanged list shows no diff.
 */
export function joinLines(items: readonly string[], before?: unknown): string {
  const joined = items.map((item) => `${item}\n`).join("");
  return typeof before === "string" && `${splitLines(before).join("\n")}\n` === joined ? before : joined;
}

/** A line of a file, with its number from 1. */
export interface Line {
  line: number;
  text: string;
}

/**
 * The lines of a file in order, without blank ones. In constant memory. Synchronous, because a check must end before
 * the program continues.
 * @throws Error if a line is not UTF-8
 */
export function* linesOfFile(path: string): Generator<Line, void> {
  let line = 0;
  for (const bytes of bytesOfLines(path)) {
    line++;
    if (!isUtf8(bytes)) {
      throw new Error(`is not UTF-8 in line ${line}`);
    }
    const text = withoutReturn(bytes.toString());
    if (text.trim() !== "") {
      yield { line, text: line === 1 ? withoutMark(text) : text };
    }
  }
}

const chunkBytes = 64 * 1024;

function* bytesOfLines(path: string): Generator<Buffer, void> {
  const file = openSync(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    // Of the last line: joined only at its end, because it can be much longer than a chunk.
    let pieces: Buffer[] = [];
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      const read = chunk.subarray(0, length);
      let start = 0;
      for (let end = read.indexOf("\n"); end >= 0; end = read.indexOf("\n", start)) {
        const piece = read.subarray(start, end);
        yield pieces.length === 0 ? piece : Buffer.concat([...pieces, piece]);
        pieces = [];
        start = end + 1;
      }
      pieces.push(Buffer.from(read.subarray(start)));
    }
    yield Buffer.concat(pieces);
  } finally {
    closeSync(file);
  }
}

export function* textsOfFile(path: string): Generator<string, void> {
  for (const { text } of linesOfFile(path)) {
    yield text;
  }
}

/**
 * What identifies a list whose items are not shown: the number of lines, the SHA-256 in hex and the length in bytes of
 * the normalized lines.
 */
export function digestOf(lines: Iterable<string>): { count: number; sha256: string; bytes: number } {
  const hash = createHash("sha256");
  let count = 0;
  let bytes = 0;
  for (const line of lines) {
    const content = `${line}\n`;
    hash.update(content);
    count++;
    bytes += Buffer.byteLength(content);
  }
  return { count, sha256: hash.digest("hex"), bytes };
}

/** What to send for a list that is no plain one, by the names of fields. `derived`: what `check` derives from it. */
type OtherList = (name: string, list: unknown, derived: readonly string[]) => Record<string, unknown>;

/**
 * Arguments with one string for each list of lines, as `check` makes it. One string is far less work for the program
 * and the engine than a message for each item.
 */
export function linesAsOne(
  specs: ArgSpecs,
  args: Readonly<Record<string, unknown>>,
  other: OtherList,
): Record<string, unknown> {
  const derived = Object.keys(specs).filter((name) => specs[name]?.derived);
  const fields = Object.entries(args).flatMap(([name, value]) => {
    const kind = entryOf(specs, name)?.kind;
    if (kind?.is === "list" && kind.isLines === true && value !== undefined) {
      return isPlainList(kind.of, value) ? [[name, value.join("\n")]] : Object.entries(other(name, value, derived));
    }
    return [[name, kind === undefined ? value : linesWithin(kind, value, other)]];
  });
  return Object.fromEntries(fields);
}

function linesWithin(kind: Shape, value: unknown, other: OtherList): unknown {
  if (!isPlainMap(value)) {
    return value;
  }
  if (kind.is === "map") {
    const entries = Object.entries(value).map(([key, each]) => [key, linesWithin(kind.of, each, other)]);
    return Object.fromEntries(entries);
  }
  return kind.is === "object" ? linesAsOne(kind.fields, value, other) : value;
}

/**
 * Whether each item is known, not secret, and a string that `check` accepts. `check` names an invalid item by its
 * index, so such a list stays a list.
 */
function isPlainList(item: Shape, list: unknown): list is string[] {
  return (
    Array.isArray(list) &&
    list.length > 0 &&
    list.every((each) => typeof each === "string" && misfit(item, each) === undefined)
  );
}
