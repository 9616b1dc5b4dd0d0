import type { Behaviour } from "./behaviour";
import type { DocumentedFields, OperationName } from "./contract";
import { missing, Refusal } from "./errors";
import type { Runner } from "./extraction/runner";
import type { CredentialStore, Plan } from "./store/credentials";
import type { LineList } from "./store/lineList";
import type { Store, StoredAction, StoredRun, StoredTask } from "./store/store";
import { isRunning } from "./store/store";

/** What every handler works with. */
export interface Service {
  readonly store: Store;
  readonly credentials: CredentialStore;
  readonly runner: Runner;
  behaviour: Behaviour;
  plan: Plan;
}

/** A request that has passed credentials, plan and contract. */
export interface ServiceRequest<Fields> {
  /** Body or query, as the contract types it. */
  readonly fields: Fields;
  /** Whose tasks it sees. */
  readonly account: string;
}

/** `data` of the answer: a value, or the JSON text of one. Neither: the answer has no data. */
export interface HandlerResult {
  data?: unknown;
  dataText?: string;
}

/** The fields of an upload. */
export interface UploadFields {
  taskId: string | undefined;
  file: LineList | undefined;
}

/** The fields of an operation's request, as openapi.yaml types them where nothing else is said. */
interface FieldsOf {
  updateTaskUrls: UploadFields;
  /** The behaviour `copyGroup` may let a client leave the group out. */
  copyTask: { taskId: string; taskGroupId?: string };
}

/** One operation of the service: changes the store at once, or throws a Refusal and changes nothing. */
export type Handler<Name extends OperationName> = (
  service: Service,
  request: ServiceRequest<Name extends keyof FieldsOf ? FieldsOf[Name] : DocumentedFields<Name>>,
) => HandlerResult;

/** @throws Refusal in the way that the behaviour `taskGone` says, also for a task of another account. */
export function findTask(service: Service, account: string, taskId: string | undefined): StoredTask {
  if (taskId === undefined || taskId === "") throw missing("taskId");
  const task = service.store.tasks.get(taskId);
  if (task !== undefined && task.account === account) return task;
  throw taskGone(service.behaviour, `task ${taskId} does not exist`);
}

/** The refusal of a task that is not there; `named` is its message where the behaviour names the task. */
export function taskGone(behaviour: Behaviour, named: string): Refusal {
  switch (behaviour.taskGone) {
    case "unnamed":
      return new Refusal("InvalidTaskId", "the task id is not valid");
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

/** @throws Refusal TaskExecuting, where running tasks cannot be changed. */
export function refuseWhileRunning(service: Service, task: StoredTask): void {
  if (service.behaviour.changeWhileRunning === "refused" && runningRun(service, task.taskId) !== undefined) {
    throw new Refusal("TaskExecuting", `task ${task.taskId} is running and cannot be changed`);
  }
}

/** The newest run of a task that is still working. */
export function runningRun(service: Service, taskId: string): StoredRun | undefined {
  return service.store.runsOf(taskId).filter(isRunning).at(-1);
}
