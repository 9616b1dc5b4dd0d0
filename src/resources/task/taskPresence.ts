import type { ServiceErrorKind } from "../../service/errors/errors";
import { isServiceError } from "../../service/errors/errors";
import { entryOf, isRecord } from "../../values/plain";
import type { Context } from "../resource";

/** One action as the service shows it. The contract does not define its fields. */
export type ActionShown = Record<string, unknown>;

/**
 * What is known of a task. `gone` only if the service says explicitly that this one task does not exist. `unclear` for
 * a task that a response omits, because it is possible that the task has no action of the requested types.
 */
export type Presence = { is: "there"; actions: ActionShown[]; name?: string } | { is: "gone" } | { is: "unclear" };

/** The action types that public documentation of such services names. */
export const documentedTypes = ["EnterTextAction", "LoopAction", "NavigateAction"];

/** Looks a task up with the action types of the caller and those of the configuration. */
export async function lookUpTask(taskId: string, types: readonly string[], context: Context): Promise<Presence> {
  const asked = [...new Set([...types, ...context.settings.actionTypes])].sort();
  const first = await askForActions(taskId, asked, context);
  return first.is === "unclear" && asked.length > 0 ? askForActions(taskId, [], context) : first;
}

/** The same, and by its rows if its actions do not show whether the task exists. */
export async function lookUpByAll(taskId: string, types: readonly string[], context: Context): Promise<Presence> {
  const presence = await lookUpTask(taskId, types, context);
  return presence.is !== "unclear"
    ? presence
    : looking(taskId, context, ["refused", "plan"], async () => {
        await context.client.getData({ taskId, offset: 0, size: 1 });
        return { is: "there", actions: [] };
      });
}

/**
 * A task with all of its actions. Some services show them only by type: then with those of the documented types and of
 * the configuration, which adds types and leaves none out.
 */
export async function lookUpAllActions(taskId: string, context: Context): Promise<Presence> {
  const first = await askForActions(taskId, [], context);
  const isShown = first.is === "there" && first.actions.length > 0;
  return isShown || first.is === "gone" ? first : lookUpByAll(taskId, documentedTypes, context);
}

/** Whether a task exists, for a caller without actions to ask for. */
export async function lookUpExistence(taskId: string, context: Context): Promise<Presence["is"]> {
  return (await lookUpByAll(taskId, [], context)).is;
}

function askForActions(taskId: string, actionTypes: string[], context: Context): Promise<Presence> {
  // Some services refuse a request without types, which says nothing about the task.
  const unclear = actionTypes.length === 0 ? (["refused"] as const) : [];
  return looking(taskId, context, unclear, async () => {
    const task = await context.tasks.actions.read(taskId, actionTypes);
    if (task === undefined) {
      return { is: "unclear" };
    }
    // The contract shows no such field.
    const name = fieldOf({ ...task }, "taskName") ?? fieldOf({ ...task }, "name");
    return { is: "there", actions: task.actions, name: typeof name === "string" ? name.trim() : undefined };
  });
}

/** @param unclear the kinds of errors that say nothing about the task */
async function looking(
  taskId: string,
  context: Context,
  unclear: readonly ServiceErrorKind[],
  look: () => Promise<Presence>,
): Promise<Presence> {
  try {
    const presence = await look();
    if (presence.is === "there") {
      context.tasks.saw(taskId, "there", presence.actions);
    }
    return presence;
  } catch (error) {
    if (isServiceError(error, "notFound")) {
      context.tasks.saw(taskId, "gone");
      return { is: "gone" };
    }
    if (isServiceError(error) && unclear.includes(error.kind)) {
      return { is: "unclear" };
    }
    throw error;
  }
}

/**
 * Whether the service says that a task is gone. Does not report the finding to `saw`, because no resource of the caller
 * manages the task.
 */
export async function isGone(taskId: string, context: Context): Promise<boolean> {
  try {
    return (await lookUpExistence(taskId, unseen(context))) === "gone";
  } catch (error) {
    if (isServiceError(error, "refused", "plan", "notYours", "actionNotFound", "contract")) {
      return false;
    }
    throw error;
  }
}

/**
 * Whether each read says that a task is not this account's, or gone, and one of the other tasks responds: then the
 * credentials are not the reason.
 */
export async function isSurelyNotOurs(
  taskId: string,
  others: readonly string[],
  { client }: Pick<Context, "client">,
): Promise<boolean> {
  const rowsOf = (id: string): Promise<unknown> => client.getData({ taskId: id, offset: 0, size: 1 });
  const reads = [
    client.getActions({ taskIds: [taskId], actionTypes: [...documentedTypes] }),
    client.getSubtasks({ taskId, page: 1, size: 1 }),
    rowsOf(taskId),
  ].map((read: Promise<unknown>) =>
    read.then(() => false).catch((error: unknown) => isServiceError(error, "notYours")),
  );
  if (!(await Promise.all(reads)).every(Boolean)) {
    return false;
  }
  for (const other of others) {
    if (
      await rowsOf(other)
        .then(() => true)
        .catch(() => false)
    ) {
      return true;
    }
  }
  return false;
}

/** The actions that the service shows, by their `actionId`. The first counts if the service shows one twice. */
export function actionsById(actions: readonly ActionShown[]): ReadonlyMap<unknown, ActionShown> {
  return new Map(actions.toReversed().map((action) => [fieldOf(action, "actionId"), action]));
}

/** A field by its name, without case, because the contract does not define the fields. */
export function fieldOf(shown: ActionShown, name: string): unknown {
  if (Object.hasOwn(shown, name)) {
    return shown[name];
  }
  const key = Object.keys(shown).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : shown[key];
}

/** The name and the value of an entry in a list of properties. Undefined if it has no name. */
export function pairOf(entry: unknown): [string, unknown] | undefined {
  const name = isRecord(entry) ? fieldOf(entry, "name") : undefined;
  return isRecord(entry) && typeof name === "string" ? [name, fieldOf(entry, "value")] : undefined;
}

/** Fields of an action that are not its properties, if the service shows properties as fields of the action. */
const ownFields = ["actiontype", "actionid", "name", "looptype", "loopitems", "isappend", "properties"];

/**
 * The properties of an action: in a list of name/value pairs, in a map, or as fields of the action, because the
 * contract does not define it. A name is undefined if the service does not show it.
 */
export function propertiesShown(action: ActionShown): { pairs: [string | undefined, unknown][]; areFields: boolean } {
  const properties = fieldOf(action, "properties");
  if (Array.isArray(properties)) {
    return { pairs: properties.map((each) => pairOf(each) ?? [undefined, undefined]), areFields: false };
  }
  const areFields = !isRecord(properties);
  const pairs = Object.entries(areFields ? action : properties);
  return { pairs: pairs.filter(([name]) => !areFields || !ownFields.includes(name.toLowerCase())), areFields };
}

/**
 * The value of a property: in a list of name/value pairs, in a map, or in the action itself. Undefined if the service
 * does not show it. If the service shows a number or a boolean that equals the declared one, the value is the declared
 * string, because the service does not keep how it was written.
 */
export function propertyOf(action: ActionShown, name: string, declared: string): string | undefined {
  const properties = fieldOf(action, "properties");
  let value: unknown;
  if (Array.isArray(properties)) {
    value = properties.map(pairOf).find((pair) => pair?.[0] === name)?.[1];
  } else if (isRecord(properties)) {
    value = entryOf(properties, name);
  }
  value ??= entryOf(action, name);
  if (typeof value === "number" && declared.trim() !== "" && Number(declared) === value) {
    return declared;
  }
  if (typeof value === "boolean" && declared.trim().toLowerCase() === String(value)) {
    return declared;
  }
  return textOf(value);
}

/** The items of the action's loop. Undefined if the service does not show them as values that can be written again. */
export function itemsOf(action: ActionShown): string[] | undefined {
  const items = fieldOf(action, "loopItems");
  const texts = Array.isArray(items) ? items.map(textOf) : [undefined];
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** A single value as a string; undefined for others. A number beyond the range of a double has lost its digits. */
function textOf(value: unknown): string | undefined {
  const isShown = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  return isShown ? String(value) : undefined;
}

/** A context whose reads do not count for the account. */
export function unseen(context: Context): Context {
  return { ...context, tasks: { ...context.tasks, saw: () => undefined } };
}
