import { EventEmitter } from "node:events";
import type { OperationName } from "../contract";
import { mintedForm } from "../store/credentials";
import { waitUntil } from "./waitUntil";

/** An uploaded file, without its content. */
export interface JournalFile {
  /** File name in the request. */
  name: string;
  /** Length in bytes. */
  bytes: number;
  /** SHA-256 of the content, in hex. */
  sha256: string;
  /** Number of lines that are not blank. */
  lines: number;
}

/** One request. Credentials are removed from every field. */
export interface JournalEntry {
  /** Number of the request since the start, from 1. */
  number: number;
  /** The operation. `unknown`: another path or method. */
  operation: OperationName | "unknown";
  /** HTTP method. */
  method: string;
  /** Path without the query. */
  path: string;
  /** The query's parameters. */
  query: Record<string, unknown>;
  /** The parsed body. An upload is `{taskId, file}`. A list of more than 10,000 items is `{length}`. */
  body: unknown;
  /** Status of the response; 0 if there was none. */
  status: number;
  /** The `requestId` of the response. */
  requestId: string;
  /** Kind of credential in the request. */
  credential: "none" | "bearer" | "apiKey" | "both";
  /** Header Content-Type. */
  contentType: string | undefined;
  /** Header User-Agent. */
  userAgent: string | undefined;
  /** Number of the socket, from 1. Requests with the same number used the same connection. */
  socket: number;
  /** Time of arrival in milliseconds since 1970. */
  receivedAt: number;
  /** Whether the operation took effect, even if its response was lost. */
  tookEffect: boolean;
}

/** Which requests of the journal are wanted. Default: all. */
export interface RequestFilter {
  /** Only requests of this operation. `unknown`: another path or method. */
  operation?: OperationName | "unknown";
  /** Only requests that name this task, alone or with others. */
  taskId?: string;
  /** Only requests with this status of the response; 0 if there was none. */
  status?: number;
  /** Only requests with this string in the path, the user agent, the requestId, or the first values of query and body, in any case. */
  search?: string;
  /** Only requests with a larger `number`. */
  after?: number;
}

const longestList = 10_000;

/** The latest requests, at most `limit`. */
export class Journal {
  private readonly limit: number;
  readonly entries: JournalEntry[] = [];
  private last = 0;
  private redactor: Redactor | undefined;
  /** Requests whose response is not decided yet. */
  private readonly open = new WeakSet<JournalEntry>();
  private readonly changes = new EventEmitter();

  constructor(limit: number) {
    this.limit = limit;
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
  close(entry: JournalEntry): void {
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

  /**
   * Waits until this number of requests match and have been responded to.
   * @returns false if too few do within `timeoutMs`, or if the signal ends the wait.
   */
  wait(count: number, filter: RequestFilter, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return waitUntil(
      () => this.find(filter).filter((entry) => !this.open.has(entry)).length >= count,
      (check) => this.onClose(check),
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

function matches(entry: JournalEntry, { operation, taskId, status, search, after = 0 }: RequestFilter): boolean {
  return (
    entry.number > after &&
    (operation === undefined || entry.operation === operation) &&
    (status === undefined || entry.status === status) &&
    (taskId === undefined || tasksOf(entry.query).includes(taskId) || tasksOf(entry.body).includes(taskId)) &&
    (search === undefined || contains(entry, search.toLowerCase()))
  );
}

/** A body can have many values, and a search looks at many requests. */
const mostSearchedValues = 100;

function contains({ path, userAgent, requestId, query, body }: JournalEntry, wanted: string): boolean {
  const values: unknown[] = [path, userAgent, requestId, query, body];
  for (let index = 0; index < Math.min(values.length, mostSearchedValues); index += 1) {
    const value = values[index];
    if (typeof value === "object" && value !== null) {
      values.push(...(Array.isArray(value) ? value : Object.values(value)).slice(0, mostSearchedValues));
    } else if (value !== undefined && String(value).toLowerCase().includes(wanted)) return true;
  }
  return false;
}

/** The task ids in the fields of a request. */
export function tasksOf(fields: unknown): unknown[] {
  const { taskId, taskIds } = (fields ?? {}) as { taskId?: unknown; taskIds?: unknown };
  return Array.isArray(taskIds) ? taskIds : [taskId];
}

/** A shorter credential can be a part of ordinary words, so it is found only as a word of its own. */
const shortestInside = 16;

/** Removes credentials from texts and values. */
class Redactor {
  readonly secrets: readonly string[];
  private readonly pattern: RegExp;

  /** @param secrets the credentials that do not have the form of this emulator. */
  constructor(secrets: readonly string[]) {
    this.secrets = secrets;
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
