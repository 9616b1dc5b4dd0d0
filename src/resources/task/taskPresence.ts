import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";
import { entryOf } from "../values";

/** One action as the service shows it: the contract leaves its fields open. */
export type ActionShown = Record<string, unknown>;

/**
 * What is known of a task. `gone` is only what the service says in so many words for this one task; a task that an answer leaves
 * out may just have no action of the types asked for, and stays `unclear`.
 */
export type Presence = { is: "there"; actions: ActionShown[] } | { is: "gone" } | { is: "unclear" };

/** Looks a task up with the action types that concern the caller and those of the configuration. */
export async function lookUpTask(taskId: string, types: readonly string[], context: Context): Promise<Presence> {
  const asked = [...new Set([...types, ...context.settings.actionTypes])].sort();
  const first = await askForActions(taskId, asked, context);
  if (first.is !== "unclear" || asked.length === 0) {
    return first;
  }
  return askForActions(taskId, [], context);
}

async function askForActions(taskId: string, actionTypes: string[], context: Context): Promise<Presence> {
  try {
    const task = await context.actionReader.read(taskId, actionTypes);
    if (task === undefined) {
      return { is: "unclear" };
    }
    context.saw(taskId, "there");
    return { is: "there", actions: task.actions };
  } catch (error) {
    if (isServiceError(error, "notFound")) {
      context.saw(taskId, "gone");
      return { is: "gone" };
    }
    // Without a type to ask for, some services refuse the question itself, which says nothing about the task.
    if (actionTypes.length === 0 && isServiceError(error, "refused")) {
      return { is: "unclear" };
    }
    throw error;
  }
}

/** Whether a task exists, for a caller that has no action to ask for. */
export async function lookUpExistence(taskId: string, context: Context): Promise<Presence["is"]> {
  const presence = await lookUpTask(taskId, [], context);
  return presence.is === "unclear" ? lookUpByRows(taskId, context) : presence.is;
}

/** Whether a task exists, where its actions do not tell. */
export async function lookUpByRows(taskId: string, context: Context): Promise<Presence["is"]> {
  try {
    await context.client.getData({ taskId, offset: 0, size: 1 });
    context.saw(taskId, "there");
    return "there";
  } catch (error) {
    if (isServiceError(error, "notFound")) {
      context.saw(taskId, "gone");
      return "gone";
    }
    if (isServiceError(error, "refused", "plan")) {
      return "unclear";
    }
    throw error;
  }
}

/** Whether the service says of a task that is none of the caller's that it is gone. Says nothing of what it found to anybody else. */
export async function isGone(taskId: string, context: Context): Promise<boolean> {
  try {
    return (await lookUpExistence(taskId, { ...context, saw: () => {} })) === "gone";
  } catch (error) {
    if (isServiceError(error, "refused", "plan", "actionNotFound", "contract")) {
      return false;
    }
    throw error;
  }
}

/** Finds an action among those that the service shows. */
export function findAction(actions: readonly ActionShown[], actionId: string): ActionShown | undefined {
  return actions.find((action) => fieldOf(action, "actionId") === actionId);
}

/** A field by its name, whatever its case: what a read answers is not part of the contract. */
export function fieldOf(shown: ActionShown, name: string): unknown {
  if (Object.hasOwn(shown, name)) {
    return shown[name];
  }
  const key = Object.keys(shown).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : shown[key];
}

/**
 * The value of a property: in a list of name/value pairs, in a map, or in the action itself. Undefined where it isn't shown. A service that shows a
 * number may have lost how it was written: the same number as the declared one is the declared text.
 */
export function propertyOf(action: ActionShown, name: string, declared: string): string | undefined {
  const properties = fieldOf(action, "properties");
  let value: unknown;
  if (Array.isArray(properties)) {
    value = properties.find((each) => each?.name === name)?.value;
  } else if (typeof properties === "object" && properties !== null) {
    value = entryOf(properties as Record<string, unknown>, name);
  }
  value ??= entryOf(action, name);
  if (typeof value === "number" && declared.trim() !== "" && Number(declared) === value) {
    return declared;
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}
