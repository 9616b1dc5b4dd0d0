import { isServiceError } from "../../service/errors/errors";
import { isRecord } from "../../values/isRecord";
import type { Context } from "../resource";
import type { ActionShown } from "../task/taskPresence";
import { actionsById, fieldOf } from "../task/taskPresence";
import { actionsBefore } from "./restore";
import type { Loop, LoopOf, Write } from "./setting";
import { hasSameValue, listed, listOf, shownSetting, toUpdates } from "./setting";

type LoopWrite = Extract<Write, { part: "loop" }>;

/**
 * Sends properties and loops in one updateTaskParameters, and makes sure that the service has taken the loops. Appends
 * go by updateLoopItems, because an append that was ignored and one that was taken look alike.
 * @param took called after each request that took effect
 * @returns the service's `updatedParameters`
 */
export async function sendParameters(
  taskId: string,
  writes: readonly Write[],
  context: Context,
  took: () => void,
): Promise<Record<string, unknown> | undefined> {
  const { client, loopWay } = context;
  const isAlone = (write: Write): boolean =>
    write.part === "loop" && (write.value.isAppend || loopWay.found === "alone");
  const together = writes.filter((write) => !isAlone(write));
  const alone = writes.filter(isLoop).filter(isAlone);
  let updated: Record<string, unknown> | undefined;
  if (together.length > 0) {
    const loops = together.filter(isLoop);
    // To see a list that was right before proves nothing.
    const before = loopWay.found === "unconfirmed" ? await notShown(taskId, loops, context) : [];
    const { data } = await client.updateTaskParameters({ taskId, actions: toUpdates(together) });
    took();
    updated = data.updatedParameters;
    const repeated = loopsIn(updated);
    const open = loops.filter((loop) => !repeated.some((each) => isAsSent(loop, each)));
    if (open.length > 0 && loopWay.found !== "inActions") {
      const missing = await notShown(taskId, open, context);
      // Another resource may have found it out meanwhile.
      const isKnown = loopWay.found === "alone";
      if (missing.length > 0 && !isKnown) {
        context.warn(
          `Task "${taskId}": the service does not confirm that updateTaskParameters wrote ${listed(missing)}, and getActions does not show it so. ` +
            "So updateLoopItems sends it, and all further loops of this command.",
        );
      }
      alone.unshift(...missing);
      if (!isKnown) {
        loopWay.found = missing.length > 0 ? "alone" : before.length > 0 ? "inActions" : "unconfirmed";
      }
    }
  }
  for (const { actionId, value } of alone) {
    await client.updateLoopItems({ taskId, actionId, ...value });
    took();
  }
  return updated;
}

function isLoop(write: Write): write is LoopWrite {
  return write.part === "loop";
}

/** Those of the loops that getActions does not show as they are sent. */
async function notShown(taskId: string, loops: readonly LoopWrite[], context: Context): Promise<LoopWrite[]> {
  // The loops are sent in another way then.
  const shown = await actionsBefore(taskId, loops.map(asSetting), context).catch((error: unknown) => {
    if (isServiceError(error)) return [];
    throw error;
  });
  const actions = actionsById(shown);
  return loops.filter((loop) => !isAsSent(loop, actions.get(loop.actionId)));
}

/** The loops that a response repeats: inside the actions, or in a list beside them. */
function loopsIn(updated: Record<string, unknown>): ActionShown[] {
  const recordsIn = (name: string): ActionShown[] => {
    const list = fieldOf(updated, name);
    return Array.isArray(list) ? list.filter(isRecord) : [];
  };
  const inside = recordsIn("actions").map((action) => {
    const loop = fieldOf(action, "loopItems");
    return isRecord(loop) ? { ...loop, actionId: fieldOf(action, "actionId") } : action;
  });
  return [...inside, ...recordsIn("loopItems")];
}

function isAsSent(loop: LoopWrite, action: ActionShown | undefined): boolean {
  if (action === undefined || fieldOf(action, "actionId") !== loop.actionId) return false;
  const sent = asSetting(loop);
  const shown = shownSetting(sent, actionsById([action]));
  return shown !== undefined && hasSameValue(sent, shown);
}

function asSetting({ value, ...loop }: LoopWrite): LoopOf<Loop> {
  return { ...loop, value: { loopType: value.loopType, ...listOf(value.loopItems) } };
}
