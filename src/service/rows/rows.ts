import type { CallOptions } from "../options";
import type { RawPage, RowReading } from "./pageQueue";
import { PageQueue } from "./pageQueue";
import type { RowPage } from "./rowPage";
import type { ScannedRows } from "./rowScanner";
import { ScannedPage, sameRows } from "./scannedPage";

/** What {@link ServiceClient.rows} can be told. */
export interface RowsOptions extends CallOptions {
  /** Rows a page, at most. Default: the client's. */
  pageSize?: number;
  /**
   * Stop after this many rows. Default: all. What is not exported is given out as it came, even where the service answers more than it was asked for:
   * a mark may reach those rows too.
   */
  maxRows?: number;
  /** Offset to begin at; `nextOffset` of a page read before resumes after it. Default 0. */
  offset?: number;
  /** Seconds each page may take in all, with repeats and waits. Default: the client's. */
  deadlineSeconds?: number;
}

/** All pages of a batch or a task, in order. Pages are fetched ahead only while the answered offsets are the ones that were expected. */
export async function* readByOffset(reading: RowReading): AsyncGenerator<RowPage, void, void> {
  const queue = new PageQueue(reading);
  const state = new OffsetState(reading.offset);
  let asked = reading.offset;
  try {
    for (;;) {
      const left = reading.maxRows - state.received;
      const taken = await queue.take(asked, left, state.mayBeTheEnd);
      if (taken === undefined) {
        yield new ScannedPage(nothing, { offset: asked, nextOffset: asked, total: state.received, complete: true });
        return;
      }
      const page = atMost(left, taken, asked);
      const step = state.after(page, asked, left);
      const { rows, total, restTotal } = page;
      const { next: nextOffset, complete } = step;
      if (complete === undefined) queue.fillAfter(asked, nextOffset, page, left);
      yield new ScannedPage(rows, { offset: asked, nextOffset, total, restTotal, complete });
      if (complete !== undefined) return;
      asked = nextOffset;
    }
  } finally {
    queue.discard();
  }
}

/** A service may answer more rows than it was asked for. Where a mark of its own is the only way back to them, none is left out. */
function atMost(left: number, page: RawPage, asked: number): RawPage {
  const { rows, offset = asked } = page;
  const countsRows = offset <= asked || offset === asked + rows.count;
  return rows.count > left && countsRows
    ? { ...page, rows: { ...rows, count: left }, offset: Math.min(offset, asked + left) }
    : page;
}

/** Where reading by offset stands, and by what it has come to its end. */
class OffsetState {
  received = 0;
  /** All that there should be has come, and the offset stood still: an offset beyond that may be refused as one that does not exist. */
  mayBeTheEnd = false;
  readonly #begin: number;
  /** The answered offsets are marks of the service's own, not numbers of rows. */
  #cursor = false;
  #lastRest = Number.POSITIVE_INFINITY;

  constructor(begin: number) {
    this.#begin = begin;
  }

  after(page: RawPage, asked: number, left: number): { next: number; complete?: boolean } {
    const { count } = page.rows;
    const answered = page.offset ?? asked;
    const rest = page.restTotal ?? 0;
    this.received += count;
    const next = answered > asked ? answered : asked + count;
    if (answered > asked && answered !== asked + count) this.#cursor = true;
    const ended =
      count === 0 ||
      rest === 0 ||
      count >= left ||
      (this.#cursor && answered <= asked) ||
      // More than there is, and no less to come: a service that gives the same rows for ever.
      (this.received > page.total && (rest >= this.#lastRest || rest < 0));
    this.#lastRest = rest;
    this.mayBeTheEnd = this.#begin === 0 && this.received === page.total && answered <= asked;
    return ended ? { next, complete: this.#complete(page, rest) } : { next };
  }

  #complete(page: RawPage, rest: number): boolean {
    if (this.#begin === 0) return this.received === page.total;
    return rest === 0 && (this.#cursor || this.#begin + this.received === page.total);
  }
}

/**
 * What is not exported has no offset: the service gives the same rows until they are marked. So each page is given out, and the next one
 * asked for when the caller comes back, who may have marked the rows meanwhile. The same page again ends it.
 */
export async function* readNotExported(reading: RowReading): AsyncGenerator<RowPage, void, void> {
  const queue = new PageQueue(reading);
  let received = 0;
  let before: RawPage | undefined;
  try {
    for (;;) {
      const page = await queue.take(0, reading.maxRows - received, false);
      if (page === undefined) return;
      const { rows, total, current, afterLoss } = page;
      const unmarked = before !== undefined && total >= before.total;
      if (before !== undefined && unmarked && (sameRows(before.rows, rows) || received >= total)) {
        yield new ScannedPage(nothing, { offset: 0, nextOffset: 0, total, current: 0, complete: false });
        return;
      }
      received += rows.count;
      const whole = rows.count === total && (current ?? rows.count) === rows.count;
      const ended = whole || rows.count === 0 || received >= reading.maxRows;
      yield new ScannedPage(rows, {
        offset: 0,
        nextOffset: 0,
        total,
        current,
        afterLoss,
        complete: ended ? whole : undefined,
      });
      if (ended) return;
      before = page;
    }
  } finally {
    queue.discard();
  }
}

const nothing: ScannedRows = {
  body: Buffer.alloc(0),
  envelope: Buffer.alloc(0),
  bounds: new Uint32Array(0),
  count: 0,
  tight: true,
};
