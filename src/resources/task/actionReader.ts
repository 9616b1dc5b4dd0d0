import DataLoader from "dataloader";
import type { ServiceClient } from "../../service/client";
import type { TaskActions } from "../../service/contract/types";
import { EmptyTypes, mayBeAboutSome } from "./refusals";

/** The part of the client that reads need. */
export type ActionsClient = Pick<ServiceClient, "getActions"> & Partial<Pick<ServiceClient, "prepare">>;

interface Question {
  taskId: string;
  actionTypes: readonly string[];
}

/** What the service shows of a task, undefined if its response omits the task, or the error of the request. */
type Result = TaskActions | undefined | Error;

/** How long a read waits for others to join it. The engine sends its concurrent reads within a few milliseconds. */
const windowMs = 5;

/** Tasks in one request, at most. */
const mostTasks = 100;

/** Merges reads that arrive at about the same time into one request. Caches nothing, so no result is older than a write. */
export class ActionReader {
  // A question without types can be refused, and must not make the others fail.
  private readonly typed = this.loader();
  private readonly untyped = this.loader();
  private readonly emptyTypes = new EmptyTypes();

  constructor(private readonly client: ActionsClient) {}

  /** What the service shows of one task; undefined if the response omits the task. Rejects as a request for this task alone would. */
  read(taskId: string, actionTypes: readonly string[]): Promise<TaskActions | undefined> {
    // The time spent waiting for others is used to load the HTTP library.
    setImmediate(() => this.client.prepare?.());
    return (actionTypes.length > 0 ? this.typed : this.untyped).load({ taskId, actionTypes });
  }

  private loader(): DataLoader<Question, TaskActions | undefined> {
    return new DataLoader<Question, TaskActions | undefined>((questions) => this.askTogether(questions), {
      cache: false,
      maxBatchSize: mostTasks,
      batchScheduleFn: (send) => setTimeout(send, windowMs),
    });
  }

  private async askTogether(questions: readonly Question[]): Promise<Result[]> {
    const [first] = questions;
    if (questions.length === 1 && first !== undefined) {
      return [await this.askAlone(first)];
    }
    try {
      const shown = await this.ask(questions);
      return questions.map(({ taskId }) => shown.get(taskId));
    } catch (error) {
      if (!mayBeAboutSome(error)) {
        return questions.map(() => error as Error);
      }
    }
    if (first?.actionTypes.length !== 0) {
      return Promise.all(questions.map((question) => this.askAlone(question)));
    }
    // One after the other, because the first refusals can show that no request without types succeeds.
    const results: Result[] = [];
    for (const question of questions) {
      results.push(await this.askAlone(question));
    }
    return results;
  }

  private async askAlone(question: Question): Promise<Result> {
    const isEmpty = question.actionTypes.length === 0;
    if (isEmpty && this.emptyTypes.refusal !== undefined) {
      return this.emptyTypes.refusal;
    }
    try {
      return (await this.ask([question])).get(question.taskId);
    } catch (error) {
      if (isEmpty && mayBeAboutSome(error)) {
        this.emptyTypes.sawRefusal(question.taskId, error);
      }
      return error as Error;
    }
  }

  private async ask(questions: readonly Question[]): Promise<ReadonlyMap<string, TaskActions>> {
    const taskIds = [...new Set(questions.map(({ taskId }) => taskId))];
    const actionTypes = [...new Set(questions.flatMap((question) => question.actionTypes))].sort();
    if (actionTypes.length === 0 && this.emptyTypes.refusal !== undefined) {
      throw this.emptyTypes.refusal;
    }
    const { data } = await this.client.getActions({ taskIds, actionTypes });
    if (actionTypes.length === 0) {
      this.emptyTypes.sawResponse();
    }
    return new Map(data.toReversed().map((task) => [task.taskId, task]));
  }
}
