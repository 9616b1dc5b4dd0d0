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

/** What the service shows of a task, undefined where it leaves the task out, or why there is no answer. */
type Answers = ReadonlyMap<string, TaskActions | undefined | Error>;

/** How long a read waits for others to join it. The engine sends all that it allows at once within some 40 ms. */
const gatherMs = 20;

/** How long a read waits for as many as the last time: a busy machine takes longer between one read and the next. */
const patienceMs = 100;

/** Tasks in one request, at most. */
const mostTasks = 100;

/** Merges reads that arrive at about the same time into one request. Keeps no answers, so an answer never outlives a write. */
export class ActionReader {
  private readonly loader = new DataLoader<Question, TaskActions | undefined>((questions) => this.load(questions), {
    cache: false,
    batchScheduleFn: (send) => void this.sendWhenQuiet(send),
  });
  private gathered = 0;
  private lastGathered = 0;
  /** Reads without an answer yet, and the most there were when some were sent: that many the engine asks at once. */
  private open = 0;
  private mostOpen = 0;
  private readonly emptyTypes = new EmptyTypes();
  private ended = new AbortController();

  constructor(private readonly client: ActionsClient) {}

  /** What the service shows of one task; undefined where the answer leaves the task out. Rejects as a request for this task alone would. */
  async read(taskId: string, actionTypes: readonly string[]): Promise<TaskActions | undefined> {
    if (actionTypes.length === 0 && this.emptyTypes.refusal !== undefined) {
      throw this.emptyTypes.refusal;
    }
    this.open++;
    this.gathered++;
    try {
      const answer = this.loader.load({ taskId, actionTypes });
      if (this.isAllThereIs()) {
        this.ended.abort();
      }
      return await answer;
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

  /** Whether more may come: some just did, or fewer came than the last time, and each answer makes the engine send another read. */
  private isComing(before: number, waited: number): boolean {
    if (this.isAllThereIs()) {
      return false;
    }
    return this.gathered > before || (this.gathered < this.lastGathered && waited < patienceMs);
  }

  /** Whether the engine waits for these before it asks for more. A single read may be the first of many. */
  private isAllThereIs(): boolean {
    return this.mostOpen > 1 && this.gathered >= this.mostOpen;
  }

  private async load(questions: readonly Question[]): Promise<(TaskActions | undefined | Error)[]> {
    // A question without types may itself be refused, and must not spoil the others.
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

  /** Asks for all at once. A refusal may be about only some of the tasks: those that it names are asked alone, or each where it names none. */
  private async ask(tasks: Tasks): Promise<Answers> {
    const { answers, refusal } = await this.request(tasks);
    if (refusal === undefined || tasks.size === 1) {
      return answers;
    }
    const named = new Map([...tasks].filter(([taskId]) => names(refusal, taskId)));
    if (named.size === 0) {
      return this.askEach(tasks, refusal);
    }
    const others = new Map([...tasks].filter(([taskId]) => !named.has(taskId)));
    return joined(await Promise.all([this.ask(others), this.askEach(named, refusal)]));
  }

  /**
   * Asks for each task alone. When a first few are all refused, the refusal counts for the others too: the account may read none, or the
   * service fails at every request. These few stand apart, because tasks that belong together stand side by side. A task that is gone
   * counts as an answer.
   */
  private async askEach(tasks: Tasks, refusal: ServiceError): Promise<Answers> {
    const once = wasWaitedOut(refusal);
    const each = [...tasks].map((task) => new Map([task]));
    const last = each.length - 1;
    const few = new Set([0, last, Math.floor(last / 2)]);
    const first: Answers[] = [];
    for (const task of each.filter((_, index) => few.has(index))) {
      first.push((await this.request(task, once)).answers);
    }
    const isAboutAll = [...joined(first).values()].every(
      (answer) => isServiceError(answer) && !isServiceError(answer, "notFound"),
    );
    const others = each
      .filter((_, index) => !few.has(index))
      .map(async (task) => (isAboutAll ? answerAll(task, refusal) : (await this.request(task, once)).answers));
    return joined([...first, ...(await Promise.all(others))]);
  }

  /**
   * One request. `refusal` is set where it may be about only some of the tasks.
   * @param once Reports a refusal at once instead of waiting for it to pass.
   */
  private async request(tasks: Tasks, once = false): Promise<{ answers: Answers; refusal?: ServiceError }> {
    const taskIds = [...tasks.keys()];
    const actionTypes = [...new Set([...tasks.values()].flat())].sort();
    const isEmpty = actionTypes.length === 0;
    const known = isEmpty ? this.emptyTypes.refusal : undefined;
    if (taskIds.length === 0 || known !== undefined) {
      return { answers: answerAll(tasks, known) };
    }
    try {
      const { data } = await this.client.getActions({ taskIds, actionTypes }, { once });
      if (isEmpty) {
        this.emptyTypes.sawAnswer();
      }
      return { answers: new Map(taskIds.map((id) => [id, data.find(({ taskId }) => taskId === id)])) };
    } catch (error) {
      if (!mayBeAboutSome(error)) {
        return once ? this.request(tasks) : { answers: answerAll(tasks, error as Error) };
      }
      const [only = "", ...others] = taskIds;
      if (isEmpty && others.length === 0) {
        this.emptyTypes.sawRefusal(only, error);
      }
      return { answers: answerAll(tasks, error), refusal: error };
    }
  }
}

function answerAll(tasks: Tasks, answer: Error | undefined): Answers {
  return new Map([...tasks.keys()].map((taskId) => [taskId, answer]));
}

function joined(answers: readonly Answers[]): Answers {
  return new Map(answers.flatMap((some) => [...some]));
}

/** The tasks in question, each once, with all types that are asked for of it. */
function tasksOf(questions: readonly Question[]): [string, string[]][] {
  const tasks = new Map<string, string[]>();
  for (const { taskId, actionTypes } of questions) {
    tasks.set(taskId, [...(tasks.get(taskId) ?? []), ...actionTypes]);
  }
  return [...tasks];
}
