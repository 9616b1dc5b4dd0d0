import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";
import { messageOf, ResourceError } from "../resource";
import { terminalStatusOf } from "../run/statuses";
import type { AdoptedAction, AdoptedTask } from "./adoptedTask";
import { readTaskShown, secretValue } from "./adoptedTask";
import { notImported, Secrets } from "./secrets";

/** An object of the service as a program declares it. */
export interface Imported {
  /** The id of its resource. */
  id: string;
  /** As a program writes them. */
  args: Record<string, unknown>;
  /** State beside the arguments that a read needs. */
  state?: Record<string, unknown>;
}

type Import = (id: string, context: Context) => Promise<Imported>;

/** How an existing object becomes a resource, by the resource's type. Makes no write. */
const imports: Readonly<Record<string, Import>> = {
  TaskCopy: async (id, context) => {
    await taskOf(id, context);
    return { id, args: { adoptTaskId: id } };
  },
  ExtractionTask: async (id, context) => {
    const actions = declaredOf(await taskOf(id, context), partsOf);
    return { id, args: { from: { adoptTaskId: id }, ...(actions && { actions }) } };
  },
  TaskParameters: (taskId, context) => settingsOf("TaskParameters", taskId, partsOf, context),
  TaskActionConfig: (taskId, context) => settingsOf("TaskActionConfig", taskId, propertiesOf, context),
  TaskLoopItems: async (id, context) => {
    const [taskId, actionId] = idsOf("TaskLoopItems", id, "ACTION");
    const { actions } = await taskOf(taskId, context);
    const { loop } = actions.find((action) => action.actionId === actionId) ?? {};
    if (loop === undefined || loop.items === secretValue) {
      throw new ResourceError(
        `The service shows no list of action "${actionId}" of task "${taskId}" that can be imported. The import requests the actions of webextract:actionTypes.`,
      );
    }
    return { id: taskId, args: { taskId, actionId, loopType: loop.loopType, items: [...loop.items] } };
  },
  CloudRun: async (id, context) => {
    const [taskId, lotNo] = idsOf("CloudRun", id, "LOTNO");
    await taskOf(taskId, context);
    await verifyRun(taskId, lotNo, context);
    const state = { lotNo, status: "adopted", subtasks: { total: 0, byStatus: {} } };
    return { id: lotNo, args: { taskId, adoptLotNo: lotNo }, state };
  },
  CloudSubtasks: async (taskId, context) => {
    const list = await context.client.allSubtasks(taskId).catch((error: unknown) => {
      throw isServiceError(error, "notFound") ? noTask(taskId) : error;
    });
    if (list.length === 0) {
      throw new ResourceError(`Task "${taskId}" has no subtasks, so they cannot be imported.`);
    }
    const isAtRest = list.every(({ status }) => {
      const terminal = terminalStatusOf(status, context.settings.statuses);
      return terminal !== undefined && terminal !== "finished";
    });
    const subTaskIds = list.map(({ subTaskId }) => subTaskId).sort();
    return { id: taskId, args: { taskId, subTaskIds, desired: isAtRest ? "stopped" : "started" } };
  },
};

/** @throws ResourceError that says why the object cannot be imported */
export async function importArgs(type: string, id: string, context: Context): Promise<Imported> {
  const read = Object.hasOwn(imports, type) ? imports[type] : undefined;
  if (read === undefined) {
    throw new ResourceError(
      `A ${type} cannot be imported, because the service does not show it. Declare it in the program: an up makes it.`,
    );
  }
  return read(id, context);
}

async function taskOf(taskId: string, context: Context): Promise<AdoptedTask> {
  const task = await readTaskShown(taskId, new Secrets(context.redact, notImported), context);
  if (task === undefined) {
    throw noTask(taskId);
  }
  const ofActions = task.actions.flatMap(({ actionId, notes }) => notes.map((note) => `Action "${actionId}": ${note}`));
  for (const note of [...task.notes, ...ofActions]) {
    context.warn(note);
  }
  return task;
}

/** The service lists no runs. Only rows show that a run exists, and a run can have none. */
async function verifyRun(taskId: string, lotNo: string, { client, warn }: Context): Promise<void> {
  const run = `run "${lotNo}" of task "${taskId}"`;
  let why = `The service has no rows of ${run}.`;
  try {
    const { data } = await client.getBatchData({ taskId, lotno: lotNo, offset: 0, size: 1 });
    if (data.data.length > 0) {
      return;
    }
  } catch (error) {
    if (!isServiceError(error, "notFound", "refused", "plan")) {
      throw error;
    }
    why = `The service does not show the rows of ${run}: ${messageOf(error)}`;
  }
  warn(
    `${why} The import could not verify that the run exists. If the number is wrong, remove the resource from the state and import it again.`,
  );
}

function noTask(taskId: string): ResourceError {
  return new ResourceError(`There is no task "${taskId}" at the service.`);
}

/** An id can contain a slash, and the id of an action or a run rarely does: the last one separates them. */
function idsOf(type: string, id: string, second: string): [string, string] {
  const slash = id.lastIndexOf("/");
  if (slash <= 0 || slash === id.length - 1) {
    throw new ResourceError(
      `The id for the import of a ${type} is TASK/${second}, such as "my-task/${second.toLowerCase()}-1".`,
    );
  }
  return [id.slice(0, slash), id.slice(slash + 1)];
}

/** What is declared of an action, beside its type. */
type Parts = { properties?: Record<string, unknown>; loop?: object };

async function settingsOf(
  type: string,
  taskId: string,
  partsOfAction: (action: AdoptedAction) => Parts,
  context: Context,
): Promise<Imported> {
  const actions = declaredOf(await taskOf(taskId, context), partsOfAction);
  if (actions === undefined) {
    throw new ResourceError(
      `The service shows nothing of task "${taskId}" that a ${type} declares. The import requests the actions of webextract:actionTypes.`,
    );
  }
  return { id: taskId, args: { taskId, actions } };
}

/** The actions of which there is something to declare. */
function declaredOf(
  { actions }: AdoptedTask,
  partsOfAction: (action: AdoptedAction) => Parts,
): Record<string, unknown> | undefined {
  const declared = actions.flatMap((action) => {
    const parts = partsOfAction(action);
    return Object.keys(parts).length === 0 ? [] : [[action.actionId, { actionType: action.actionType, ...parts }]];
  });
  return declared.length === 0 ? undefined : Object.fromEntries(declared);
}

function partsOf(action: AdoptedAction): Parts {
  const { loop } = action;
  const isShown = loop !== undefined && loop.items !== secretValue;
  return { ...propertiesOf(action), ...(isShown && { loop: { ...loop } }) };
}

function propertiesOf({ properties }: AdoptedAction): Parts {
  const known = [...properties].filter(([, value]) => value !== secretValue);
  return known.length === 0 ? {} : { properties: Object.fromEntries(known) };
}
