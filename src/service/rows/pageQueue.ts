import type { ServiceError } from "../errors/errors";
import { isServiceError } from "../errors/errors";
import { onAbort } from "../http/onAbort";
import type { ScannedRows } from "./rowScanner";

/** One response of an operation that reads rows. */
export interface RawPage {
  rows: ScannedRows;
  total: number;
  /** Absent in a read of rows that are not exported. */
  restTotal?: number;
  offset?: number;
  current?: number;
  afterLoss?: boolean;
}

/** Requests one page. */
export type FetchPage = (offset: number, size: number, signal: AbortSignal) => Promise<RawPage>;

export interface RowReading {
  fetch: FetchPage;
  pageSize: number;
  maxRows: number;
  offset: number;
  /** Most pages requested at the same time. */
  ahead: number;
  signal?: AbortSignal;
}

/** Approximate limit of the bytes that are fetched ahead. Bounds the memory of an export of any length. */
const aheadBytes = 16 * 1024 * 1024;
/** Page sizes to try after the service refuses one. */
const smallerSizes = [500, 200, 100, 50, 20, 10, 1];

interface Pending {
  offset: number;
  size: number;
  controller: AbortController;
  page: Promise<RawPage>;
}

/** The requested pages, in the order of their offsets. */
export class PageQueue {
  readonly #reading: RowReading;
  readonly #pending: Pending[] = [];
  readonly #inProgress = new Set<AbortController>();
  readonly #stopListening: (() => void) | undefined;
  #size: number;
  #window = 0;
  #lastShort = 0;

  constructor(reading: RowReading) {
    this.#reading = reading;
    this.#size = reading.pageSize;
    this.#stopListening = reading.signal && onAbort(reading.signal, () => this.#abortAll());
  }

  /** Resolves with undefined if the service refuses the page and `mayBeTheEnd`: there is no such page. */
  async take(offset: number, left: number, mayBeTheEnd: boolean): Promise<RawPage | undefined> {
    let refusal: unknown;
    // A response above maxResponseBytes is lost, possibly with rows that the service returns only once.
    let lost = false;
    for (;;) {
      const size = Math.min(this.#size, left);
      const head = this.#pending.shift();
      if (head?.offset !== offset || head.size !== size) {
        head?.controller.abort();
        this.#dropAhead();
      }
      const pending = head?.offset === offset && head.size === size ? head : this.#start(offset, size);
      try {
        const page = await pending.page;
        return lost ? { ...page, afterLoss: true } : page;
      } catch (error) {
        if (mayBeTheEnd && isServiceError(error, "refused")) return undefined;
        if (!mayBeTheSize(error)) throw error;
        const smaller = smallerSizes.find((candidate) => candidate < size);
        if (smaller === undefined) throw refusal ?? error;
        refusal ??= error;
        lost ||= error.outcome === "unknown";
        this.#size = smaller;
        this.#window = 0;
      }
    }
  }

  /** Requests the following pages ahead, as long as the page has the expected size and offset. */
  fillAfter(asked: number, next: number, page: RawPage, left: number): void {
    const { count, body } = page.rows;
    const full = count === Math.min(this.#size, left);
    if (!full) {
      // The service returns fewer rows than requested. The same number twice is its own page size.
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
    // Some services return restTotal with the total. Offsets that are row numbers never exceed the total.
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
    this.#stopListening?.();
    this.#dropAhead();
  }

  #start(offset: number, size: number): Pending {
    const controller = new AbortController();
    if (this.#reading.signal?.aborted) controller.abort();
    const page = this.#reading.fetch(offset, size, controller.signal);
    // Possibly, a page that was fetched ahead is never used. So its failure counts only when the page is read.
    const settled = () => this.#inProgress.delete(controller);
    page.then(settled, settled);
    this.#inProgress.add(controller);
    return { offset, size, controller, page };
  }

  #abortAll(): void {
    for (const controller of this.#inProgress) controller.abort();
  }

  #dropAhead(): void {
    for (const pending of this.#pending.splice(0)) pending.controller.abort();
  }
}

/** A page size that is too large results in a refused parameter, or in a response above `maxResponseBytes`. */
function mayBeTheSize(error: unknown): error is ServiceError {
  if (!isServiceError(error, "refused", "contract")) return false;
  if (error.kind === "contract") return /maxResponseBytes/.test(error.message);
  return error.code === undefined || /^invalid\W?param/i.test(error.code);
}
