import { isTask, partsOfUrn } from "../../resources/urn";
import { isPlainMap } from "../../resources/values";
import { CliError } from "../exitCodes";
import { stackState } from "./pulumi";

/** A task that the state of a stack contains. */
export interface StackTask {
  /** Name of its ExtractionTask or TaskCopy. Undefined if only other resources, such as a CloudRun, name the task. */
  name?: string;
  taskId: string;
  /** The account of its resources; undefined for the default one. */
  profile?: string;
  /** Scheme, host and port of its service. */
  origin?: string;
  /** The run that was started last. */
  run?: { lotNo: string; status: string };
  /** The DataExports, the one that was written last at the end. */
  exports: { name: string; file: string; rows: number; lotNo?: string }[];
}

/** A resource of this package in the state of a stack. */
export interface StackResource {
  urn: string;
  type: string;
  isTask: boolean;
  name: string;
  id?: string;
  /** When it was made and changed last, as ISO 8601. Empty if the state does not say. */
  created: string;
  modified: string;
  inputs: Readonly<Record<string, unknown>>;
  outputs: Readonly<Record<string, unknown>>;
  /** URNs of the resources from which the value of an argument comes. */
  sourcesOf(argument: string): string[];
}

/**
 * The tasks of a stack of the project in the current folder, as its state knows them. Sends nothing to the service.
 * @throws CliError if the stack cannot be read
 */
export async function stackTasks(stack: string, signal?: AbortSignal): Promise<StackTask[]> {
  return tasksOf(await stackResources(stack, signal));
}

/**
 * The resources of this package in the state of a stack. Sends nothing to the service.
 * @throws CliError if the stack cannot be read
 */
export async function stackResources(stack: string, signal?: AbortSignal): Promise<StackResource[]> {
  const state = await stackState(stack, signal);
  const resources = isPlainMap(state) && isPlainMap(state.deployment) ? (state.deployment.resources ?? []) : undefined;
  if (!Array.isArray(resources) || !resources.every(isPlainMap)) {
    throw new CliError(`The state of stack "${stack}" cannot be read: it is not what "pulumi stack export" prints.`);
  }
  return resourcesOf(resources);
}

function resourcesOf(resources: readonly Record<string, unknown>[]): StackResource[] {
  return resources.flatMap((each) => {
    // A replaced resource that is still to be deleted is not the one that the program means.
    if (typeof each.urn !== "string" || each.delete === true || !isPlainMap(each.outputs)) {
      return [];
    }
    const { ownType: type, name } = partsOfUrn(each.urn);
    const { urn, id, created, modified, inputs, outputs, propertyDependencies: sources } = each;
    const found = {
      ...{ urn, type, name, isTask: isTask(urn), id: text(id) || undefined, outputs },
      ...{ created: text(created), modified: text(modified), inputs: isPlainMap(inputs) ? inputs : {} },
      sourcesOf: (argument: string) => (isPlainMap(sources) ? listOfStrings(sources[argument]) : []),
    };
    return found.type === undefined ? [] : [{ ...found, type: found.type }];
  });
}

function tasksOf(resources: readonly StackResource[]): StackTask[] {
  const byKey = new Map<string, StackTask>();
  const named: StackTask[] = [];
  const keyOf = ({ outputs }: StackResource): string => JSON.stringify([outputs.taskId, outputs.profile]);
  for (const resource of resources) {
    if (resource.isTask && typeof resource.outputs.taskId === "string") {
      const task = taskOf(resource, resource.name);
      named.push(task);
      byKey.set(keyOf(resource), byKey.get(keyOf(resource)) ?? task);
    }
  }
  // A wait or a refresh changes an older run. An export is written again by a change.
  const timeOf = ({ type, created, modified }: StackResource): string => (type === "CloudRun" && created) || modified;
  for (const resource of [...resources].sort((one, other) => compare(timeOf(one), timeOf(other)))) {
    if (typeof resource.outputs.taskId === "string") {
      const task = byKey.get(keyOf(resource)) ?? taskOf(resource);
      byKey.set(keyOf(resource), task);
      addTo(task, resource);
    }
  }
  return [...new Set([...named, ...byKey.values()])];
}

function taskOf({ outputs }: StackResource, name?: string): StackTask {
  const { taskId, profile, origin } = outputs;
  return {
    name,
    taskId: text(taskId),
    profile: text(profile) || undefined,
    origin: text(origin) || undefined,
    exports: [],
  };
}

/** @param resource each in the order in which they were changed */
function addTo(task: StackTask, { type, name, outputs }: StackResource): void {
  if (type === "CloudRun" && typeof outputs.lotNo === "string") {
    task.run = { lotNo: outputs.lotNo, status: text(outputs.status) };
  } else if (type === "DataExport" && typeof outputs.file === "string" && typeof outputs.rowCount === "number") {
    const lotNo = typeof outputs.lotNo === "string" ? outputs.lotNo : undefined;
    task.exports.push({ name, file: outputs.file, rows: outputs.rowCount, lotNo });
  }
}

function listOfStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
