/** Number of rows that are read and written together. */
export const chunkRows = 1000;

/** The rows of a state file that a list begins with. */
export interface StoredRows {
  count: number;
  /** Reads `chunkRows` rows, fewer at the end. */
  readChunk(position: number): string[];
}

/**
 * The rows of one batch, as the JSON texts that are sent. The texts keep details that parsing would lose: a number of 20 digits, `1.10`, the
 * order of keys. Generated rows are computed when they are read and take no memory. Rows of a state file are read when they are needed, and
 * only those that were read last stay in memory.
 */
export class RowList {
  /** Absent: in the state file. */
  private readonly chunks: (string[] | undefined)[] = [];
  private readonly stored: StoredRows | undefined;
  private lastRead: { position: number; texts: string[] } | undefined;
  private count: number;
  private generated: number;

  constructor(content: { generated?: number; texts?: readonly string[]; stored?: StoredRows } = {}) {
    this.generated = content.generated ?? 0;
    this.stored = content.stored;
    this.count = content.stored?.count ?? 0;
    this.chunks.length = Math.ceil(this.count / chunkRows);
    this.append(content.texts ?? []);
  }

  get length(): number {
    return this.generated + this.count;
  }

  /** Number of rows that are computed when they are read. They precede the others. */
  get generatedCount(): number {
    return this.generated;
  }

  /** Number of the other rows. */
  get textCount(): number {
    return this.count;
  }

  /** Adds generated rows. They must precede all other rows. */
  generate(count: number): void {
    this.generated += count;
  }

  append(texts: readonly string[]): void {
    for (const text of texts) {
      const position = Math.floor(this.count / chunkRows);
      // The last chunk of the state file becomes a part of memory, because it will be written again.
      this.chunks[position] ??= this.count % chunkRows === 0 ? [] : this.chunk(position);
      this.chunks[position].push(text);
      this.count += 1;
    }
  }

  /** The rows of a chunk that are not generated. */
  chunk(position: number): string[] {
    const kept = this.chunks[position];
    if (kept !== undefined) return kept;
    if (this.lastRead?.position !== position) {
      this.lastRead = { position, texts: this.stored?.readChunk(position) ?? [] };
    }
    return this.lastRead.texts;
  }

  slice(from: number, to: number): string[] {
    const end = Math.min(to, this.length);
    const rows: string[] = [];
    for (let index = from; index < end && index < this.generated; index += 1) rows.push(generatedRow(index));
    const last = end - this.generated;
    for (let first = Math.max(from - this.generated, 0); first < last; ) {
      const position = Math.floor(first / chunkRows);
      const next = Math.min((position + 1) * chunkRows, last);
      for (const text of this.chunk(position).slice(first - position * chunkRows, next - position * chunkRows)) {
        rows.push(text);
      }
      first = next;
    }
    return rows;
  }

  toJSON(): { generated: number; texts: string[] } {
    return { generated: this.generated, texts: this.slice(this.generated, this.length) };
  }
}

/** Whether a text is that of a row: a JSON object. */
export function isRow(text: string): boolean {
  try {
    const row: unknown = JSON.parse(text);
    return typeof row === "object" && row !== null && !Array.isArray(row);
  } catch {
    return false;
  }
}

const filler = "a page that nobody wrote, of a shop that never was, kept for measuring pages only!!";

/** A row of 201 bytes, computed from its number. */
function generatedRow(index: number): string {
  const number = String(index + 1).padStart(8, "0");
  const cents = String((index * 37) % 100).padStart(2, "0");
  const price = `${(index * 7) % 1000}.${cents}`;
  const text = filler.padEnd(filler.length + "100.00".length - price.length, "!");
  return `{"number":"${number}","title":"Article ${number}","price":"${price}","url":"http://127.0.0.1/articles/${number}","text":"${text}"}`;
}
