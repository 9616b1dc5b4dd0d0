import type { ServiceError } from "../../service/errors/errors";
import { isServiceError } from "../../service/errors/errors";

/**
 * Whether an error can concern only some of several tasks: a refusal, or a failure inside the service. Not if the credential is possibly
 * refused (a 403 without a code), if no response came, or if there were too many requests.
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

/** Whether the service's message names a task, as a whole word: `task-10` does not name `task-1`. */
function messageNamesTask({ said = "" }: ServiceError, taskId: string): boolean {
  const words = said.split(/[\s"'`=,;()[\]{}<>]+/);
  return words.some((word) => word.startsWith(taskId) && /^[.:!?]*$/.test(word.slice(taskId.length)));
}

/** How many tasks must be refused alone before the empty list of types counts as the reason, if the service does not name one. */
const enoughTasks = 3;

/**
 * Whether a service refuses every request without types, which the contract leaves open. One refusal is enough if it names the field and
 * not the task. Otherwise several tasks must be refused alone and none accepted, because a single task can be refused for another reason.
 */
export class EmptyTypes {
  /** The refusal of every such request, once that is certain. */
  refusal: ServiceError | undefined;
  private areAccepted = false;
  private readonly refused = new Set<string>();

  sawResponse(): void {
    this.areAccepted = true;
    this.refusal = undefined;
  }

  /** A refusal of a request for this task alone. */
  sawRefusal(taskId: string, refusal: ServiceError): void {
    if (this.areAccepted || !isServiceError(refusal, "refused")) {
      return;
    }
    const namesTask = messageNamesTask(refusal, taskId);
    const namesTypes = /action[\s_-]?types/i.test(refusal.said ?? "");
    // A service that repeats the request in its message names both.
    if (namesTask === namesTypes) {
      this.refused.add(taskId);
    }
    if ((namesTypes && !namesTask) || this.refused.size >= enoughTasks) {
      this.refusal = refusal;
    }
  }
}
