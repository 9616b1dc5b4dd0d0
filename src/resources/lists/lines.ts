import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { Readable } from "node:stream";

/**
 * Lists with an item on each line, in a string or a file. They are sent, counted and hashed in one form: UTF-8 without a byte order mark,
 * `\n` after each line, no blank lines. So a checkout with CRLF line ends has the same list.
 *
 * `check` converts a list among the arguments into such a string. A diff of a string shows the inserted lines; a diff of a list would show
 * each item that moved. The string itself is accepted too, because `ignoreChanges` passes the stored string.
 */

/** What identifies a list whose items are not shown. */
export interface Digest {
  /** Number of lines. */
  count: number;
  /** SHA-256 of the normalized lines, in hex. */
  sha256: string;
  /** Length of the normalized lines in bytes. */
  bytes: number;
}

/** A file is not UTF-8. */
export class NotUtf8 extends Error {
  constructor(readonly line: number) {
    super(`line ${line} is not UTF-8`);
  }
}

/** The items of a list. The state of a static get was never checked, so its list can be an array. */
export function splitLines(list: string | readonly string[]): string[] {
  const lines = typeof list === "string" ? list.split(/\r?\n/) : list;
  const [first, ...others] = lines.filter((line) => line.trim() !== "");
  return first === undefined
    ? []
    : [first.startsWith(byteOrderMark) ? first.slice(byteOrderMark.length) : first, ...others];
}

/** A file that a program reads itself can begin with a byte order mark, which is not part of its first line. */
const byteOrderMark = "\ufeff";

/**
 * The items as one string. The last line ends like the others. Otherwise a diff would show it as changed when an item is added after it.
 * The string of `before` is returned if it has the same items, whatever its line ends are, so that an unchanged list shows no diff.
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
 * The lines of a file in order, some at a time, without blank ones. In constant memory. Synchronous, because a check must end before the program
 * continues.
 */
export function* linesOfFile(path: string): Generator<Line[], void> {
  const splitter = new LineSplitter(path);
  for (const chunk of chunksOf(path)) {
    yield splitter.take(chunk);
  }
  yield splitter.end();
}

const chunkBytes = 64 * 1024;

function* chunksOf(path: string): Generator<Buffer, void> {
  const file = openSync(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

/** Splits a file into lines, piece by piece. */
class LineSplitter {
  private readonly decoder = new TextDecoder("utf-8", { fatal: true });
  private number = 0;
  /** The begin of the next line. */
  private rest = "";

  constructor(private readonly path: string) {}

  /** @throws NotUtf8 */
  take(chunk: Uint8Array): Line[] {
    const parts = (this.rest + this.decode(chunk)).split("\n");
    this.rest = parts.pop() ?? "";
    return this.numbered(parts);
  }

  /** The last line, if nothing ends it. */
  end(): Line[] {
    const last = this.rest + this.decode();
    return last === "" ? [] : this.numbered([last]);
  }

  private decode(chunk?: Uint8Array): string {
    try {
      return this.decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new NotUtf8(badLineOf(this.path));
    }
  }

  private numbered(raw: readonly string[]): Line[] {
    const lines: Line[] = [];
    for (const each of raw) {
      this.number++;
      const text = each.endsWith("\r") ? each.slice(0, -1) : each;
      if (text.trim() !== "") {
        lines.push({ line: this.number, text });
      }
    }
    return lines;
  }
}

/** The first line that is not UTF-8. An error of the decoder names only a piece of the file with many lines, so each line is decoded on its own. */
function badLineOf(path: string): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 1;
  try {
    for (const chunk of chunksOf(path)) {
      for (let from = 0; from < chunk.length; ) {
        const lineFeed = chunk.indexOf("\n", from);
        const to = lineFeed < 0 ? chunk.length : lineFeed + 1;
        decoder.decode(chunk.subarray(from, to), { stream: true });
        from = to;
        number += lineFeed < 0 ? 0 : 1;
      }
    }
  } catch (error) {
    if (!(error instanceof TypeError)) {
      throw error;
    }
  }
  return number;
}

/** Counts and hashes lines as they pass. */
export class DigestOfLines {
  private readonly hash = createHash("sha256");
  private count = 0;
  private bytes = 0;

  add(lines: readonly string[]): void {
    const content = Buffer.from(joinLines(lines));
    this.count += lines.length;
    this.bytes += content.length;
    this.hash.update(content);
  }

  /** The digest of the lines so far. */
  soFar(): Digest {
    return { count: this.count, sha256: this.hash.copy().digest("hex"), bytes: this.bytes };
  }
}

export function digestOf(lines: readonly string[]): Digest {
  const digest = new DigestOfLines();
  digest.add(lines);
  return digest.soFar();
}

export function digestOfFile(path: string): Digest {
  const digest = new DigestOfLines();
  for (const lines of linesOfFile(path)) {
    digest.add(lines.map(({ text }) => text));
  }
  return digest.soFar();
}

/** All lines of a file at once. */
export function allLinesOfFile(path: string): string[] {
  return [...linesOfFile(path)].flatMap((lines) => lines.map(({ text }) => text));
}

/** The normalized content of a file as a stream of bytes, in constant memory. */
export function normalizedContent(path: string): Readable {
  function* content(): Generator<Buffer> {
    for (const lines of linesOfFile(path)) {
      if (lines.length > 0) {
        yield Buffer.from(joinLines(lines.map(({ text }) => text)));
      }
    }
  }
  return Readable.from(content(), { objectMode: false });
}
