import { isServiceError } from "../../service/errors/errors";
import { messageOf, ResourceError } from "../../values/errors";
import type { Context, Imported, Resource } from "../resource";
import type { AdoptedAction, AdoptedTask } from "./adoptedTask";
import { readTaskShown, secretValue } from "./adoptedTask";
import { notImported, Secrets } from "./secrets";

/**
 * An existing object as a program declares it.
 * @throws ResourceError that says why it cannot be imported
 */
export async function importedBy(
  { type, imported }: Pick<Resource<object, object>, "type" | "imported">,
  id: string,
  context: Context,
): Promise<Imported> {
  if (imported === undefined) {
    throw new ResourceError(
      `A ${type} cannot be imported or read by its id, because the service does not show it. Declare it in the program: an up makes it.`,
    );
  }
  return imported(id, context);
}

/** The task, with a warning for each part of it that the service does not show. */
export async function shownTask(taskId: string, context: Context): Promise<AdoptedTask> {
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
export async function verifyRun(taskId: string, lotNo: string, { client, warn }: Context): Promise<void> {
  const run = `run "${lotNo}" of task "${taskId}"`;
  let why = `The service has no rows of ${run}.`;
  try {
    const { data } = await client.getBatchData({ taskId, lotno: lotNo, offset: 0, size: 1 });
    if (data.data.length > 0) {
      return;
    }
  } catch (error) {
    if (!isServiceError(error, "notFound", "refused", "plan", "invalidRequest")) {
      throw error;
    }
    why = `The service does not show the rows of ${run}: ${messageOf(error)}`;
  }
  warn(
    `${why} The read could not verify that the run exists. If the number is wrong, correct it; after an import, remove the resource from the state first.`,
  );
}

export function noTask(taskId: string): ResourceError {
  return new ResourceError(`There is no task "${taskId}" at the service.`);
}

/** An id can contain a slash, and the id of an action or a run rarely does: the last one separates them. */
export function idsOf(type: string, id: string, second: string): [string, string] {
  const slash = id.lastIndexOf("/");
  if (slash <= 0 || slash === id.length - 1) {
    throw new ResourceError(
      `The id of a ${type}, for an import or a get, is TASK/${second}, such as "my-task/${second.toLowerCase()}-1".`,
    );
  }
  return [id.slice(0, slash), id.slice(slash + 1)];
}

/** What is declared of an action, beside its type. */
type Parts = { properties?: Record<string, unknown>; loop?: object };

export async function importedSettings(
  type: string,
  taskId: string,
  partsOfAction: (action: AdoptedAction) => Parts,
  context: Context,
): Promise<Imported> {
  const actions = declaredOf(await shownTask(taskId, context), partsOfAction);
  if (actions === undefined) {
    throw new ResourceError(
      `The service shows nothing of task "${taskId}" that a ${type} declares. The import requests the actions of webextract:actionTypes.`,
    );
  }
  return { id: taskId, args: { taskId, actions } };
}

/** The actions of which there is something to declare. */
export function declaredOf(
  { actions }: AdoptedTask,
  partsOfAction: (action: AdoptedAction) => Parts,
): Record<string, unknown> | undefined {
  const declared = actions.flatMap((action) => {
    const parts = partsOfAction(action);
    return Object.keys(parts).length === 0 ? [] : [[action.actionId, { actionType: action.actionType, ...parts }]];
  });
  return declared.length === 0 ? undefined : Object.fromEntries(declared);
}

export function partsOf(action: AdoptedAction): Parts {
  const { loop } = action;
  const isShown = loop !== undefined && loop.items !== secretValue;
  return { ...propertiesOf(action), ...(isShown && { loop: { ...loop } }) };
}

export function propertiesOf({ properties }: AdoptedAction): Parts {
  const known = [...properties].filter(([, value]) => value !== secretValue);
  return known.length === 0 ? {} : { properties: Object.fromEntries(known) };
}
