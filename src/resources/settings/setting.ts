import type { ActionParametersUpdate } from "../../service/contract/types";
import { isRecord } from "../../service/isRecord";
import type { SettingId } from "../ownership";
import { describePart, keyOf } from "../ownership";
import type { Items, Loop } from "./loop";

/**
 * The model of what TaskActionConfig, TaskLoopItems, TaskParameters and ExtractionTask set in a task. Each of them turns its arguments and
 * its state into settings, and chooses the operation that writes them.
 */
export type Setting = SettingOf<Loop>;

/** A setting whose loops have a value of the form `L`: declared, as the service shows it, or to be written. */
export type SettingOf<L> = Property | LoopOf<L>;

interface Action {
  actionId: string;
  /** Absent where the resource does not declare it. Reads ask for it. */
  actionType?: string;
}

interface Property extends Action {
  part: "property";
  name: string;
  value: string;
}

interface LoopOf<L> extends Action {
  part: "loop";
  value: L;
}

export function idOf(setting: SettingId): SettingId {
  const { actionId, part } = setting;
  return part === "property" ? { actionId, part, name: setting.name } : { actionId, part };
}

/** The settings in a map of actions. Parts of the map can be outputs, whose values are not known. */
export function idsOfActions(actions: unknown): SettingId[] {
  const entriesOf = (map: unknown): [string, unknown][] => (isRecord(map) ? Object.entries(map) : []);
  return entriesOf(actions).flatMap(([actionId, action]) => {
    const { properties, loop } = isRecord(action) ? action : {};
    const ids = entriesOf(properties).map(([name]): SettingId => ({ actionId, part: "property", name }));
    return loop === undefined ? ids : [...ids, { actionId, part: "loop" }];
  });
}

/** Several settings in a message. */
export function listed(settings: readonly SettingId[]): string {
  const shown = settings
    .slice(0, 5)
    .map((each) => (each.part === "property" ? `${each.actionId}.${each.name}` : describePart(each)));
  const more = settings.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The settings by their keys. */
export function byKey<S extends SettingId>(settings: readonly S[]): ReadonlyMap<string, S> {
  return new Map(settings.map((each) => [keyOf(each), each]));
}

/** The settings that are not among `others`. */
export function without<S extends SettingId>(settings: readonly S[], others: readonly SettingId[]): S[] {
  const keys = new Set(others.map(keyOf));
  return settings.filter((each) => !keys.has(keyOf(each)));
}

/** All settings of both. The second counts if a setting is in both. */
export function merge<S extends SettingId>(first: readonly S[], second: readonly S[]): S[] {
  return [...byKey([...first, ...second]).values()];
}

/** The action types of the settings, as far as they are declared. */
export function typesOf(settings: readonly Action[]): string[] {
  return settings.flatMap(({ actionType }) => actionType ?? []);
}

/** The properties to write: all properties of each action in which any was added or changed. So an action is always written as it is declared. */
export function changedProperties(before: readonly Setting[], now: readonly Setting[]): Property[] {
  const old = byKey(before);
  const properties = now.filter((setting) => setting.part === "property");
  const isChanged = (setting: Property): boolean => {
    const { actionType, value } = old.get(keyOf(setting)) ?? {};
    return actionType !== setting.actionType || value !== setting.value;
  };
  const actionIds = new Set(properties.filter(isChanged).map(({ actionId }) => actionId));
  return properties.filter(({ actionId }) => actionIds.has(actionId));
}

/** The settings as a request contains them: one entry for each action. */
export function toUpdates(writes: readonly SettingOf<Items>[]): ActionParametersUpdate[] {
  const updates = new Map<string, ActionParametersUpdate>();
  for (const write of writes) {
    const { actionId, actionType = "" } = write;
    const update = updates.get(actionId) ?? { actionType, actionId };
    updates.set(actionId, update);
    if (write.part === "property") {
      update.properties ??= [];
      update.properties.push({ name: write.name, value: write.value });
    } else {
      update.loopItems = { actionId, ...write.value };
    }
  }
  return [...updates.values()];
}
