import { isServiceError } from "../../service/errors/errors";
import { isUnknownText } from "../../values/engineValues";
import { isBrokenText } from "../../values/kinds";
import { isRecord } from "../../values/plain";
import { splitLines } from "../lists/lines";
import { claimKey } from "../ownership";
import type { Context, DriftState } from "../resource";
import type { ActionShown } from "../task/taskPresence";
import { actionsById, lookUpTask } from "../task/taskPresence";
import type { Setting, Write } from "./setting";
import { byKey, hasSameValue, howToReadLists, idOf, listed, listOf, merge, shownSetting, typesOf } from "./setting";

/**
 * With `onDelete: "restore"`, the settings from before the first write are remembered, and restored when they leave the
 * declaration. A setting that somebody else has changed since keeps its value.
 */
export interface RestoreArgs {
  /**
   * What happens when the settings leave the program. `retain`: they stay at the service, with a warning. `restore`:
   * the values from before the first write come back, unless somebody has changed them since. It covers settings that
   * are declared from then on. A change makes no call.
   * @default "retain"
   */
  onDelete?: "retain" | "restore";
}

/** The actions before a first write. None if the service does not show the task: the error of the write tells why. */
export async function actionsBefore(
  taskId: string,
  settings: readonly Setting[],
  context: Context,
): Promise<readonly ActionShown[]> {
  if (settings.length === 0) {
    return [];
  }
  try {
    const presence = await lookUpTask(taskId, typesOf(settings), context);
    return presence.is === "there" ? presence.actions : [];
  } catch (error) {
    // An account can be allowed to write a task that it cannot read.
    if (isServiceError(error, "refused", "plan", "actionNotFound", "contract")) {
      return [];
    }
    throw error;
  }
}

/**
 * The note of a read about drift. Only a restore needs it, to know whose value the service has. Without a restore, a
 * refresh would show a useless note beside the drift.
 */
export function noteOfDrift(state: RestoreArgs & DriftState, drift: readonly Setting[]): DriftState {
  const all = merge(driftedOf(state), drift.map(idOf));
  return state.onDelete === "restore" && all.length > 0 ? { drifted: all } : {};
}

/** Version 1 of the state has other notes of drift, which do not count. */
function driftedOf({ drifted = [] }: DriftState): NonNullable<DriftState["drifted"]> {
  return drifted.filter(isRecord);
}

/** How much of its state one resource uses to remember values, in bytes. */
const mostBytes = 32 * 1024;

/** What is remembered already, with the present values of `fresh`, which is about to be written for the first time. */
export function remember(
  taskId: string,
  { fresh, known, shown }: { fresh: readonly Setting[]; known: readonly Setting[]; shown: readonly ActionShown[] },
  context: Context,
): Setting[] {
  const actions = actionsById(shown);
  const bytesOf = (setting: Setting): number => Buffer.byteLength(JSON.stringify(setting));
  const remembered = [...known];
  let bytes = known.reduce((sum, each) => sum + bytesOf(each), 0);
  const lost: Setting[] = [];
  for (const setting of fresh) {
    const now = shownSetting(setting, actions);
    if (now === undefined || !isKeptWhole(now) || bytes + bytesOf(now) > mostBytes) {
      lost.push(setting);
    } else {
      remembered.push(now);
      bytes += bytesOf(now);
    }
  }
  if (lost.length > 0) {
    const isUnread = lost.some(({ actionId, actionType }) => actionType === undefined && !actions.has(actionId));
    context.warn(
      `Task "${taskId}": ${listed(lost)} cannot be restored later. The service does not show the present value, or the state cannot keep it: ` +
        "all values together exceed 32 kB, a value has half of a surrogate pair, or an item is blank or has a line break." +
        (isUnread ? ` ${howToReadLists}` : ""),
    );
  }
  return remembered;
}

/** The state keeps characters, and a list as one string with an item on each line. */
function isKeptWhole(setting: Setting): boolean {
  if (setting.part === "property") {
    return !isBrokenText(setting.value) && !isUnknownText(setting.value);
  }
  const { loopType, items = "", count, sha256 } = setting.value;
  const kept = listOf(splitLines(items));
  return !isBrokenText(loopType + items) && kept.count === count && kept.sha256 === sha256;
}

export interface RestoreState extends RestoreArgs, DriftState {
  taskId: string;
  /** The settings before the first write. */
  remembered: readonly Setting[];
}

/**
 * What to write for settings that are no longer declared: the remembered values, if the settings still have the
 * declared values. A warning names the others. Call it inside `exclusive`, so that another resource writes either
 * before this call or after the restore.
 */
export async function settingsToRestore(
  state: RestoreState,
  gone: readonly Setting[],
  context: Context,
): Promise<Write[]> {
  const { taskId, onDelete, remembered } = state;
  const [before, drifted] = [byKey(remembered), byKey(driftedOf(state))];
  const mayRestore = onDelete === "restore" && gone.length > 0;
  const presence = mayRestore ? await lookUpTask(taskId, typesOf(gone), context) : { is: "unclear" as const };
  if (presence.is === "gone") {
    return [];
  }
  const actions = actionsById(presence.is === "there" ? presence.actions : []);
  const back: Write[] = [];
  const staying: Setting[] = [];
  for (const setting of gone) {
    const old = before.get(claimKey(setting));
    const now = shownSetting(setting, actions);
    const isOwned = context.tasks.isOwnedElsewhere(taskId, setting);
    const isOurs = now !== undefined && !drifted.has(claimKey(setting)) && isOnlyOurs(setting, now);
    if (old !== undefined && now !== undefined && hasSameValue(old, now)) {
      continue;
    }
    if (old !== undefined && isOurs && !isOwned) {
      back.push(toWrite(setting, old));
    } else if (!isOwned || (old !== undefined && !hasSameValue(old, setting))) {
      // The other resource has read our value as the one to restore, so the old one is forgotten.
      staying.push(setting);
    }
  }
  if (staying.length > 0) {
    context.warn(`Task "${taskId}" keeps the present values of ${listed(staying)}: they were not restored.`);
  }
  return back;
}

/** Whether `now` is the value that our writes left. A list that others can extend too is never only ours. */
function isOnlyOurs(setting: Setting, now: Setting): boolean {
  return hasSameValue(setting, now) && (setting.part === "property" || setting.value.mode !== "append");
}

/** The state keeps no action types with the remembered values, so the type is that of the setting. */
function toWrite({ actionType }: Setting, old: Setting): Write {
  if (old.part === "property") {
    return { ...old, actionType };
  }
  const { loopType, items = "" } = old.value;
  return { ...old, actionType, value: { loopType, loopItems: splitLines(items), isAppend: false } };
}
