import type { Readable } from "node:stream";
import type { LocalEmulator } from "../accounts/localEmulator";
import type { operations } from "../generated/admin";

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
export type AdminHandler<Name extends AdminOperationName> = (
  emulator: LocalEmulator,
  request: AdminRequest<Name>,
) => ResultOf<Name> | JsonText | Promise<ResultOf<Name> | JsonText>;

/** The handlers of some operations. */
export type AdminHandlers = { readonly [Name in AdminOperationName]?: AdminHandler<Name> };

/** The result of an operation as JSON text, or as a stream of it. */
export class JsonText {
  constructor(readonly text: string | Readable) {}
}
