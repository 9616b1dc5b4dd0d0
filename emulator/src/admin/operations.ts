import { Refusal } from "../errors";
import type { RequestFilter } from "../http/journal";
import type { LocalEmulator } from "../localEmulator";
import type { operations } from "./openapi";

/** Name of an operation: its `operationId` in admin.openapi.yaml. */
export type AdminOperationName = keyof operations;

/** A request, as admin.openapi.yaml types it. */
export interface AdminRequest<Name extends AdminOperationName> {
  readonly body: BodyOf<Name>;
  readonly query: ParametersOf<Name, "query">;
  readonly path: ParametersOf<Name, "path">;
  /** Ends a wait when the client is gone. */
  readonly signal: AbortSignal;
}

type BodyOf<Name extends AdminOperationName> = operations[Name] extends {
  requestBody: { content: { "application/json": infer Body } };
}
  ? Body
  : operations[Name] extends { requestBody?: { content: { "application/json": infer Body } } }
    ? Body | undefined
    : undefined;

type ParametersOf<Name extends AdminOperationName, Place extends "query" | "path"> = NonNullable<
  operations[Name]["parameters"][Place]
>;

type ResultOf<Name extends AdminOperationName> = operations[Name]["responses"] extends {
  200: { content: { "application/json": infer Data } };
}
  ? Data
  : unknown;

/** Responds to one operation by members of the emulator. A Refusal becomes the error of the response. */
type AdminHandler<Name extends AdminOperationName> = (
  emulator: LocalEmulator,
  request: AdminRequest<Name>,
) => ResultOf<Name> | Promise<ResultOf<Name>>;

/** Serves itself: it is not JSON. */
type Served = Exclude<AdminOperationName, "getDescription">;

const handlers: { [Name in Served]: AdminHandler<Name> } = {
  getHealth: (emulator) => emulator.health(),
  reset: (emulator) => emulator.reset(),
  getState: (emulator) => ({ ...emulator.exportState() }),
  setState: (emulator, { body }) => emulator.importState(body),
  getBehaviour: (emulator) => emulator.behaviour,
  setBehaviour(emulator, { body }) {
    emulator.setBehaviour(body);
    return emulator.behaviour;
  },
  async getRequests(emulator, { query, signal }) {
    const { wait = 0, timeoutMs = 10_000, limit = 1000, ...rest } = query;
    // The contract of the service lists the operations. Another name matches nothing.
    const filter = rest as RequestFilter;
    const complete = await emulator.journal.wait(wait, filter, timeoutMs, signal);
    const found = emulator.findRequests(filter);
    return { requests: found.slice(0, limit), total: found.length, complete };
  },
  clearRequests: (emulator) => emulator.clearRequests(),
  getRun(emulator, { path }) {
    const run = emulator.inspect.run(path.lotNo);
    if (run === undefined) throw new Refusal("NotFound", `there is no batch ${path.lotNo}`);
    return run;
  },
};

/** Carries out an operation. The request must be valid according to admin.openapi.yaml. */
export function carryOut(
  name: AdminOperationName,
  emulator: LocalEmulator,
  request: { body: unknown; query: unknown; path: unknown; signal: AbortSignal },
): unknown {
  // The check against admin.openapi.yaml has ensured the types.
  return (handlers[name as Served] as (emulator: LocalEmulator, request: unknown) => unknown)(emulator, request);
}
