import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceClient } from "../service/client";
import { isServiceError } from "../service/errors";
import type { TaskActions } from "../service/types";

/** The client's part that reads need. */
export type ActionsClient = Pick<ServiceClient, "getActions">;

interface Question {
  taskId: string;
  actionTypes: readonly string[];
  resolve(actions: TaskActions | undefined): void;
  reject(error: unknown): void;
}

/** How long a question waits for others; the engine sends all that it allows at once within some 40 ms. */
const gatherMs = 20;

/** Tasks in one request, at most. */
const mostTasks = 100;

/**
 * Reads the actions of many tasks with few requests: questions that come at about the same time travel together. Nothing is kept, so
 * an answer never outlives a write.
 */
export class ActionReader {
  private gathering: Question[] = [];

  constructor(private readonly client: ActionsClient) {}

  /** What the service shows of one task; undefined where the answer leaves the task out. Rejects as a request for this task alone would. */
  read(taskId: string, actionTypes: readonly string[]): Promise<TaskActions | undefined> {
    return new Promise((resolve, reject) => {
      this.gathering.push({ taskId, actionTypes, resolve, reject });
      if (this.gathering.length === 1) {
        void this.sendWhenQuiet();
      }
    });
  }

  private async sendWhenQuiet(): Promise<void> {
    let before = 0;
    while (this.gathering.length > before) {
      before = this.gathering.length;
      await sleep(gatherMs);
    }
    const questions = this.gathering;
    this.gathering = [];
    // Without any type the question itself may be refused: it must not spoil the others.
    for (const kind of [questions.filter(asksForTypes), questions.filter((each) => !asksForTypes(each))]) {
      for (const some of inParts(kind)) {
        void this.ask(some);
      }
    }
  }

  /** Asks for all at once; where the service refuses that, for each half, until it is clear whom the refusal is about. */
  private async ask(questions: readonly Question[]): Promise<void> {
    const taskIds = [...new Set(questions.map(({ taskId }) => taskId))];
    const actionTypes = [...new Set(questions.flatMap((question) => question.actionTypes))].sort();
    try {
      const { data } = await this.client.getActions({ taskIds, actionTypes });
      for (const { taskId, resolve } of questions) {
        resolve(data.find((task) => task.taskId === taskId));
      }
    } catch (error) {
      if (taskIds.length === 1 || !isServiceError(error, "notFound", "actionNotFound", "refused", "contract")) {
        for (const { reject } of questions) {
          reject(error);
        }
        return;
      }
      const firstHalf = new Set(taskIds.slice(0, Math.ceil(taskIds.length / 2)));
      await this.ask(questions.filter(({ taskId }) => firstHalf.has(taskId)));
      await this.ask(questions.filter(({ taskId }) => !firstHalf.has(taskId)));
    }
  }
}

function asksForTypes({ actionTypes }: Question): boolean {
  return actionTypes.length > 0;
}

/** Parts of at most so many tasks; the questions about one task stay together. */
function inParts(questions: readonly Question[]): Question[][] {
  const byTask = new Map<string, Question[]>();
  for (const question of questions) {
    byTask.set(question.taskId, [...(byTask.get(question.taskId) ?? []), question]);
  }
  const tasks = [...byTask.values()];
  return Array.from({ length: Math.ceil(tasks.length / mostTasks) }, (_, part) =>
    tasks.slice(part * mostTasks, (part + 1) * mostTasks).flat(),
  );
}
