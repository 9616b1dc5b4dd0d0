import type { Context, DriftState, PendingState } from "../resource";
import type { ActionShown } from "../task/taskPresence";
import { fieldOf, findAction, lookUpTask } from "../task/taskPresence";
import { readChecked } from "../urls/checkedFile";
import { allLinesOfFile, digestOf } from "../urls/lines";
import { itemsOf } from "../urls/listArgs";

/** Loop items as `check` leaves them: one text with an item a line, or a file with its digest. */
export interface CheckedItems {
  items?: string;
  itemsFile?: string;
  count: number;
  sha256: string;
}

/** A loop of a task as it is declared or stored, whichever resource it stands in. */
export interface LoopDeclaration extends CheckedItems, PendingState, DriftState {
  taskId: string;
  actionId: string;
  /** The type of the loop's action, where it is declared: reads ask for it. */
  actionType?: string;
  loopType: string;
  mode?: "replace" | "append";
  onDelete?: "retain" | "restore";
}

/** A list that stood at the service before ours, its items one a line. */
export interface PreviousList {
  loopType: string;
  items: string;
  /** Our list that took the place of the old one, where `mode` has become `append` since: the appends went behind it. */
  replacedBy?: Pick<CheckedItems, "count" | "sha256">;
}

/** A loop as the service shows it. */
export interface LoopShown {
  loopType?: string;
  items: string[];
}

/** Services tell no cases of a loop's type apart, so another case is no change: the type stays as it was written before. */
export function loopTypeAsBefore<T>(now: T, before: unknown): T {
  const same = typeof now === "string" && typeof before === "string" && now.toLowerCase() === before.toLowerCase();
  return same ? (before as T & string) : now;
}

/** The list itself. Refuses a file that is no longer the one that was previewed. `at` is the path of the object that names it, with a dot at the end. */
export async function loadItems(
  { items, itemsFile, sha256, taskId }: CheckedItems & { taskId: string },
  context: Context,
  at = "",
): Promise<string[]> {
  if (itemsFile === undefined) {
    return itemsOf(items ?? "");
  }
  const file = { name: itemsFile, sha256, argument: `${at}itemsFile`, taskId };
  return readChecked(file, context, async (path) => {
    const content = await allLinesOfFile(path);
    return { content, sha256: digestOf(content).sha256 };
  });
}

/** The loop of one action, or undefined where the service doesn't show it. */
export function loopShown(actions: readonly ActionShown[], actionId: string): LoopShown | undefined {
  const action = findAction(actions, actionId);
  const items = action && fieldOf(action, "loopItems");
  if (action === undefined || !Array.isArray(items)) {
    return undefined;
  }
  const loopType = fieldOf(action, "loopType");
  return { items: items.map(String), ...(typeof loopType === "string" ? { loopType } : {}) };
}

/** The loop of a declaration as it stands at the service; undefined where that is not to be seen. */
export async function lookUpLoop(declared: LoopDeclaration, context: Context): Promise<LoopShown | undefined> {
  const presence = await lookUpTask(declared.taskId, actionTypesOf(declared), context);
  return presence.is === "there" ? loopShown(presence.actions, declared.actionId) : undefined;
}

export function actionTypesOf({ actionType }: LoopDeclaration): string[] {
  return actionType === undefined ? [] : [actionType];
}

/** The items of `wanted` that `present` lacks, in order. */
export function missingFrom(wanted: readonly string[], present: readonly string[]): string[] {
  const there = new Set(present);
  return wanted.filter((item) => !there.has(item));
}

/**
 * The items that an append still has to send. A file's old content is not kept, only its digest: it may grow at its end, and then
 * its beginning still has that digest.
 */
export function notYetSent(before: CheckedItems, wanted: readonly string[], fromFile: boolean): string[] | undefined {
  if (before.itemsFile === undefined && !fromFile) {
    return missingFrom(wanted, itemsOf(before.items ?? ""));
  }
  const grown = digestOf(wanted.slice(0, before.count)).sha256 === before.sha256;
  return grown ? wanted.slice(before.count) : undefined;
}
