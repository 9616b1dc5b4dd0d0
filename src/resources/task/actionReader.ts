import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceClient } from "../../service/client";
import type { TaskActions } from "../../service/contract/types";
import type { ServiceError } from "../../service/errors/errors";
import { isServiceError } from "../../service/errors/errors";
import { EmptyTypes, mayBeAboutSome, names, wasWaitedOut } from "./refusals";

/** The client's part that reads need. */
export type ActionsClient = Pick<ServiceClient, "getActions"> & Partial<Pick<ServiceClient, "prepare">>;

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
  private readonly emptyTypes = new EmptyTypes();
  private ended = new AbortController();

  constructor(private readonly client: ActionsClient) {}

  /** What the service shows of one task; undefined where the answer leaves the task out. Rejects as a request for this task alone would. */
  read(taskId: string, actionTypes: readonly string[]): Promise<TaskActions | undefined> {
    if (actionTypes.length === 0 && this.emptyTypes.refusal !== undefined) {
      return Promise.reject(this.emptyTypes.refusal);
    }
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
    // While others are waited for anyway.
    setImmediate(() => this.client.prepare?.());
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
      await this.narrowDown(questions, refusal);
      return;
    }
    // The others travel with what has come since.
    this.gather(questions.filter((question) => !named.includes(question)));
    if (!saysGone(refusal)) {
      await this.narrowDown(named, refusal);
      return;
    }
    for (const some of byTask(named)) {
      await this.send(some);
    }
  }

  /**
   * Finds the tasks that a refusal is about. That a task is gone must be said of each alone. All else is believed of all of them where the first tries
   * are refused too: an account that may ask for none, or a service that fails at each.
   */
  private async narrowDown(questions: readonly Question[], refusal: ServiceError): Promise<void> {
    const once = wasWaitedOut(refusal);
    if (saysGone(refusal)) {
      await this.askByHalves(await this.findOne(questions, once), once);
      return;
    }
    const { rest, anyRefused, anyAnswered } = await this.tryFew(questions, once);
    if (!anyAnswered) {
      // Each further try would take its time.
      rejectAll(rest, refusal);
    } else if (anyRefused) {
      // Most often that was all there is.
      await this.askByHalves(rest, once);
    } else {
      await this.askByHalves(await this.findOne(rest, once), once);
    }
  }

  /** Asks about the first, the last and the middle task alone, until one is answered: tasks that belong together stand side by side. */
  private async tryFew(questions: readonly Question[], once: boolean): Promise<FirstTries> {
    const tasks = byTask(questions);
    const few = new Set([tasks[0], tasks.at(-1), tasks[Math.floor(tasks.length / 2)]]);
    const tried: Question[] = [];
    const refused: { some: Question[]; refusal: ServiceError }[] = [];
    let anyAnswered = false;
    for (const some of few) {
      if (some !== undefined && !anyAnswered) {
        tried.push(...some);
        const refusal = await this.request(some, once);
        if (refusal !== undefined) {
          refused.push({ some, refusal });
        }
        // A task that is gone is an answer too: the service knows the others.
        anyAnswered = refusal === undefined || saysGone(refusal);
      }
    }
    // Told together: one that is told earlier makes the engine ask for a single one in its place.
    for (const { some, refusal } of refused) {
      rejectAll(some, refusal);
    }
    const rest = questions.filter((question) => !tried.includes(question));
    return { rest, anyRefused: refused.length > 0, anyAnswered };
  }

  /** Narrows a refusal down to one task, which is asked alone. Answers what was not asked on the way: most often one is all there is. */
  private async findOne(questions: readonly Question[], once: boolean): Promise<Question[]> {
    let suspects = questions;
    const notAsked: Question[] = [];
    while (taskIdsOf(suspects).length > 1) {
      const [first, second] = halves(suspects);
      const isRefused = (await this.send(first, once)) !== undefined;
      if (isRefused) {
        notAsked.push(...second);
      }
      if (isRefused && taskIdsOf(first).length === 1) {
        return notAsked;
      }
      suspects = isRefused ? first : second;
    }
    await this.send(suspects, once);
    return notAsked;
  }

  private async askByHalves(questions: readonly Question[], once: boolean): Promise<void> {
    const isRefused = (await this.send(questions, once)) !== undefined;
    if (isRefused && taskIdsOf(questions).length > 1) {
      for (const half of halves(questions)) {
        await this.askByHalves(half, once);
      }
    }
  }

  /**
   * One request. Answers the refusal, where there was one: for a single task it is that task's answer, and for several they still wait for
   * theirs, for it may be about only some.
   */
  private async send(questions: readonly Question[], once = false): Promise<ServiceError | undefined> {
    const refusal = await this.request(questions, once);
    if (refusal !== undefined && taskIdsOf(questions).length === 1) {
      rejectAll(questions, refusal);
    }
    return refusal;
  }

  /**
   * One request. Answers a refusal, which nobody is told yet. Anything else that goes wrong is the answer to all of them.
   * @param once a refusal is not waited out; all else is.
   */
  private async request(questions: readonly Question[], once: boolean): Promise<ServiceError | undefined> {
    const taskIds = taskIdsOf(questions);
    const actionTypes = [...new Set(questions.flatMap((question) => question.actionTypes))].sort();
    const { emptyTypes } = this;
    const isEmpty = actionTypes.length === 0;
    const known = isEmpty ? emptyTypes.refusal : undefined;
    if (taskIds.length === 0 || known !== undefined) {
      rejectAll(questions, known);
      return undefined;
    }
    try {
      const { data } = await this.client.getActions({ taskIds, actionTypes }, { once });
      if (isEmpty) {
        emptyTypes.sawAnswer();
      }
      for (const { taskId, resolve } of questions) {
        resolve(data.find((task) => task.taskId === taskId));
      }
      return undefined;
    } catch (error) {
      if (!mayBeAboutSome(error)) {
        if (once) {
          return this.request(questions, false);
        }
        rejectAll(questions, error);
        return undefined;
      }
      const [only, ...others] = taskIds;
      if (isEmpty && only !== undefined && others.length === 0) {
        emptyTypes.sawRefusal(only, error);
      }
      return error;
    }
  }
}

/** What the first tries of a narrowing found, and the questions that they left. */
interface FirstTries {
  rest: Question[];
  anyRefused: boolean;
  anyAnswered: boolean;
}

function saysGone(refusal: ServiceError): boolean {
  return isServiceError(refusal, "notFound");
}

function asksForTypes({ actionTypes }: Question): boolean {
  return actionTypes.length > 0;
}

function rejectAll(questions: readonly Question[], error: unknown): void {
  for (const { reject } of questions) {
    reject(error);
  }
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
