import type { ArgSpecs } from "./args";
import { dataExport } from "./export/dataExport";
import { extractionTask } from "./extractionTask";
import type { Resource } from "./resource";
import { cloudRun } from "./run/cloudRun";
import { cloudSubtasks } from "./run/cloudSubtasks";
import { taskActionConfig } from "./settings/taskActionConfig";
import { taskLoopItems } from "./settings/taskLoopItems";
import { taskParameters } from "./settings/taskParameters";
import { taskCopy } from "./task/taskCopy";
import { taskStartUrls } from "./task/taskStartUrls";

/** A resource without its own types. */
// biome-ignore lint/suspicious/noExplicitAny: each resource has its own types; its callers pass them as plain data
export interface AnyResource extends Omit<Resource<any, any, any, any>, "args"> {
  readonly args: ArgSpecs;
}

/** Every resource by its name. The provider, the manifests and the docs are derived from this list. */
export const resources: Readonly<Record<string, AnyResource>> = {
  TaskCopy: taskCopy,
  TaskActionConfig: taskActionConfig,
  TaskParameters: taskParameters,
  TaskLoopItems: taskLoopItems,
  TaskStartUrls: taskStartUrls,
  ExtractionTask: extractionTask,
  CloudRun: cloudRun,
  CloudSubtasks: cloudSubtasks,
  DataExport: dataExport,
};
