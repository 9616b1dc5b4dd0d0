import type { ArgSpec, ArgSpecs, ArgsSpec } from "../resources/args";
import { object } from "../resources/args";
import { dataExport } from "../resources/export/dataExport";
import type { DataExportArgs } from "../resources/export/model";
import type { ExtractionTaskArgs } from "../resources/extractionTask";
import { extractionTask } from "../resources/extractionTask";
import type { CloudRunArgs } from "../resources/run/cloudRunModel";
import { cloudRunArgs } from "../resources/run/cloudRunModel";
import type { Kind, Shape } from "../values/kinds";
import { list, mapOf } from "../values/kinds";

/**
 * What a document of a manifest may contain: the arguments of the resources, described where they are, and the few
 * names that only manifests have. The checks, the JSON Schema and docs/reference/manifest.md are made from it.
 */

/** One task, with its run and the exports of that run. */
export interface TaskDocument extends ExtractionTaskArgs {
  /**
   * The name of the resource, which is also the name of its run and the beginning of the names of its exports. Not
   * allowed under `tasks`, where the key is the name.
   * @default the name of the file without its ending
   */
  name?: string;
  /**
   * Earlier names of the task, or URNs of the resource. So a new name shows as a rename, and the task, its run and its
   * exports stay.
   */
  was?: string[];
  /** Options of the resource. */
  opts?: ResourceOptions;
  /** A CloudRun of this task. Without it, nothing runs. */
  run?: RunDocument;
  /**
   * DataExports of this task by their names. A name is the end of the resource's name: `rows` of the task `novels` is
   * `novels-rows`.
   */
  exports?: Record<string, ExportDocument>;
}

/** A run of the task. */
export interface RunDocument extends Omit<CloudRunArgs, "taskId" | "rerunOn"> {
  /**
   * Names of tasks of the same manifest. A change of any of their arguments starts a new run.
   * @default the task itself, unless `triggers` are given
   */
  rerunOn?: string[];
  /** Earlier names of the run, or URNs of the resource. Not needed if the task has a new name. */
  was?: string[];
  /** Options of the resource. */
  opts?: ResourceOptions;
}

/** An export of the rows of the task. */
export interface ExportDocument extends Omit<DataExportArgs, "taskId" | "scope" | "lotNo"> {
  /**
   * `batch`: the rows of one run. `all`: all rows of the task. `notExported`: the rows that are not marked as exported.
   * A change exports again.
   * @default "batch"
   */
  scope?: DataExportArgs["scope"];
  /**
   * The run whose rows are read with `scope: batch`. A change exports again.
   * @default the run of this document
   */
  lotNo?: string;
  /** Earlier names of the export, or URNs of the resource. Not needed if the task has a new name. */
  was?: string[];
  /** Options of the resource. */
  opts?: ResourceOptions;
}

/** Options of a resource, as in a program. */
export interface ResourceOptions {
  /**
   * Refuses to delete the resource.
   * @default false
   */
  protect?: boolean;
  /** Property paths whose changes are ignored, for example `startUrls`. */
  ignoreChanges?: string[];
  /**
   * Keeps what exists at the service when the resource is deleted.
   * @default false
   */
  retainOnDelete?: boolean;
}

/** Several tasks. */
export interface CollectionDocument {
  /**
   * Values for each task under `tasks`. Maps merge; lists and single values of a task replace those of the defaults,
   * and `null` removes them.
   */
  defaults?: Omit<TaskDocument, "name" | "was">;
  /** The tasks by their names. */
  tasks: Record<string, Omit<TaskDocument, "name">>;
}

/** A string that the program must know before it declares resources. */
const knownString: Kind<string> = { is: "string" };
const knownBoolean: Kind<boolean> = { is: "boolean" };
const knownScope: Kind<DataExportArgs["scope"]> = { ...dataExport.args.scope.kind };

/** The shapes whose values cannot be outputs. */
export const knownShapes: ReadonlySet<Shape> = new Set<Shape>([knownString, knownBoolean, knownScope]);

const was = { kind: list(knownString) };

export const optionFields = {
  protect: { kind: knownBoolean, default: false },
  ignoreChanges: { kind: list(knownString) },
  retainOnDelete: { kind: knownBoolean, default: false },
} satisfies ArgsSpec<ResourceOptions>;

const options = { kind: object<ResourceOptions>(optionFields) };

const { taskId: _runTask, rerunOn: _resources, ...runArgs } = cloudRunArgs;
const { taskId: _exportTask, ...exportArgs } = dataExport.args;

export const runFields: ArgsSpec<RunDocument> = {
  ...runArgs,
  rerunOn: { kind: list(knownString, { mayBeEmpty: true }) },
  was,
  opts: options,
};

export const exportFields: ArgsSpec<ExportDocument> = {
  ...exportArgs,
  // Another description than that of a program, where both must be given.
  scope: { kind: knownScope, default: "batch" },
  lotNo: { kind: { ...exportArgs.lotNo.kind } },
  was,
  opts: options,
};

/** A task under `tasks`. */
export const taskOfCollection: ArgsSpec<Omit<TaskDocument, "name">> = {
  ...extractionTask.args,
  was,
  opts: options,
  run: { kind: object<RunDocument>(runFields) },
  exports: { kind: mapOf(object<ExportDocument>(exportFields)) },
};

/** A document that declares one task. */
export const taskDocument: ArgSpecs = {
  name: { kind: knownString },
  ...taskOfCollection,
} satisfies ArgsSpec<TaskDocument>;

/** What `defaults` may contain. Nothing is required there. */
export const defaultsOfCollection: ArgSpecs = Object.fromEntries(
  Object.entries(taskOfCollection).filter(([name]) => name !== "was"),
);

/** A document that declares several tasks. */
export const collectionDocument: ArgSpecs = {
  defaults: { kind: { is: "object", fields: defaultsOfCollection } },
  tasks: { kind: { is: "map", of: { is: "object", fields: taskOfCollection } }, required: true },
};

const freeMap: Shape = { is: "map", of: { is: "any" }, mayBeEmpty: true };

/** The form of a collection, whose tasks are complete only with the defaults. */
export const collectionForm = {
  defaults: { kind: freeMap },
  tasks: { kind: { is: "map", of: freeMap }, required: true },
} satisfies Record<keyof CollectionDocument, ArgSpec>;
