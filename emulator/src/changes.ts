import type { Row } from "./contract";
import { Refusal } from "./errors";
import type { Service } from "./service";
import type { EmulatorCredentials } from "./store/credentials";
import { LineList } from "./store/lineList";
import { isRow } from "./store/rowList";
import type { SeedAction, SeedTask } from "./store/seed";
import { checkFields, checkNewAction, checkNewTask } from "./store/seed";
import type { StoredAction, StoredRun, StoredTask, SubtaskStatus } from "./store/store";
import { hasEnded, newAction, newRun } from "./store/store";

/**
 * Changes outside of the client: what a user does in the editor of the service, or what a test needs. They bypass credentials, plan, journal
 * and behaviours. What they add is checked like a seed. A task, action, batch or subtask that does not exist is an Error.
 */
export class Changes {
  /** @hidden */
  constructor(
    private readonly service: Service,
    private readonly changed: () => void,
  ) {}

  /** Adds a task, and its group if it does not exist. */
  addTask(task: SeedTask): void {
    const { store } = this.service;
    checkNewTask(task, store.tasks.has(task.taskId));
    if (!store.groups.has(task.taskGroupId)) store.addGroup(task.taskGroupId);
    store.addTask(task);
    this.changed();
  }

  /** Deletes a task with its batches and rows. */
  deleteTask(taskId: string): void {
    this.task(taskId);
    this.service.runner.forget(taskId);
    this.service.store.deleteTask(taskId);
    this.changed();
  }

  /** Adds an action at the end of a task. */
  addAction(taskId: string, action: SeedAction): void {
    const task = this.task(taskId);
    checkNewAction(taskId, action, task.actions);
    task.actions.push(newAction(action));
    this.taskChanged(task);
  }

  /** Removes an action from a task. */
  deleteAction(taskId: string, actionId: string): void {
    const task = this.task(taskId);
    const gone = this.action(taskId, actionId);
    task.actions = task.actions.filter((action) => action !== gone);
    this.taskChanged(task);
  }

  /** Sets one property of an action. */
  setProperty(taskId: string, actionId: string, name: string, value: string): void {
    const action = this.action(taskId, actionId);
    checkFields({ properties: { [name]: value } });
    action.properties.set(name, value);
    this.taskChanged(this.task(taskId));
  }

  /** Removes one property of an action. */
  deleteProperty(taskId: string, actionId: string, name: string): void {
    this.action(taskId, actionId).properties.delete(name);
    this.taskChanged(this.task(taskId));
  }

  /** Replaces the items of a loop and, if given, its kind. */
  setLoopItems(taskId: string, actionId: string, loopItems: readonly string[], loopType?: string): void {
    const action = this.action(taskId, actionId);
    checkFields({ loopItems: [...loopItems], ...(loopType === undefined ? {} : { loopType }) });
    action.loopItems = [...loopItems];
    action.loopType = loopType ?? action.loopType;
    this.taskChanged(this.task(taskId));
  }

  /** Replaces a task's start URLs. */
  setStartUrls(taskId: string, urls: readonly string[]): void {
    const task = this.task(taskId);
    checkFields({ startUrls: [...urls] });
    task.startUrls = LineList.of(urls);
    this.taskChanged(task);
  }

  /**
   * Adds rows at the end of a batch. Default: the latest batch; if there is none, a new finished batch.
   * @param rows objects, or JSON texts that are sent unchanged.
   * @returns the `lotNo` of the batch.
   */
  insertRows(taskId: string, rows: readonly (Row | string)[], lotNo?: string): string {
    const { store } = this.service;
    this.task(taskId);
    const wanted = lotNo === undefined ? store.latestRuns(taskId, 1).at(0) : this.run(lotNo);
    if (wanted !== undefined && wanted.taskId !== taskId) {
      throw new Refusal("InvalidParameter", `batch ${lotNo} is of task ${wanted.taskId}, not of task ${taskId}`);
    }
    const texts = rows.map(rowText);
    const now = store.clock.now();
    const run = wanted ?? store.addRun({ ...newRun(taskId), startedAt: now, endedAt: now });
    run.rows.append(texts);
    store.runChanged(run);
    this.changed();
    return run.lotNo;
  }

  /** Starts the task, even while it is running. @returns the `lotNo` of the batch. */
  startRun(taskId: string): string {
    const { lotNo } = this.service.runner.begin(this.task(taskId));
    this.changed();
    return lotNo;
  }

  /** Stops the subtasks of a batch that have not ended. */
  stopRun(lotNo: string): void {
    const run = this.run(lotNo);
    for (const subtask of run.subtasks) this.service.runner.stopSubtask(run, subtask);
    this.changed();
  }

  /** The stopped subtasks of a batch continue, and the failed ones try their failed pages again. */
  continueRun(lotNo: string): void {
    const run = this.run(lotNo);
    for (const subtask of run.subtasks) this.service.runner.startSubtask(run, subtask);
    this.changed();
  }

  /**
   * Sets the status of subtasks of a batch (default: all). A subtask with status `waiting` begins to work. A subtask with status `extracting`
   * does not work.
   */
  setSubtaskStatus(lotNo: string, status: SubtaskStatus, subTaskIds?: readonly string[]): void {
    const run = this.run(lotNo);
    const known = new Set(run.subtasks.map(({ subTaskId }) => subTaskId));
    const unknown = subTaskIds?.find((id) => !known.has(id));
    if (unknown !== undefined) throw new Refusal("NotFound", `batch ${lotNo} has no subtask ${unknown}`);
    for (const subtask of run.subtasks) {
      if (subTaskIds !== undefined && !subTaskIds.includes(subtask.subTaskId)) continue;
      if (!hasEnded(subtask)) this.service.runner.stopSubtask(run, subtask);
      subtask.status = status;
      this.service.store.subtaskChanged(run, subtask);
    }
    this.service.runner.wake(run);
    this.changed();
  }

  /** Stops all runs before their next page. */
  holdRuns(): void {
    this.service.runner.hold();
  }

  /** Continues held runs. */
  releaseRuns(): void {
    this.service.runner.release();
  }

  /** Expires all access tokens. */
  expireAccessTokens(): void {
    this.service.credentials.expireAccessTokens();
    this.changed();
  }

  /** Expires all refresh tokens. */
  expireRefreshTokens(): void {
    this.service.credentials.expireRefreshTokens();
    this.changed();
  }

  /** Adds an account, which sees none of the tasks and groups. @returns its credentials. */
  addAccount(name: string): EmulatorCredentials {
    if (this.service.credentials.hasAccount(name)) {
      throw new Refusal("InvalidParameter", `account ${name} is there already`);
    }
    const credentials = this.service.credentials.addAccount(name);
    this.changed();
    return credentials;
  }

  private taskChanged(task: StoredTask): void {
    this.service.store.taskChanged(task);
    this.changed();
  }

  private task(taskId: string): StoredTask {
    const task = this.service.store.tasks.get(taskId);
    if (task === undefined) throw new Refusal("NotFound", `there is no task ${taskId}`);
    return task;
  }

  private run(lotNo: string): StoredRun {
    const run = this.service.store.runs.get(lotNo);
    if (run === undefined) throw new Refusal("NotFound", `there is no batch ${lotNo}`);
    return run;
  }

  private action(taskId: string, actionId: string): StoredAction {
    const action = this.task(taskId).actions.find((known) => known.actionId === actionId);
    if (action === undefined) throw new Refusal("NotFound", `task ${taskId} has no action ${actionId}`);
    return action;
  }
}

/** Rows are sent as they are stored, so a row that is not a JSON object would make the response invalid. */
function rowText(row: Row | string, index: number): string {
  const text = typeof row === "string" ? row : JSON.stringify(row);
  if (isRow(text)) return text;
  throw new Refusal("InvalidParameter", `rows.${index} must be an object or the JSON text of one`);
}
