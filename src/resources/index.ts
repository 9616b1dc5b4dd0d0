import { ResourceError } from "../values/errors";
import { entryOf } from "../values/plain";
import type { ArgSpecs } from "./args";
import { checkFields } from "./args";
import { dataExport } from "./export/dataExport";
import { extractionTask } from "./extractionTask";
import type { CheckContext, Resource, TaskPart } from "./resource";
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

/** @throws ResourceError for a type that this version does not know */
export function resourceNamed(type: string): AnyResource {
  const resource = entryOf(resources, type);
  if (resource === undefined) {
    const known = Object.keys(resources).join(", ");
    throw new ResourceError(
      `pulumi-webextract has no resource "${type}". Was the state written by a newer version? Known: ${known}.`,
    );
  }
  return resource;
}

/** The engine enforces no time limit, and tells a dynamic provider of none. */
export function timeoutAdvice({ type, args }: AnyResource): string {
  const instead = "timeoutSeconds" in args ? "the argument timeoutSeconds" : "webextract:deadlineSeconds for each call";
  return `The option customTimeouts has no effect on ${type}. Set ${instead}.`;
}

/**
 * All that can be said of arguments without a request: what their description, the rules of the resource and its
 * `check` find.
 * @returns the form in which they are compared and stored, which has `unknown` in place of what does not fit
 */
export function checkedArgs(
  resource: AnyResource,
  given: Readonly<Record<string, unknown>>,
  context: CheckContext,
): object | Promise<object> {
  const { problems } = context;
  const sound = checkFields(resource.args, given, "", problems);
  resource.rules?.(sound, problems);
  return resource.check?.(sound, context) ?? sound;
}

/** What a resource is for its task: what a run must find in place, or what makes the rows. */
export function partOf({ isRun, manages }: AnyResource): TaskPart | undefined {
  return isRun ? "runs" : manages && "settings";
}

/** Whether a resource starts a run, for which the settings of the task must be in place. A known `adoptLotNo` starts none. */
export function startsRun({ isRun }: AnyResource, { adoptLotNo }: Readonly<Record<string, unknown>>): boolean {
  return isRun === true && typeof adoptLotNo !== "string";
}
