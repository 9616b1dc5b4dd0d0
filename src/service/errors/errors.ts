import type { OperationName } from "../contract/operations";

/**
 * - `refused`: the service answered with an error of no kind below.
 * - `notFound`: the service says in so many words that this task is gone.
 * - `actionNotFound`: the action is not in the task.
 * - `busy`: the task is running and cannot be changed.
 * - `credential`: no credential, or none that the service takes.
 * - `plan`: the account may not do this.
 * - `rateLimited`: too many requests, for longer than the call may take.
 * - `unreachable`: no connection was made, nothing happened.
 * - `outcomeUnknown`: sent, and the answer was lost or proves nothing.
 * - `contract`: the answer breaks the contract.
 * - `aborted`: the caller's signal, or closing the client, ended the call.
 * - `invalidRequest`: not sent, because the request cannot be right.
 */
export type ServiceErrorKind =
  | "refused"
  | "notFound"
  | "actionNotFound"
  | "busy"
  | "credential"
  | "plan"
  | "rateLimited"
  | "unreachable"
  | "outcomeUnknown"
  | "contract"
  | "aborted"
  | "invalidRequest";

/** Whether the operation took effect: `unknown` where nobody on this side can tell. */
export type ServiceErrorOutcome = "notExecuted" | "unknown";

export interface ServiceErrorDetails {
  operation: OperationName;
  kind: ServiceErrorKind;
  outcome: ServiceErrorOutcome;
  /** The whole text: what failed, what the service said, what to do next. */
  message: string;
  /** What to do next. */
  hint: string;
  taskId?: string;
  status?: number;
  code?: string;
  requestId?: string;
  /** The service's own words, without credentials and cut to 300 characters. */
  said?: string;
  /** Something already free of credentials; never the HTTP library's own error, which holds the request. */
  cause?: Error;
}

/** Every failure of a call. Never holds a credential, a request or an answer. */
export class ServiceError extends Error {
  /** Always `ServiceError`, by which {@link isServiceError} knows it. */
  override readonly name: string = "ServiceError";
  /** The operation that failed. */
  readonly operation: OperationName;
  /** The task, where the request names one. */
  readonly taskId?: string;
  /** What happened. */
  readonly kind: ServiceErrorKind;
  /** Whether the operation took effect. */
  readonly outcome: ServiceErrorOutcome;
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** The service's error code, where it gave one. */
  readonly code?: string;
  /** The service's id of the request, where there was an answer with one. */
  readonly requestId?: string;
  /** The service's own words, without credentials and cut to 300 characters; also in `message`. */
  readonly said?: string;
  /** What to do next; also the end of `message`. */
  readonly hint: string;

  constructor(details: ServiceErrorDetails) {
    super(details.message, details.cause ? { cause: details.cause } : undefined);
    this.operation = details.operation;
    this.taskId = details.taskId;
    this.kind = details.kind;
    this.outcome = details.outcome;
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId;
    this.said = details.said;
    this.hint = details.hint;
  }

  /** The fields above with the message, and nothing else. */
  toJSON(): Record<string, unknown> {
    const { name, message, operation, taskId, kind, outcome, status, code, requestId, said, hint } = this;
    return { name, message, operation, taskId, kind, outcome, status, code, requestId, said, hint };
  }
}

/** By name, not by class: two copies of this package in one process have two classes. */
export function isServiceError(error: unknown, ...kinds: ServiceErrorKind[]): error is ServiceError {
  if (!(error instanceof Error) || error.name !== "ServiceError" || !("kind" in error)) return false;
  return kinds.length === 0 || kinds.some((kind) => kind === error.kind);
}
