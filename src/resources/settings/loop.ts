import { resolve } from "node:path";
import type { LoopItemsUpdate } from "../../service/contract/types";
import { readChecked } from "../lists/checkedFile";
import { allLinesOfFile, digestOf } from "../lists/lines";
import type { CheckContext, Context } from "../resource";
import { ResourceError } from "../resource";
import type { ActionShown } from "../task/taskPresence";
import { actionsById, fieldOf, itemsOf, lookUpTask } from "../task/taskPresence";

/** The loop of an action, as it is declared. */
export interface Loop {
  loopType: string;
  /** The items. Absent if a file contains them. */
  items?: readonly string[];
  itemsFile?: string;
  mode?: "replace" | "append";
  /** Number of items. */
  count: number;
  /** SHA-256 of the items, each followed by a line feed, in hex. */
  sha256: string;
}

/** The loop of an action, as the service shows it. */
export interface ShownLoop {
  loopType: string;
  items: readonly string[];
}

/** Items to write to a loop. */
export type Items = Omit<LoopItemsUpdate, "actionId">;

/** The place of a loop. */
export interface LoopPlace {
  taskId: string;
  actionId: string;
  actionType?: string;
}

/** Services compare types of loops without regard to case. A change of case alone does not count, so the earlier spelling stays. */
export function loopTypeAsBefore<T>(now: T, before: unknown): T {
  const same = typeof now === "string" && typeof before === "string" && now.toLowerCase() === before.toLowerCase();
  return same ? (before as T & string) : now;
}

/** The loop of an action. Undefined if the service does not show the action or its loop. */
export function shownLoop(action: ActionShown | undefined, declaredType: string): ShownLoop | undefined {
  const items = action && itemsOf(action);
  if (action === undefined || items === undefined) {
    return undefined;
  }
  const loopType = fieldOf(action, "loopType");
  const shownType = typeof loopType === "string" ? loopType : declaredType;
  return { items, loopType: loopTypeAsBefore(shownType, declaredType) };
}

/** The declaration with the values of the service's list; the same object if both are equal. Any difference is drift. */
export function loopAsShown(declared: Loop, shown: ShownLoop): Loop {
  const seen = { ...declared, loopType: shown.loopType, ...digestAsShown(declared, shown.items) };
  return seen.sha256 === declared.sha256 && seen.loopType === declared.loopType ? declared : seen;
}

function digestAsShown(declared: Loop, items: readonly string[]): Pick<Loop, "items" | "count" | "sha256"> {
  const { mode, itemsFile } = declared;
  if (mode === "append" && itemsFile !== undefined) {
    // Only the digest of the file is known, and not which of its items are missing. The next update looks for all of them.
    const { count, sha256 } = items.length < declared.count ? digestOf([]) : declared;
    return { count, sha256 };
  }
  const seen = mode === "append" ? presentIn(declared.items ?? [], items) : items;
  const { count, sha256 } = digestOf(seen);
  return itemsFile === undefined ? { items: seen, count, sha256 } : { count, sha256 };
}

/**
 * Refuses a declaration without items that were sent before, because an append cannot remove items. `at` is the path of the loop, with a
 * dot at the end.
 */
export function checkAppend(now: Loop, before: Loop, at: string, { problems, folder }: CheckContext): void {
  if (now.mode !== "append") {
    return;
  }
  const { items, itemsFile } = now;
  if (items !== undefined && before.items !== undefined) {
    const lost = missingFrom(before.items, items).length;
    if (lost > 0) {
      problems.push({
        path: `${at}items`,
        reason: `lacks ${lost} of the items sent before; mode "append" cannot remove items. Use mode "replace"`,
      });
    }
    return;
  }
  const wanted = itemsFile === undefined ? (items ?? []) : allLinesOfFile(resolve(folder, itemsFile));
  if (addedBehind(before, wanted) === undefined) {
    problems.push({
      path: `${at}${itemsFile === undefined ? "items" : "itemsFile"}`,
      reason: `does not begin with the ${before.count} items sent before; mode "append" can only add items at the end. Use mode "replace"`,
    });
  }
}

/** The items of the declaration. Refuses a file that changed after the preview. `at` is the path of the loop, with a dot at the end. */
export async function itemsOfLoop(
  { items = [], itemsFile, sha256 }: Loop,
  taskId: string,
  at: string,
  context: Context,
): Promise<readonly string[]> {
  if (itemsFile === undefined) {
    return items;
  }
  const file = { name: itemsFile, sha256, argument: `${at}itemsFile`, taskId };
  return readChecked(file, context, async (path) => {
    const content = allLinesOfFile(path);
    return { content, sha256: digestOf(content).sha256 };
  });
}

/** The loop of an earlier step: its declaration, and whether the result of its write is unknown. */
export interface EarlierLoop {
  loop: Loop;
  isPending: boolean;
}

/** The items to send; none if the service's list is already right. Without `earlier`, the loop is declared for the first time. */
export async function itemsToSend(
  place: LoopPlace,
  earlier: EarlierLoop | undefined,
  now: Loop,
  items: readonly string[],
  context: Context,
): Promise<readonly string[]> {
  const isDone = earlier !== undefined && !earlier.isPending && earlier.loop.sha256 === now.sha256;
  if (now.mode !== "append") {
    return isDone && earlier.loop.mode !== "append" ? [] : items;
  }
  return isDone ? [] : itemsToAppend(place, earlier, items, context);
}

/** The items that the service's list lacks. If the service does not show its list: the items that were not sent before, as far as that is known. */
async function itemsToAppend(
  place: LoopPlace,
  earlier: EarlierLoop | undefined,
  items: readonly string[],
  context: Context,
): Promise<readonly string[]> {
  const { taskId, actionId, actionType } = place;
  const presence = await lookUpTask(taskId, actionType === undefined ? [] : [actionType], context);
  const shown = presence.is === "there" ? shownLoop(actionsById(presence.actions).get(actionId), "") : undefined;
  if (shown !== undefined) {
    return missingFrom(items, shown.items);
  }
  if (earlier === undefined) {
    context.warn(
      `Task "${taskId}": the service does not show the list of action "${actionId}", so all items are appended. Items that are in the list already are then in it twice. ` +
        "To have the list read first, add the type of the loop's action to webextract:actionTypes.",
    );
    return items;
  }
  const unsent = earlier.isPending || earlier.loop.count === 0 ? undefined : notYetSent(earlier.loop, items);
  if (unsent === undefined) {
    throw new ResourceError(
      `The service does not show the list of action "${actionId}" of task "${taskId}", so whether an earlier append took effect is not known. Nothing was sent, ` +
        `because a second append could add the items twice. Add the type of the loop's action to webextract:actionTypes, or use mode "replace", which sends the whole list.`,
    );
  }
  return unsent;
}

function notYetSent(before: Loop, wanted: readonly string[]): readonly string[] | undefined {
  return before.items === undefined ? addedBehind(before, wanted) : missingFrom(wanted, before.items);
}

/** The items after those of `before`, of which only the digest is known; undefined if `wanted` does not begin with them. */
function addedBehind({ count, sha256 }: Loop, wanted: readonly string[]): readonly string[] | undefined {
  return digestOf(wanted.slice(0, count)).sha256 === sha256 ? wanted.slice(count) : undefined;
}

export function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

/** The items of `wanted` that `present` lacks, in order. */
function missingFrom(wanted: readonly string[], present: readonly string[]): string[] {
  const there = new Set(present);
  return wanted.filter((item) => !there.has(item));
}

function presentIn(wanted: readonly string[], present: readonly string[]): string[] {
  const there = new Set(present);
  return wanted.filter((item) => there.has(item));
}
