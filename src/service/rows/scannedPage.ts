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
    const { body, bounds, count } = this.#rows;
    const all = region(this.#rows);
    const lines = Buffer.allocUnsafe(all.length + 1);
    const hasLineBreaks = all.includes(lineBreak) || all.includes(carriageReturn);
    let at = 0;
    for (let row = 0; row < count; row += 1) {
      const [from, to] = [bounds[row * 2] ?? 0, bounds[row * 2 + 1] ?? 0];
      at += hasLineBreaks ? copyInLine(body, lines, at, from, to) : body.copy(lines, at, from, to);
      lines[at++] = lineBreak;
    }
    return lines.subarray(0, at);
  }

  objects(): Row[] {
    const list = `[${region(this.#rows).toString("utf8")}]`;
    return (this.#rows.hasLongNumbers ? parseJson(Buffer.from(list)) : JSON.parse(list)) as Row[];
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

/**
 * Copies bytes without their line breaks, and returns how many. A line break within a JSON text can only lie between its parts: within a string it is
 * written as an escape.
 */
function copyInLine(body: Buffer, lines: Buffer, begin: number, from: number, to: number): number {
  let at = begin;
  for (let next = from; next < to; next += 1) {
    const byte = body[next] ?? 0;
    if (byte !== lineBreak && byte !== carriageReturn) lines[at++] = byte;
  }
  return at - begin;
}
