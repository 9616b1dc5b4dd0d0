/** The emulator's error codes. Those of the contract's kind of service, and two of our own: NotFound, InvalidBatch. */
export type ErrorCode =
  | "Invalid.Grant"
  | "Invalid.Token"
  | "InvalidTaskId"
  | "InvalidParameter"
  | "InvalidParameter.Required"
  | "RequestModelNull"
  | "TaskSettingsNotFound"
  | "ServerError"
  | "TaskExecuting"
  | "PermissionDenied"
  | "TooManyRequests"
  | "NotFound";

const usualStatus: { readonly [Code in ErrorCode]?: number } = {
  "Invalid.Token": 401,
  PermissionDenied: 403,
  NotFound: 404,
  TooManyRequests: 429,
  ServerError: 500,
};

/** A refusal of the emulated service: thrown by a handler, answered in the envelope that the behaviour asks for. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: ErrorCode;
  /** Status that overrides the usual one of the code. */
  readonly status: number | undefined;

  constructor(code: ErrorCode, message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }

  /** Status of the answer by the behaviour `errorStatus`. */
  statusUnder(errorStatus: "usual" | "all400"): number {
    if (this.code === "TooManyRequests") return 429;
    if (this.status !== undefined) return this.status;
    return errorStatus === "all400" ? 400 : (usualStatus[this.code] ?? 400);
  }
}

/** The refusal of a parameter that is missing. */
export function missing(name: string): Refusal {
  return new Refusal("InvalidParameter.Required", `${name} is required`);
}
