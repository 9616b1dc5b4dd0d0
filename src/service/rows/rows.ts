import { onAbort } from "../../system/onAbort";
import type { ServiceError } from "../errors/errors";
import { isRefusedParameter, isServiceError } from "../errors/errors";
import type { CallOptions } from "../options";
import type { RowPage } from "./rowPage";
import { emptyPage } from "./rowPage";

/** Options of {@link ServiceClient.rows}. */
export interface RowsOptions extends CallOptions {
  /** Most rows per page. Default: the client's `pageSize`. */
  pageSize?: number;
  /**
   * Stop after this many rows; 0 makes no request and gives no page. Default: all. A read of rows that are not exported
   * can give more: a page is never cut, because a mark can include all of its rows.
   */
  maxRows?: number;
  /** The offset of the first row. To resume after a page, pass its `nextOffset`. Default 0. */
  offset?: number;
  /** Seconds that each page can take, with repeats and waits. Default: the client's `deadlineSeconds`. */
  deadlineSeconds?: number;
}

export interface RowReading {
  /** Requests one page. */
  fetch: (offset: number, size: number, signal: AbortSignal) => Promise<RowPage>;
  pageSize: number;
  maxRows: number;
  offset: number;
  /** Most pages requested at the same time. */
  ahead: number;
  signal?: AbortSignal;
}

/**
 * All pages of a batch or a task, in order. A service's offsets are row numbers or cursors. Pages are fetched ahead
 * only while they are row numbers, the pages are full, and no row arrives.
 */
export async function* readByOffset(reading: RowReading): AsyncGenerator<RowPage, void, void> {
  const { offset: begin, maxRows } = reading;
  if (maxRows === 0) return;
  const requests = new PageRequests(reading);
  const moves = new RowMoves(() => requests.take(begin, Number.POSITIVE_INFINITY));
  let asked = begin;
  let received = 0;
  let hasCursors = false;
  // All rows of `total` were received and the offset did not advance. The service can refuse the next offset because it
  // does not exist.
  let mayBeTheEnd = false;
  const take = (): Promise<RowPage> => {
    // After rows have moved, a page has rows that were received already.
    const size = requests.isAlone ? Number.POSITIVE_INFINITY : maxRows - received;
    return requests.take(asked, size, mayBeTheEnd).catch((error: unknown) => {
      if (mayBeTheEnd && isServiceError(error, "refused")) return emptyPage({ nextOffset: asked, total: received });
      throw error;
    });
  };
  try {
    for (;;) {
      let response = await take();
      if (moves.hasChanged(response) && !requests.isAlone) {
        // Of two pages that were requested at the same time, the later one can have been read first.
        requests.readAlone();
        response = await take();
      }
      const { total, restTotal: rest = 0, offset: returned = asked } = response;
      const isCursor = returned > asked && returned !== asked + response.count;
      hasCursors ||= isCursor;
      const fresh = await moves.fresh(response);
      const left = Math.max(0, Math.min(maxRows, moves.end) - received);
      // A service can return more rows than requested. No cursor would lead back to the rows left out.
      const page = fresh.count > left && (!isCursor || requests.isAlone) ? fresh.first(left) : fresh;
      const nextOffset = isCursor ? returned : asked + response.count - fresh.count + page.count;
      received += page.count;
      const stays = hasCursors && returned <= asked;
      // With more rows than `total`, the service repeats the same rows.
      if (response.count === 0 || rest === 0 || page.count >= left || stays || received > total) {
        if (begin === 0 && received < Math.min(maxRows, total) && moves.beginAgain(received)) {
          yield { ...page, nextOffset };
          asked = 0;
          mayBeTheEnd = false;
          continue;
        }
        // Some services always return restTotal with the total.
        const isCutOff = response.count === 0 && rest > 0 && (rest < total || begin + received < total);
        const gap = moves.isLost ? "moved" : isCutOff ? "emptyPage" : undefined;
        const isEnd = rest === 0 && (hasCursors || begin + moves.count + received === total);
        const complete = gap === undefined && (begin === 0 ? received === total : isEnd);
        yield { ...page, nextOffset, complete, ...(gap && { gap }) };
        return;
      }
      mayBeTheEnd = begin === 0 && received === total && returned <= asked;
      if (!isCursor) requests.fillAhead(page, nextOffset, left - page.count);
      if (page.count > 0) yield { ...page, nextOffset };
      asked = nextOffset;
    }
  } finally {
    requests.discard();
  }
}

/** Most returns to the first row of a read, and most pages without a row that was not received before. */
const mostDetours = 20;

/**
 * Follows rows that arrive during a read. At the end, they move nothing. If the service returns the newest row first,
 * they move all others: the next page begins with rows that were received, and the new rows are before the first page.
 * Which of both it is, the first row shows.
 */
class RowMoves {
  /** The rows could not be followed: some may be missing, or there twice. */
  isLost = false;
  /** How many rows have moved the others. */
  count = 0;
  /**
   * How many rows the read has received when it comes to those with which it began before, or when it ends because rows
   * were lost.
   */
  end = Number.POSITIVE_INFINITY;
  #newestFirst: boolean | undefined;
  #begin: { row: Buffer; total: number } | undefined;
  #total = 0;
  /** The last row that was received. */
  #last = Buffer.alloc(0) as Buffer;
  /** Rows to come that were received before. */
  #repeated = 0;
  #detours = 0;

  /** @param readBegin the page at the begin of the read */
  constructor(readonly readBegin: () => Promise<RowPage>) {}

  hasChanged({ total }: RowPage): boolean {
    return this.#begin !== undefined && this.#total !== total;
  }

  /** The page without the rows that were received before. */
  async fresh(page: RowPage): Promise<RowPage> {
    const { total, count } = page;
    if (this.#begin === undefined) {
      if (this.#newestFirst) this.end = total;
      this.#begin = { row: rowAt(page, 0), total };
    } else if (total !== this.#total && !this.isLost) {
      if (total > this.#total) this.#newestFirst ??= await this.#look(this.#begin);
      if (this.#newestFirst) this.#repeated += total - this.#total;
      if (this.#newestFirst === undefined || total < this.#total) this.#lose(total);
    }
    this.#total = total;
    const repeated = this.isLost ? 0 : Math.min(this.#repeated, count);
    this.#repeated -= repeated;
    this.count += repeated;
    if (repeated > 0 && repeated === count) {
      this.#detour();
    }
    if (repeated > 0 && this.#repeated === 0 && !rowAt(page, repeated - 1).equals(this.#last)) {
      this.#lose(total);
      return page;
    }
    if (repeated < count) this.#last = rowAt(page, count - 1);
    return page.after(repeated);
  }

  /**
   * Returns to the first row, for the rows that have arrived before it.
   * @returns false unless all that are not received are known to be there.
   */
  beginAgain(received: number): boolean {
    if (!this.#newestFirst || this.isLost || this.#begin?.total !== received) return false;
    this.#detour();
    this.#begin = undefined;
    this.#repeated = 0;
    return !this.isLost;
  }

  #detour(): void {
    this.#detours += 1;
    if (this.#detours > mostDetours) this.#lose(this.#total);
  }

  #lose(total: number): void {
    this.isLost = true;
    // Otherwise, a read would not end while rows arrive faster than they are read.
    this.end = total;
  }

  /** Whether new rows come first. Undefined if equal rows hide it. */
  async #look({ row, total }: { row: Buffer; total: number }): Promise<boolean | undefined> {
    const page = await this.readBegin();
    const isAt = (place: number): boolean => rowAt(page, place).equals(row);
    const arrived = page.total - total;
    // If more rows have arrived than the page has, the rows of the next page tell.
    return isAt(0) && isAt(arrived) ? undefined : !isAt(0) && (arrived >= page.count || isAt(arrived));
  }
}

/** Without a row at this place: empty. */
function rowAt(page: RowPage, place: number): Buffer {
  return page.after(place).first(1).ndjson();
}

/**
 * All pages of rows that are not exported. There is no offset: the service returns the same rows until they are marked.
 * So the next page is requested only when the caller asks for it, after it may have marked the rows. The read ends when
 * the same rows come again.
 */
export async function* readNotExported(reading: RowReading): AsyncGenerator<RowPage, void, void> {
  if (reading.maxRows === 0) return;
  const requests = new PageRequests(reading);
  let received = 0;
  let before: RowPage | undefined;
  try {
    for (;;) {
      const page = await requests.take(0, reading.maxRows - received);
      const { count, total, current = count } = page;
      if (before !== undefined && (isRepeated(page, before) || (total >= before.total && received >= total))) {
        yield emptyPage({ nextOffset: 0, total, current: 0, complete: false });
        return;
      }
      received += count;
      const isWhole = count === total && current === count;
      const ended = isWhole || count === 0 || received >= reading.maxRows;
      yield ended ? { ...page, complete: isWhole } : page;
      if (ended) return;
      before = page;
    }
  } finally {
    requests.discard();
  }
}

/**
 * Whether the service returns the rows of the page before again, because they are not marked. The last page can be
 * smaller, and then has the first of these rows.
 */
export function isRepeated(page: RowPage, before: RowPage): boolean {
  return page.total >= before.total && before.first(page.count).ndjson().equals(page.ndjson());
}

/** Approximate limit of the bytes that are fetched ahead. Bounds the memory of an export of any length. */
const aheadBytes = 16 * 1024 * 1024;
/** Page sizes to try after the service refuses one. */
const smallerSizes = [500, 200, 100, 50, 20, 10, 1];

/** Requests pages, smaller ones if the service refuses the size, and ahead of time those that will probably be next. */
class PageRequests {
  /** Whether each page is requested only after the page before. */
  isAlone = false;
  readonly #reading: RowReading;
  readonly #stopListening: (() => void) | undefined;
  #size: number;
  /** In the order of their offsets. */
  #ahead: { offset: number; page: Promise<RowPage> }[] = [];
  /** Ends the requests in progress. */
  #controller = new AbortController();

  constructor(reading: RowReading) {
    this.#reading = reading;
    this.#size = reading.pageSize;
    this.#stopListening = reading.signal && onAbort(reading.signal, () => this.#controller.abort());
  }

  /** @param isLast does not try smaller pages */
  async take(offset: number, left: number, isLast = false): Promise<RowPage> {
    // A response above maxResponseBytes is lost, possibly with rows that the service returns only once.
    let lost = false;
    for (;;) {
      if (this.#ahead[0]?.offset !== offset) this.#dropAhead();
      const size = Math.min(this.#size, left);
      try {
        const page = await (this.#ahead.shift()?.page ?? this.#request(offset, size));
        return { ...page, size, ...(lost && { afterLoss: true }) };
      } catch (error) {
        if (isLast || !mayBeTheSize(error)) throw error;
        const smaller = smallerSizes.find((candidate) => candidate < size);
        if (smaller === undefined) throw error;
        lost ||= error.outcome === "unknown";
        this.#size = smaller;
      }
    }
  }

  /** Requests the pages that follow a full one, `left` rows at most. */
  fillAhead({ count, bytes, total, restTotal = 0 }: RowPage, next: number, left: number): void {
    const size = this.#size;
    const most = count === size && !this.isAlone ? Math.min(this.#reading.ahead, Math.floor(aheadBytes / bytes)) : 0;
    // Some services return restTotal with the total. Offsets that are row numbers never exceed the total.
    const end = Math.min(next + restTotal, total, next + left);
    for (let offset = next + this.#ahead.length * size; this.#ahead.length < most && offset < end; offset += size) {
      this.#ahead.push({ offset, page: this.#request(offset, Math.min(size, next + left - offset)) });
    }
  }

  readAlone(): void {
    this.isAlone = true;
    this.#dropAhead();
  }

  discard(): void {
    this.#stopListening?.();
    this.#controller.abort();
  }

  #request(offset: number, size: number): Promise<RowPage> {
    const { fetch, signal } = this.#reading;
    if (signal?.aborted) this.#controller.abort();
    const page = fetch(offset, size, this.#controller.signal);
    // A page that was fetched ahead may never be used, so its failure counts only when it is taken.
    page.catch(() => undefined);
    return page;
  }

  #dropAhead(): void {
    if (this.#ahead.length === 0) return;
    this.#controller.abort();
    this.#controller = new AbortController();
    this.#ahead = [];
  }
}

/** A page size that is too large results in a refused parameter, or in a response above `maxResponseBytes`. */
function mayBeTheSize(error: unknown): error is ServiceError {
  return isRefusedParameter(error) || (isServiceError(error, "contract") && /maxResponseBytes/.test(error.message));
}
