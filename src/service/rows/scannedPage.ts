import { parseJson } from "../contract/json";
import type { Row } from "../contract/types";
import type { RowPage } from "./rowPage";
import type { ScannedRows } from "./rowScanner";

const lineBreak = 0x0a;
const carriageReturn = 0x0d;

/** A page over the bytes of a response. */
export class ScannedPage implements RowPage {
  readonly offset: number;
  readonly nextOffset: number;
  readonly total: number;
  readonly restTotal?: number;
  readonly current?: number;
  readonly complete?: boolean;
  readonly afterLoss?: boolean;
  readonly #rows: ScannedRows;

  constructor(rows: ScannedRows, numbers: Omit<RowPage, "count" | "texts" | "ndjson" | "objects">) {
    this.#rows = rows;
    this.offset = numbers.offset;
    this.nextOffset = numbers.nextOffset;
    this.total = numbers.total;
    this.restTotal = numbers.restTotal;
    this.current = numbers.current;
    this.complete = numbers.complete;
    this.afterLoss = numbers.afterLoss;
  }

  get count(): number {
    return this.#rows.count;
  }

  texts(): string[] {
    return this.#slices().map((row) => row.toString("utf8"));
  }

  ndjson(): Buffer {
    const { body, bounds, count, tight } = this.#rows;
    if (count === 0) return Buffer.alloc(0);
    const begin = bounds[0] ?? 0;
    const end = bounds[count * 2 - 1] ?? 0;
    return tight ? body.subarray(begin, end + 1) : this.#lines(end - begin + count);
  }

  objects(): Row[] {
    const text = this.ndjson().toString("utf8");
    // All at once takes half the time. A line break cannot lie within a row, and only long digits may need more than JSON.parse.
    if (!/\d{16}/.test(text)) {
      return JSON.parse(`[${text.trimEnd().replaceAll("\n", ",")}]`) as Row[];
    }
    return this.#slices().map((row) => parseJson(row) as Row);
  }

  /** A line break within a JSON text can only lie between its parts: within a string it is written as an escape. */
  #lines(most: number): Buffer {
    const { body, bounds, count } = this.#rows;
    const lines = Buffer.allocUnsafe(most);
    let at = 0;
    for (let row = 0; row < count; row += 1) {
      const end = bounds[row * 2 + 1] ?? 0;
      for (let from = bounds[row * 2] ?? 0; from < end; from += 1) {
        const byte = body[from] ?? 0;
        if (byte !== lineBreak && byte !== carriageReturn) lines[at++] = byte;
      }
      lines[at++] = lineBreak;
    }
    return lines.subarray(0, at);
  }

  #slices(): Buffer[] {
    const { body, bounds, count } = this.#rows;
    return Array.from({ length: count }, (_, row) => body.subarray(bounds[row * 2], bounds[row * 2 + 1]));
  }
}

/** Whether two pages hold the same rows, byte for byte. */
export function sameRows(one: ScannedRows, other: ScannedRows): boolean {
  return one.count === other.count && region(one).equals(region(other));
}

function region({ body, bounds, count }: ScannedRows): Buffer {
  return count === 0 ? Buffer.alloc(0) : body.subarray(bounds[0], bounds[count * 2 - 1]);
}
