import { Readable } from "node:stream";
import type { LocalEmulator } from "../accounts/localEmulator";
import { Refusal } from "../errors";
import type { RequestFilter } from "../http/journalEntry";
import type { AdminHandler, AdminOperationName } from "./adminHandler";
import { JsonText } from "./adminHandler";
import { changeHandlers } from "./changeHandlers";
import { controls } from "./controls";
import { pageReads } from "./reads";

/** The others serve themselves: they are not JSON. */
type Served = Exclude<AdminOperationName, "getDescription" | "getEvents">;

const handlers: { [Name in Served]: AdminHandler<Name> } = {
  getHealth: (emulator) => emulator.health(),
  reset: (emulator) => emulator.reset(),
  getState: async (emulator) => new JsonText(Readable.from(await emulator.stateText())),
  setState: (emulator, { body }) => emulator.importState(body),
  getBehaviour: (emulator) => emulator.behaviour,
  setBehaviour(emulator, { body }) {
    emulator.setBehaviour(body);
    return emulator.behaviour;
  },
  async getRequests(emulator, { query, signal }) {
    const { wait = 0, timeoutMs = 10_000, order = "oldest", offset = 0, limit = 1000, body, ...rest } = query;
    // The contract of the service lists the operations. Another name matches nothing.
    const filter = { ...rest, ...(body === undefined ? {} : { body: parsedBody(body) }) } as RequestFilter;
    const complete = await emulator.journal.wait(wait, filter, timeoutMs, signal);
    const { found, nearest } = await emulator.journal.search(filter);
    if (order === "newest") found.reverse();
    return {
      requests: found.slice(offset, offset + limit),
      total: found.length,
      complete,
      ...(nearest.length === 0 ? {} : { nearest }),
    };
  },
  clearRequests: (emulator) => emulator.clearRequests(),
  getRun(emulator, { path }) {
    const run = emulator.inspect.run(path.lotNo);
    if (run === undefined) throw new Refusal("NotFound", `there is no batch ${path.lotNo}`);
    return run;
  },
  getSnapshots: (emulator) => ({ snapshots: [...emulator.snapshots] }),
  saveSnapshot: (emulator, { path }) => emulator.saveSnapshot(path.name),
  restoreSnapshot: (emulator, { path }) => emulator.restoreSnapshot(path.name),
  deleteSnapshot: (emulator, { path }) => emulator.deleteSnapshot(path.name),
  getAccounts: (emulator) => ({ accounts: [...emulator.accounts] }),
  async createAccount(emulator, { path, body }) {
    const { name, credentials } = await emulator.createAccount(path.name, body);
    return { name, credentials };
  },
  deleteAccount: (emulator, { path }) => emulator.deleteAccount(path.name),
  ...pageReads,
  ...controls,
  ...changeHandlers,
};

/** @throws Refusal if the filter is not JSON. */
function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("InvalidParameter", "body must be JSON");
  }
}

/** Carries out an operation. The request must be valid according to admin.openapi.yaml. */
export function carryOut(
  name: AdminOperationName,
  emulator: LocalEmulator,
  request: { body: unknown; query: unknown; path: unknown; signal: AbortSignal },
): unknown {
  // The check against admin.openapi.yaml has ensured the types.
  return (handlers[name as Served] as (emulator: LocalEmulator, request: unknown) => unknown)(emulator, request);
}
