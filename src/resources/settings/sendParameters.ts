import { isServiceError } from "../../service/errors/errors";
import { isRecord } from "../../values/plain";
import type { Context } from "../resource";
import type { ActionShown } from "../task/taskPresence";
import { actionsById, fieldOf } from "../task/taskPresence";
import { actionsBefore } from "./restore";
import type { Loop, LoopOf, Write } from "./setting";
import { hasSameValue, listOf, shownSetting, toLoopUpdate, toUpdates } from "./setting";

type LoopWrite = Extract<Write, { part: "loop" }>;

/** Settings to write together. */
export interface Sending {
  taskId: string;
  writes: readonly Write[];
  /** The actions before the write, as far as they were read. */
  shown?: readonly ActionShown[];
}

/**
 * Sends properties and loops in one updateTaskParameters, and makes sure that the service has taken the loops: a
 * service that ignores them can repeat the request. Appends go by updateLoopItems, because an append that was ignored
 * and one that was taken look alike. It warns of nothing: after updateLoopItems, the loop is set, and a user has nothing
 * to do.
 * @param took called after each request that took effect
 * @returns the service's `updatedParameters`
 */
export async function sendParameters(
  { taskId, writes, shown = [] }: Sending,
  context: Context,
  took: () => void,
): Promise<Record<string, unknown> | undefined> {
  const { client } = context;
  const { loopWay } = context.tasks;
  const isAlone = (write: Write): boolean =>
    write.part === "loop" && (write.value.isAppend || loopWay.found === "alone");
  const together = writes.filter((write) => !isAlone(write));
  const alone = writes.filter(isLoop).filter(isAlone);
  let updated: Record<string, unknown> | undefined;
  if (together.length > 0) {
    const loops = together.filter(isLoop);
    // To see a list that was right before proves nothing.
    const others = loops.filter((loop) => actionsById(shown).has(loop.actionId) && !isAmong(shown, loop));
    const isRead = others.length === 0 && loopWay.found === "unconfirmed";
    const before = isRead ? await notShown(taskId, loops, context) : others;
    const { data } = await client.updateTaskParameters({ taskId, actions: toUpdates(together) });
    took();
    updated = data.updatedParameters;
    const repeated = recordsIn(updated, "loopItems");
    const open = loops.filter((loop) => !isAmong(repeated, loop));
    if (open.length > 0 && loopWay.found !== "inActions") {
      const missing = await notShown(taskId, open, context);
      alone.unshift(...missing);
      // Another resource may have found it out meanwhile.
      if (loopWay.found !== "alone") {
        loopWay.found = missing.length > 0 ? "alone" : before.length > 0 ? "inActions" : "unconfirmed";
      }
    }
  }
  for (const loop of alone) {
    await client.updateLoopItems({ taskId, ...toLoopUpdate(loop) });
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
  return loops.filter((loop) => !isAmong(shown, loop));
}

/**
 * The loops in a list beside the actions, as public documentation has it. A loop inside an action proves nothing: it
 * can be a copy of the request.
 */
function recordsIn(updated: Record<string, unknown>, name: string): ActionShown[] {
  const list = fieldOf(updated, name);
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function isAmong(shown: readonly ActionShown[], loop: LoopWrite): boolean {
  const sent = asSetting(loop);
  const now = shownSetting(sent, actionsById(shown));
  return now !== undefined && hasSameValue(sent, now);
}

function asSetting({ value, ...loop }: LoopWrite): LoopOf<Loop> {
  return { ...loop, value: { loopType: value.loopType, ...listOf(value.loopItems) } };
}
