import type { CallOptions } from "../options";
import type { RawPage, RowReading } from "./pageQueue";
import { PageQueue } from "./pageQueue";
import type { RowPage } from "./rowPage";
import { noRows } from "./rowScanner";
import { ScannedPage, sameRows } from "./scannedPage";

/** Options of {@link ServiceClient.rows}. */
export interface RowsOptions extends CallOptions {
  /** Most rows per page. Default: the client's `pageSize`. */
  pageSize?: number;
  /**
   * Stop after this many rows. Default: all. A read of rows that are not exported can give more: a page is never cut, because a mark can
   * include all of its rows.
   */
  maxRows?: number;
  /** The offset of the first row. To resume after a page, pass its `nextOffset`. Default 0. */
  offset?: number;
  /** Seconds that each page can take, with repeats and waits. Default: the client's `deadlineSeconds`. */
  deadlineSeconds?: number;
}

/** All pages of a batch or a task, in order. Pages are fetched ahead only while the service returns the expected offsets. */
export async function* readByOffset(reading: RowReading): AsyncGenerator<RowPage, void, void> {
  const queue = new PageQueue(reading);
  const state = new OffsetState(reading.offset);
  let asked = reading.offset;
  try {
    for (;;) {
      const left = reading.maxRows - state.received;
      const taken = await queue.take(asked, left, state.mayBeTheEnd);
      if (taken === undefined) {
        yield new ScannedPage(noRows, { offset: asked, nextOffset: asked, total: state.received, complete: true });
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

/**
 * Cuts a page to `left` rows, because a service can return more rows than requested. A page is not cut if the service returns cursors instead
 * of row numbers: no offset would lead back to the rows left out.
 */
function atMost(left: number, page: RawPage, asked: number): RawPage {
  const { rows, offset = asked } = page;
  const countsRows = offset <= asked || offset === asked + rows.count;
  return rows.count > left && countsRows
    ? { ...page, rows: { ...rows, count: left }, offset: Math.min(offset, asked + left) }
    : page;
}

/** The progress of a read by offset. Determines when the read ends, and whether it is complete. */
class OffsetState {
  received = 0;
  /** All rows of `total` were received and the offset did not advance. The service can refuse the next offset because it does not exist. */
  mayBeTheEnd = false;
  readonly #begin: number;
  /** The returned offsets are cursors, not row numbers. */
  #cursor = false;
  #lastRest = Number.POSITIVE_INFINITY;

  constructor(begin: number) {
    this.#begin = begin;
  }

  after(page: RawPage, asked: number, left: number): { next: number; complete?: boolean } {
    const { count } = page.rows;
    const returned = page.offset ?? asked;
    const rest = page.restTotal ?? 0;
    this.received += count;
    const next = returned > asked ? returned : asked + count;
    if (returned > asked && returned !== asked + count) this.#cursor = true;
    const ended =
      count === 0 ||
      rest === 0 ||
      count >= left ||
      (this.#cursor && returned <= asked) ||
      // More rows than `total`, and `restTotal` does not fall: the service repeats the same rows.
      (this.received > page.total && (rest >= this.#lastRest || rest < 0));
    this.#lastRest = rest;
    this.mayBeTheEnd = this.#begin === 0 && this.received === page.total && returned <= asked;
    return ended ? { next, complete: this.#complete(page, rest) } : { next };
  }

  #complete(page: RawPage, rest: number): boolean {
    if (this.#begin === 0) return this.received === page.total;
    return rest === 0 && (this.#cursor || this.#begin + this.received === page.total);
  }
}

/**
 * All pages of rows that are not exported. There is no offset: the service returns the same rows until they are marked. So the next page is
 * requested only when the caller asks for it, after it may have marked the rows. The read ends when the same page comes again.
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
        yield new ScannedPage(noRows, { offset: 0, nextOffset: 0, total, current: 0, complete: false });
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
