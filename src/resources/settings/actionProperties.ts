import type { ActionParametersUpdate, ActionPropertiesUpdate } from "../../service/contract/types";
import { isServiceError } from "../../service/errors/errors";
import type { ArgsSpec } from "../args";
import { anyString, mapOf, object, string } from "../args";
import type { Context, PendingState, Read } from "../resource";
import { PartialFailure } from "../resource";
import { findAction, lookUpTask, propertyOf } from "../task/taskPresence";
import { entryOf, isMap } from "../values";

/** The declared properties of one action. */
export interface ActionSettings {
  /** The action's type, as the service names it. */
  actionType: string;
  /** Property name to value. Only what is declared here is written and compared. */
  properties: Record<string, string>;
}

/** Declared actions by their actionId. */
export type ActionSettingsMap = Record<string, ActionSettings>;

/** Property values by actionId and name. */
export type PropertyValues = Record<string, Record<string, string>>;

export const actionSettingsSpec: ArgsSpec<ActionSettings> = {
  actionType: { kind: string, required: true },
  properties: { kind: mapOf(anyString), required: true },
};

export const actionSettingsKind = mapOf(object(actionSettingsSpec));

export function typesOf(actions: Record<string, { actionType: string }>): string[] {
  return Object.values(actions).map(({ actionType }) => actionType);
}

/** Which properties and loops of which actions are declared, in words. */
export function decidedActions(actions: unknown): string[] {
  return entriesOf(actions).flatMap(([actionId, action]) => {
    const { properties, loop } = isMap(action) ? action : {};
    const names = entriesOf(properties).map(([name]) => decidedProperty(actionId, name));
    return loop === undefined ? names : [...names, decidedLoop(actionId)];
  });
}

export function decidedProperty(actionId: string, name: string): string {
  return `property "${name}" of action "${actionId}"`;
}

export function decidedLoop(actionId: string): string {
  return `the loop of action "${actionId}"`;
}

function entriesOf(map: unknown): [string, unknown][] {
  return isMap(map) ? Object.entries(map) : [];
}

/** The value of one property, where it is declared. */
export function declaredValue(actions: ActionSettingsMap, actionId: string, name: string): string | undefined {
  return entryOf(entryOf(actions, actionId)?.properties, name);
}

/** What to send: all properties of the actions in which any was added or changed. */
export function changedActions(before: ActionSettingsMap, now: ActionSettingsMap): ActionSettingsMap {
  const changed = Object.entries(now).filter(([actionId, action]) => {
    const old = entryOf(before, actionId);
    return (
      old?.actionType !== action.actionType ||
      Object.entries(action.properties).some(([name, value]) => entryOf(old.properties, name) !== value)
    );
  });
  return Object.fromEntries(changed);
}

/** The properties that `now` no longer declares. */
export function takenOut(before: ActionSettingsMap, now: ActionSettingsMap): ActionSettingsMap {
  return withProperties(before, (actionId, name) => declaredValue(now, actionId, name) === undefined);
}

function withProperties(
  actions: ActionSettingsMap,
  keep: (actionId: string, name: string) => boolean,
): ActionSettingsMap {
  const kept = Object.entries(actions).map(([actionId, { actionType, properties }]) => {
    const names = Object.entries(properties).filter(([name]) => keep(actionId, name));
    return [actionId, { actionType, properties: Object.fromEntries(names) }] as const;
  });
  return Object.fromEntries(kept.filter(([, { properties }]) => Object.keys(properties).length > 0));
}

export function mergeActions(first: ActionSettingsMap, second: ActionSettingsMap): ActionSettingsMap {
  const both = Object.entries(second).map(([actionId, action]) => {
    const properties = { ...entryOf(first, actionId)?.properties, ...action.properties };
    return [actionId, { ...action, properties }] as const;
  });
  return { ...first, ...Object.fromEntries(both) };
}

/** As the service takes them. */
export function toUpdates(actions: ActionSettingsMap): ActionPropertiesUpdate[] {
  return Object.entries(actions).map(([actionId, { actionType, properties }]) => ({
    actionType,
    actionId,
    properties: Object.entries(properties).map(([name, value]) => ({ name, value })),
  }));
}

/** One entry for each action. */
export function mergeUpdates<Update extends ActionParametersUpdate>(
  first: readonly Update[],
  second: readonly Update[],
): Update[] {
  const merged = new Map<string, Update>();
  for (const update of [...first, ...second]) {
    const same = merged.get(update.actionId);
    const properties = [...(same?.properties ?? []), ...(update.properties ?? [])];
    merged.set(update.actionId, { ...same, ...update, ...(properties.length > 0 ? { properties } : {}) });
  }
  return [...merged.values()];
}

/** The values that now stand at the service for the named properties, as far as it shows them. */
export async function currentValues(
  taskId: string,
  actions: ActionSettingsMap,
  context: Context,
): Promise<PropertyValues> {
  const presence = await lookUpTask(taskId, typesOf(actions), context);
  return presence.is === "there" ? valuesShown(presence.actions, actions) : {};
}

export function valuesShown(shown: readonly Record<string, unknown>[], actions: ActionSettingsMap): PropertyValues {
  const values = Object.entries(actions).map(([actionId, { properties }]) => {
    const action = findAction(shown, actionId);
    const found = Object.entries(properties).flatMap(([name, declared]) => {
      const value = action && propertyOf(action, name, declared);
      return value === undefined ? [] : [[name, value] as const];
    });
    return [actionId, Object.fromEntries(found)] as const;
  });
  return Object.fromEntries(values.filter(([, byName]) => Object.keys(byName).length > 0));
}

/** The declared actions with the values that the service shows: what differs is drift. */
export function withValues(actions: ActionSettingsMap, values: PropertyValues): ActionSettingsMap {
  const seen = Object.entries(actions).map(([actionId, action]) => [
    actionId,
    { ...action, properties: { ...action.properties, ...entryOf(values, actionId) } },
  ]);
  return Object.fromEntries(seen);
}

/** The declared properties whose values are not those of before. */
export function changedProperties(before: ActionSettingsMap, now: ActionSettingsMap): string[] {
  return Object.entries(before).flatMap(([actionId, { properties }]) =>
    Object.keys(properties)
      .filter((name) => declaredValue(now, actionId, name) !== properties[name])
      .map((name) => decidedProperty(actionId, name)),
  );
}

/** Reads the task that a resource configures: gone, not clear (then the state is kept), or there, as `seen` makes of it. */
export async function readConfigured<State extends { taskId: string }>(
  state: State,
  types: readonly string[],
  context: Context,
  seen: (shown: Record<string, unknown>[]) => State,
): Promise<Read<State>> {
  const presence = await lookUpTask(state.taskId, types, context);
  if (presence.is === "gone") {
    return { found: false };
  }
  return { found: true, state: presence.is === "there" ? seen(presence.actions) : state };
}

/** What is said of an append whose answer was lost, beside the error. */
export const lostAppend =
  " The items may stand in the list; the next up reads the list and sends only what is missing.";

/**
 * Writes settings of a task. If the answer is lost, what was written and what stood there before must not be: the resource is kept with
 * the write still to do, and it is safe to do it again. `kept` is the state for that case, where it is not the one that the write leads to.
 */
export async function writeSettings<State extends PendingState & { taskId: string }>(
  state: State,
  context: Context,
  write: () => Promise<unknown>,
  { pending = ["write"], kept = state }: { pending?: string[]; kept?: State } = {},
): Promise<State> {
  try {
    await context.exclusive(state.taskId, write);
    return state;
  } catch (error) {
    if (isServiceError(error) && error.outcome !== "notExecuted") {
      const next = pending.includes("append") ? lostAppend : "";
      throw new PartialFailure(error.message + next, state.taskId, { ...kept, pending });
    }
    throw error;
  }
}
