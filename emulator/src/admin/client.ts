/** A client of the admin API on Node's fetch. It imports hardly more than types, so that it loads in no time. */

import { isDotSegment } from "../accounts/dotSegment";
import type { Behaviour } from "../behaviour";
import type { Changes } from "../changes";
import type { AccountOptions, Emulator } from "../emulator";
import type { Fault } from "../faults/faults";
import type { components, paths } from "../generated/admin";
import type { JournalEntry, RequestFilter } from "../http/journalEntry";
import { tooFewRequests } from "../http/journalEntry";
import type { Inspection, MarkedRow } from "../inspect";
import type { ChangeName, ChangeResult } from "./changeFields";
import { changeFields, changeResults } from "./changeFields";

/** The same members, with promises: of the results of methods, and of the values of properties. */
export type Asynchronous<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result extends Promise<infer Value> ? Value : Result>
    : Promise<T[Name]>;
};

/** Requests that wait at another emulator until they are released. */
export interface RemoteHold {
  /** Identifies it. */
  readonly id: string;
  /**
   * Resolves when the first request has arrived and, with `after`, has taken effect. The wait begins when it is read.
   * @throws Error if the hold is released before that.
   */
  readonly reached: Promise<void>;
  /** Releases the waiting requests and later ones. A second call does nothing, unless the first one failed. */
  release(): Promise<void>;
}

/** The members of {@link Inspection} whose results have a bounded size, and those for rows. */
type InspectMember =
  | "taskPage"
  | "taskSummary"
  | "runPage"
  | "runSummary"
  | "run"
  | "progress"
  | "subtaskPage"
  | "rows"
  | "rowsWithMarks"
  | "exportedCount";

type SpecialMember = "url" | "adminToken" | "account" | "createAccount" | "inspect" | "change" | "hold" | "close";

/** An emulator of another process or machine, with the members of {@link Emulator}. */
export interface RemoteEmulator extends Asynchronous<Omit<Emulator, SpecialMember>> {
  /** Base address for clients, without a trailing slash. */
  readonly url: string;
  /** Makes an account, or makes it anew: an emulator of its own at the same address. @returns the account. */
  createAccount(name: string, options?: AccountOptions): Promise<RemoteEmulator>;
  /** An account, by its name. `main` is the one that exists from the start. */
  account(name: string): RemoteEmulator;
  /** Shows what the emulator holds. */
  readonly inspect: Asynchronous<Pick<Inspection, InspectMember>>;
  /** Makes changes like a user of the service, outside of the client. */
  readonly change: Asynchronous<Changes>;
  /** Makes later requests wait until they are released. */
  hold(fault: Omit<Fault, "kind">): Promise<RemoteHold>;
}

/** Options of {@link connectEmulator}. */
export interface ConnectOptions {
  /** The admin token. Default: none, as on loopback. */
  token?: string;
  /** The account. Default: the one that exists from the start. */
  account?: string;
}

type Path = keyof paths;
type Method = "get" | "post" | "put" | "delete";
type At<P extends Path, M extends Method> = paths[P][M];
type Sent<Operation> = Operation extends { requestBody?: { content: { "application/json": infer Body } } }
  ? Body
  : never;
type Received<Operation> = Operation extends { responses: { 200: { content: { "application/json": infer Data } } } }
  ? Data
  : undefined;
type Query<Operation> = Operation extends { parameters: { query?: infer Values } } ? Values : never;
type Change = components["schemas"]["Change"];

interface Parts<Operation> {
  body?: Sent<Operation>;
  query?: Query<Operation>;
  /** Values of the path's parameters. */
  path?: Record<string, string>;
}

/** One long poll. Shorter than the timeouts of fetch and of proxies. */
const pollMs = 60_000;

/** Maximum number of requests of the journal in one response. */
const limit = 10_000;

/** Maximum number of batches or rows in one response. */
const partLimit = 1000;

/**
 * A client of an emulator that runs elsewhere: in a container, or in another process. The emulator need not be ready yet.
 * @param url address of the emulator, as its `url`.
 */
export function connectEmulator(url: string, { token, account }: ConnectOptions = {}): RemoteEmulator {
  const base = url.endsWith("/") ? url.slice(0, -1) : url;
  const root = account === undefined ? "/__emulator" : `/__emulator/accounts/${segment(account)}`;
  const other = (name: string) => connectEmulator(base, { ...(token === undefined ? {} : { token }), account: name });

  async function call<P extends Path, M extends Method>(
    method: M,
    path: P,
    parts: Parts<At<P, M>> = {},
  ): Promise<Received<At<P, M>>> {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => segment(parts.path?.[name] ?? ""));
    const target = `${base}${root}${filled.slice("/__emulator".length)}${queryOf(parts.query)}`;
    const response = await fetch(target, {
      method: method.toUpperCase(),
      headers: {
        ...(method === "get" ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: parts.body === undefined ? undefined : JSON.stringify(parts.body),
    }).catch((error: unknown) => {
      throw new Error(`the emulator at ${base} cannot be reached: ${reasonOf(error)}`, { cause: error });
    });
    const text = await response.text();
    if (!response.ok) throw refusalOf(text, `${method} ${target}: status ${response.status}`);
    return (text === "" ? undefined : JSON.parse(text)) as Received<At<P, M>>;
  }

  async function find(filter: RequestFilter): Promise<JournalEntry[]> {
    const found: JournalEntry[] = [];
    for (;;) {
      const after = found.at(-1)?.number ?? filter.after;
      const page = await call("get", "/__emulator/requests", { query: { ...queryOfFilter(filter), after, limit } });
      found.push(...(page.requests as JournalEntry[]));
      if (page.requests.length < limit) return found;
    }
  }

  const taskSummary = (taskId: string) => orUndefined(call("get", "/__emulator/tasks/{taskId}", { path: { taskId } }));
  const progressOf = (lotNo: string) =>
    orUndefined(call("get", "/__emulator/runs/{lotNo}/progress", { path: { lotNo } }));

  async function rowsWithMarks(taskId: string, lotNo?: string): Promise<MarkedRow[]> {
    const runs = await allOf("runs", (offset) =>
      call("get", "/__emulator/runs", { query: { taskId, offset, limit: partLimit } }),
    );
    const wanted = runs.filter((run) => lotNo === undefined || run.lotNo === lotNo).reverse();
    const rows: MarkedRow[][] = [];
    for (const { lotNo: each } of wanted) {
      const query = { limit: partLimit };
      rows.push(
        await allOf("rows", (offset) =>
          call("get", "/__emulator/runs/{lotNo}/rows", { path: { lotNo: each }, query: { ...query, offset } }),
        ),
      );
    }
    return rows.flat();
  }

  return {
    url: base,
    get accounts() {
      return call("get", "/__emulator/accounts").then(({ accounts }) => accounts);
    },
    async createAccount(name, options = {}) {
      await call("put", "/__emulator/accounts/{name}", {
        path: { name },
        body: options as Sent<At<"/__emulator/accounts/{name}", "put">>,
      });
      return other(name);
    },
    account: other,
    deleteAccount: (name) => call("delete", "/__emulator/accounts/{name}", { path: { name } }),
    get credentials() {
      return call("get", "/__emulator/credentials");
    },
    health: () => call("get", "/__emulator/health") as ReturnType<RemoteEmulator["health"]>,
    reset: () => call("post", "/__emulator/reset"),
    seed: (body) => call("post", "/__emulator/seed", { body }),
    exportState: () =>
      call("get", "/__emulator/state") as Promise<unknown> as ReturnType<RemoteEmulator["exportState"]>,
    importState: (document) => call("put", "/__emulator/state", { body: { ...document } }),
    get snapshots() {
      return call("get", "/__emulator/snapshots").then(({ snapshots }) => snapshots);
    },
    saveSnapshot: (name) => call("put", "/__emulator/snapshots/{name}", { path: { name } }),
    restoreSnapshot: (name) => call("post", "/__emulator/snapshots/{name}/restore", { path: { name } }),
    deleteSnapshot: (name) => call("delete", "/__emulator/snapshots/{name}", { path: { name } }),
    get requests() {
      return find({});
    },
    findRequests: find,
    async waitForRequests(count, filter = {}, timeoutMs = 10_000) {
      for (let left = timeoutMs; ; left -= pollMs) {
        const query = { ...queryOfFilter(filter), wait: count, timeoutMs: Math.min(left, pollMs), limit };
        const { requests, total, complete, nearest = [] } = await call("get", "/__emulator/requests", { query });
        if (complete) return requests as JournalEntry[];
        if (left <= pollMs) throw new Error(tooFewRequests(total, count, timeoutMs, nearest));
      }
    },
    clearRequests: () => call("delete", "/__emulator/requests"),
    fault: (fault) => call("post", "/__emulator/faults", { body: fault as Sent<At<"/__emulator/faults", "post">> }),
    async setFaults(file) {
      await call("put", "/__emulator/faults", { body: file as Sent<At<"/__emulator/faults", "put">> });
    },
    get faults() {
      return call("get", "/__emulator/faults").then(({ faults }) => faults);
    },
    removeFault: (id) => call("delete", "/__emulator/faults/{id}", { path: { id } }),
    async hold(fault) {
      const { id } = await call("post", "/__emulator/holds", { body: fault });
      const path = { id };
      let isReached = false;
      let released: Promise<void> | undefined;
      const note = (hold: { reached: boolean } | undefined) => {
        isReached ||= hold?.reached ?? false;
      };
      const reached = async () => {
        while (!isReached && released === undefined) {
          const hold = await orUndefined(call("get", "/__emulator/holds/{id}", { path, query: { timeoutMs: pollMs } }));
          note(hold);
          if (hold === undefined) break;
        }
        // The emulator forgets a released hold, but the response to the release says whether a request has reached it.
        await released;
        if (!isReached) throw new Error(`the hold ${id} is released, and no request is known to have reached it`);
      };
      return {
        id,
        get reached() {
          return reached();
        },
        release() {
          released ??= orUndefined(call("post", "/__emulator/holds/{id}/release", { path }))
            .then(note)
            .catch((error: unknown) => {
              released = undefined;
              throw error;
            });
          return released;
        },
      };
    },
    get holds() {
      return call("get", "/__emulator/holds").then(({ holds }) => holds);
    },
    async releaseHold(id) {
      await call("post", "/__emulator/holds/{id}/release", { path: { id } });
    },
    clearFaults: () => call("delete", "/__emulator/faults"),
    get behaviour() {
      return call("get", "/__emulator/behaviour") as RemoteEmulator["behaviour"];
    },
    async setBehaviour(changes) {
      // The generated type requires what has a default.
      await call("put", "/__emulator/behaviour", { body: changes as Behaviour });
    },
    get plan() {
      return call("get", "/__emulator/settings").then(({ plan = "enterprise" }) => plan);
    },
    async setPlan(plan) {
      await call("put", "/__emulator/settings", { body: { plan } });
    },
    get latency() {
      return call("get", "/__emulator/settings").then(({ latencyMs = 0 }) => latencyMs);
    },
    async setLatency(latencyMs) {
      await call("put", "/__emulator/settings", { body: { latencyMs } });
    },
    get clock() {
      return call("get", "/__emulator/clock");
    },
    async setClock(setting) {
      await call("post", "/__emulator/clock", { body: setting });
    },
    async settled() {
      const query = { timeoutMs: pollMs };
      while (!(await call("get", "/__emulator/settled", { query })).settled);
    },
    inspect: {
      taskPage: (query) => call("get", "/__emulator/tasks", { query }),
      taskSummary,
      runPage: (query) => call("get", "/__emulator/runs", { query }),
      runSummary: progressOf,
      run: (lotNo) => orUndefined(call("get", "/__emulator/runs/{lotNo}", { path: { lotNo } })),
      progress: async (lotNo) => (await progressOf(lotNo))?.samples,
      subtaskPage: (lotNo, query) =>
        orUndefined(call("get", "/__emulator/runs/{lotNo}/subtasks", { path: { lotNo }, query })),
      rows: async (taskId, lotNo) => (await rowsWithMarks(taskId, lotNo)).map(({ row }) => row),
      rowsWithMarks,
      exportedCount: async (taskId) => (await taskSummary(taskId))?.exportedCount ?? 0,
    },
    change: {
      ...changesBy((body) => call("post", "/__emulator/changes", { body })),
      expireAccessTokens: () => call("post", "/__emulator/tokens:expire", { body: { tokens: "access" } }),
      expireRefreshTokens: () => call("post", "/__emulator/tokens:expire", { body: { tokens: "refresh" } }),
    },
  };
}

/** The members of {@link Changes}, each as one request. */
function changesBy(send: (body: Change) => Promise<ChangeResult>): Asynchronous<Pick<Changes, ChangeName>> {
  const members = Object.entries(changeFields).map(([change, fields]) => {
    const result = changeResults[change as ChangeName];
    const member = async (...args: readonly unknown[]): Promise<unknown> => {
      const given = Object.fromEntries(fields.map((field, at) => [field, args[at]]));
      const made = await send({ change, ...given } as Change);
      return result && made[result];
    };
    return [change, member];
  });
  return Object.fromEntries(members);
}

/** Reads a list in parts. */
async function allOf<Name extends string, Item>(
  name: Name,
  read: (offset: number) => Promise<{ total: number } & { [N in Name]: Item[] }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const part = await read(items.length);
    for (const item of part[name]) items.push(item);
    if (items.length >= part.total || part[name].length === 0) return items;
  }
}

function segment(name: string): string {
  if (isDotSegment(name)) throw new Error(`the name or id of something in the emulator must not be ${name}`);
  return encodeURIComponent(name);
}

function queryOf(values: object | undefined): string {
  const given = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** The error of a response, with the `code` of a refusal. */
function refusalOf(text: string, otherwise: string): Error {
  try {
    const { code, message } = JSON.parse(text).error;
    return Object.assign(new Error(message), { code });
  } catch {
    return new Error(otherwise);
  }
}

/** The body of a filter is sent as JSON. */
function queryOfFilter({ body, ...rest }: RequestFilter): Omit<RequestFilter, "body"> & { body?: string } {
  return body === undefined ? rest : { ...rest, body: JSON.stringify(body) };
}

/** What does not exist is undefined, as in {@link Inspection}. */
function orUndefined<T>(result: Promise<T>): Promise<T | undefined> {
  return result.catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "NotFound") return undefined;
    throw error;
  });
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
}
