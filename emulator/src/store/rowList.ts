/**
 * The rows of one batch, as the JSON texts that are sent. The texts keep details that parsing would lose: a number of 20 digits, `1.10`, the
 * order of keys. Generated rows are computed when they are read and take no memory.
 */
export class RowList {
  private readonly texts: string[];
  private generated: number;

  constructor(content: { generated?: number; texts?: readonly string[] } = {}) {
    this.generated = content.generated ?? 0;
    this.texts = [...(content.texts ?? [])];
  }

  get length(): number {
    return this.generated + this.texts.length;
  }

  /** Adds generated rows. They must precede all other rows. */
  generate(count: number): void {
    this.generated += count;
  }

  append(texts: readonly string[]): void {
    for (const text of texts) this.texts.push(text);
  }

  slice(from: number, to: number): string[] {
    const end = Math.min(to, this.length);
    const rows: string[] = [];
    for (let index = from; index < end && index < this.generated; index += 1) rows.push(generatedRow(index));
    const first = Math.max(from - this.generated, 0);
    const last = end - this.generated;
    return last > first ? rows.concat(this.texts.slice(first, last)) : rows;
  }

  toJSON(): { generated: number; texts: string[] } {
    return { generated: this.generated, texts: this.texts };
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
