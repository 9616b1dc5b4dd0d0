import type { ServiceError } from "../errors/errors";
import { isRefusedParameter, isServiceError } from "../errors/errors";
import { onAbort } from "../onAbort";
import type { CallOptions } from "../options";
import type { RowPage } from "./rowPage";
import { emptyPage } from "./rowPage";

/** Options of {@link ServiceClient.rows}. */
export interface RowsOptions extends CallOptions {
  /** Most rows per page. Default: the client's `pageSize`. */
  pageSize?: number;
  /**
   * Stop after this many rows; 0 makes no request and gives no page. Default: all. A read of rows that are not exported can give more: a page is never cut, because a mark can
   * include all of its rows.
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
 * All pages of a batch or a task, in order. A service's offsets are row numbers or cursors. Pages are fetched ahead only while they are row numbers
 * and the pages are full.
 */
export async function* readByOffset(reading: RowReading): AsyncGenerator<RowPage, void, void> {
  const { offset: begin, maxRows } = reading;
  if (maxRows === 0) return;
  const requests = new PageRequests(reading);
  let asked = begin;
  let received = 0;
  let hasCursors = false;
  // All rows of `total` were received and the offset did not advance. The service can refuse the next offset because it does not exist.
  let mayBeTheEnd = false;
  try {
    for (;;) {
      const left = maxRows - received;
      const response: RowPage = await requests.take(asked, left, mayBeTheEnd).catch((error: unknown) => {
        if (mayBeTheEnd && isServiceError(error, "refused")) return emptyPage({ nextOffset: asked, total: received });
        throw error;
      });
      const { total, restTotal: rest = 0, offset: returned = asked } = response;
      const isCursor = returned > asked && returned !== asked + response.count;
      hasCursors ||= isCursor;
      // A service can return more rows than requested. No cursor would lead back to the rows left out.
      const page = response.count > left && !isCursor ? response.first(left) : response;
      const nextOffset = isCursor ? returned : asked + page.count;
      received += page.count;
      const stays = hasCursors && returned <= asked;
      // With more rows than `total`, the service repeats the same rows.
      if (page.count === 0 || rest === 0 || page.count >= left || stays || received > total) {
        const isEnd = rest === 0 && (hasCursors || begin + received === total);
        yield { ...page, nextOffset, complete: begin === 0 ? received === total : isEnd };
        return;
      }
      mayBeTheEnd = begin === 0 && received === total && returned <= asked;
      if (!isCursor) requests.fillAhead(page, nextOffset, left - page.count);
      yield { ...page, nextOffset };
      asked = nextOffset;
    }
  } finally {
    requests.discard();
  }
}

/**
 * All pages of rows that are not exported. There is no offset: the service returns the same rows until they are marked. So the next page is
 * requested only when the caller asks for it, after it may have marked the rows. The read ends when the same page comes again.
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
      if (before !== undefined && total >= before.total) {
        if (received >= total || page.ndjson().equals(before.ndjson())) {
          yield emptyPage({ nextOffset: 0, total, current: 0, complete: false });
          return;
        }
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

/** Approximate limit of the bytes that are fetched ahead. Bounds the memory of an export of any length. */
const aheadBytes = 16 * 1024 * 1024;
/** Page sizes to try after the service refuses one. */
const smallerSizes = [500, 200, 100, 50, 20, 10, 1];

/** Requests pages, smaller ones if the service refuses the size, and ahead of time those that will probably be next. */
class PageRequests {
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
        this.#dropAhead();
      }
    }
  }

  /** Requests the pages that follow a full one, `left` rows at most. */
  fillAhead({ count, bytes, total, restTotal = 0 }: RowPage, next: number, left: number): void {
    const size = this.#size;
    const most = count === size ? Math.min(this.#reading.ahead, Math.floor(aheadBytes / bytes)) : 0;
    // Some services return restTotal with the total. Offsets that are row numbers never exceed the total.
    const end = Math.min(next + restTotal, total, next + left);
    for (let offset = next + this.#ahead.length * size; this.#ahead.length < most && offset < end; offset += size) {
      this.#ahead.push({ offset, page: this.#request(offset, Math.min(size, next + left - offset)) });
    }
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
