import DataLoader from "dataloader";
import type { ServiceClient } from "../../service/client";
import type { TaskActions } from "../../service/contract/types";
import { isServiceError } from "../../service/errors/errors";

interface Question {
  taskId: string;
  actionTypes: readonly string[];
}

/** What the service shows of a task, undefined if its response omits the task, or the error of the request. */
type Result = TaskActions | undefined | Error;

/** Knows when reads that can share a request have all arrived. */
export interface Asking {
  /** Calls `send` once, when no more reads are to be expected. */
  whenAllAsked(send: () => void): void;
  /** Sends a request of reads. */
  request<T>(send: () => Promise<T>): Promise<T>;
}

/** For reads of one caller, who asks for all within a few milliseconds. */
const withinMilliseconds: Asking = {
  whenAllAsked: (send) => void setTimeout(send, 5),
  request: (send) => send(),
};

/** Tasks in one request, at most. */
const mostTasks = 100;

/** Merges reads that arrive together into one request. Caches nothing, so no result is older than a write. */
export class ActionReader {
  // A question without types can be refused, and must not make the others fail.
  private readonly typed = this.loader();
  private readonly untyped = this.loader();

  constructor(
    private readonly client: Pick<ServiceClient, "getActions">,
    private readonly asking: Asking = withinMilliseconds,
  ) {}

  /**
   * What the service shows of one task; undefined if the response omits the task. Rejects as a request for this task
   * alone would.
   */
  read(taskId: string, actionTypes: readonly string[]): Promise<TaskActions | undefined> {
    return (actionTypes.length > 0 ? this.typed : this.untyped).load({ taskId, actionTypes });
  }

  private loader(): DataLoader<Question, TaskActions | undefined> {
    return new DataLoader<Question, TaskActions | undefined>(
      (questions) => this.asking.request(() => this.ask(questions)),
      { cache: false, maxBatchSize: mostTasks, batchScheduleFn: (send) => this.asking.whenAllAsked(send) },
    );
  }

  private async ask(questions: readonly Question[]): Promise<Result[]> {
    const taskIds = [...new Set(questions.map(({ taskId }) => taskId))];
    const actionTypes = [...new Set(questions.flatMap((question) => question.actionTypes))].sort();
    try {
      const { data } = await this.client.getActions({ taskIds, actionTypes });
      const shown = new Map(data.toReversed().map((task) => [task.taskId, task]));
      return questions.map(({ taskId }) => shown.get(taskId));
    } catch (error) {
      if (questions.length === 1 || !mayBeAboutSome(error)) {
        return questions.map(() => error as Error);
      }
    }
    return (await Promise.all(questions.map((question) => this.ask([question])))).flat();
  }
}

/**
 * Whether an error can concern only some of several tasks: a refusal, or a failure inside the service. Not if no
 * response came.
 */
function mayBeAboutSome(error: unknown): boolean {
  return (
    isServiceError(error, "notFound", "notYours", "actionNotFound", "refused", "contract", "busy") ||
    (isServiceError(error, "plan", "outcomeUnknown") && error.status !== undefined)
  );
}
