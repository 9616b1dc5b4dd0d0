/** Error codes: those that services of this kind use, and NotFound and MethodNotAllowed. */
export type ErrorCode =
  | "Invalid.Grant"
  | "Invalid.Token"
  | "InvalidTaskId"
  | "InvalidParameter"
  | "InvalidParameter.Required"
  | "RequestModelNull"
  | "TaskNotBelongToYou"
  | "GroupNotFound"
  | "TaskSettingsNotFound"
  | "ServerError"
  | "TaskExecuting"
  | "PermissionDenied"
  | "TooManyRequests"
  | "NotFound"
  | "MethodNotAllowed";

const usualStatus: { readonly [Code in ErrorCode]?: number } = {
  "Invalid.Token": 401,
  PermissionDenied: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  TooManyRequests: 429,
  ServerError: 500,
};

/** A refusal of a request. The behaviour `errorBody` decides the form of the response. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: ErrorCode;
  /** Overrides the status of the code. */
  readonly status: number | undefined;

  constructor(code: ErrorCode, message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }

  /** Status of the response under the behaviour `errorStatus`. */
  statusUnder(errorStatus: "usual" | "all400"): number {
    if (this.code === "TooManyRequests") return 429;
    if (this.status !== undefined) return this.status;
    return errorStatus === "all400" ? 400 : (usualStatus[this.code] ?? 400);
  }
}

/** The refusal of a request without a required parameter. */
export function missing(name: string): Refusal {
  return new Refusal("InvalidParameter.Required", `${name} is required`);
}

/** The state file cannot be read or written. The message is for the user of the emulator: which file and part, why, and what to do. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
}

/** Logs why a request failed by no fault of its client. @returns the refusal of the request. */
export function internalFailure(subject: string, error: unknown, log: (line: string) => void): Refusal {
  if (error instanceof StateFileError) {
    log(`${subject} failed: ${error.message}`);
    return new Refusal("ServerError", error.message);
  }
  // A bug of the emulator must not look like a mistake of the client.
  log(`${subject} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return new Refusal("ServerError", "an unexpected error has occurred");
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A value in a message. JSON cannot hold every value, and shows NaN as null. */
export function shown(value: unknown): string {
  return typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : (JSON.stringify(value) ?? typeof value);
}
