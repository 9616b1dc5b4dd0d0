import type { Input } from "@pulumi/pulumi";
import { dataExport } from "../resources/export/dataExport";
import type { BatchForm, TaskForm } from "../resources/export/model";
import { extractionTask } from "../resources/extractionTask";
import { cloudRun } from "../resources/run/cloudRun";
import { cloudSubtasks } from "../resources/run/cloudSubtasks";
import type { ItemFileForm, ItemListForm } from "../resources/settings/loop";
import { taskActionConfig } from "../resources/settings/taskActionConfig";
import { taskLoopItems } from "../resources/settings/taskLoopItems";
import { taskParameters } from "../resources/settings/taskParameters";
import { taskCopy } from "../resources/task/taskCopy";
import type { UrlFileForm, UrlListForm } from "../resources/task/taskStartUrls";
import { taskStartUrls } from "../resources/task/taskStartUrls";
import type { ExtractionResource } from "./extractionResource";
import { warnOfUnfinishedRun } from "./problems/unfinishedRun";
import { programRunLabel } from "./programConfig";
import type { AnyOf, ArgsOf, InputsOf } from "./resourceClass";
import { readableClass, resourceClass } from "./resourceClass";
import type { Trigger } from "./triggers";
import { rerunHashes, triggersOf } from "./triggers";

/** The source of a task that is copied. */
export interface CopySource extends InputsOf<Required<Pick<ArgsOf<typeof taskCopy>, "sourceTaskId" | "taskGroupId">>> {}

/** A task that exists already. */
export interface AdoptedTask extends InputsOf<Required<Pick<ArgsOf<typeof taskCopy>, "adoptTaskId">>> {}

/**
 * Where a task comes from: `sourceTaskId` and `taskGroupId`, or `adoptTaskId`, or all three for a copy that exists
 * already.
 */
export type TaskSource = AnyOf<CopySource, AdoptedTask>;

/** Arguments of {@link TaskCopy}. */
export type TaskCopyArgs = InputsOf<Omit<ArgsOf<typeof taskCopy>, keyof TaskSource>> & TaskSource;

/**
 * A task: a copy of another task, or an existing task that is adopted. `id` and `taskId` are the id of the task.
 *
 * Create: `POST /task/copy`. Read: `POST /task/getActions`. Delete: `POST /data/remove` or nothing. The service cannot
 * delete a task.
 */
export class TaskCopy extends readableClass<typeof taskCopy, TaskCopyArgs>(taskCopy) {}

/** Arguments of {@link TaskActionConfig}. */
export interface TaskActionConfigArgs extends InputsOf<ArgsOf<typeof taskActionConfig>> {}

/**
 * Properties of the actions of a task. `id` is the id of the task, so other resources can take it as their `taskId`.
 *
 * Create and update: `POST /task/updateActionProperties`, one call for all actions that changed. Read:
 * `POST /task/getActions`.
 */
export class TaskActionConfig extends readableClass<typeof taskActionConfig, TaskActionConfigArgs>(taskActionConfig) {}

/** Arguments of {@link TaskLoopItems} with the items as a list. */
export interface TaskLoopItemsListArgs extends InputsOf<ItemListForm<ArgsOf<typeof taskLoopItems>>> {}

/** Arguments of {@link TaskLoopItems} with the items in a file. */
export interface TaskLoopItemsFileArgs extends InputsOf<ItemFileForm<ArgsOf<typeof taskLoopItems>>> {}

/** Arguments of {@link TaskLoopItems}: either `items` or `itemsFile`. */
export type TaskLoopItemsArgs = TaskLoopItemsListArgs | TaskLoopItemsFileArgs;

/**
 * The items of one loop of a task. `id` is the id of the task.
 *
 * Create and update: `POST /task/updateLoopItems`. Read: `POST /task/getActions`.
 */
export class TaskLoopItems extends readableClass<typeof taskLoopItems, TaskLoopItemsArgs>(taskLoopItems) {}

/** Arguments of {@link TaskStartUrls} with the URLs as a list. */
export interface TaskStartUrlsListArgs extends InputsOf<UrlListForm<ArgsOf<typeof taskStartUrls>>> {}

/** Arguments of {@link TaskStartUrls} with the URLs in a file. */
export interface TaskStartUrlsFileArgs extends InputsOf<UrlFileForm<ArgsOf<typeof taskStartUrls>>> {}

/** Arguments of {@link TaskStartUrls}: either `urls` or `file`. */
export type TaskStartUrlsArgs = TaskStartUrlsListArgs | TaskStartUrlsFileArgs;

/**
 * The start URLs of a task, from a list or a file. `id` is the id of the task. Requires an API key.
 *
 * Create and update: `POST /task/urls:file`.
 */
export class TaskStartUrls extends resourceClass<typeof taskStartUrls, TaskStartUrlsArgs>(taskStartUrls) {}

/** Arguments of {@link CloudRun}. */
export interface CloudRunArgs extends InputsOf<Omit<ArgsOf<typeof cloudRun>, "triggers" | "rerunOn">> {
  /**
   * Any values, but no resources: name a property, such as `copy.id`, or use `rerunOn`. A change starts a new run: the
   * resource is replaced, the old one is deleted first. A value that a preview does not know shows as a replace too.
   */
  triggers?: Trigger;
  /** Resources of this package: a change of any of their arguments starts a new run. */
  rerunOn?: ExtractionResource[];
}

/**
 * One run of a task in the cloud. `id` and `lotNo` are its batch number. The run depends on every resource that
 * configures its task and is declared before it.
 *
 * Create: `POST /cloudextraction/start`, which costs money. Only a changed trigger or a new run label starts a new run.
 * Read: `GET /cloudextraction/task/subtasks`. Delete: nothing, or `POST /cloudextraction/subtasks:stop`.
 */
export class CloudRun extends readableClass<typeof cloudRun, CloudRunArgs>(cloudRun, (name, args, opts) => {
  const triggers = triggersOf(`CloudRun "${name}"`, args.triggers, "Use rerunOn: […] for it.") as Trigger;
  const runLabel = opts?.id === undefined ? programRunLabel() : undefined;
  return { ...args, triggers, rerunOn: rerunHashes(name, args.rerunOn), runLabel };
}) {}

/** The scope is no input: only a scope that the compiler knows says whether `lotNo` is required. */
type DataExportInputs<Args extends BatchForm | TaskForm> = InputsOf<Omit<Args, "scope" | "triggers">> & {
  /** Any values, but no resources: name a property, such as `run.id`. A change exports again. */
  triggers?: Trigger;
};

/** Arguments of a {@link DataExport} of one run. */
export interface DataExportBatchArgs extends DataExportInputs<BatchForm>, Pick<BatchForm, "scope"> {}

/** Arguments of a {@link DataExport} of a whole task. */
export interface DataExportTaskArgs extends DataExportInputs<TaskForm>, Pick<TaskForm, "scope"> {}

/** Arguments of {@link DataExport}: `lotNo` with `scope: "batch"`, no `lotNo` with any other. */
export type DataExportArgs = DataExportBatchArgs | DataExportTaskArgs;

/**
 * Rows in a file, streamed, and marked as exported if asked. The export depends on every run of its task that is
 * declared before it.
 *
 * Create and update: `GET /data/lotno/all`, `GET /data/all` or `GET /data/notexported`, then `POST /data/markexported`
 * if asked.
 */
export class DataExport extends resourceClass<typeof dataExport, DataExportArgs>(dataExport, (name, args) => {
  warnOfUnfinishedRun(name, args);
  const advice = "Name a property of it, such as run.id.";
  return { ...args, triggers: triggersOf(`DataExport "${name}"`, args.triggers, advice) as Trigger };
}) {}

/** Arguments of {@link TaskParameters}. */
export interface TaskParametersArgs extends InputsOf<ArgsOf<typeof taskParameters>> {}

/**
 * Properties and loops of the actions of a task, in one request. `id` is the id of the task.
 *
 * Create and update: `POST /task/updateTaskParameters`. Read: `POST /task/getActions`.
 */
export class TaskParameters extends readableClass<typeof taskParameters, TaskParametersArgs>(taskParameters) {}

/** Arguments of {@link ExtractionTask}. */
export interface ExtractionTaskArgs extends InputsOf<Omit<ArgsOf<typeof extractionTask>, "from">> {
  /** The source of the task: arguments of a TaskCopy. A change replaces as it does there. */
  from: Input<TaskSource>;
}

/**
 * One whole task as one resource: copied or adopted, with its actions, loops and start URLs. `id` and `taskId` are the
 * id of the task. Made for many tasks.
 *
 * Create: `POST /task/copy`, `POST /task/updateTaskParameters`, `POST /task/urls:file`. Read: `POST /task/getActions`.
 * Delete: as {@link TaskCopy}.
 */
export class ExtractionTask extends readableClass<typeof extractionTask, ExtractionTaskArgs>(extractionTask) {}

/** Arguments of {@link CloudSubtasks}. */
export interface CloudSubtasksArgs extends InputsOf<ArgsOf<typeof cloudSubtasks>> {}

/**
 * Subtasks of a task in the cloud that should be started or stopped. They depend on every run of the task that is
 * declared before them.
 *
 * Create and update: `POST /cloudextraction/subtasks:start` or `subtasks:stop`. Read:
 * `GET /cloudextraction/task/subtasks`.
 */
export class CloudSubtasks extends readableClass<typeof cloudSubtasks, CloudSubtasksArgs>(cloudSubtasks) {}
