import { setTimeout as sleep } from "node:timers/promises";
import DataLoader from "dataloader";
import type { ServiceClient } from "../../service/client";
import type { TaskActions } from "../../service/contract/types";
import type { ServiceError } from "../../service/errors/errors";
import { isServiceError } from "../../service/errors/errors";
import { EmptyTypes, mayBeAboutSome, names, wasWaitedOut } from "./refusals";

/** The part of the client that reads need. */
export type ActionsClient = Pick<ServiceClient, "getActions"> & Partial<Pick<ServiceClient, "prepare">>;

interface Question {
  taskId: string;
  actionTypes: readonly string[];
}

/** Action types to ask for, by task id. */
type Tasks = ReadonlyMap<string, readonly string[]>;

/** What the service shows of a task, undefined if its response omits the task, or the error of the request. */
type Results = ReadonlyMap<string, TaskActions | undefined | Error>;

/** How long a read waits for others to join it. The engine sends its concurrent reads within about 40 ms. */
const gatherMs = 20;

/** How long a read waits for as many reads as the last time, because a busy machine needs longer from one read to the next. */
const patienceMs = 100;

/** Tasks in one request, at most. */
const mostTasks = 100;

/** Merges reads that arrive at about the same time into one request. Caches nothing, so no result is older than a write. */
export class ActionReader {
  private readonly loader = new DataLoader<Question, TaskActions | undefined>((questions) => this.load(questions), {
    cache: false,
    batchScheduleFn: (send) => void this.sendWhenQuiet(send),
  });
  private gathered = 0;
  private lastGathered = 0;
  /** The number of open reads, and its maximum when reads were sent: the number of reads that the engine makes at a time. */
  private open = 0;
  private mostOpen = 0;
  private readonly emptyTypes = new EmptyTypes();
  private ended = new AbortController();

  constructor(private readonly client: ActionsClient) {}

  /** What the service shows of one task; undefined if the response omits the task. Rejects as a request for this task alone would. */
  async read(taskId: string, actionTypes: readonly string[]): Promise<TaskActions | undefined> {
    if (actionTypes.length === 0 && this.emptyTypes.refusal !== undefined) {
      throw this.emptyTypes.refusal;
    }
    this.open++;
    this.gathered++;
    try {
      const result = this.loader.load({ taskId, actionTypes });
      if (this.isAllThereIs()) {
        this.ended.abort();
      }
      return await result;
    } finally {
      this.open--;
    }
  }

  private async sendWhenQuiet(send: () => void): Promise<void> {
    // The time spent waiting for others is used to load the HTTP library.
    setImmediate(() => this.client.prepare?.());
    let before = 0;
    for (let waited = 0; this.isComing(before, waited); waited += gatherMs) {
      before = this.gathered;
      await sleep(gatherMs, undefined, { signal: this.ended.signal }).catch(() => undefined);
    }
    this.lastGathered = this.gathered;
    this.gathered = 0;
    this.ended = new AbortController();
    this.mostOpen = Math.max(this.mostOpen, this.open);
    send();
  }

  /** Whether more reads can come: some just came, or fewer came than the last time, and each result makes the engine send another read. */
  private isComing(before: number, waited: number): boolean {
    if (this.isAllThereIs()) {
      return false;
    }
    return this.gathered > before || (this.gathered < this.lastGathered && waited < patienceMs);
  }

  /** Whether the engine waits for these reads before it sends more. A single read can be the first of many. */
  private isAllThereIs(): boolean {
    return this.mostOpen > 1 && this.gathered >= this.mostOpen;
  }

  private async load(questions: readonly Question[]): Promise<(TaskActions | undefined | Error)[]> {
    // A question without types can be refused, and must not make the others fail.
    const asksForTypes = ({ actionTypes }: Question): boolean => actionTypes.length > 0;
    const [typed, untyped] = await Promise.all(
      [questions.filter(asksForTypes), questions.filter((question) => !asksForTypes(question))].map(async (some) => {
        const tasks = tasksOf(some);
        const parts = Array.from({ length: Math.ceil(tasks.length / mostTasks) }, (_, part) =>
          this.ask(new Map(tasks.slice(part * mostTasks, (part + 1) * mostTasks))),
        );
        return joined(await Promise.all(parts));
      }),
    );
    return questions.map((question) => (asksForTypes(question) ? typed : untyped)?.get(question.taskId));
  }

  /**
   * Requests all tasks at once. A refusal can concern only some of them: the tasks that it names are requested alone, or each task if it
   * names none.
   */
  private async ask(tasks: Tasks): Promise<Results> {
    const { results, refusal } = await this.request(tasks);
    if (refusal === undefined || tasks.size === 1) {
      return results;
    }
    const named = new Map([...tasks].filter(([taskId]) => names(refusal, taskId)));
    if (named.size === 0) {
      return this.askEach(tasks, refusal);
    }
    const others = new Map([...tasks].filter(([taskId]) => !named.has(taskId)));
    return joined(await Promise.all([this.ask(others), this.askEach(named, refusal)]));
  }

  /**
   * Requests each task alone. If the first, the middle and the last are all refused, the refusal counts for the others too: the account can
   * read none, or the service fails at every request. These three are far apart, because neighbouring tasks often belong together. A task
   * that is gone does not count as refused.
   */
  private async askEach(tasks: Tasks, refusal: ServiceError): Promise<Results> {
    const once = wasWaitedOut(refusal);
    const each = [...tasks].map((task) => new Map([task]));
    const last = each.length - 1;
    const few = new Set([0, last, Math.floor(last / 2)]);
    const first: Results[] = [];
    for (const task of each.filter((_, index) => few.has(index))) {
      first.push((await this.request(task, once)).results);
    }
    const isAboutAll = [...joined(first).values()].every(
      (result) => isServiceError(result) && !isServiceError(result, "notFound"),
    );
    const others = each
      .filter((_, index) => !few.has(index))
      .map(async (task) => (isAboutAll ? resultForAll(task, refusal) : (await this.request(task, once)).results));
    return joined([...first, ...(await Promise.all(others))]);
  }

  /**
   * One request. `refusal` is set if it can concern only some of the tasks.
   * @param once reports a refusal at once instead of retrying
   */
  private async request(tasks: Tasks, once = false): Promise<{ results: Results; refusal?: ServiceError }> {
    const taskIds = [...tasks.keys()];
    const actionTypes = [...new Set([...tasks.values()].flat())].sort();
    const isEmpty = actionTypes.length === 0;
    const known = isEmpty ? this.emptyTypes.refusal : undefined;
    if (taskIds.length === 0 || known !== undefined) {
      return { results: resultForAll(tasks, known) };
    }
    try {
      const { data } = await this.client.getActions({ taskIds, actionTypes }, { once });
      if (isEmpty) {
        this.emptyTypes.sawResponse();
      }
      return { results: new Map(taskIds.map((id) => [id, data.find(({ taskId }) => taskId === id)])) };
    } catch (error) {
      if (!mayBeAboutSome(error)) {
        return once ? this.request(tasks) : { results: resultForAll(tasks, error as Error) };
      }
      const [only = "", ...others] = taskIds;
      if (isEmpty && others.length === 0) {
        this.emptyTypes.sawRefusal(only, error);
      }
      return { results: resultForAll(tasks, error), refusal: error };
    }
  }
}

function resultForAll(tasks: Tasks, result: Error | undefined): Results {
  return new Map([...tasks.keys()].map((taskId) => [taskId, result]));
}

function joined(results: readonly Results[]): Results {
  return new Map(results.flatMap((some) => [...some]));
}

/** The tasks in question, each once, with all types that are asked for of it. */
function tasksOf(questions: readonly Question[]): [string, string[]][] {
  const tasks = new Map<string, string[]>();
  for (const { taskId, actionTypes } of questions) {
    tasks.set(taskId, [...(tasks.get(taskId) ?? []), ...actionTypes]);
  }
  return [...tasks];
}
