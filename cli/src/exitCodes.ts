import type { ServiceErrorKind } from "../../src/service/errors/errors";
import { isServiceError } from "../../src/service/errors/errors";
import { PartialFailure, ResourceError } from "../../src/values/errors";

/** The exit codes, each with its meaning for the documentation. */
export const exitCodes = {
  done: { code: 0, meaning: "The command did its work." },
  failed: { code: 1, meaning: "The command failed, or found problems, or the question was answered with no." },
  usage: { code: 2, meaning: "The command line or the configuration is wrong. No request was sent." },
  credential: {
    code: 3,
    meaning: "No credential, none that the service accepts, or one that does not allow the operation.",
  },
  notFound: { code: 4, meaning: "The service does not show the task to this account." },
  tryLater: {
    code: 5,
    meaning:
      "The service was not reached, did not respond in time, limits the requests, or the task is busy. Try again later.",
  },
  outcomeUnknown: {
    code: 6,
    meaning:
      "The response to a request that must not be sent twice was lost. The message says how to find out whether it took effect.",
  },
  runNotFinished: { code: 7, meaning: "A run failed, was stopped or replaced, or did not end in time." },
  interrupted: { code: 130, meaning: "Ctrl-C ended the command." },
  terminated: { code: 143, meaning: "A SIGTERM, a SIGHUP or a SIGQUIT ended the command." },
} as const satisfies Record<string, { code: number; meaning: string }>;

export type Exit = keyof typeof exitCodes;

/** A failure that the command line itself finds. The message says what to do next. */
export class CliError extends Error {
  override readonly name = "CliError";

  constructor(
    message: string,
    readonly exit: Exit = "failed",
    /** More for the JSON document. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** A command line or a configuration that is wrong. To be used only before the first request. */
export function usageError(message: string): CliError {
  return new CliError(`${message} No request was sent.`, "usage");
}

const exitOfKind: Partial<Record<ServiceErrorKind, Exit>> = {
  credential: "credential",
  plan: "credential",
  notFound: "notFound",
  notYours: "notFound",
  unreachable: "tryLater",
  rateLimited: "tryLater",
  busy: "tryLater",
  outcomeUnknown: "tryLater",
  aborted: "interrupted",
};

/** The exit code of a failure. */
export function exitOf(error: unknown): Exit {
  if (error instanceof CliError) {
    return error.exit;
  }
  if (isServiceError(error)) {
    return error.outcome === "unknown" && mustNotRepeat.includes(error.operation)
      ? "outcomeUnknown"
      : (exitOfKind[error.kind] ?? "failed");
  }
  if (error instanceof PartialFailure) {
    return (error.state as { outcome?: string }).outcome === "unknown" ? "outcomeUnknown" : "runNotFinished";
  }
  return "failed";
}

const mustNotRepeat: readonly string[] = ["startTask", "refreshToken"];

/** A failure as the JSON document shows it. */
export function describeError(error: unknown): Record<string, unknown> {
  const message = error instanceof Error ? error.message : String(error);
  if (isServiceError(error)) {
    return { ...error.toJSON(), exit: exitOf(error) };
  }
  if (error instanceof PartialFailure) {
    const { taskId, lotNo, status, subtasks, outcome } = error.state as Record<string, unknown>;
    return { message, exit: exitOf(error), taskId, lotNo, status, subtasks, outcome };
  }
  const details = error instanceof CliError ? error.details : {};
  return { message, exit: exitOf(error), ...details };
}

/** Whether an error has a message for the user. Any other error is a mistake in this program. */
export function isExpected(error: unknown): boolean {
  return (
    error instanceof CliError ||
    error instanceof ResourceError ||
    error instanceof PartialFailure ||
    isServiceError(error)
  );
}
