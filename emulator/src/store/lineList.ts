import { StringDecoder } from "node:string_decoder";
import { setImmediate } from "node:timers/promises";

const pieceBytes = 64 * 1024;

const linesInStep = 10_000;

/**
 * The lines of an uploaded file, stored as bytes, because a million strings would take more memory. Blank lines, carriage returns and a byte
 * order mark are ignored.
 */
export class LineList {
  private readonly chunks: readonly Buffer[];
  private known: number | undefined;

  constructor(chunks: readonly Buffer[] = []) {
    this.chunks = chunks;
  }

  static of(lines: readonly string[]): LineList {
    return new LineList([Buffer.from(lines.join("\n"))]);
  }

  get count(): number {
    if (this.known === undefined) {
      let count = 0;
      for (const _ of this.lines()) count += 1;
      this.known = count;
    }
    return this.known;
  }

  /** As `count`. Other work of the process has its turn meanwhile. */
  async countInSteps(): Promise<number> {
    let count = 0;
    for (const _ of this.lines()) {
      count += 1;
      if (count % linesInStep === 0) await setImmediate();
    }
    this.known = count;
    return count;
  }

  *lines(): Generator<string> {
    const decoder = new StringDecoder("utf8");
    let rest = "";
    let first = true;
    for (const piece of this.pieces()) {
      const text = piece === undefined ? `${decoder.end()}\n` : decoder.write(piece);
      // A search of the whole text in each piece would take long for a long line.
      if (!text.includes("\n")) {
        rest += text;
        continue;
      }
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const clean = (first ? line.replace(/^\uFEFF/, "") : line).trim();
        first = false;
        if (clean !== "") yield clean;
      }
    }
  }

  /** The chunks in pieces, so that the first lines of a long list are read as fast as those of a short one. At the end undefined. */
  private *pieces(): Generator<Buffer | undefined> {
    for (const chunk of this.chunks) {
      for (let from = 0; from < chunk.length; from += pieceBytes) yield chunk.subarray(from, from + pieceBytes);
    }
    yield undefined;
  }

  /** The unchanged content. */
  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  /** The content as a string. */
  toString(): string {
    return this.bytes().toString("utf8");
  }
}
