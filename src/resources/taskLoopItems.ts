import { resolve } from "node:path";
import { isServiceError } from "../service/errors";
import type { LoopItemsUpdate } from "../service/types";
import { decidedLoop, readConfigured, writeSettings } from "./actionProperties";
import { anything, choice, text, unknown } from "./args";
import { allLinesOfFile, digestOf } from "./lines";
import { checkList, itemsOf, listOrText } from "./listArgs";
import type { CheckedItems, LoopShown } from "./loopItems";
import { loadItems, loopShown, missingFrom, notYetSent } from "./loopItems";
import type { RestoreArgs } from "./previousValues";
import type { CheckContext, Context, Created, DriftState, PendingState, Read, Resource } from "./resource";
import { PartialFailure, ResourceError } from "./resource";
import type { Presence } from "./taskPresence";
import { lookUpTask } from "./taskPresence";

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
  /** `replace` (default): the list becomes these items. `append`: only items not sent before are added at the end of the service's list. */
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
  previous?: { loopType: string; items: string };
}

type CheckedArgs = Omit<TaskLoopItemsState, "previous" | "pending">;

/** A loop of a task as it is declared or stored, whichever resource it stands in. */
export type LoopDeclaration = Omit<TaskLoopItemsState, "previous">;

const mostBytes = 32 * 1024;

export const taskLoopItems: Resource<TaskLoopItemsArgs, TaskLoopItemsState, CheckedArgs> = {
  type: "TaskLoopItems",
  idIs: "taskId",
  configuresTask: true,
  args: {
    taskId: { check: text, required: true, replaces: true },
    actionId: { check: text, required: true, replaces: true },
    loopType: { check: text, required: true, replaces: true },
    items: { check: listOrText, list: true },
    itemsFile: { check: text },
    mode: { check: choice("replace", "append") },
    onDelete: { check: choice("retain", "restore"), option: true },
    profile: { check: text, option: true },
    count: { check: anything, derived: true },
    sha256: { check: anything, derived: true },
  },
  outputs: ["previous"],
  secretOutputs: ["previous"],

  decides: ({ actionId }) => (typeof actionId === "string" ? [decidedLoop(actionId)] : []),

  async check(args: TaskLoopItemsArgs, context: CheckContext): Promise<CheckedArgs> {
    const list = await checkList({ ...args }, { list: "items", file: "itemsFile" }, context);
    const checked = { ...args, items: list?.text, count: list?.count, sha256: list?.sha256 } as CheckedArgs;
    if (list !== undefined) {
      await checkAppend(checked, context);
    }
    return checked;
  },

  async create(args: CheckedArgs, context: Context): Promise<Created<TaskLoopItemsState>> {
    const items = await loadItems(args, context);
    const previous = await rememberList(args, context);
    return { id: args.taskId, state: await send({ ...args, previous }, items, context) };
  },

  async read(_id: string, state: TaskLoopItemsState, context: Context): Promise<Read<TaskLoopItemsState>> {
    return readConfigured(state, [], context, (shown) => {
      const loop = loopShown(shown, state.actionId);
      const seen = loop === undefined ? state : asSeen(state, loop);
      return seen.sha256 === state.sha256 ? seen : { ...seen, drifted: [decidedLoop(state.actionId)] };
    });
  },

  async update(
    _id: string,
    state: TaskLoopItemsState,
    args: CheckedArgs,
    context: Context,
  ): Promise<TaskLoopItemsState> {
    const items = await loadItems(args, context);
    const next = { ...args, previous: args.onDelete === "restore" ? state.previous : undefined };
    const toSend = await itemsToSend(state, args, items, context);
    return toSend.length === 0 ? next : send(next, toSend, context);
  },

  async delete(_id: string, state: TaskLoopItemsState, context: Context): Promise<void> {
    const back = await listToPutBack(state, context);
    if (back !== undefined) {
      const { taskId } = state;
      await context.exclusive(taskId, () => context.client.updateLoopItems({ taskId, ...back }));
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

/** Which items an update sends; none where the service's list is already right. */
export async function itemsToSend(
  state: LoopDeclaration,
  checked: LoopDeclaration,
  items: string[],
  context: Context,
): Promise<string[]> {
  if (checked.mode !== "append") {
    const same = state.sha256 === checked.sha256 && state.mode !== "append" && !state.pending?.length;
    return same ? [] : items;
  }
  if (!state.pending?.length) {
    return notYetSent(state, items, checked.itemsFile !== undefined) ?? items;
  }
  // The answer to an append was lost: only the service's own list tells what is still to do.
  const presence = await lookUpTask(checked.taskId, [], context);
  const loop = presence.is === "there" ? loopShown(presence.actions, checked.actionId) : undefined;
  if (loop === undefined) {
    throw new ResourceError(
      `Whether an earlier append to action "${checked.actionId}" of task "${checked.taskId}" took effect cannot be seen, so nothing was sent: ` +
        `a second append would add the items twice. Set webextract:actionTypes so that the loop can be read, or use mode "replace", which sends the whole list.`,
    );
  }
  return missingFrom(items, loop.items);
}

async function send(state: TaskLoopItemsState, loopItems: string[], context: Context): Promise<TaskLoopItemsState> {
  const { taskId, actionId, loopType } = state;
  const isAppend = state.mode === "append";
  const write = (): Promise<unknown> =>
    context.client.updateLoopItems({ taskId, actionId, loopType, loopItems, isAppend });
  if (!isAppend) {
    return writeSettings(state, context, write);
  }
  try {
    await context.exclusive(taskId, write);
    return state;
  } catch (error) {
    if (isServiceError(error) && error.outcome !== "notExecuted") {
      const explanation = `${error.message} The items may stand in the list; the next up reads the list and sends only what is missing.`;
      throw new PartialFailure(explanation, taskId, { ...state, pending: ["append"] });
    }
    throw error;
  }
}

/** The state as the service's list makes it: what differs is drift. */
export function asSeen<State extends LoopDeclaration>(state: State, loop: LoopShown): State {
  const loopType =
    loop.loopType?.toLowerCase() === state.loopType.toLowerCase() ? state.loopType : (loop.loopType ?? state.loopType);
  const seen = digestOf(loop.items);
  if (state.mode !== "append") {
    const shown = { ...state, loopType, count: seen.count, sha256: seen.sha256 };
    return state.itemsFile === undefined ? { ...shown, items: loop.items.join("\n") } : shown;
  }
  if (state.itemsFile !== undefined) {
    return seen.count < state.count
      ? { ...state, loopType, count: seen.count, sha256: seen.sha256 }
      : { ...state, loopType };
  }
  const declared = itemsOf(state.items ?? "");
  const lost = new Set(missingFrom(declared, loop.items));
  const left = declared.filter((item) => !lost.has(item));
  const { count, sha256 } = digestOf(left);
  return { ...state, loopType, items: left.join("\n"), count, sha256 };
}

export async function rememberList(args: LoopDeclaration, context: Context): Promise<TaskLoopItemsState["previous"]> {
  if (args.onDelete !== "restore") {
    return undefined;
  }
  const presence = await lookUpTask(args.taskId, [], context);
  const loop = presence.is === "there" ? loopShown(presence.actions, args.actionId) : undefined;
  const items = loop?.items.join("\n");
  const warn = (why: string): undefined => {
    context.warn(
      `Task "${args.taskId}": the loop items of action "${args.actionId}" cannot be put back later, for ${why}.`,
    );
  };
  if (loop === undefined || items === undefined) {
    return warn("the service does not show what stands there now");
  }
  if (Buffer.byteLength(items) > mostBytes) {
    return warn("the list that stands there now is larger than 32 kB");
  }
  return { loopType: loop.loopType ?? args.loopType, items };
}

/** The list to write when the declaration goes away: the old one, where ours still stands. Else a warning names what stays. */
export async function listToPutBack(
  state: LoopDeclaration & Pick<TaskLoopItemsState, "previous">,
  context: Context,
): Promise<LoopItemsUpdate | undefined> {
  const { taskId, actionId, previous, onDelete, drifted = [] } = state;
  if (context.isDecided(taskId, decidedLoop(actionId))) {
    return undefined;
  }
  const presence = await lookUpForRestore(onDelete === "restore" && previous !== undefined, taskId, context);
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
  return digestOf(one).sha256 === digestOf(other).sha256;
}

/** Whether the list is what we made it: ours, or after appends the old one and then ours, in the order in which they were declared over time. */
function isAsWritten(
  state: LoopDeclaration,
  previous: TaskLoopItemsState["previous"],
  now: readonly string[],
): boolean {
  if (state.mode !== "append") {
    return digestOf(now).sha256 === state.sha256;
  }
  const before = itemsOf(previous?.items ?? "");
  const added = now.slice(before.length);
  const isAppended = before.every((item, index) => now[index] === item);
  const sorted = (items: readonly string[]): string => digestOf([...items].sort()).sha256;
  const same =
    state.items === undefined
      ? digestOf(added).sha256 === state.sha256
      : sorted(added) === sorted(itemsOf(state.items));
  return isAppended && same;
}

async function lookUpForRestore(needed: boolean, taskId: string, context: Context): Promise<Presence> {
  return needed ? lookUpTask(taskId, [], context) : { is: "unclear" };
}
