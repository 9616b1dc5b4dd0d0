import type { Row } from "./contract";
import type { Service } from "./service";
import type { EmulatorCredentials } from "./store/credentials";
import { LineList } from "./store/lineList";
import type { SeedAction, SeedTask } from "./store/seed";
import type { StoredAction, StoredTask, SubtaskStatus } from "./store/store";
import { isAtRest, newAction, newRun } from "./store/store";

/**
 * Changes behind the client's back: what somebody does in the service's own editor, or what a test needs. They bypass credentials, plan,
 * journal and every behaviour. What does not exist is an Error.
 */
export class Changes {
  private readonly service: Service;
  private readonly changed: () => void;

  /** @hidden */
  constructor(service: Service, changed: () => void) {
    this.service = service;
    this.changed = changed;
  }

  /** Another task, and its group where there is none of that id. */
  addTask(task: SeedTask): void {
    const { store } = this.service;
    if (!store.groups.has(task.taskGroupId)) store.addGroup(task.taskGroupId);
    store.addTask(task);
    this.changed();
  }

  /** With its batches and rows. */
  deleteTask(taskId: string): void {
    this.task(taskId);
    this.service.runner.forget(taskId);
    this.service.store.deleteTask(taskId);
    this.changed();
  }

  /** Another action, as the task's last one. */
  addAction(taskId: string, action: SeedAction): void {
    this.task(taskId).actions.push(newAction(action));
    this.changed();
  }

  /** Takes an action out of a task. */
  deleteAction(taskId: string, actionId: string): void {
    const task = this.task(taskId);
    const gone = this.action(taskId, actionId);
    task.actions = task.actions.filter((action) => action !== gone);
    this.changed();
  }

  /** Sets one property of an action. */
  setProperty(taskId: string, actionId: string, name: string, value: string): void {
    this.action(taskId, actionId).properties.set(name, value);
    this.changed();
  }

  /** Takes one property out of an action. */
  deleteProperty(taskId: string, actionId: string, name: string): void {
    this.action(taskId, actionId).properties.delete(name);
    this.changed();
  }

  /** Replaces the items of a loop, and its kind where one is given. */
  setLoopItems(taskId: string, actionId: string, loopItems: readonly string[], loopType?: string): void {
    const action = this.action(taskId, actionId);
    action.loopItems = [...loopItems];
    action.loopType = loopType ?? action.loopType;
    this.changed();
  }

  /** Replaces a task's start URLs. */
  setStartUrls(taskId: string, urls: readonly string[]): void {
    this.task(taskId).startUrls = LineList.of(urls);
    this.changed();
  }

  /**
   * Rows from nowhere, at the end of a batch (default: the latest one; a finished batch is made where there is none).
   * @param rows objects, or JSON texts that are sent as they are.
   * @returns the batch.
   */
  insertRows(taskId: string, rows: readonly (Row | string)[], lotNo?: string): string {
    const { store } = this.service;
    this.task(taskId);
    const wanted = lotNo === undefined ? store.runsOf(taskId).at(-1) : store.runs.get(lotNo);
    if (wanted === undefined && lotNo !== undefined) throw new Error(`there is no batch ${lotNo}`);
    const run = wanted ?? store.addRun(newRun(taskId));
    run.rows.append(rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))));
    this.changed();
    return run.lotNo;
  }

  /** Somebody else starts the task, even while it is running. @returns the batch. */
  startRun(taskId: string): string {
    const { lotNo } = this.service.runner.begin(this.task(taskId));
    this.changed();
    return lotNo;
  }

  /**
   * Puts subtasks of a batch (default: all of them) into a status, whatever they were doing: `waiting` ones begin to work, `extracting`
   * ones only look as if they did.
   */
  setSubtaskStatus(lotNo: string, status: SubtaskStatus, subTaskIds?: readonly string[]): void {
    const run = this.service.store.runs.get(lotNo);
    if (run === undefined) throw new Error(`there is no batch ${lotNo}`);
    for (const subtask of run.subtasks) {
      if (subTaskIds !== undefined && !subTaskIds.includes(subtask.subTaskId)) continue;
      if (!isAtRest(subtask)) this.service.runner.stopSubtask(run, subtask);
      subtask.status = status;
    }
    this.service.runner.wake(run);
    this.changed();
  }

  /** From now on no run goes on with a page. */
  holdRuns(): void {
    this.service.runner.hold();
  }

  /** Held runs go on. */
  releaseRuns(): void {
    this.service.runner.release();
  }

  /** Every access token is refused as expired from now on. */
  expireAccessTokens(): void {
    this.service.credentials.expireAccessTokens();
    this.changed();
  }

  /** Every refresh token is refused from now on. */
  expireRefreshTokens(): void {
    this.service.credentials.expireRefreshTokens();
    this.changed();
  }

  /** Another account, which sees none of the tasks and groups. @returns what it signs in with. */
  addAccount(name: string): EmulatorCredentials {
    const credentials = this.service.credentials.addAccount(name);
    this.changed();
    return credentials;
  }

  private task(taskId: string): StoredTask {
    const task = this.service.store.tasks.get(taskId);
    if (task === undefined) throw new Error(`there is no task ${taskId}`);
    return task;
  }

  private action(taskId: string, actionId: string): StoredAction {
    const action = this.task(taskId).actions.find((known) => known.actionId === actionId);
    if (action === undefined) throw new Error(`task ${taskId} has no action ${actionId}`);
    return action;
  }
}
