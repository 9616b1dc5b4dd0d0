import { splitLines } from "../lists/lines";
import type { ShownSetting } from "./restore";
import type { SettingOf } from "./setting";

/** The form in which the state keeps the settings from before the first write. */

/** Values of properties, by actionId and name. */
export type PropertyValues = Record<string, Record<string, string>>;

export interface PreviousList {
  loopType: string;
  /** The items, one on each line. */
  items: string;
}

export function rememberedValues(values: PropertyValues = {}): ShownSetting[] {
  return Object.entries(values).flatMap(([actionId, properties]) =>
    Object.entries(properties).map(([name, value]) => ({ actionId, part: "property" as const, name, value })),
  );
}

export function rememberedLists(lists: Record<string, PreviousList> = {}): ShownSetting[] {
  return Object.entries(lists).map(([actionId, list]) => ({
    actionId,
    part: "loop",
    value: { loopType: list.loopType, items: splitLines(list.items) },
  }));
}

/** The values of the properties among the settings. */
export function valuesOf(settings: readonly SettingOf<unknown>[]): PropertyValues {
  const values = new Map<string, [string, string][]>();
  for (const setting of settings) {
    if (setting.part === "property") {
      const { actionId, name, value } = setting;
      const entries = values.get(actionId) ?? [];
      entries.push([name, value]);
      values.set(actionId, entries);
    }
  }
  return Object.fromEntries([...values].map(([actionId, entries]) => [actionId, Object.fromEntries(entries)]));
}

export function listsOf(remembered: readonly ShownSetting[]): Record<string, PreviousList> {
  const lists = remembered.flatMap((setting) =>
    setting.part === "loop"
      ? [[setting.actionId, { ...setting.value, items: setting.value.items.join("\n") }] as const]
      : [],
  );
  return Object.fromEntries(lists);
}
