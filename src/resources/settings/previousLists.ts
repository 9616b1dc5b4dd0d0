import type { LoopItemsUpdate } from "../../service/contract/types";
import type { Context } from "../resource";
import type { Presence } from "../task/taskPresence";
import { lookUpTask } from "../task/taskPresence";
import { digestOf } from "../urls/lines";
import { itemsOf } from "../urls/listArgs";
import { decidedLoop } from "./actionProperties";
import type { LoopDeclaration, PreviousList } from "./loopItems";
import { actionTypesOf, lookUpLoop, loopShown, missingFrom } from "./loopItems";
import { lostToSuccessor, mostPreviousBytes } from "./previousValues";

/** The list that stands at the service before ours is written, for `onDelete: "restore"`. `room` is how many bytes may still be kept. */
export async function rememberList(
  args: LoopDeclaration,
  context: Context,
  room: number = mostPreviousBytes,
): Promise<PreviousList | undefined> {
  if (args.onDelete !== "restore") {
    return undefined;
  }
  const loop = await lookUpLoop(args, context);
  if (loop === undefined) {
    return warnOfLoss(args, "the service does not show what stands there now", context);
  }
  const items = loop.items.join("\n");
  if (!isSame(itemsOf(items), loop.items)) {
    return warnOfLoss(args, "the list that stands there now holds items that are no single lines of text", context);
  }
  if (Buffer.byteLength(items) > room) {
    return warnOfLoss(args, "the list that stands there now is larger than the 32 kB that are kept", context);
  }
  return { loopType: loop.loopType ?? args.loopType, items };
}

/** What is remembered once `now` is written over `before`: where appends begin, they go behind the list that we left there. */
export function stillRemembered(
  previous: PreviousList | undefined,
  before: LoopDeclaration & { drifted?: string[] },
  now: Pick<LoopDeclaration, "mode">,
): PreviousList | undefined {
  const isOurs = !before.drifted?.includes(decidedLoop(before.actionId));
  if (previous === undefined || now.mode !== "append" || before.mode === "append" || !isOurs) {
    return previous;
  }
  const { count, sha256 } = before;
  return { ...previous, replacedBy: { count, sha256 } };
}

function warnOfLoss({ taskId, actionId }: LoopDeclaration, why: string, context: Context): undefined {
  context.warn(`Task "${taskId}": the loop items of action "${actionId}" cannot be put back later, for ${why}.`);
}

/** The list to write when the declaration goes away: the old one, where ours still stands. Else a warning names what stays. */
export async function listToPutBack(
  state: LoopDeclaration & { previous?: PreviousList },
  context: Context,
): Promise<LoopItemsUpdate | undefined> {
  const { taskId, actionId, previous, drifted = [] } = state;
  const restores = state.onDelete === "restore" && previous !== undefined;
  if (context.isDecided(taskId, decidedLoop(actionId))) {
    if (restores && !isAsWritten(state, previous, itemsOf(previous.items))) {
      context.warn(`Task "${taskId}": ${lostToSuccessor(`the loop of ${actionId}`)}`);
    }
    return undefined;
  }
  const presence = await lookUpForRestore(restores, state, context);
  if (presence.is === "gone") {
    return undefined;
  }
  const now = presence.is === "there" ? loopShown(presence.actions, actionId) : undefined;
  if (now !== undefined && previous !== undefined && isSame(now.items, itemsOf(previous.items))) {
    // A put back whose answer was lost: it stands there already.
    return undefined;
  }
  const isOurs = drifted.length === 0 && now !== undefined && isAsWritten(state, previous, now.items);
  if (previous === undefined || !isOurs) {
    context.warn(
      `Task "${taskId}" keeps the loop items of action "${actionId}" as they stand at the service: nothing was put back.`,
    );
    return undefined;
  }
  return { actionId, loopType: previous.loopType, loopItems: itemsOf(previous.items), isAppend: false };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

/** Whether the list is what we made it: ours, or after appends the list that they began with and then what it lacked. */
function isAsWritten(state: LoopDeclaration, previous: PreviousList | undefined, now: readonly string[]): boolean {
  if (state.mode !== "append") {
    return digestOf(now).sha256 === state.sha256;
  }
  const { replacedBy } = previous ?? {};
  const old = itemsOf(previous?.items ?? "");
  if (isSame(now.slice(0, old.length), old) && isAppended(state, old, now.slice(old.length))) {
    return true;
  }
  const ours = now.slice(0, replacedBy?.count);
  if (replacedBy === undefined || digestOf(ours).sha256 !== replacedBy.sha256) {
    return false;
  }
  // A file holds our list too: it has grown at its end.
  const isWholeFile = state.items === undefined && digestOf(now).sha256 === state.sha256;
  return isWholeFile || isAppended(state, ours, now.slice(ours.length));
}

/** Whether `added` is what the declaration has and `base` lacks, in the order in which that was declared over time. */
function isAppended(state: LoopDeclaration, base: readonly string[], added: readonly string[]): boolean {
  if (state.items === undefined) {
    return digestOf(added).sha256 === state.sha256;
  }
  const sorted = (items: readonly string[]): string => digestOf([...items].sort()).sha256;
  return sorted(added) === sorted(missingFrom(itemsOf(state.items), base));
}

async function lookUpForRestore(needed: boolean, declared: LoopDeclaration, context: Context): Promise<Presence> {
  return needed ? lookUpTask(declared.taskId, actionTypesOf(declared), context) : { is: "unclear" };
}
