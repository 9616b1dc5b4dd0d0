import type { OperationName } from "../contract/operations";

/**
 * - `refused`: the service responded with an error of none of the kinds below.
 * - `notFound`: the service says explicitly that this task does not exist.
 * - `notYours`: the service says that the task is not this account's. So the id is wrong, or the task is another
 *   account's, or it was deleted. Nothing was done.
 * - `actionNotFound`: the action is not in the task.
 * - `busy`: the task is running and cannot be changed.
 * - `credential`: no credential, or none that the service accepts.
 * - `plan`: the plan or the permissions of the account do not allow the operation.
 * - `rateLimited`: too many requests, for longer than the call can take.
 * - `unreachable`: no connection was made, nothing happened.
 * - `outcomeUnknown`: the request was sent, and the response was lost or proves nothing.
 * - `contract`: the response breaks the contract.
 * - `aborted`: the caller's signal, or closing the client, ended the call.
 * - `invalidRequest`: not sent, because the request is invalid.
 */
export type ServiceErrorKind =
  | "refused"
  | "notFound"
  | "notYours"
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

/** Whether the operation took effect: `unknown` if the client cannot tell. */
export type ServiceErrorOutcome = "notExecuted" | "unknown";

export type ServiceErrorDetails = Omit<ServiceError, "name" | "stack" | "cause" | "toJSON">;

/** Every failure of a call. Never holds a credential, a request or a response. */
export class ServiceError extends Error {
  /** Always `ServiceError`; {@link isServiceError} compares it. */
  override readonly name: string = "ServiceError";
  /** The operation that failed. */
  declare readonly operation: OperationName;
  /** The task, if the request names one. */
  declare readonly taskId?: string;
  /** What happened. */
  declare readonly kind: ServiceErrorKind;
  /** Whether the operation took effect. */
  declare readonly outcome: ServiceErrorOutcome;
  /** The HTTP status, if there was a response. */
  declare readonly status?: number;
  /** The service's error code, if it gave one. */
  declare readonly code?: string;
  /** The service's id of the request, if the response has one. */
  declare readonly requestId?: string;
  /** The service's own message, without credentials and cut to 300 characters; also part of `message`. */
  declare readonly said?: string;
  /** What to do next; also the end of `message`. */
  declare readonly hint: string;

  constructor({ message, ...details }: ServiceErrorDetails) {
    super(message);
    Object.assign(this, details);
  }

  /** The fields above with the message, and nothing else. */
  toJSON(): Record<string, unknown> {
    const { name, message, operation, taskId, kind, outcome, status, code, requestId, said, hint } = this;
    return { name, message, operation, taskId, kind, outcome, status, code, requestId, said, hint };
  }
}

/**
 * Whether an error is a {@link ServiceError}, of one of these kinds if any are given. Compares names, because two
 * copies of this package have two classes.
 */
export function isServiceError(error: unknown, ...kinds: ServiceErrorKind[]): error is ServiceError {
  if (!(error instanceof Error) || error.name !== "ServiceError" || !("kind" in error)) return false;
  return kinds.length === 0 || kinds.some((kind) => kind === error.kind);
}

/** Why a task can be none of the account: `notYours`. A part of a sentence. */
export const whyNotYours = "the id is wrong, or the task belongs to another account, or it was deleted";

/** The message without its hint, which is for callers of the client. A resource gives its own advice. */
export function withoutHint({ message, hint }: Pick<ServiceError, "message" | "hint">): string {
  return (message.endsWith(hint) ? message.slice(0, message.length - hint.length) : message).trim();
}

/** Whether a refusal says that there is no such path. Says nothing of who refused. */
export function saysNoPath({ status, code = "" }: Pick<ServiceError, "status" | "code">): boolean {
  return (
    status === 404 || status === 405 || (status === 400 && /^not\W?found$|^method|endpoint|route|path/i.test(code))
  );
}

/** For a response as services give it for a path that they do not have. */
export function pathAdvice(path: string, nameOf: (option: string) => string): string {
  return `Check that ${nameOf("baseUrl")} is the address of the service, with the whole path in front of ${path}: services and proxies respond so if they do not have the path.`;
}

/** Whether the service refused a value of the request, or did not say what it refused. */
export function isRefusedParameter(error: unknown): error is ServiceError {
  return isServiceError(error, "refused") && (error.code === undefined || /^invalid\W?param/i.test(error.code));
}
