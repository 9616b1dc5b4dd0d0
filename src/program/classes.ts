// biome-ignore-all lint/suspicious/noUnsafeDeclarationMerging: the outputs are those of the resource's own state, spelled and documented there, once

import type { CustomResourceOptions, Input } from "@pulumi/pulumi";
import type { DataExportArgs as DataExportPlainArgs, DataExportState } from "../resources/export/dataExport";
import { dataExport } from "../resources/export/dataExport";
import type { ExtractionTaskArgs as ExtractionTaskPlainArgs, ExtractionTaskState } from "../resources/extractionTask";
import { extractionTask } from "../resources/extractionTask";
import { cloudRun } from "../resources/run/cloudRun";
import type { CloudRunArgs as CloudRunPlainArgs, CloudRunState } from "../resources/run/cloudRunModel";
import type { CloudSubtasksArgs as CloudSubtasksPlainArgs, CloudSubtasksState } from "../resources/run/cloudSubtasks";
import { cloudSubtasks } from "../resources/run/cloudSubtasks";
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
import type { TaskStartUrlsArgs as TaskStartUrlsPlainArgs, TaskStartUrlsState } from "../resources/urls/taskStartUrls";
import { taskStartUrls } from "../resources/urls/taskStartUrls";
import type { InputsOf, OutputsOf } from "./extractionResource";
import { ExtractionResource } from "./extractionResource";
import { hashesOf, triggersOf } from "./triggers";

/** State that is the resource's own business. */
type Internal = "pending" | "outcome" | "explanation" | "listBefore" | "ownList" | "previous" | "drifted" | "leaving";

/** Arguments of {@link TaskCopy}. */
export interface TaskCopyArgs extends InputsOf<TaskCopyPlainArgs> {}

export interface TaskCopy extends OutputsOf<Omit<TaskCopyState, Internal>> {}

/**
 * A task: a copy of another one, or one that exists already and is taken over. `id` and `taskId` are the task's id.
 *
 * Create: `POST /task/copy`. Read: `POST /task/getActions`. Delete: `POST /data/remove` or nothing; the service cannot delete a task.
 */
export class TaskCopy extends ExtractionResource {
  /** Looks an existing one up without managing it. `id` is the task's id. */
  static get(
    name: string,
    id: Input<string>,
    state: Partial<TaskCopyArgs> = {},
    opts?: CustomResourceOptions,
  ): TaskCopy {
    return new TaskCopy(name, state as TaskCopyArgs, { ...opts, id });
  }

  constructor(name: string, args: TaskCopyArgs, opts?: CustomResourceOptions) {
    super(taskCopy, name, { ...args }, opts);
  }
}

/** Arguments of {@link TaskActionConfig}. */
export interface TaskActionConfigArgs extends InputsOf<TaskActionConfigPlainArgs> {}

export interface TaskActionConfig extends OutputsOf<Omit<TaskActionConfigState, Internal>> {}

/**
 * Properties of a task's actions. `id` is the task's id, so that resources can be chained by it.
 *
 * Create and update: `POST /task/updateActionProperties`, one call for all actions that changed. Read: `POST /task/getActions`.
 */
export class TaskActionConfig extends ExtractionResource {
  /** Looks an existing one up without managing it. `id` is the task's id; `state` names the actions to read. */
  static get(
    name: string,
    id: Input<string>,
    state: Partial<TaskActionConfigArgs> = {},
    opts?: CustomResourceOptions,
  ): TaskActionConfig {
    return new TaskActionConfig(name, state as TaskActionConfigArgs, { ...opts, id });
  }

  constructor(name: string, args: TaskActionConfigArgs, opts?: CustomResourceOptions) {
    super(taskActionConfig, name, { ...args }, opts);
  }
}

/** Arguments of {@link TaskLoopItems}. */
export interface TaskLoopItemsArgs extends InputsOf<TaskLoopItemsPlainArgs> {}

export interface TaskLoopItems extends OutputsOf<Omit<TaskLoopItemsState, Internal>> {}

/**
 * The items that one loop of a task goes through. `id` is the task's id.
 *
 * Create and update: `POST /task/updateLoopItems`. Read: `POST /task/getActions`.
 */
export class TaskLoopItems extends ExtractionResource {
  /** Looks an existing one up without managing it. `id` is the task's id; `state` names `actionId` and `loopType`. */
  static get(
    name: string,
    id: Input<string>,
    state: Partial<TaskLoopItemsArgs> = {},
    opts?: CustomResourceOptions,
  ): TaskLoopItems {
    return new TaskLoopItems(name, state as TaskLoopItemsArgs, { ...opts, id });
  }

  constructor(name: string, args: TaskLoopItemsArgs, opts?: CustomResourceOptions) {
    super(taskLoopItems, name, { ...args }, opts);
  }
}

/** Arguments of {@link TaskStartUrls}. */
export interface TaskStartUrlsArgs extends InputsOf<TaskStartUrlsPlainArgs> {}

export interface TaskStartUrls extends OutputsOf<Omit<TaskStartUrlsState, Internal>> {}

/**
 * The URLs at which a task starts, from a list or a file. `id` is the task's id. Needs an API key.
 *
 * Create and update: `POST /task/urls:file`.
 */
export class TaskStartUrls extends ExtractionResource {
  constructor(name: string, args: TaskStartUrlsArgs, opts?: CustomResourceOptions) {
    super(taskStartUrls, name, { ...args }, opts);
  }
}

/** Arguments of {@link CloudRun}. */
export interface CloudRunArgs extends InputsOf<Omit<CloudRunPlainArgs, "rerunOn">> {
  /** Resources of this package: a change of any of their arguments starts a new run. */
  rerunOn?: ExtractionResource[];
}

export interface CloudRun extends OutputsOf<Omit<CloudRunState, Internal>> {}

/**
 * One run of a task in the cloud. `id` and `lotNo` are its batch number. It depends on every resource declared before it that configures
 * its task.
 *
 * Create: `POST /cloudextraction/start`, which costs money; only a changed trigger starts again. Read: `GET /cloudextraction/task/subtasks`. Delete:
 * nothing, or `POST /cloudextraction/subtasks:stop`.
 */
export class CloudRun extends ExtractionResource {
  /** Looks an existing one up without managing it. `id` is the lotNo; `state` names the `taskId`. */
  static get(
    name: string,
    id: Input<string>,
    state: Partial<CloudRunArgs> = {},
    opts?: CustomResourceOptions,
  ): CloudRun {
    return new CloudRun(name, state as CloudRunArgs, { ...opts, id });
  }

  constructor(name: string, args: CloudRunArgs, opts?: CustomResourceOptions) {
    const triggers = triggersOf(`CloudRun "${name}"`, args?.triggers, "Use rerunOn: […] for it.");
    super(cloudRun, name, { ...args, triggers, rerunOn: hashesOf(name, args?.rerunOn) }, opts);
  }
}

/** Arguments of {@link DataExport}. */
export interface DataExportArgs extends InputsOf<DataExportPlainArgs> {}

export interface DataExport extends OutputsOf<Omit<DataExportState, Internal>> {}

/**
 * Rows in a file, streamed, and marked as exported if asked. It depends on every run of its task declared before it.
 *
 * Create and update: `GET /data/lotno/all`, `GET /data/all` or `GET /data/notexported`, then `POST /data/markexported` if asked.
 */
export class DataExport extends ExtractionResource {
  constructor(name: string, args: DataExportArgs, opts?: CustomResourceOptions) {
    const triggers = triggersOf(`DataExport "${name}"`, args?.triggers, "Name a property of it, such as run.id.");
    super(dataExport, name, { ...args, triggers }, opts);
  }
}

/** Arguments of {@link TaskParameters}. */
export interface TaskParametersArgs extends InputsOf<TaskParametersPlainArgs> {}

export interface TaskParameters extends OutputsOf<Omit<TaskParametersState, Internal>> {}

/**
 * Properties and loops of a task's actions, in one request. `id` is the task's id.
 *
 * Create and update: `POST /task/updateTaskParameters`. Read: `POST /task/getActions`.
 */
export class TaskParameters extends ExtractionResource {
  /** Looks an existing one up without managing it. `id` is the task's id; `state` names the actions to read. */
  static get(
    name: string,
    id: Input<string>,
    state: Partial<TaskParametersArgs> = {},
    opts?: CustomResourceOptions,
  ): TaskParameters {
    return new TaskParameters(name, state as TaskParametersArgs, { ...opts, id });
  }

  constructor(name: string, args: TaskParametersArgs, opts?: CustomResourceOptions) {
    super(taskParameters, name, { ...args }, opts);
  }
}

/** Arguments of {@link ExtractionTask}. */
export interface ExtractionTaskArgs extends InputsOf<ExtractionTaskPlainArgs> {}

export interface ExtractionTask extends OutputsOf<Omit<ExtractionTaskState, Internal>> {}

/**
 * One whole task as one resource: copied or taken over, its actions, loops and start URLs. `id` and `taskId` are the task's id. For fleets.
 *
 * Create: `POST /task/copy`, `POST /task/updateTaskParameters`, `POST /task/urls:file`. Read: `POST /task/getActions`. Delete: as {@link TaskCopy}.
 */
export class ExtractionTask extends ExtractionResource {
  /** Looks an existing one up without managing it. `id` is the task's id. */
  static get(
    name: string,
    id: Input<string>,
    state: Partial<ExtractionTaskArgs> = {},
    opts?: CustomResourceOptions,
  ): ExtractionTask {
    return new ExtractionTask(name, state as ExtractionTaskArgs, { ...opts, id });
  }

  constructor(name: string, args: ExtractionTaskArgs, opts?: CustomResourceOptions) {
    super(extractionTask, name, { ...args }, opts);
  }
}

/** Arguments of {@link CloudSubtasks}. */
export interface CloudSubtasksArgs extends InputsOf<CloudSubtasksPlainArgs> {}

export interface CloudSubtasks extends OutputsOf<Omit<CloudSubtasksState, Internal>> {}

/**
 * Subtasks of a cloud task that should be started, or stopped. It depends on every run of its task declared before it.
 *
 * Create and update: `POST /cloudextraction/subtasks:start` or `subtasks:stop`. Read: `GET /cloudextraction/task/subtasks`.
 */
export class CloudSubtasks extends ExtractionResource {
  /** Looks an existing one up without managing it. `id` is the task's id; `state` names `subTaskIds` and `desired`. */
  static get(
    name: string,
    id: Input<string>,
    state: Partial<CloudSubtasksArgs> = {},
    opts?: CustomResourceOptions,
  ): CloudSubtasks {
    return new CloudSubtasks(name, state as CloudSubtasksArgs, { ...opts, id });
  }

  constructor(name: string, args: CloudSubtasksArgs, opts?: CustomResourceOptions) {
    super(cloudSubtasks, name, { ...args }, opts);
  }
}
