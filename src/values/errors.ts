export interface RunName {
  taskId: string;
  lotNo: string;
}

/**
 * Why the user has to do something about a run. The advice is worded where it is shown: a program has arguments, the
 * command line has options.
 */
export interface RunReason extends RunName {
  /** `failed`: subtasks have failed or were stopped. */
  reason: "notFinished" | "timedOut" | "superseded" | "failed" | "notStopped";
}

/**
 * The step failed, but something exists at the service. The state must keep what is known of it. With `about`, the
 * message does not say what to do next: who shows the error adds that.
 */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";
  constructor(
    message: string,
    readonly id: string,
    readonly state: object,
    readonly about?: RunReason,
  ) {
    super(message);
  }
}

/**
 * An error with a message for the user: what happened, what exists now, what to do next. With `about`, who shows the
 * error adds the last.
 */
export class ResourceError extends Error {
  override readonly name: string = "ResourceError";
  constructor(
    message: string,
    readonly about?: RunReason,
  ) {
    super(message);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
