import { StringDecoder } from "node:string_decoder";

const pieceBytes = 64 * 1024;

const lineFeed = 10;

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

  /** Reads no text where it can, because a list can have a million lines. */
  get count(): number {
    if (this.known === undefined) {
      const bytes = this.bytes();
      let count = 0;
      for (let from = 0; from < bytes.length; ) {
        const end = bytes.indexOf(lineFeed, from);
        const to = end === -1 ? bytes.length : end;
        if (!isBlank(bytes, from, to)) count += 1;
        from = to + 1;
      }
      this.known = count;
    }
    return this.known;
  }

  *lines(): Generator<string> {
    const decoder = new StringDecoder("utf8");
    let rest = "";
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
        // A byte order mark is white space too.
        const clean = line.trim();
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

function isBlank(bytes: Buffer, from: number, to: number): boolean {
  const first = bytes[from] ?? 0;
  const isVisible = from < to && first > 0x20 && first < 0x7f;
  return !isVisible && bytes.toString("utf8", from, to).trim() === "";
}
