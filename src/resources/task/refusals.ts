import type { ServiceError } from "../../service/errors/errors";
import { isServiceError } from "../../service/errors/errors";

/**
 * Refusals, and failures inside of the service: one task of several may be what it refuses or fails at. Not so where the credential is refused, also
 * perhaps (a 403 without a code), where no answer came, or where there were too many requests.
 */
export function mayBeAboutSome(error: unknown): error is ServiceError {
  if (isServiceError(error, "outcomeUnknown")) {
    return error.status !== undefined;
  }
  if (isServiceError(error, "plan")) {
    return error.code !== undefined;
  }
  return isServiceError(error, "notFound", "actionNotFound", "refused", "contract", "busy");
}

/** Whether the client has waited for this to pass already: whoever asks about fewer tasks need not wait for it again. */
export function wasWaitedOut(refusal: ServiceError): boolean {
  return isServiceError(refusal, "busy", "outcomeUnknown");
}

/** Whether the service's own words name a task: as a word of its own, for `task-1` stands in `task-10` too. */
export function names({ said = "" }: ServiceError, taskId: string): boolean {
  const words = said.split(/[\s"'`=,;()[\]{}<>]+/);
  return words.some((word) => word.startsWith(taskId) && /^[.:!?]*$/.test(word.slice(taskId.length)));
}

/** How many tasks alone must be refused before that is no longer about them, where the service does not say what it is about. */
const enoughTasks = 3;

/**
 * Whether a service refuses each question that asks for no type, which the contract leaves open. One refusal says so where it names the field and not
 * the task; else several tasks alone must be refused and none ever answered, for one may be refused for what it is.
 */
export class EmptyTypes {
  /** What each such question is answered, once that is believed. */
  refusal: ServiceError | undefined;
  private areAnswered = false;
  private readonly refused = new Set<string>();

  sawAnswer(): void {
    this.areAnswered = true;
    this.refusal = undefined;
  }

  /** The answer to a question about this task alone. */
  sawRefusal(taskId: string, refusal: ServiceError): void {
    if (this.areAnswered || !isServiceError(refusal, "refused")) {
      return;
    }
    const namesTask = names(refusal, taskId);
    const namesTypes = /action[\s_-]?types/i.test(refusal.said ?? "");
    // A service that repeats what it was sent names both.
    if (namesTask === namesTypes) {
      this.refused.add(taskId);
    }
    if ((namesTypes && !namesTask) || this.refused.size >= enoughTasks) {
      this.refusal = refusal;
    }
  }
}
