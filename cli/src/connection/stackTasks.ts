import { isPlainMap, listOfStrings } from "../../../src/values/plain";
import { isTask, partsOfUrn } from "../../../src/values/urn";
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
  const tasks: StackTask[] = [];
  const byKey = new Map<string, StackTask>();
  const resources = await stackResources(stack, signal);
  // A wait or a refresh changes an older run. An export is written again by a change.
  const timeOf = ({ type, created, modified }: StackResource): string => (type === "CloudRun" && created) || modified;
  const named = resources.filter(({ urn }) => isTask(urn));
  const others = resources.filter(({ urn }) => !isTask(urn));
  const inTime = others.sort((one, other) => timeOf(one).localeCompare(timeOf(other)));
  for (const { urn, type, name, outputs } of [...named, ...inTime]) {
    const { taskId, profile, origin, lotNo, status, file, rowCount } = outputs;
    if (typeof taskId !== "string") {
      continue;
    }
    const key = JSON.stringify([taskId, profile]);
    let task = byKey.get(key);
    if (task === undefined || isTask(urn)) {
      const account = { profile: textOf(profile), origin: textOf(origin) };
      task = { name: isTask(urn) ? name : undefined, taskId, ...account, exports: [] };
      tasks.push(task);
      byKey.set(key, byKey.get(key) ?? task);
    }
    if (type === "CloudRun" && typeof lotNo === "string") {
      task.run = { lotNo, status: textOf(status) ?? "" };
    } else if (type === "DataExport" && typeof file === "string" && typeof rowCount === "number") {
      task.exports.push({ name, file, rows: rowCount, lotNo: textOf(lotNo) });
    }
  }
  return tasks;
}

/**
 * The resources of this package in the state of a stack. Sends nothing to the service.
 * @throws CliError if the stack cannot be read
 */
export async function stackResources(stack: string, signal?: AbortSignal): Promise<StackResource[]> {
  return (await deploymentOf(stack, signal)).resources.flatMap((each) => {
    // A replaced resource that is still to be deleted is not the one that the program means.
    if (typeof each.urn !== "string" || each.delete === true || !isPlainMap(each.outputs)) {
      return [];
    }
    const { ownType: type, name } = partsOfUrn(each.urn);
    if (type === undefined) {
      return [];
    }
    const { urn, id, created, modified, inputs, outputs, propertyDependencies: sources } = each;
    return {
      ...{ urn, type, name, id: textOf(id), outputs },
      ...{ created: textOf(created) ?? "", modified: textOf(modified) ?? "", inputs: isPlainMap(inputs) ? inputs : {} },
      sourcesOf: (argument) => (isPlainMap(sources) ? listOfStrings(sources[argument]) : []),
    };
  });
}

/**
 * The resources that the state of a stack has, or that a killed command has begun to create.
 * @throws CliError if the stack cannot be read
 */
export async function begunResources(stack: string, signal?: AbortSignal): Promise<{ urn: string; id?: string }[]> {
  const { resources, begun } = await deploymentOf(stack, signal);
  return [...resources, ...begun].flatMap(({ urn, id }) => (typeof urn === "string" ? { urn, id: textOf(id) } : []));
}

async function deploymentOf(stack: string, signal?: AbortSignal) {
  const state = await stackState(stack, signal);
  const deployment = isPlainMap(state) && isPlainMap(state.deployment) ? state.deployment : undefined;
  const { resources = [], pending_operations: pending = [] } = deployment ?? { resources: undefined };
  const operations = Array.isArray(pending) ? pending.filter(isPlainMap) : [];
  if (deployment === undefined || !Array.isArray(resources) || !resources.every(isPlainMap)) {
    throw new CliError(`The state of stack "${stack}" cannot be read: it is not what "pulumi stack export" prints.`);
  }
  return { resources, begun: operations.map(({ resource }) => resource).filter(isPlainMap) };
}

/** A value of a state, if it is a non-empty string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
