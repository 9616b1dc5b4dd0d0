import { cloudRun } from "./cloudRun";
import { cloudSubtasks } from "./cloudSubtasks";
import { dataExport } from "./dataExport";
import { extractionTask } from "./extractionTask";
import type { Resource } from "./resource";
import { taskActionConfig } from "./taskActionConfig";
import { taskCopy } from "./taskCopy";
import { taskLoopItems } from "./taskLoopItems";
import { taskParameters } from "./taskParameters";
import { taskStartUrls } from "./taskStartUrls";

/** A resource whose types only it knows. */
// biome-ignore lint/suspicious/noExplicitAny: each resource has types of its own; the fronts move them as plain data
export type AnyResource = Resource<any, any, any>;

/** Every resource, by its name. Fronts, manifests and docs are derived from this list. */
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
