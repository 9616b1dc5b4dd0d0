import type { ActionParametersUpdate } from "../../service/contract/types";
import type { Context } from "../resource";
import { decidedLoop, decidedProperty } from "./actionProperties";
import { lostToSuccessor } from "./previousValues";

/**
 * Of what is to be put back, what is so still in the moment of writing: since the look at the service, another resource may have come to decide some
 * of it. To be called inside of `exclusive`, so that a write of that one comes either before this or after what is put back.
 */
export function stillToPutBack<Update extends ActionParametersUpdate>(
  taskId: string,
  back: readonly Update[],
  context: Context,
): Update[] {
  const isFree = (part: string, inWords: string): boolean => {
    const isDecided = context.isDecided(taskId, part);
    if (isDecided) {
      context.warn(`Task "${taskId}": ${lostToSuccessor(inWords)}`);
    }
    return !isDecided;
  };
  return back.flatMap((update) => {
    const { actionId, properties, loopItems, ...action } = update;
    const free = properties?.filter(({ name }) => isFree(decidedProperty(actionId, name), `${actionId}.${name}`)) ?? [];
    const loop = loopItems !== undefined && isFree(decidedLoop(actionId), `the loop of ${actionId}`);
    const left = { ...(free.length > 0 ? { properties: free } : {}), ...(loop ? { loopItems } : {}) };
    return Object.keys(left).length === 0 ? [] : [{ ...action, actionId, ...left } as Update];
  });
}

/** For a delete: writes what is still to be put back. Where there is nothing, it waits for no write of the task's other resources. */
export async function putBackAlone<Update extends ActionParametersUpdate>(
  taskId: string,
  back: readonly Update[],
  context: Context,
  write: (updates: Update[]) => Promise<unknown>,
): Promise<void> {
  if (back.length === 0) {
    return;
  }
  await context.exclusive(taskId, async () => {
    const updates = stillToPutBack(taskId, back, context);
    if (updates.length > 0) {
      await write(updates);
    }
  });
}
