// biome-ignore-all lint/suspicious/noUnsafeDeclarationMerging: the outputs are those of the resource's own state, spelled and documented there, once

import type { CustomResourceOptions, Input } from "@pulumi/pulumi";
import { dataExport } from "../resources/export/dataExport";
import type {
  BatchForm,
  DataExportArgs as DataExportPlainArgs,
  DataExportState,
  TaskForm,
} from "../resources/export/model";
import type { ExtractionTaskArgs as ExtractionTaskPlainArgs, ExtractionTaskState } from "../resources/extractionTask";
import { extractionTask } from "../resources/extractionTask";
import type { UrlFileForm, UrlListForm } from "../resources/lists/startUrls";
import { cloudRun } from "../resources/run/cloudRun";
import type { CloudRunArgs as CloudRunPlainArgs, CloudRunState } from "../resources/run/cloudRunModel";
import type { CloudSubtasksArgs as CloudSubtasksPlainArgs, CloudSubtasksState } from "../resources/run/cloudSubtasks";
import { cloudSubtasks } from "../resources/run/cloudSubtasks";
import type { ItemFileForm, ItemListForm } from "../resources/settings/loopArgs";
import type {
  TaskActionConfigArgs as TaskActionConfigPlainArgs,
  TaskActionConfigState,
} from "../resources/settings/taskActionConfig";
import { taskActionConfig } from "../resources/settings/taskActionConfig";
import type {
  TaskLoopItemsArgs as TaskLoopItemsPlainArgs,
  TaskLoopItemsState,
} from "../resources/settings/taskLoopItems";
import { taskLoopItems } from "../resources/settings/taskLoopItems";
import type {
  TaskParametersArgs as TaskParametersPlainArgs,
  TaskParametersState,
} from "../resources/settings/taskParameters";
import { taskParameters } from "../resources/settings/taskParameters";
import type { TaskCopyArgs as TaskCopyPlainArgs, TaskCopyState } from "../resources/task/taskCopy";
import { taskCopy } from "../resources/task/taskCopy";
import type { TaskStartUrlsArgs as TaskStartUrlsPlainArgs, TaskStartUrlsState } from "../resources/task/taskStartUrls";
import { taskStartUrls } from "../resources/task/taskStartUrls";
import type { AnyOf, InputsOf, OutputsOf } from "./extractionResource";
import { ExtractionResource } from "./extractionResource";
import { programRunLabel } from "./programConfig";
import type { Trigger } from "./triggers";
import { hashesOf, triggersOf } from "./triggers";
import { noteRun, warnOfUnfinishedRun } from "./unfinishedRuns";

/** A resource that can be looked up: the service returns what it is. */
abstract class ReadableResource extends ExtractionResource {
  /**
   * Reads what exists at the service without managing it.
   *
   * @param id the `lotNo` of a CloudRun, and the id of the task of each other resource
   * @param state what the id does not say: the `taskId` of a CloudRun, the `actions` of settings, `actionId` and `loopType` of TaskLoopItems, `subTaskIds` and
   * `desired` of CloudSubtasks
   */
  static get<Args, Made>(
    this: new (
      name: string,
      args: Args,
      opts?: CustomResourceOptions,
    ) => Made,
    name: string,
    id: Input<string>,
    state?: Partial<Args>,
    opts?: CustomResourceOptions,
  ): Made {
    return new this(name, { ...state } as Args, { ...opts, id });
  }
}

/** State that programs do not see. */
type Internal =
  | "pending"
  | "outcome"
  | "explanation"
  | "listBefore"
  | "ownList"
  | "__runLabels"
  | "previous"
  | "drifted"
  | "leaving";

/** The source of a task that is copied. */
export interface CopySource extends InputsOf<Required<Pick<TaskCopyPlainArgs, "sourceTaskId" | "taskGroupId">>> {}

/** A task that exists already. */
export interface AdoptedTask extends InputsOf<Required<Pick<TaskCopyPlainArgs, "adoptTaskId">>> {}

/** Where a task comes from: `sourceTaskId` and `taskGroupId`, or `adoptTaskId`, or all three for a copy that exists already. */
export type TaskSource = AnyOf<CopySource, AdoptedTask>;

/** Arguments of {@link TaskCopy}. */
export type TaskCopyArgs = InputsOf<Omit<TaskCopyPlainArgs, keyof TaskSource>> & TaskSource;

export interface TaskCopy extends OutputsOf<Omit<TaskCopyState, Internal>> {}

/**
 * A task: a copy of another task, or an existing task that is adopted. `id` and `taskId` are the id of the task.
 *
 * Create: `POST /task/copy`. Read: `POST /task/getActions`. Delete: `POST /data/remove` or nothing. The service cannot delete a task.
 */
export class TaskCopy extends ReadableResource {
  constructor(name: string, args: TaskCopyArgs, opts?: CustomResourceOptions) {
    super(taskCopy, name, { ...args }, opts);
  }
}

/** Arguments of {@link TaskActionConfig}. */
export interface TaskActionConfigArgs extends InputsOf<TaskActionConfigPlainArgs> {}

export interface TaskActionConfig extends OutputsOf<Omit<TaskActionConfigState, Internal>> {}

/**
 * Properties of the actions of a task. `id` is the id of the task, so other resources can take it as their `taskId`.
 *
 * Create and update: `POST /task/updateActionProperties`, one call for all actions that changed. Read: `POST /task/getActions`.
 */
export class TaskActionConfig extends ReadableResource {
  constructor(name: string, args: TaskActionConfigArgs, opts?: CustomResourceOptions) {
    super(taskActionConfig, name, { ...args }, opts);
  }
}

/** Arguments of {@link TaskLoopItems} with the items as a list. */
export interface TaskLoopItemsListArgs extends InputsOf<ItemListForm<TaskLoopItemsPlainArgs>> {}

/** Arguments of {@link TaskLoopItems} with the items in a file. */
export interface TaskLoopItemsFileArgs extends InputsOf<ItemFileForm<TaskLoopItemsPlainArgs>> {}

/** Arguments of {@link TaskLoopItems}: either `items` or `itemsFile`. */
export type TaskLoopItemsArgs = TaskLoopItemsListArgs | TaskLoopItemsFileArgs;

export interface TaskLoopItems extends OutputsOf<Omit<TaskLoopItemsState, Internal>> {}

/**
 * The items of one loop of a task. `id` is the id of the task.
 *
 * Create and update: `POST /task/updateLoopItems`. Read: `POST /task/getActions`.
 */
export class TaskLoopItems extends ReadableResource {
  constructor(name: string, args: TaskLoopItemsArgs, opts?: CustomResourceOptions) {
    super(taskLoopItems, name, { ...args }, opts);
  }
}

/** Arguments of {@link TaskStartUrls} with the URLs as a list. */
export interface TaskStartUrlsListArgs extends InputsOf<UrlListForm<TaskStartUrlsPlainArgs>> {}

/** Arguments of {@link TaskStartUrls} with the URLs in a file. */
export interface TaskStartUrlsFileArgs extends InputsOf<UrlFileForm<TaskStartUrlsPlainArgs>> {}

/** Arguments of {@link TaskStartUrls}: either `urls` or `file`. */
export type TaskStartUrlsArgs = TaskStartUrlsListArgs | TaskStartUrlsFileArgs;

export interface TaskStartUrls extends OutputsOf<Omit<TaskStartUrlsState, Internal>> {}

/**
 * The start URLs of a task, from a list or a file. `id` is the id of the task. Requires an API key.
 *
 * Create and update: `POST /task/urls:file`.
 */
export class TaskStartUrls extends ExtractionResource {
  constructor(name: string, args: TaskStartUrlsArgs, opts?: CustomResourceOptions) {
    super(taskStartUrls, name, { ...args }, opts);
  }
}

/** Arguments of {@link CloudRun}. */
export interface CloudRunArgs extends InputsOf<Omit<CloudRunPlainArgs, "triggers" | "rerunOn">> {
  /**
   * Any values, but no resources: name a property, such as `copy.id`, or use `rerunOn`. A change starts a new run: the resource is replaced,
   * the old one is deleted first. A value that a preview does not know shows as a replace too.
   */
  triggers?: Trigger;
  /** Resources of this package: a change of any of their arguments starts a new run. */
  rerunOn?: ExtractionResource[];
}

export interface CloudRun extends OutputsOf<Omit<CloudRunState, Internal>> {}

/**
 * One run of a task in the cloud. `id` and `lotNo` are its batch number. The run depends on every resource that configures its task and is declared
 * before it.
 *
 * Create: `POST /cloudextraction/start`, which costs money. Only a changed trigger or a new run label starts a new run. Read: `GET /cloudextraction/task/subtasks`. Delete:
 * nothing, or `POST /cloudextraction/subtasks:stop`.
 */
export class CloudRun extends ReadableResource {
  constructor(name: string, args: CloudRunArgs, opts?: CustomResourceOptions) {
    const triggers = triggersOf(`CloudRun "${name}"`, args?.triggers, "Use rerunOn: […] for it.");
    const runLabel = opts?.id === undefined ? programRunLabel() : undefined;
    super(cloudRun, name, { ...args, triggers, rerunOn: hashesOf(name, args?.rerunOn), runLabel }, opts);
    if (opts?.id === undefined) {
      noteRun(this, { name, waitFor: this.waitFor });
    }
  }
}

/** The scope is no input: only a scope that the compiler knows says whether `lotNo` is required. */
type DataExportInputs<Args extends DataExportPlainArgs> = InputsOf<Omit<Args, "scope" | "triggers">> & {
  /** Any values, but no resources: name a property, such as `run.id`. A change exports again. */
  triggers?: Trigger;
};

/** Arguments of a {@link DataExport} of one run. */
export interface DataExportBatchArgs extends DataExportInputs<BatchForm>, Pick<BatchForm, "scope"> {}

/** Arguments of a {@link DataExport} of a whole task. */
export interface DataExportTaskArgs extends DataExportInputs<TaskForm>, Pick<TaskForm, "scope"> {}

/** Arguments of {@link DataExport}: `lotNo` with `scope: "batch"`, no `lotNo` with any other. */
export type DataExportArgs = DataExportBatchArgs | DataExportTaskArgs;

export interface DataExport extends OutputsOf<Omit<DataExportState, Internal>> {}

/**
 * Rows in a file, streamed, and marked as exported if asked. The export depends on every run of its task that is declared before it.
 *
 * Create and update: `GET /data/lotno/all`, `GET /data/all` or `GET /data/notexported`, then `POST /data/markexported` if asked.
 */
export class DataExport extends ExtractionResource {
  constructor(name: string, args: DataExportArgs, opts?: CustomResourceOptions) {
    const triggers = triggersOf(`DataExport "${name}"`, args?.triggers, "Name a property of it, such as run.id.");
    super(dataExport, name, { ...args, triggers }, opts);
    void warnOfUnfinishedRun(this, name, args.lotNo);
  }
}

/** Arguments of {@link TaskParameters}. */
export interface TaskParametersArgs extends InputsOf<TaskParametersPlainArgs> {}

export interface TaskParameters extends OutputsOf<Omit<TaskParametersState, Internal>> {}

/**
 * Properties and loops of the actions of a task, in one request. `id` is the id of the task.
 *
 * Create and update: `POST /task/updateTaskParameters`. Read: `POST /task/getActions`.
 */
export class TaskParameters extends ReadableResource {
  constructor(name: string, args: TaskParametersArgs, opts?: CustomResourceOptions) {
    super(taskParameters, name, { ...args }, opts);
  }
}

/** Arguments of {@link ExtractionTask}. */
export interface ExtractionTaskArgs extends InputsOf<Omit<ExtractionTaskPlainArgs, "from">> {
  /** The source of the task: arguments of a TaskCopy. A change replaces as it does there. */
  from: Input<TaskSource>;
}

export interface ExtractionTask extends OutputsOf<Omit<ExtractionTaskState, Internal>> {}

/**
 * One whole task as one resource: copied or adopted, with its actions, loops and start URLs. `id` and `taskId` are the id of the task. Made
 * for many tasks.
 *
 * Create: `POST /task/copy`, `POST /task/updateTaskParameters`, `POST /task/urls:file`. Read: `POST /task/getActions`. Delete: as {@link
 * TaskCopy}.
 */
export class ExtractionTask extends ReadableResource {
  constructor(name: string, args: ExtractionTaskArgs, opts?: CustomResourceOptions) {
    super(extractionTask, name, { ...args }, opts);
  }
}

/** Arguments of {@link CloudSubtasks}. */
export interface CloudSubtasksArgs extends InputsOf<CloudSubtasksPlainArgs> {}

export interface CloudSubtasks extends OutputsOf<Omit<CloudSubtasksState, Internal>> {}

/**
 * Subtasks of a task in the cloud that should be started or stopped. They depend on every run of the task that is declared before them.
 *
 * Create and update: `POST /cloudextraction/subtasks:start` or `subtasks:stop`. Read: `GET /cloudextraction/task/subtasks`.
 */
export class CloudSubtasks extends ReadableResource {
  constructor(name: string, args: CloudSubtasksArgs, opts?: CustomResourceOptions) {
    super(cloudSubtasks, name, { ...args }, opts);
  }
}
