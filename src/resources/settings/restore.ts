import { digestOf, splitLines } from "../lists/lines";
import type { SettingId } from "../ownership";
import { keyOf } from "../ownership";
import type { Context, DriftState } from "../resource";
import type { ActionShown } from "../task/taskPresence";
import { actionsById, lookUpTask, propertyOf } from "../task/taskPresence";
import type { Items, ShownLoop } from "./loop";
import { isSameList, loopAsShown, shownLoop } from "./loop";
import type { Setting, SettingOf } from "./setting";
import { byKey, idOf, listed, merge, typesOf, without } from "./setting";

/**
 * With `onDelete: "restore"`, the settings from before the first write are remembered, and restored when they leave the declaration. A
 * setting that somebody else has changed since keeps its value.
 */
export interface RestoreArgs {
  /**
   * What happens when the settings leave the program. `retain`: they stay at the service, with a warning. `restore`: the values that the service had
   * before are written, if it showed them and nobody has changed them since. `restore` covers settings that are declared from then on, and is refused
   * for a loop with `mode: "append"`. A change makes no call.
   * @default "retain"
   */
  onDelete?: "retain" | "restore";
}

/** A setting as the service shows it, or showed it before the first write. */
export type ShownSetting = SettingOf<ShownLoop>;

/** A setting as the service shows it; undefined if the service does not show it. */
export function shownSetting(setting: Setting, actions: ReadonlyMap<unknown, ActionShown>): ShownSetting | undefined {
  const action = actions.get(setting.actionId);
  if (setting.part === "loop") {
    const value = shownLoop(action, setting.value.loopType);
    return value && { ...setting, value };
  }
  const value = action && propertyOf(action, setting.name, setting.value);
  return value === undefined ? undefined : { ...setting, value };
}

/** Drift: the settings that the service shows with other values than declared, with these values. */
export function drifts(settings: readonly Setting[], actions: readonly ActionShown[]): Setting[] {
  const shownActions = actionsById(actions);
  return settings.flatMap((setting): Setting[] => {
    const shown = shownSetting(setting, shownActions);
    if (setting.part === "property") {
      return shown?.part === "property" && shown.value !== setting.value ? [shown] : [];
    }
    const value = shown?.part === "loop" ? loopAsShown(setting.value, shown.value) : setting.value;
    return value === setting.value ? [] : [{ ...setting, value }];
  });
}

/**
 * The note of a read about drift. Only a restore needs it, to know whose value the service has. Without a restore, a refresh would show a
 * useless note beside the drift.
 */
export function noteOfDrift(
  { onDelete, drifted = [] }: RestoreArgs & DriftState,
  drift: readonly Setting[],
): DriftState {
  const all = merge(drifted, drift.map(idOf));
  return onDelete === "restore" && all.length > 0 ? { drifted: all } : {};
}

const jsonString = '("(?:[^"\\\\]|\\\\.)*")';
const driftedInWords = new RegExp(`^(?:property ${jsonString} of|the loop of) action ${jsonString}$`);

/** Version 1 of the state keeps the settings in words. */
export function upgradeDrift({ drifted }: { drifted?: readonly unknown[] }): DriftState {
  const ids = drifted?.flatMap((words): SettingId[] => {
    const [, name, actionId] = (typeof words === "string" && driftedInWords.exec(words)) || [];
    if (actionId === undefined) {
      return [];
    }
    const action = { actionId: JSON.parse(actionId) };
    return [name === undefined ? { ...action, part: "loop" } : { ...action, part: "property", name: JSON.parse(name) }];
  });
  return ids === undefined ? {} : { drifted: ids };
}

/** How much of its state one resource uses to remember values, in bytes. */
const mostBytes = 32 * 1024;

export interface Memory {
  /** The settings to remember the values of. */
  fresh: readonly Setting[];
  /** What is remembered already. */
  known: readonly ShownSetting[];
  /** The actions as the service shows them. */
  actions: readonly ActionShown[];
}

/** Remembers the present values of `fresh`, which is about to be written for the first time. `stored` is the form that the state keeps. */
export function remember(
  taskId: string,
  { fresh, known, actions }: Memory,
  stored: (settings: readonly ShownSetting[]) => unknown,
  context: Context,
): ShownSetting[] {
  const shownActions = actionsById(actions);
  const notShown: Setting[][] = [];
  const notWhole: ShownSetting[][] = [];
  const notStorable: ShownSetting[][] = [];
  const tooLarge: ShownSetting[][] = [];
  const remembered = partsOfActions(known);
  // Each part has its own entry in the state, so the sizes of the entries add up. Serializing the whole state for each part would take quadratic time.
  const bytesOf = (part: readonly ShownSetting[]): number => Buffer.byteLength(JSON.stringify(stored(part)) ?? "");
  const empty = bytesOf([]);
  const sizeOf = (part: readonly ShownSetting[]): number => bytesOf(part) - empty + ",".length;
  let size = [...remembered.values()].reduce((sum, part) => sum + sizeOf(part), empty);
  for (const [key, together] of partsOfActions(fresh)) {
    const found = together.flatMap((setting) => shownSetting(setting, shownActions) ?? []);
    const whole = found.filter(isOfCharacters);
    const storable = whole.filter(isOfLines);
    notShown.push(without(together, found));
    notWhole.push(without(found, whole));
    notStorable.push(without(whole, storable));
    if (storable.length === 0) {
      continue;
    }
    const before = remembered.get(key) ?? [];
    const part = merge(before, storable);
    const grown = size + sizeOf(part) - (before.length > 0 ? sizeOf(before) : 0);
    if (grown > mostBytes) {
      tooLarge.push(storable);
    } else {
      remembered.set(key, part);
      size = grown;
    }
  }
  const warn = (parts: readonly (readonly (Setting | ShownSetting)[])[], why: string): void => {
    const settings = parts.flat();
    if (settings.length > 0) {
      context.warn(`Task "${taskId}": ${listed(settings)} cannot be restored later, because ${why}.`);
    }
  };
  warn(notShown, "the service does not show the present value");
  warn(notWhole, "the present value has half of a surrogate pair, which is not a character");
  warn(notStorable, "an item of the present list is blank or has a line break");
  warn(tooLarge, "the present values exceed the 32 kB that are kept");
  return [...remembered.values()].flat();
}

/** The properties and the loop of each action. The properties of one action belong together, so they are remembered together or not at all. */
function partsOfActions<S extends Setting | ShownSetting>(settings: readonly S[]): Map<string, S[]> {
  const parts = new Map<string, S[]>();
  for (const setting of settings) {
    const key = `${setting.part} ${setting.actionId}`;
    const together = parts.get(key) ?? [];
    together.push(setting);
    parts.set(key, together);
  }
  return parts;
}

/** The state cannot keep half of a surrogate pair, so the value could not be restored as it was. */
function isOfCharacters(shown: ShownSetting): boolean {
  const texts = shown.part === "property" ? [shown.value] : [shown.value.loopType, ...shown.value.items];
  return !texts.some((text) => /\p{Cs}/u.test(text));
}

/** The state keeps a list as one string with an item on each line. */
function isOfLines(shown: ShownSetting): boolean {
  return shown.part === "property" || isSameList(splitLines(shown.value.items.join("\n")), shown.value.items);
}

export interface RestoreState extends RestoreArgs, DriftState {
  taskId: string;
  /** The settings before the first write. */
  remembered: readonly ShownSetting[];
}

/**
 * What to write for settings that are no longer declared: the remembered values, if the settings still have the declared values. A warning
 * names the others.
 */
export async function settingsToRestore(
  { taskId, onDelete, drifted = [], remembered }: RestoreState,
  gone: readonly Setting[],
  context: Context,
): Promise<SettingOf<Items>[]> {
  const isOwnedElsewhere = (setting: Setting): boolean => context.isOwnedElsewhere(taskId, setting);
  const rememberedByKey = byKey(remembered);
  const lost = gone.filter((setting) => {
    const old = rememberedByKey.get(keyOf(setting));
    return isOwnedElsewhere(setting) && old !== undefined && !isOurs(setting, old);
  });
  warnOfSuccessor(taskId, onDelete === "restore" ? lost : [], context);
  const leaving = gone.filter((setting) => !isOwnedElsewhere(setting));
  if (leaving.length === 0) {
    return [];
  }
  const presence =
    onDelete === "restore" ? await lookUpTask(taskId, typesOf(leaving), context) : { is: "unclear" as const };
  if (presence.is === "gone") {
    return [];
  }
  const shown = actionsById(presence.is === "there" ? presence.actions : []);
  const driftedKeys = byKey(drifted);
  const back: SettingOf<Items>[] = [];
  const staying: Setting[] = [];
  for (const setting of leaving) {
    const key = keyOf(setting);
    const old = rememberedByKey.get(key);
    const now = shownSetting(setting, shown);
    if (old !== undefined && now !== undefined && isSame(old, now)) {
      // An earlier request restored the value, and its response was lost.
      continue;
    }
    if (old !== undefined && now !== undefined && !driftedKeys.has(key) && isOurs(setting, now)) {
      back.push(toWrite(setting, old));
    } else {
      staying.push(setting);
    }
  }
  if (staying.length > 0) {
    context.warn(`Task "${taskId}" keeps the present values of ${listed(staying)}: they were not restored.`);
  }
  return back;
}

/**
 * Drops restores that another resource has claimed since the read. Call it inside `exclusive`, so that a write of that resource comes
 * either before this call or after the restore.
 */
export function stillToRestore(
  taskId: string,
  back: readonly SettingOf<Items>[],
  context: Context,
): SettingOf<Items>[] {
  const taken = back.filter((setting) => context.isOwnedElsewhere(taskId, setting));
  warnOfSuccessor(taskId, taken, context);
  return without(back, taken);
}

/** The replacing resource found our value, so with `onDelete: "restore"` it remembers ours. */
function warnOfSuccessor(taskId: string, lost: readonly (Setting | SettingOf<Items>)[], context: Context): void {
  if (lost.length > 0) {
    context.warn(
      `Task "${taskId}": ${listed(lost)} cannot be restored later, because the resource that replaces this one in this run has read the value of this one: the earlier value is forgotten.`,
    );
  }
}

/** Whether `now` is the value that our writes left. A list that others can extend too is never only ours. */
function isOurs(setting: Setting, now: ShownSetting): boolean {
  if (setting.part === "property" || now.part === "property") {
    return setting.value === now.value;
  }
  const { mode, sha256 } = setting.value;
  return mode !== "append" && isSameType(setting.value, now.value) && digestOf(now.value.items).sha256 === sha256;
}

function isSameType(one: { loopType: string }, other: { loopType: string }): boolean {
  return one.loopType.toLowerCase() === other.loopType.toLowerCase();
}

function isSame(one: ShownSetting, other: ShownSetting): boolean {
  return one.part === "loop" && other.part === "loop"
    ? isSameType(one.value, other.value) && isSameList(one.value.items, other.value.items)
    : one.value === other.value;
}

/** The state keeps no action types with the remembered values, so the type is that of the setting. */
function toWrite({ actionType }: Setting, old: ShownSetting): SettingOf<Items> {
  if (old.part === "property") {
    return { ...old, actionType };
  }
  const { loopType, items } = old.value;
  return { ...old, actionType, value: { loopType, loopItems: [...items], isAppend: false } };
}
