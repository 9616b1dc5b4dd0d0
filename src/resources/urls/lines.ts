import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";

/**
 * Texts of one item a line, from a file or from an argument. Sent, counted and hashed in one form: UTF-8 without a byte order mark, `\n` after
 * each line, no blank lines. So a checkout with CRLF is the same list.
 */

/** What a diff shows of a list that is not shown itself. */
export interface Digest {
  /** Number of lines. */
  count: number;
  /** SHA-256 of the normalised lines, in hex. */
  sha256: string;
  /** Length of the normalised lines in bytes. */
  bytes: number;
}

/** The text isn't UTF-8. */
export class NotUtf8 extends Error {
  constructor(readonly line: number) {
    super(`line ${line} is not UTF-8`);
  }
}

/** Takes the lines of a file in order, a handful at a time, blank ones left out; `first` is the number of the first line in the file. */
export async function* linesOfFile(path: string): AsyncGenerator<{ line: number; text: string }[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let rest = "";
  const decode = async (chunk?: Uint8Array): Promise<string> => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new NotUtf8(await badLineOf(path));
    }
  };
  const take = (raw: string[]): { line: number; text: string }[] => {
    const lines = [];
    for (const each of raw) {
      number++;
      const text = each.endsWith("\r") ? each.slice(0, -1) : each;
      if (text.trim() !== "") {
        lines.push({ line: number, text });
      }
    }
    return lines;
  };
  for await (const chunk of createReadStream(path)) {
    const parts = (rest + (await decode(chunk))).split("\n");
    rest = parts.pop() ?? "";
    yield take(parts);
  }
  rest += await decode();
  if (rest !== "") {
    yield take([rest]);
  }
}

/** The first line that is not UTF-8. A decoder says only that its piece is not, and a piece has many lines: so each is decoded on its own here. */
async function badLineOf(path: string): Promise<number> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 1;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
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

  add(lines: readonly string[]): Buffer {
    const content = Buffer.from(lines.map((line) => `${line}\n`).join(""));
    this.count += lines.length;
    this.bytes += content.length;
    this.hash.update(content);
    return content;
  }

  /** The digest of what has passed so far. */
  sofar(): Digest {
    return { count: this.count, sha256: this.hash.copy().digest("hex"), bytes: this.bytes };
  }
}

export function digestOf(lines: readonly string[]): Digest {
  const digest = new DigestOfLines();
  digest.add(lines);
  return digest.sofar();
}

export async function digestOfFile(path: string): Promise<Digest> {
  const digest = new DigestOfLines();
  for await (const lines of linesOfFile(path)) {
    digest.add(lines.map(({ text }) => text));
  }
  return digest.sofar();
}

/** All lines of a file at once. */
export async function allLinesOfFile(path: string): Promise<string[]> {
  const all: string[] = [];
  for await (const lines of linesOfFile(path)) {
    for (const { text } of lines) {
      all.push(text);
    }
  }
  return all;
}

/** The normalised content of a file as a stream of bytes, in constant memory. */
export function normalisedContent(path: string): Readable {
  async function* content(): AsyncGenerator<Buffer> {
    const digest = new DigestOfLines();
    for await (const lines of linesOfFile(path)) {
      if (lines.length > 0) {
        yield digest.add(lines.map(({ text }) => text));
      }
    }
  }
  return Readable.from(content(), { objectMode: false });
}
