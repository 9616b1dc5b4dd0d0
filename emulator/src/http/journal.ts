import { EventEmitter } from "node:events";
import { mintedForm, mintedLength } from "../store/credentials";
import { Slices } from "../store/document/slices";
import type { JournalEntry, RequestFilter } from "./journalEntry";
import { matches, RequestSearch } from "./journalEntry";
import { waitUntil } from "./waitUntil";

const longestList = 10_000;
const longestResponse = 1000;

/** The latest requests, at most `limit`. */
export class Journal {
  readonly entries: JournalEntry[] = [];
  private last = 0;
  private redactor: Redactor | undefined;
  /** Requests whose response is not decided yet. */
  private readonly open = new WeakSet<JournalEntry>();
  private readonly changes = new EventEmitter();

  constructor(private readonly limit: number) {
    // Each waiting request of the admin API has a listener.
    this.changes.setMaxListeners(0);
  }

  /** Adds an entry when the request arrives. Status and effect are set before `close`. */
  add(entry: Omit<JournalEntry, "number">, secrets: readonly string[]): JournalEntry {
    this.last += 1;
    this.redactor = this.redactor?.secrets === secrets ? this.redactor : new Redactor(secrets);
    const { redactor } = this;
    const clean: JournalEntry = {
      number: this.last,
      ...entry,
      // The path of an operation is the contract's, so a credential that is a word of it is no secret there.
      path: entry.operation === "unknown" ? redactor.text(entry.path) : entry.path,
      query: redactor.value(entry.query) as Record<string, unknown>,
      body: redactor.value(entry.body),
      contentType: entry.contentType && redactor.text(entry.contentType),
      userAgent: entry.userAgent && redactor.text(entry.userAgent),
    };
    this.entries.push(clean);
    if (this.entries.length > this.limit) this.entries.shift();
    this.open.add(clean);
    return clean;
  }

  /** The response to the request is decided. */
  close(entry: JournalEntry, response: string): void {
    entry.response = this.redactor?.start(response, longestResponse) ?? "";
    this.open.delete(entry);
    this.changes.emit("close", entry);
  }

  /** Calls the listener with each request whose response is decided. @returns a function that ends this. */
  onClose(listener: (entry: JournalEntry) => void): () => void {
    this.changes.on("close", listener);
    return () => this.changes.off("close", listener);
  }

  /** The requests that match, in the order of arrival. */
  find(filter: RequestFilter): JournalEntry[] {
    return this.entries.filter((entry) => matches(entry, filter));
  }

  /** Looks at all requests of this moment, without a long pause of the process. */
  async search(filter: RequestFilter): Promise<RequestSearch> {
    const search = new RequestSearch(filter);
    const slices = new Slices();
    for (const entry of [...this.entries]) {
      if (slices.isOver) await slices.next();
      search.look(entry);
    }
    return search;
  }

  /**
   * Waits until this number of requests match and have been responded to.
   * @returns false if too few do within `timeoutMs`, or if the signal ends the wait.
   */
  wait(count: number, filter: RequestFilter, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (count === 0) return Promise.resolve(true);
    return waitUntil(
      () => this.find(filter).filter((entry) => !this.open.has(entry)).length >= count,
      // A look at all requests after each one would take long.
      (check) => this.onClose((entry) => void (matches(entry, filter) && check())),
      { timeoutMs, signal },
    );
  }

  clear(): void {
    this.entries.length = 0;
  }

  /** Replaces all requests by earlier ones of this journal. */
  replace(entries: readonly JournalEntry[]): void {
    this.clear();
    for (const entry of entries) this.entries.push(entry);
  }
}

/** A shorter credential can be a part of ordinary words, so it is found only as a word of its own. */
const shortestInside = 16;

/** Removes credentials from texts and values. */
class Redactor {
  private readonly pattern: RegExp;

  /** @param secrets the credentials that do not have the form of this emulator. */
  constructor(readonly secrets: readonly string[]) {
    // A credential can begin with another one.
    const longestFirst = [...secrets].sort((one, other) => other.length - one.length);
    const parts = longestFirst.map((secret) => {
      const text = secret.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
      return secret.length < shortestInside ? `(?<![\\p{L}\\p{N}_-])${text}(?![\\p{L}\\p{N}_-])` : text;
    });
    this.pattern = new RegExp([mintedForm.source, ...parts].join("|"), "gu");
  }

  text(text: string): string {
    return text.replace(this.pattern, "[secret]");
  }

  /** The first characters of a text. */
  start(text: string, length: number): string {
    if (text.length <= length) return this.text(text);
    // A credential that the cut divides has less characters than the longest one.
    const most = Math.max(mintedLength, ...this.secrets.map((secret) => secret.length));
    const clean = this.text(text.slice(0, length + most));
    // A part of a string would keep the whole one in memory.
    return Buffer.from(clean.slice(0, Math.min(length, clean.length - most))).toString();
  }

  /** A copy without credentials: known ones, and every value of a field for one. */
  value(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) {
      return value.length > longestList ? { length: value.length } : value.map((item) => this.value(item));
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        // Names of fields are words of the contract, and so can be a short credential.
        key.length < shortestInside ? key : this.text(key),
        key === "refresh_token" ? "[secret]" : this.value(inner),
      ]),
    );
  }
}
