import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceClient } from "../service/client";
import type { ServiceError } from "../service/errors";
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

/** How long it waits for as many as the last time: a busy machine takes its time between one and the next. */
const patienceMs = 100;

/** Tasks in one request, at most. */
const mostTasks = 100;

/**
 * Reads the actions of many tasks with few requests: questions that come at about the same time travel together. Nothing is kept, so
 * an answer never outlives a write.
 */
export class ActionReader {
  private gathering: Question[] = [];
  private lastCount = 0;
  /** Questions that have no answer yet, and the most there were when some were sent: so many the engine asks at once. */
  private open = 0;
  private mostOpen = 0;
  private ended = new AbortController();

  constructor(private readonly client: ActionsClient) {}

  /** What the service shows of one task; undefined where the answer leaves the task out. Rejects as a request for this task alone would. */
  read(taskId: string, actionTypes: readonly string[]): Promise<TaskActions | undefined> {
    this.open++;
    const answer = new Promise<TaskActions | undefined>((resolve, reject) =>
      this.gather([{ taskId, actionTypes, resolve, reject }]),
    );
    return answer.finally(() => {
      this.open--;
    });
  }

  private gather(questions: readonly Question[]): void {
    const isFirst = this.gathering.length === 0;
    this.gathering.push(...questions);
    if (isFirst && questions.length > 0) {
      void this.sendWhenQuiet();
    }
    if (this.isAllThereIs()) {
      this.ended.abort();
    }
  }

  private async sendWhenQuiet(): Promise<void> {
    let before = 0;
    for (let waited = 0; this.isComing(before, waited); waited += gatherMs) {
      before = this.gathering.length;
      await sleep(gatherMs, undefined, { signal: this.ended.signal }).catch(() => undefined);
    }
    const questions = this.gathering;
    this.gathering = [];
    this.ended = new AbortController();
    this.lastCount = questions.length;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    // Without any type the question itself may be refused: it must not spoil the others.
    for (const kind of [questions.filter(asksForTypes), questions.filter((each) => !asksForTypes(each))]) {
      for (const some of inParts(kind)) {
        void this.ask(some);
      }
    }
  }

  /** Whether more may come: some did just now, or fewer have come than were answered last time, each of which makes the engine send the next. */
  private isComing(before: number, waited: number): boolean {
    if (this.isAllThereIs()) {
      return false;
    }
    const { length } = this.gathering;
    return length > before || (length < this.lastCount && waited < patienceMs);
  }

  /** Whether the engine waits for these before it asks for more. One alone may be the first of many. */
  private isAllThereIs(): boolean {
    return this.mostOpen > 1 && this.gathering.length >= this.mostOpen;
  }

  /** Asks for all at once. Where the service refuses that, it may be about only some of them: the others are asked again without those. */
  private async ask(questions: readonly Question[]): Promise<void> {
    const refusal = await this.send(questions);
    if (refusal === undefined || taskIdsOf(questions).length === 1) {
      return;
    }
    const named = questions.filter(({ taskId }) => names(refusal, taskId));
    if (named.length === 0) {
      await this.askWithoutNames(questions, refusal);
      return;
    }
    // The others travel with what has come since.
    this.gather(questions.filter((question) => !named.includes(question)));
    for (const some of byTask(named)) {
      await this.send(some);
    }
  }

  /** Narrows the refusal down to one task, which is asked alone, and then asks what was not asked on the way: most often one is all there is. */
  private async askWithoutNames(questions: readonly Question[], refusal: ServiceError): Promise<void> {
    let suspects = questions;
    let anyAnswered = false;
    const notAsked: Question[] = [];
    while (taskIdsOf(suspects).length > 1) {
      const [first, second] = halves(suspects);
      const isRefused = (await this.send(first)) !== undefined;
      anyAnswered ||= !isRefused;
      if (isRefused && taskIdsOf(first).length > 1) {
        suspects = first;
        notAsked.push(...second);
      } else {
        suspects = second;
      }
    }
    anyAnswered = (await this.send(suspects)) === undefined || anyAnswered;
    if (!anyAnswered && isServiceError(refusal, "outcomeUnknown")) {
      // Then it is no single task that the service fails at, and each further try would take its time.
      rejectAll(notAsked, refusal);
      return;
    }
    await this.askByHalves(notAsked);
  }

  private async askByHalves(questions: readonly Question[]): Promise<void> {
    if (questions.length === 0) {
      return;
    }
    const isRefused = (await this.send(questions)) !== undefined;
    if (isRefused && taskIdsOf(questions).length > 1) {
      for (const half of halves(questions)) {
        await this.askByHalves(half);
      }
    }
  }

  /**
   * One request. Answers the refusal, where there was one: for a single task it is that task's answer, and for several they still wait for
   * theirs, for it may be about only some. Anything else that goes wrong is the answer to all of them.
   */
  private async send(questions: readonly Question[]): Promise<ServiceError | undefined> {
    const taskIds = taskIdsOf(questions);
    const actionTypes = [...new Set(questions.flatMap((question) => question.actionTypes))].sort();
    try {
      const { data } = await this.client.getActions({ taskIds, actionTypes });
      for (const { taskId, resolve } of questions) {
        resolve(data.find((task) => task.taskId === taskId));
      }
      return undefined;
    } catch (error) {
      const isRefusal = mayBeAboutSome(error);
      if (taskIds.length === 1 || !isRefusal) {
        rejectAll(questions, error);
      }
      return isRefusal ? error : undefined;
    }
  }
}

function asksForTypes({ actionTypes }: Question): boolean {
  return actionTypes.length > 0;
}

function rejectAll(questions: readonly Question[], error: unknown): void {
  for (const { reject } of questions) {
    reject(error);
  }
}

/** Refusals, and errors inside of the service: one task may be what it fails at. */
function mayBeAboutSome(error: unknown): error is ServiceError {
  const failedInside = isServiceError(error, "outcomeUnknown") && error.code !== undefined;
  return failedInside || isServiceError(error, "notFound", "actionNotFound", "refused", "contract");
}

/** Whether the service's own words name a task: as a word of its own, for `task-1` stands in `task-10` too. */
function names({ said = "" }: ServiceError, taskId: string): boolean {
  const words = said.split(/[\s"'`=,;()[\]{}<>]+/);
  return words.some((word) => word.replace(/[.:!?]+$/, "") === taskId);
}

function taskIdsOf(questions: readonly Question[]): string[] {
  return [...new Set(questions.map(({ taskId }) => taskId))];
}

/** The questions about one task stay together. */
function byTask(questions: readonly Question[]): Question[][] {
  const tasks = new Map<string, Question[]>();
  for (const question of questions) {
    tasks.set(question.taskId, [...(tasks.get(question.taskId) ?? []), question]);
  }
  return [...tasks.values()];
}

function halves(questions: readonly Question[]): [Question[], Question[]] {
  const tasks = byTask(questions);
  const middle = Math.ceil(tasks.length / 2);
  return [tasks.slice(0, middle).flat(), tasks.slice(middle).flat()];
}

/** Parts of at most so many tasks. */
function inParts(questions: readonly Question[]): Question[][] {
  const tasks = byTask(questions);
  return Array.from({ length: Math.ceil(tasks.length / mostTasks) }, (_, part) =>
    tasks.slice(part * mostTasks, (part + 1) * mostTasks).flat(),
  );
}
