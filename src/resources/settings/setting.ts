import type { ActionParametersUpdate, LoopItemsUpdate } from "../../service/contract/types";
import { isRecord } from "../../values/plain";
import { firstOf } from "../../values/words";
import { digestOf, joinLines, splitLines } from "../lists/lines";
import type { SettingId } from "../ownership";
import { claimKey, describePart } from "../ownership";
import type { ActionShown } from "../task/taskPresence";
import { actionsById, fieldOf, itemsOf, propertyOf } from "../task/taskPresence";

/**
 * The model of what TaskActionConfig, TaskLoopItems, TaskParameters and ExtractionTask set in a task. Each of them
 * turns its arguments and its state into settings, and chooses the operation that writes them.
 */
export type Setting = SettingOf<Loop>;

/** A setting to write. */
export type Write = SettingOf<Omit<LoopItemsUpdate, "actionId">>;

type SettingOf<L> = Property | LoopOf<L>;

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

export interface LoopOf<L> extends Action {
  part: "loop";
  value: L;
}

/** The loop of an action, as the user writes it. */
export interface ActionLoop {
  /** The type of the list, as the service names it, for example `UrlList`. */
  loopType: string;
  /**
   * The items, each without a line break. The output is one text of lines, of which a diff shows those that changed.
   * Either this or `itemsFile`.
   */
  items?: string[];
  /**
   * A file with one item on each line (UTF-8; blank lines are skipped), relative to the program's folder. A diff shows
   * that the file changed.
   */
  itemsFile?: string;
  /**
   * `replace`: the list becomes these items. `append`: the items that the service's list lacks are added at its end;
   * those not sent before if the service does not show its list.
   * @default "replace"
   */
  mode?: "replace" | "append";
}

/** The loop of an action: as it is checked, as the service shows it, or as the state remembers it. */
export interface Loop extends Pick<ActionLoop, "loopType" | "itemsFile" | "mode"> {
  /** The items, one on each line. Absent if a file contains them. */
  items?: string;
  /** Number of items. */
  count: number;
  /** SHA-256 of the items, each followed by a line feed, in hex. */
  sha256: string;
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
  const names = settings.map((each) =>
    each.part === "property" ? `${each.actionId}.${each.name}` : describePart(each),
  );
  return firstOf(names, 5);
}

/** The settings by their keys. */
export function byKey<S extends SettingId>(settings: readonly S[]): ReadonlyMap<string, S> {
  return new Map(settings.map((each) => [claimKey(each), each]));
}

/** The settings that are not among `others`. */
export function without<S extends SettingId>(settings: readonly S[], others: readonly SettingId[]): S[] {
  const keys = new Set(others.map(claimKey));
  return settings.filter((each) => !keys.has(claimKey(each)));
}

/** All settings of both. The second counts if a setting is in both. */
export function merge<S extends SettingId>(first: readonly S[], second: readonly S[]): S[] {
  return [...byKey([...first, ...second]).values()];
}

/** The action types of the settings, as far as they are declared. */
export function typesOf(settings: readonly Action[]): string[] {
  return settings.flatMap(({ actionType }) => actionType ?? []);
}

/**
 * Services compare types of loops without regard to case. A change of case alone does not count, so the earlier
 * spelling stays.
 */
export function loopTypeAsBefore<T>(now: T, before: unknown): T {
  const same = typeof now === "string" && typeof before === "string" && now.toLowerCase() === before.toLowerCase();
  return same ? (before as T & string) : now;
}

/**
 * As each operation spells the types that documentation names, whatever the declaration or a read has: getActions shows
 * them as updateTaskParameters takes them.
 */
const loopTypes = {
  updateLoopItems: ["UrlList", "TextList"],
  updateTaskParameters: ["URLList", "TextList"],
} as const;

/** The type of a loop in the spelling of an operation: a service can refuse another one. Other types stay. */
export function loopTypeFor(operation: keyof typeof loopTypes, loopType: string): string {
  return loopTypes[operation].find((each) => each.toLowerCase() === loopType.toLowerCase()) ?? loopType;
}

/** A loop for updateLoopItems. */
export function toLoopUpdate({ actionId, value }: LoopOf<Omit<LoopItemsUpdate, "actionId">>): LoopItemsUpdate {
  return { actionId, ...value, loopType: loopTypeFor("updateLoopItems", value.loopType) };
}

/** Advice: TaskLoopItems does not declare the type of its action. */
export const howToReadLists =
  "To have the list read first, add the type of the loop's action to webextract:actionTypes.";

/** A list of items in the form of a loop. */
export function listOf(items: readonly string[], before?: string): Required<Pick<Loop, "items" | "count" | "sha256">> {
  const { count, sha256 } = digestOf(items);
  return { items: joinLines(items, before), count, sha256 };
}

/** A setting with the value at the service; undefined if the service does not show it. */
export function shownSetting(setting: Setting, actions: ReadonlyMap<unknown, ActionShown>): Setting | undefined {
  const action = actions.get(setting.actionId);
  if (action === undefined) {
    return undefined;
  }
  if (setting.part === "property") {
    const value = propertyOf(action, setting.name, setting.value);
    return value === undefined ? undefined : { ...setting, value };
  }
  const items = itemsOf(action);
  const shownType = fieldOf(action, "loopType");
  const loopType = loopTypeAsBefore(typeof shownType === "string" ? shownType : undefined, setting.value.loopType);
  return items && { ...setting, value: { loopType: loopType ?? setting.value.loopType, ...listOf(items) } };
}

export function hasSameValue(one: Setting, other: Setting): boolean {
  return contentOf(one) === contentOf(other);
}

function contentOf(setting: Setting): string {
  return setting.part === "property"
    ? setting.value
    : `${setting.value.loopType.toLowerCase()} ${setting.value.sha256}`;
}

/**
 * The declaration with the value at the service: the same object if that is the declared value. Undefined if the
 * service does not show it.
 */
function asShown(setting: Setting, actions: ReadonlyMap<unknown, ActionShown>): Setting | undefined {
  const shown = shownSetting(setting, actions);
  if (shown === undefined || hasSameValue(setting, shown)) {
    return shown && setting;
  }
  if (setting.part === "property" || shown.part === "property") {
    return shown;
  }
  const declared = setting.value;
  const { items, ...digest } = declared.mode === "append" ? appendedOf(declared, shown.value) : shown.value;
  const list = declared.itemsFile === undefined ? { items } : {};
  const seen: Setting = { ...setting, value: { ...declared, ...digest, loopType: shown.value.loopType, ...list } };
  return hasSameValue(setting, seen) ? setting : seen;
}

/** What the shown list has of a declaration that appends. */
function appendedOf(declared: Loop, shown: Loop): Omit<Loop, "loopType"> {
  if (declared.itemsFile !== undefined) {
    // Only the digest of the file is known, and not which of its items are missing. The next update looks for all of
    // them.
    return shown.count < declared.count ? listOf([]) : declared;
  }
  const there = new Set(splitLines(shown.items ?? ""));
  const present = splitLines(declared.items ?? "").filter((item) => there.has(item));
  return listOf(present, declared.items);
}

/** Drift: the settings that the service shows with other values than declared, with these values. */
export function drifts(settings: readonly Setting[], actions: readonly ActionShown[]): Setting[] {
  const shownActions = actionsById(actions);
  return settings.flatMap((setting) => {
    const now = asShown(setting, shownActions);
    return now === undefined || now === setting ? [] : [now];
  });
}

/** The settings whose values at the service are the declared ones, so that they need no first write. */
export function inEffect(settings: readonly Setting[], actions: readonly ActionShown[]): Setting[] {
  const shownActions = actionsById(actions);
  return settings.filter((setting) => {
    const { actionId, actionType, part, value } = setting;
    const shownType = fieldOf(shownActions.get(actionId) ?? {}, "actionType");
    const isOfType =
      typeof shownType !== "string" || (actionType ?? shownType).toLowerCase() === shownType.toLowerCase();
    // A list that contains other items too cannot be compared with a digest.
    const isKnown = part === "property" || value.mode !== "append" || value.items !== undefined;
    return isOfType && isKnown && asShown(setting, shownActions) === setting;
  });
}

/**
 * The properties to write: all properties of each action in which any was added or changed. So an action is always
 * written as it is declared.
 */
export function changedProperties(before: readonly Setting[], now: readonly Setting[]): Property[] {
  const old = byKey(before);
  const properties = now.filter((setting) => setting.part === "property");
  const isChanged = (setting: Property): boolean => {
    const { actionType, value } = old.get(claimKey(setting)) ?? {};
    return actionType !== setting.actionType || value !== setting.value;
  };
  const actionIds = new Set(properties.filter(isChanged).map(({ actionId }) => actionId));
  return properties.filter(({ actionId }) => actionIds.has(actionId));
}

/** The settings as updateTaskParameters contains them: one entry for each action. */
export function toUpdates(writes: readonly Write[]): ActionParametersUpdate[] {
  const updates = new Map<string, ActionParametersUpdate>();
  for (const write of writes) {
    const { actionId, actionType = "" } = write;
    const update = updates.get(actionId) ?? { actionType, actionId };
    updates.set(actionId, update);
    if (write.part === "property") {
      update.properties ??= [];
      update.properties.push({ name: write.name, value: write.value });
    } else {
      const loopType = loopTypeFor("updateTaskParameters", write.value.loopType);
      update.loopItems = { actionId, ...write.value, loopType };
    }
  }
  return [...updates.values()];
}
