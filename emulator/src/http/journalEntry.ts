import type { OperationName } from "../contract";
import { shown } from "../errors";
import type { FaultKind } from "../faults/faults";

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
  /** Set if the request had a body that the journal does not have: one that could not be read, or one for an unknown path. */
  bodyLeftOut?: true;
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
  /** Milliseconds from the arrival until the response was decided. */
  durationMs: number;
  /** The body of the response, at most its first 1000 characters; empty if there was no response. */
  response: string;
  /** The fault or hold that applied. */
  fault?: { id: string; kind: FaultKind };
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
  /** Only requests whose body has these values. An object of the body can have more fields. */
  body?: unknown;
}

const mostNearest = 3;
const longestValue = 100;

/** Whether a request of the journal is wanted. */
export function matches(entry: JournalEntry, filter: RequestFilter): boolean {
  return differences(entry, filter).next().done === true;
}

/** Looks for the requests that a filter wants and, as long as there is none, for those that differ least. */
export class RequestSearch {
  /** The requests that match, in the order of `look`. */
  readonly found: JournalEntry[] = [];
  /** The latest first among those that differ as much. */
  private readonly near: { entry: JournalEntry; distance: number }[] = [];

  constructor(private readonly filter: RequestFilter) {}

  look(entry: JournalEntry): void {
    const most = this.found.length > 0 ? 0 : (this.near[mostNearest - 1]?.distance ?? Number.POSITIVE_INFINITY);
    let distance = 0;
    for (const _difference of differences(entry, this.filter)) {
      distance += 1;
      if (distance > most) return;
    }
    if (distance === 0) {
      this.found.push(entry);
      return;
    }
    const place = this.near.findIndex((other) => other.distance >= distance);
    this.near.splice(place === -1 ? this.near.length : place, 0, { entry, distance });
    this.near.splice(mostNearest);
  }

  /** If no request matches: those that differ least, each with its differences, in words. */
  get nearest(): string[] {
    if (this.found.length > 0) return [];
    return this.near.map(({ entry }) => {
      const words = [...differences(entry, this.filter)].map((difference) => difference()).join(", ");
      return `request ${entry.number} (${entry.operation}, status ${entry.status}): ${words}`;
    });
  }
}

/** Makes the words of a difference. */
type Difference = () => string;

function* differences(
  entry: JournalEntry,
  { operation, taskId, status, search, after = 0, body }: RequestFilter,
): Generator<Difference> {
  if (entry.number <= after) yield () => `number is not larger than ${after}`;
  if (operation !== undefined && entry.operation !== operation) {
    yield () => `operation is ${entry.operation}, not ${operation}`;
  }
  if (status !== undefined && entry.status !== status) yield () => `status is ${entry.status}, not ${status}`;
  if (taskId !== undefined) {
    const named = [...tasksOf(entry.query), ...tasksOf(entry.body)].filter((id) => id !== undefined);
    if (!named.includes(taskId)) {
      yield () => `task is ${named.map(short).join(", ") || "absent"}, not ${short(taskId)}`;
    }
  }
  if (search !== undefined && !contains(entry, search.toLowerCase())) yield () => `nothing contains ${short(search)}`;
  if (body !== undefined) yield* valueDifferences("body", entry.body, body);
}

/** An object may have more fields than wanted. */
function* valueDifferences(path: string, found: unknown, wanted: unknown): Generator<Difference> {
  if (found === wanted) return;
  if (isObject(wanted) && isObject(found)) {
    for (const [name, value] of Object.entries(wanted)) {
      const own = Object.hasOwn(found, name) ? found[name] : undefined;
      yield* valueDifferences(`${path}.${name}`, own, value);
    }
  } else if (Array.isArray(wanted) && Array.isArray(found) && wanted.length === found.length) {
    for (const [index, value] of wanted.entries()) {
      // A list can have thousands of items, and a search looks at thousands of lists.
      if (found[index] !== value) yield* valueDifferences(`${path}.${index}`, found[index], value);
    }
  } else yield () => `${path} is ${found === undefined ? "absent" : short(found)}, not ${short(wanted)}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function short(value: unknown): string {
  const text = shown(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
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

/** The message about a wait that was not long enough. */
export function tooFewRequests(found: number, count: number, timeoutMs: number, nearest: readonly string[]): string {
  const text = `${found} of ${count} requests have arrived within ${timeoutMs} ms`;
  if (nearest.length === 0) return text;
  return `${text}. No such request; the nearest ones are:\n${nearest.map((line) => `- ${line}`).join("\n")}`;
}
