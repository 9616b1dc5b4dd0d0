import { StringDecoder } from "node:string_decoder";

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

  *lines(): Generator<string> {
    const decoder = new StringDecoder("utf8");
    let rest = "";
    let first = true;
    for (const chunk of [...this.chunks, undefined]) {
      const text: string = rest + (chunk === undefined ? `${decoder.end()}\n` : decoder.write(chunk));
      const lines = text.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const clean = (first ? line.replace(/^\uFEFF/, "") : line).trim();
        first = false;
        if (clean !== "") yield clean;
      }
    }
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
