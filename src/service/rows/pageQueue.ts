import type { ServiceError } from "../errors/errors";
import { isServiceError } from "../errors/errors";
import { onAbort } from "../http/onAbort";
import type { ScannedRows } from "./rowScanner";

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

interface Pending {
  offset: number;
  size: number;
  controller: AbortController;
  page: Promise<RawPage>;
}

/** The pages under way, in the order of their offsets. */
export class PageQueue {
  readonly #reading: RowReading;
  readonly #pending: Pending[] = [];
  readonly #underWay = new Set<AbortController>();
  readonly #stopListening: (() => void) | undefined;
  #size: number;
  #window = 0;
  #lastShort = 0;

  constructor(reading: RowReading) {
    this.#reading = reading;
    this.#size = reading.pageSize;
    this.#stopListening = reading.signal && onAbort(reading.signal, () => this.#abortAll());
  }

  /** Undefined where a refusal means that there is no such page (`mayBeTheEnd`). */
  async take(offset: number, left: number, mayBeTheEnd: boolean): Promise<RawPage | undefined> {
    let refusal: unknown;
    // An answer that was too large to be taken is lost too, with what may have been handed out in it.
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
    this.#stopListening?.();
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
function mayBeTheSize(error: unknown): error is ServiceError {
  if (!isServiceError(error, "refused", "contract")) return false;
  if (error.kind === "contract") return /maxResponseBytes/.test(error.message);
  return error.code === undefined || /^invalid\W?param/i.test(error.code);
}
