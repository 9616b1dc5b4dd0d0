import { resolve } from "node:path";
import { choice, lines, string } from "../args";
import type { CheckContext, Context, Created, DriftState, PendingState, Read, Resource } from "../resource";
import { ResourceError } from "../resource";
import { allLinesOfFile, digestOf } from "../urls/lines";
import { checkList, itemsOf, textOf } from "../urls/listArgs";
import { unknown } from "../values";
import { decidedLoop, readConfigured, writeSettings } from "./actionProperties";
import { appendOnce, pendingAppend } from "./appendOnce";
import type { CheckedItems, LoopDeclaration, LoopShown, PreviousList } from "./loopItems";
import { loadItems, lookUpLoop, loopShown, loopTypeAsBefore, missingFrom, notYetSent } from "./loopItems";
import { listToPutBack, rememberList, stillRemembered } from "./previousLists";
import type { RestoreArgs } from "./previousValues";
import { driftOf } from "./previousValues";
import { putBackAlone } from "./stillToPutBack";

/**
 * The items that one loop of a task goes through.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /task/updateLoopItems` |
 * | read | `POST /task/getActions` with the types of `webextract:actionTypes` |
 * | update | `POST /task/updateLoopItems`: the whole list, or with `mode: "append"` only the items not yet sent |
 * | delete | none, or one that puts the old list back (`onDelete: "restore"`) |
 */
export interface TaskLoopItemsArgs extends RestoreArgs {
  /** The task; pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
  /** The loop's action. A change replaces. */
  actionId: string;
  /** The kind of item, as the service names it, for example a URL list or a text list. A change replaces. */
  loopType: string;
  /** The items, each one line of text. A diff shows the lines that were added and removed. Either this or `itemsFile`. */
  items?: string[];
  /** A file with an item a line (UTF-8; blank lines are skipped), relative to the program's folder. A diff shows that it changed. */
  itemsFile?: string;
  /** `replace` (default): the list becomes these items. `append`: those that the service's list lacks are added at its end; where it is not shown, those not sent before. */
  mode?: "replace" | "append";
  /** Name of a set of credentials in `webextract:profiles`. Default: the top-level ones. */
  profile?: string;
}

export interface TaskLoopItemsState extends Omit<TaskLoopItemsArgs, "items">, CheckedItems, PendingState, DriftState {
  /** The items, one a line. */
  items?: string;
  /** Number of items. */
  count: number;
  /** SHA-256 of the items, each followed by a line feed, in hex. */
  sha256: string;
  /** What stood at the service before, with `onDelete: "restore"`. Secret. */
  previous?: PreviousList;
}

type CheckedArgs = Omit<TaskLoopItemsState, "previous" | "pending">;

export const taskLoopItems: Resource<TaskLoopItemsArgs, TaskLoopItemsState, CheckedArgs, "count" | "sha256"> = {
  type: "TaskLoopItems",
  idIs: "taskId",
  configuresTask: true,
  args: {
    taskId: { kind: string, required: true, replaces: true },
    actionId: { kind: string, required: true, replaces: true },
    loopType: { kind: string, required: true, replaces: true },
    items: { kind: lines },
    itemsFile: { kind: string },
    mode: { kind: choice("replace", "append") },
    onDelete: { kind: choice("retain", "restore"), option: true },
    profile: { kind: string, option: true },
    count: { derived: true },
    sha256: { derived: true },
  },
  outputs: ["previous"],
  secretOutputs: ["previous"],

  decides: ({ actionId }) => (typeof actionId === "string" ? [decidedLoop(actionId)] : []),

  async check(args: TaskLoopItemsArgs, context: CheckContext): Promise<CheckedArgs> {
    const list = await checkList({ ...args }, { list: "items", file: "itemsFile", before: context.previous }, context);
    const loopType = loopTypeAsBefore(args.loopType, context.previous?.loopType);
    const checked = { ...args, loopType, items: list?.text, count: list?.count, sha256: list?.sha256 } as CheckedArgs;
    if (list !== undefined) {
      await checkAppend(checked, context);
    }
    return checked;
  },

  async create(args: CheckedArgs, context: Context): Promise<Created<TaskLoopItemsState>> {
    const items = await loadItems(args, context);
    const previous = await rememberList(args, context);
    const pending = args.mode === "append" ? await pendingAppend(undefined, context) : undefined;
    const toSend = await itemsToSend(pending && { ...args, pending }, args, items, context);
    return { id: args.taskId, state: await sendAny({ ...args, previous }, toSend, context) };
  },

  async read(_id: string, state: TaskLoopItemsState, context: Context): Promise<Read<TaskLoopItemsState>> {
    return readConfigured(state, [], context, (shown) => {
      const loop = loopShown(shown, state.actionId);
      const seen = loop === undefined ? state : asSeen(state, loop);
      return { ...seen, ...driftOf(state, seen.sha256 === state.sha256 ? [] : [decidedLoop(state.actionId)]) };
    });
  },

  async update(
    _id: string,
    state: TaskLoopItemsState,
    args: CheckedArgs,
    context: Context,
  ): Promise<TaskLoopItemsState> {
    const items = await loadItems(args, context);
    const previous = args.onDelete === "restore" ? stillRemembered(state.previous, state, args) : undefined;
    const next = { ...args, previous };
    const pending = args.mode === "append" ? await pendingAppend(state.pending, context) : state.pending;
    const toSend = await itemsToSend({ ...state, pending }, args, items, context);
    return sendAny(next, toSend, context);
  },

  async delete(_id: string, state: TaskLoopItemsState, context: Context): Promise<void> {
    const back = await listToPutBack(state, context);
    if (back !== undefined) {
      const { taskId, actionId, loopType: actionType } = state;
      await putBackAlone(taskId, [{ actionType, actionId, loopItems: back }], context, () =>
        context.client.updateLoopItems({ taskId, ...back }),
      );
    }
  },
};

/** An append cannot take an item out, so a declaration that does is refused before anything is sent. */
export async function checkAppend(now: LoopDeclaration, { previous, problems, folder }: CheckContext): Promise<void> {
  const before = previous as unknown as LoopDeclaration | undefined;
  const sameLoop = (["taskId", "actionId", "loopType"] as const).every((name) => before?.[name] === now[name]);
  if (now.mode !== "append" || before === undefined || !sameLoop || (now.items as unknown) === unknown) {
    return;
  }
  const path = now.itemsFile === undefined ? "items" : "itemsFile";
  if (before.itemsFile === undefined && now.itemsFile === undefined) {
    const lost = missingFrom(itemsOf(before.items ?? ""), itemsOf(now.items ?? ""));
    if (lost.length > 0) {
      const reason = `lacks ${lost.length} of the items sent before: mode "append" cannot take items out; use mode "replace"`;
      problems.push({ path, reason });
    }
    return;
  }
  const wanted =
    now.itemsFile === undefined ? itemsOf(now.items ?? "") : await allLinesOfFile(resolve(folder, now.itemsFile));
  if (notYetSent(before, wanted, true) === undefined) {
    const reason = `no longer begins with the ${before.count} items sent before: mode "append" can only add at the end; use mode "replace"`;
    problems.push({ path, reason });
  }
}

/** Which items to send; none where the service's list is already right. Without `state` there was no declaration before. */
export async function itemsToSend(
  state: LoopDeclaration | undefined,
  checked: LoopDeclaration,
  items: string[],
  context: Context,
): Promise<string[]> {
  if (checked.mode === "append") {
    return itemsToAppend(state, checked, items, context);
  }
  const same = state?.sha256 === checked.sha256 && state.mode !== "append" && !state.pending?.length;
  return same ? [] : items;
}

/** Only the service's own list tells what is missing; where it is not shown, what was sent before counts, as far as that is known. */
async function itemsToAppend(
  state: LoopDeclaration | undefined,
  checked: LoopDeclaration,
  items: string[],
  context: Context,
): Promise<string[]> {
  const { taskId, actionId } = checked;
  if (state?.sha256 === checked.sha256 && state.loopType === checked.loopType && !state.pending?.length) {
    return [];
  }
  const loop = await lookUpLoop(checked, context);
  if (loop !== undefined) {
    return missingFrom(items, loop.items);
  }
  if (state === undefined) {
    context.warn(
      `Task "${taskId}": the items of action "${actionId}" are appended without a look at its list, which the service does not show: what stands there already may stand there twice. ` +
        "Name the loop's type in webextract:actionTypes to have it read.",
    );
    return items;
  }
  const unsent = state.pending?.length ? undefined : notYetSent(state, items, checked.itemsFile !== undefined);
  if (unsent === undefined || state.count === 0) {
    throw new ResourceError(
      `Whether an earlier append to action "${actionId}" of task "${taskId}" took effect cannot be seen, so nothing was sent: ` +
        `a second append would add the items twice. Set webextract:actionTypes so that the loop can be read, or use mode "replace", which sends the whole list.`,
    );
  }
  return unsent;
}

/** An empty list is never sent: it means that nothing is missing. */
async function sendAny(state: TaskLoopItemsState, loopItems: string[], context: Context): Promise<TaskLoopItemsState> {
  const { taskId, actionId, loopType, mode } = state;
  const isAppend = mode === "append";
  if (loopItems.length === 0 || !isAppend) {
    await context.journal?.forget("append");
  }
  if (loopItems.length === 0) {
    return state;
  }
  const send = () => context.client.updateLoopItems({ taskId, actionId, loopType, loopItems, isAppend });
  const write = (): Promise<unknown> => (isAppend ? appendOnce(state, taskLoopItems.args, send, context) : send());
  return writeSettings(state, context, write, { pending: [isAppend ? "append" : "write"] });
}

/** The state as the service's list makes it: what differs is drift. */
export function asSeen<State extends LoopDeclaration>(state: State, loop: LoopShown): State {
  const loopType =
    loop.loopType?.toLowerCase() === state.loopType.toLowerCase() ? state.loopType : (loop.loopType ?? state.loopType);
  const seen = digestOf(loop.items);
  if (state.mode !== "append") {
    const shown = { ...state, loopType, count: seen.count, sha256: seen.sha256 };
    return state.itemsFile === undefined ? { ...shown, items: textOf(loop.items, state.items) } : shown;
  }
  if (state.itemsFile !== undefined) {
    // Without the file nobody knows which of its items are left: none is taken for sent, and the next update looks which are missing.
    const { count, sha256 } = seen.count < state.count ? digestOf([]) : state;
    return { ...state, loopType, count, sha256 };
  }
  const declared = itemsOf(state.items ?? "");
  const lost = new Set(missingFrom(declared, loop.items));
  const left = declared.filter((item) => !lost.has(item));
  const { count, sha256 } = digestOf(left);
  return { ...state, loopType, items: textOf(left, state.items), count, sha256 };
}
