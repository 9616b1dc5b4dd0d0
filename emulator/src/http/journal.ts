import type { OperationName } from "../contract";

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

const longestList = 10_000;

/** The latest requests, at most `limit`. */
export class Journal {
  private readonly limit: number;
  readonly entries: JournalEntry[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Adds an entry when the request arrives. Status and effect are set later. */
  add(entry: JournalEntry, secrets: readonly string[]): JournalEntry {
    const clean: JournalEntry = {
      ...entry,
      path: cleanText(entry.path, secrets),
      query: cleanValue(entry.query, secrets) as Record<string, unknown>,
      body: cleanValue(entry.body, secrets),
    };
    this.entries.push(clean);
    if (this.entries.length > this.limit) this.entries.shift();
    return clean;
  }

  clear(): void {
    this.entries.length = 0;
  }
}

/** A copy without credentials: known ones, and every value of a field for one. */
function cleanValue(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") return cleanText(value, secrets);
  if (Array.isArray(value)) {
    return value.length > longestList ? { length: value.length } : value.map((item) => cleanValue(item, secrets));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "refresh_token" ? "[secret]" : cleanValue(inner, secrets),
    ]),
  );
}

/** Replaces every credential in a text. */
export function cleanText(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (clean, secret) => (clean.includes(secret) ? clean.replaceAll(secret, "[secret]") : clean),
    text,
  );
}
