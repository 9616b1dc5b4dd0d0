import type { Context, DriftState } from "../resource";
import type { Presence } from "../task/taskPresence";
import { lookUpTask } from "../task/taskPresence";
import { entryOf } from "../values";
import type { ActionSettingsMap, PropertyValues } from "./actionProperties";
import { currentValues, decidedProperty, declaredValue, mergeActions, typesOf, valuesShown } from "./actionProperties";

/**
 * `onDelete: "restore"`: what stood at the service before we wrote is kept in `previous`, and put back when the declaration goes away, but
 * only where our value still stands: what somebody changed since is theirs.
 */
export interface RestoreArgs {
  /**
   * What happens to the settings when they are taken out of the program: `retain` (default) leaves them as they are, with a warning;
   * `restore` puts back what stood there before, where it was readable and where nobody changed it since. A change replaces nothing; `restore` works for what
   * is declared from then on.
   */
  onDelete?: "retain" | "restore";
}

/** What is kept in one resource's state of what stood there before. */
export const mostPreviousBytes = 32 * 1024;

/** Reads what stands at the service for the properties that are about to be written for the first time. */
export async function rememberValues(
  taskId: string,
  args: RestoreArgs,
  known: PropertyValues,
  fresh: ActionSettingsMap,
  context: Context,
): Promise<PropertyValues | undefined> {
  if (args.onDelete !== "restore") {
    return undefined;
  }
  if (Object.keys(fresh).length === 0) {
    return known;
  }
  const seen = await currentValues(taskId, fresh, context);
  const notShown = names(fresh).filter(({ actionId, name }) => valueIn(seen, actionId, name) === undefined);
  if (notShown.length > 0) {
    context.warn(
      `Task "${taskId}": ${listed(notShown)} cannot be put back later, for the service does not show what stands there now.`,
    );
  }
  const all = mergeValues(known, seen);
  if (Buffer.byteLength(JSON.stringify(all)) > mostPreviousBytes) {
    context.warn(
      `Task "${taskId}": what stood there before is larger than 32 kB and is not kept, so it cannot be put back later.`,
    );
    return known;
  }
  return all;
}

/**
 * What to write for properties that are no longer declared: their old values, where ours still stand. What stays as it is is named in a
 * warning.
 */
export async function valuesToPutBack(
  state: { taskId: string; previous?: PropertyValues } & RestoreArgs & DriftState,
  gone: ActionSettingsMap,
  context: Context,
): Promise<ActionSettingsMap> {
  const { taskId, previous = {}, drifted = [] } = state;
  const isDecided = ({ actionId, name }: PropertyName): boolean =>
    context.isDecided(taskId, decidedProperty(actionId, name));
  warnOfHandover(state, gone, names(gone).filter(isDecided), context);
  const leaving = names(gone).filter((each) => !isDecided(each));
  if (leaving.length === 0) {
    return {};
  }
  let back: ActionSettingsMap = {};
  const staying: PropertyName[] = [];
  const presence: Presence =
    state.onDelete === "restore" ? await lookUpTask(taskId, typesOf(gone), context) : { is: "unclear" };
  if (presence.is === "gone") {
    return {};
  }
  const now = presence.is === "there" ? valuesShown(presence.actions, gone) : {};
  for (const { actionId, name } of leaving) {
    const action = entryOf(gone, actionId);
    const old = valueIn(previous, actionId, name);
    const value = valueIn(now, actionId, name);
    if (old !== undefined && value === old) {
      // A put back whose answer was lost: it stands there already.
      continue;
    }
    const isOurs = value === entryOf(action?.properties, name) && !drifted.includes(decidedProperty(actionId, name));
    if (action === undefined || old === undefined || !isOurs) {
      staying.push({ actionId, name });
    } else {
      const properties = { [name]: old };
      back = mergeActions(back, { [actionId]: { actionType: action.actionType, properties } });
    }
  }
  if (staying.length > 0) {
    context.warn(`Task "${taskId}" keeps ${listed(staying)} as it stands at the service: nothing was put back.`);
  }
  return back;
}

/** What takes the place of this resource was made while ours stood there: that is what it remembers, and what was there before is lost. */
function warnOfHandover(
  { taskId, previous = {}, onDelete }: { taskId: string; previous?: PropertyValues } & RestoreArgs,
  gone: ActionSettingsMap,
  decided: PropertyName[],
  context: Context,
): void {
  const lost = decided.filter(({ actionId, name }) => {
    const old = valueIn(previous, actionId, name);
    return old !== undefined && old !== declaredValue(gone, actionId, name);
  });
  if (onDelete === "restore" && lost.length > 0) {
    context.warn(`Task "${taskId}": ${lostToSuccessor(listed(lost))}`);
  }
}

/** The successor may remember what it found, with `onDelete: "restore"`, but that is ours. */
export function lostToSuccessor(what: string): string {
  return `${what} cannot be put back later, for what took its place in this run found ours there: what stood there before is forgotten.`;
}

/**
 * What a read notes of parts that it found changed. Nothing where nothing will be put back: whose value stands there matters only for that, and a
 * refresh would show it to people beside the drift itself.
 */
export function driftOf({ onDelete, drifted = [] }: RestoreArgs & DriftState, found: readonly string[]): DriftState {
  const all = [...new Set([...drifted, ...found])];
  return onDelete === "restore" && all.length > 0 ? { drifted: all } : {};
}

/** Both, the second where a property is in both. */
export function mergeValues(first: PropertyValues, second: PropertyValues): PropertyValues {
  const both = Object.entries(second).map(([actionId, values]) => [
    actionId,
    { ...entryOf(first, actionId), ...values },
  ]);
  return { ...first, ...Object.fromEntries(both) };
}

/** What is no longer declared is no longer remembered: declared again, something else may stand there before. */
export function withoutValues(values: PropertyValues, gone: ActionSettingsMap): PropertyValues {
  const kept = Object.entries(values).map(([actionId, byName]) => {
    const names = Object.entries(byName).filter(([name]) => declaredValue(gone, actionId, name) === undefined);
    return [actionId, Object.fromEntries(names)] as const;
  });
  return Object.fromEntries(kept.filter(([, byName]) => Object.keys(byName).length > 0));
}

function valueIn(values: PropertyValues, actionId: string, name: string): string | undefined {
  return entryOf(entryOf(values, actionId), name);
}

interface PropertyName {
  actionId: string;
  name: string;
}

function names(actions: ActionSettingsMap): PropertyName[] {
  return Object.entries(actions).flatMap(([actionId, { properties }]) =>
    Object.keys(properties).map((name) => ({ actionId, name })),
  );
}

function listed(properties: PropertyName[]): string {
  const shown = properties.slice(0, 5).map(({ actionId, name }) => `${actionId}.${name}`);
  const more = properties.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
