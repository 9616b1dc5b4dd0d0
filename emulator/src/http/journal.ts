import type { OperationName } from "../contract";

/** What is known of an upload: never its content. */
export interface JournalFile {
  /** File name as sent. */
  name: string;
  /** Length. */
  bytes: number;
  /** SHA-256 of the content, in hex. */
  sha256: string;
  /** Lines that are not blank. */
  lines: number;
}

/** One request, as it came. No credential is in it, in whatever field it was sent. */
export interface JournalEntry {
  /** `unknown`: no operation of the service. */
  operation: OperationName | "unknown";
  /** HTTP method. */
  method: string;
  /** Without the query. */
  path: string;
  /** The query's parameters. */
  query: Record<string, unknown>;
  /** Parsed; an upload as `{taskId, file}`; lists of more than 10,000 items as `{length}`. */
  body: unknown;
  /** Status of the answer; 0 when none was sent. */
  status: number;
  /** The `requestId` of the answer. */
  requestId: string;
  /** Kind of credential that came with it. */
  credential: "none" | "bearer" | "apiKey" | "both";
  /** As sent. */
  contentType: string | undefined;
  /** As sent. */
  userAgent: string | undefined;
  /** Number of the socket it came on, from 1: equal numbers were kept alive. */
  socket: number;
  /** Milliseconds since 1970. */
  receivedAt: number;
  /** Whether the operation was carried out, also when its answer was lost. */
  tookEffect: boolean;
}

const longestList = 10_000;

/** The requests of a client, the oldest dropped beyond `limit`. */
export class Journal {
  private readonly limit: number;
  readonly entries: JournalEntry[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Entries go in when the request has arrived; status and effect are filled in later. */
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

/** A copy without credentials: those that the emulator knows, and whatever stands in a field for one. */
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

/** `text` with every credential in it replaced. */
export function cleanText(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (clean, secret) => (clean.includes(secret) ? clean.replaceAll(secret, "[secret]") : clean),
    text,
  );
}
