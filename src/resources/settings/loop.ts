import { resolve } from "node:path";
import { ResourceError } from "../../values/errors";
import { choice, filePath, lines, string } from "../../values/kinds";
import { holdsUnknown } from "../../values/plain";
import type { ArgsSpec, Form } from "../args";
import { readChecked } from "../lists/allowedFile";
import type { GivenList } from "../lists/checkList";
import { checkList } from "../lists/checkList";
import { digestOf, splitLines, textsOfFile } from "../lists/lines";
import type { CheckContext, Context } from "../resource";
import { actionsById, itemsOf, lookUpTask } from "../task/taskPresence";
import type { RestoreArgs } from "./restore";
import type { ActionLoop, Loop, LoopOf } from "./setting";
import { howToReadLists, loopTypeAsBefore } from "./setting";

type Items = Pick<ActionLoop, "items" | "itemsFile">;
/** Arguments with the items as a list. */
export type ItemListForm<Args extends Items> = Form<Args, "items", "itemsFile">;
/** Arguments with the items in a file. */
export type ItemFileForm<Args extends Items> = Form<Args, "itemsFile", "items">;
export type ActionLoopForm = ItemListForm<ActionLoop> | ItemFileForm<ActionLoop>;

export const loopSpec: ArgsSpec<ActionLoop, "count" | "sha256"> = {
  loopType: { kind: string, required: true },
  items: { kind: lines },
  itemsFile: { kind: filePath },
  mode: { kind: choice("replace", "append"), default: "replace" },
  count: { derived: true },
  sha256: { derived: true },
};

interface LoopCheck {
  /** The path of the loop, with a dot at the end; empty at the top. */
  at: string;
  /** The loop that was checked last time. */
  before: Loop | undefined;
  /** Whether that was the loop of the same action in the same task. */
  isSame: boolean;
  onDelete: RestoreArgs["onDelete"];
}

/** The items of a list of URLs, as its type says, are checked like start URLs if they begin like a URL. */
export function givenItems(args: object, at: string): GivenList {
  const { loopType } = args as Partial<ActionLoop>;
  const urls = typeof loopType === "string" && /url/i.test(loopType) ? "some" : undefined;
  return { args, list: "items", file: "itemsFile", at, urls };
}

export function checkLoop(
  { loopType, items, itemsFile, mode }: ActionLoop,
  { at, before, isSame, onDelete }: LoopCheck,
  context: CheckContext,
): Loop {
  // State of an earlier version can have both. Its delete warns that the list stays.
  const hadBoth = isSame && before?.mode === "append" && context.previous?.onDelete === "restore";
  if (mode === "append" && onDelete === "restore" && !hadBoth) {
    const reason =
      'cannot be "append" together with onDelete "restore": others can extend the list too, so it cannot be restored. Use mode "replace" or onDelete "retain"';
    context.problems.push({ path: `${at}mode`, reason });
  }
  const list = checkList(givenItems({ loopType, items, itemsFile }, at), before, context);
  const { joined, count, sha256 } = list ?? {};
  const checked = {
    loopType: loopTypeAsBefore(loopType, before?.loopType),
    items: joined,
    itemsFile,
    mode,
    count,
    sha256,
  } as Loop;
  const isAppended = isSame && before?.loopType === checked.loopType && !holdsUnknown(checked);
  if (list !== undefined && before !== undefined && isAppended) {
    checkAppend(checked, before, at, context);
  }
  return checked;
}

/**
 * Refuses a declaration without items that were sent before, because an append cannot remove items. `at` is the path of
 * the loop, with a dot at the end.
 */
function checkAppend(now: Loop, before: Loop, at: string, { problems, folder }: CheckContext): void {
  if (now.mode !== "append") {
    return;
  }
  const wanted =
    now.itemsFile === undefined ? splitLines(now.items ?? "") : [...textsOfFile(resolve(folder, now.itemsFile))];
  if (now.items !== undefined && before.items !== undefined) {
    const lost = missingFrom(splitLines(before.items), wanted).length;
    if (lost > 0) {
      const reason = `lacks ${lost} of the items sent before; mode "append" cannot remove items. Use mode "replace"`;
      problems.push({ path: `${at}items`, reason });
    }
  } else if (notYetSent({ ...before, items: undefined }, wanted) === undefined) {
    problems.push({
      path: `${at}${now.itemsFile === undefined ? "items" : "itemsFile"}`,
      reason: `does not begin with the ${before.count} items sent before; mode "append" can only add items at the end. Use mode "replace"`,
    });
  }
}

/** The loop among the arguments or in the state of a resource. */
export function loopOf({ loopType, items, itemsFile, mode, count, sha256 }: Loop): Loop {
  return { loopType, items, itemsFile, mode, count, sha256 };
}

/** A loop to write. */
export interface LoopStep {
  taskId: string;
  now: LoopOf<Loop>;
  /** The loop in the state. Absent if it is declared for the first time. */
  before: Loop | undefined;
  /** Whether the result of an earlier write is unknown. */
  isPending: boolean;
}

/** The items to send; none if the service's list is already right. */
export async function itemsToSend(step: LoopStep, context: Context): Promise<readonly string[]> {
  const { now, before, isPending } = step;
  const { loopType, mode, sha256 } = now.value;
  const items = await itemsOfLoop(step, context);
  const isNew = before?.loopType !== loopType;
  const wasReplaced = before?.mode !== "append";
  if (!isPending && !isNew && before.sha256 === sha256 && (mode === "append" || wasReplaced)) {
    return [];
  }
  return mode === "append" ? itemsToAppend(step, isNew, items, context) : items;
}

/** The items of the declaration. Refuses a file that changed after the preview. */
async function itemsOfLoop({ taskId, now }: LoopStep, context: Context): Promise<readonly string[]> {
  const { items = "", itemsFile, sha256 } = now.value;
  if (itemsFile === undefined) {
    return splitLines(items);
  }
  const file = { name: itemsFile, sha256, taskId };
  const read = readChecked(file, context, (path) => {
    const lines = [...textsOfFile(path)];
    return { lines, sha256: digestOf(lines).sha256 };
  });
  return read.lines;
}

/**
 * The items that the service's list lacks. If the service does not show its list: the items that were not sent before,
 * as far as that is known.
 */
async function itemsToAppend(
  { taskId, now, before, isPending }: LoopStep,
  isNew: boolean,
  items: readonly string[],
  context: Context,
): Promise<readonly string[]> {
  const { actionId, actionType } = now;
  const presence = await lookUpTask(taskId, actionType === undefined ? [] : [actionType], context);
  const action = presence.is === "there" ? actionsById(presence.actions).get(actionId) : undefined;
  const shown = action && itemsOf(action);
  if (shown !== undefined) {
    return missingFrom(items, shown);
  }
  if (isNew && !isPending) {
    context.warn(
      `Task "${taskId}": the service does not show the list of action "${actionId}", so all items are appended. Items that are in the list already are then in it twice. ` +
        howToReadLists,
    );
    return items;
  }
  const unsent = isPending || !before?.count ? undefined : notYetSent(before, items);
  if (unsent === undefined) {
    throw new ResourceError(
      `The service does not show the list of action "${actionId}" of task "${taskId}", so whether an earlier append took effect is not known. Nothing was sent, ` +
        `because a second append could add the items twice. Add the type of the loop's action to webextract:actionTypes, or use mode "replace", which sends the whole list.`,
    );
  }
  return unsent;
}

/** Without the items of `before`: those after them. Undefined if `wanted` does not begin with them. */
function notYetSent({ items, count, sha256 }: Loop, wanted: readonly string[]): readonly string[] | undefined {
  if (items !== undefined) {
    return missingFrom(wanted, splitLines(items));
  }
  return digestOf(wanted.slice(0, count)).sha256 === sha256 ? wanted.slice(count) : undefined;
}

/** The items of `wanted` that `present` lacks, in order. */
function missingFrom(wanted: readonly string[], present: readonly string[]): string[] {
  const there = new Set(present);
  return wanted.filter((item) => !there.has(item));
}
