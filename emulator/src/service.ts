import type { Behaviour } from "./behaviour";
import type { DocumentedFields, OperationName } from "./contract";
import { missing, Refusal } from "./errors";
import type { ChangeFeed } from "./runs/changeFeed";
import type { Runner } from "./runs/runner";
import type { RunProgress } from "./runs/runProgress";
import type { EmulatorClock } from "./store/clock";
import type { CredentialStore } from "./store/credentials";
import type { LineList } from "./store/lineList";
import type { Plan } from "./store/seed";
import type { Store, StoredAction, StoredTask } from "./store/store";

/** What every handler uses. */
export interface Service {
  readonly store: Store;
  readonly credentials: CredentialStore;
  readonly runner: Runner;
  /** Tells those who watch what has changed. */
  readonly feed: ChangeFeed;
  /** Measures runs while they work. */
  readonly progress: RunProgress;
  /** The time that clients see. */
  readonly clock: EmulatorClock;
  /** Counts a page of rows that does not begin at 0. @returns its number, from 1. */
  readonly countPage: () => number;
  behaviour: Behaviour;
  plan: Plan;
}

/** A request after the checks of credentials, plan and contract. */
export interface ServiceRequest<Fields> {
  /** Body or query, as the contract types it. */
  readonly fields: Fields;
  /** The account whose tasks are visible. */
  readonly account: string;
}

/** `data` of the response: a value or its JSON text. Without both, the response has no data. */
export interface HandlerResult {
  data?: unknown;
  dataText?: string;
}

/** The fields of an upload. */
export interface UploadFields {
  taskId: string | undefined;
  file: LineList | undefined;
}

/** The fields of requests whose type differs from openapi.yaml. */
interface FieldsOf {
  updateTaskUrls: UploadFields;
  /** The behaviour `copyGroup` can make the group optional. */
  copyTask: { taskId: string; taskGroupId?: string };
}

/** Handles one operation: makes all changes in one step, or throws a Refusal and changes nothing. */
export type Handler<Name extends OperationName> = (
  service: Service,
  request: ServiceRequest<Name extends keyof FieldsOf ? FieldsOf[Name] : DocumentedFields<Name>>,
) => HandlerResult;

/** @throws Refusal, depending on the behaviour `taskGone`, also for a task of another account. */
export function findTask(service: Service, account: string, taskId: string | undefined): StoredTask {
  if (taskId === undefined || taskId === "") throw missing("taskId");
  const task = service.store.tasks.get(taskId);
  if (task !== undefined && task.account === account) return task;
  throw taskGone(service.behaviour, `task ${taskId} does not exist`);
}

/** The refusal for a task that does not exist. `named` is the message if the behaviour names the task. */
export function taskGone(behaviour: Behaviour, named: string): Refusal {
  switch (behaviour.taskGone) {
    case "unnamed":
      return new Refusal("InvalidTaskId", "the task id is not valid");
    case "notYours":
      return new Refusal("TaskNotBelongToYou", "This TaskId is not belong to you!");
    case "notFound":
      return new Refusal("InvalidTaskId", named, 404);
    case "serverError":
      return new Refusal("ServerError", "an unexpected error has occurred");
    default:
      return new Refusal("InvalidTaskId", named);
  }
}

/** @throws Refusal TaskSettingsNotFound. */
export function findAction(task: StoredTask, actionId: string | undefined): StoredAction {
  if (actionId === undefined || actionId === "") throw missing("actionId");
  const action = task.actions.find((known) => known.actionId === actionId);
  if (action !== undefined) return action;
  throw new Refusal("TaskSettingsNotFound", `task ${task.taskId} has no action ${actionId}`);
}

/** @throws Refusal TaskExecuting if the behaviour does not allow changes of a running task. */
export function refuseWhileRunning(service: Service, task: StoredTask): void {
  if (service.behaviour.changeWhileRunning === "refused" && service.store.runningRun(task.taskId) !== undefined) {
    throw new Refusal("TaskExecuting", `task ${task.taskId} is running and cannot be changed`);
  }
}
