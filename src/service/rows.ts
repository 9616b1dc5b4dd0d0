import { isServiceError } from "./errors";
import type { CallOptions } from "./options";
import type { RowPage } from "./rowPage";
import type { ScannedRows } from "./rowScanner";
import { ScannedPage, sameRows } from "./scannedPage";

export interface RowsOptions extends CallOptions {
  /** Rows a page, at most. Default: the client's. */
  pageSize?: number;
  /** Stop after this many rows. Default: all. */
  maxRows?: number;
  /** Offset to begin at; `nextOffset` of a page read before resumes after it. Default 0. */
  offset?: number;
}

/** One answer of a reading operation. */
export interface RawPage {
  rows: ScannedRows;
  total: number;
  /** Absent where the read is of what is not exported. */
  restTotal?: number;
  offset?: number;
  current?: number;
  afterLoss?: boolean;
}

/** Asks for one page. */
export type FetchPage = (offset: number, size: number, signal: AbortSignal) => Promise<RawPage>;

export interface RowReading {
  fetch: FetchPage;
  pageSize: number;
  maxRows: number;
  offset: number;
  /** Pages under way at once, at most. */
  ahead: number;
  signal?: AbortSignal;
}

/** Bytes of the pages that are fetched ahead, about, at most: what keeps an export of any length in little memory. */
const aheadBytes = 16 * 1024 * 1024;
/** Page sizes to fall back to where a service refuses one. */
const smallerSizes = [500, 200, 100, 50, 20, 10, 1];

/** All pages of a batch or a task, in order. Pages are fetched ahead only while the answered offsets are the ones that were expected. */
export async function* readByOffset(reading: RowReading): AsyncGenerator<RowPage, void, void> {
  const queue = new PageQueue(reading);
  const state = new OffsetState(reading.offset);
  let asked = reading.offset;
  try {
    for (;;) {
      const left = reading.maxRows - state.received;
      const page = await queue.take(asked, left, state.mayBeTheEnd);
      if (page === undefined) {
        yield new ScannedPage(nothing, { offset: asked, nextOffset: asked, total: state.received, complete: true });
        return;
      }
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
      (this.received > page.total && rest >= this.#lastRest);
    this.#lastRest = rest;
    this.mayBeTheEnd = this.#begin === 0 && this.received === page.total && answered <= asked;
    return ended ? { next, complete: this.#complete(page, rest) } : { next };
  }

  #complete(page: RawPage, rest: number): boolean {
    if (this.#begin === 0) return this.received === page.total;
    return rest === 0 && (this.#cursor || this.#begin + this.received === page.total);
  }
}

interface Pending {
  offset: number;
  size: number;
  controller: AbortController;
  page: Promise<RawPage>;
}

/** The pages under way, in the order of their offsets. */
class PageQueue {
  readonly #reading: RowReading;
  readonly #pending: Pending[] = [];
  readonly #underWay = new Set<AbortController>();
  readonly #onAbort = () => this.#abortAll();
  #size: number;
  #window = 0;
  #lastShort = 0;

  constructor(reading: RowReading) {
    this.#reading = reading;
    this.#size = reading.pageSize;
    reading.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Undefined where a refusal means that there is no such page (`mayBeTheEnd`). */
  async take(offset: number, left: number, mayBeTheEnd: boolean): Promise<RawPage | undefined> {
    let refusal: unknown;
    for (;;) {
      const size = Math.min(this.#size, left);
      const head = this.#pending.shift();
      if (head?.offset !== offset || head.size !== size) {
        head?.controller.abort();
        this.#dropAhead();
      }
      const pending = head?.offset === offset && head.size === size ? head : this.#start(offset, size);
      try {
        return await pending.page;
      } catch (error) {
        if (mayBeTheEnd && isServiceError(error, "refused")) return undefined;
        const smaller = smallerSizes.find((candidate) => candidate < size);
        if (smaller === undefined || !mayBeTheSize(error)) throw refusal ?? error;
        refusal ??= error;
        this.#size = smaller;
        this.#window = 0;
      }
    }
  }

  /** Begins the pages after this one, as far as its answer bears out what was expected. */
  fillAfter(asked: number, next: number, page: RawPage, left: number): void {
    const { count, body } = page.rows;
    const full = count === Math.min(this.#size, left);
    if (!full) {
      // The service gives fewer rows than asked for. Twice the same number is its own page size.
      if (count === this.#lastShort) this.#size = count;
      this.#lastShort = count;
    }
    if (!full || next !== asked + count) {
      this.#window = 0;
      this.#dropAhead();
      return;
    }
    const most = Math.max(0, Math.min(this.#reading.ahead, Math.floor(aheadBytes / Math.max(1, body.length))));
    this.#window = Math.min(most, Math.max(1, this.#window * 2));
    // Some services always answer restTotal with the total; offsets that count rows end there at the latest.
    const end = Math.min(next + (page.restTotal ?? 0), Math.max(page.total, next));
    const last = this.#pending.at(-1);
    let offset = last === undefined ? next : last.offset + last.size;
    while (this.#pending.length < this.#window && offset < end) {
      const size = Math.min(this.#size, left - count - (offset - next));
      if (size <= 0) return;
      this.#pending.push(this.#start(offset, size));
      offset += size;
    }
  }

  discard(): void {
    this.#reading.signal?.removeEventListener("abort", this.#onAbort);
    this.#dropAhead();
  }

  #start(offset: number, size: number): Pending {
    const controller = new AbortController();
    if (this.#reading.signal?.aborted) controller.abort();
    const page = this.#reading.fetch(offset, size, controller.signal);
    // A page fetched ahead may never be looked at; its failure counts only when its turn comes.
    const settled = () => this.#underWay.delete(controller);
    page.then(settled, settled);
    this.#underWay.add(controller);
    return { offset, size, controller, page };
  }

  #abortAll(): void {
    for (const controller of this.#underWay) controller.abort();
  }

  #dropAhead(): void {
    for (const pending of this.#pending.splice(0)) pending.controller.abort();
  }
}

/** A page that is too large shows as a refused parameter, or as an answer larger than the client takes. */
function mayBeTheSize(error: unknown): boolean {
  if (!isServiceError(error, "refused", "contract")) return false;
  if (error.kind === "contract") return /maxResponseBytes/.test(error.message);
  return error.code === undefined || /^invalid\W?param/i.test(error.code);
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
