import type { ArgSpecs } from "../args";
import { workArgs } from "../args";
import type { Context } from "../resource";

/**
 * An append that is sent twice adds the items twice. Where an earlier run was killed in the middle of one, only the service's own
 * list tells what is still to do, as after a lost answer.
 */

/** What is still to do of this resource: as its state says, or as a run left it that was ended before it could save. */
export async function pendingAppend(
  pending: string[] | undefined,
  { journal }: Context,
): Promise<string[] | undefined> {
  if (pending !== undefined && pending.length > 0) {
    return pending;
  }
  return (await journal?.earlier("append", {})) === undefined ? pending : ["append"];
}

/** Sends an append, noted beyond this process. `state` is what it leads to. */
export async function appendOnce<T>(
  state: { taskId: string },
  spec: ArgSpecs,
  send: () => Promise<T>,
  { journal }: Context,
): Promise<T> {
  const what = `append to a list of task "${state.taskId}"`;
  const request = { operation: "append", inputs: workArgs(spec, state), what } as const;
  return journal === undefined ? send() : journal.once(request, send, () => undefined);
}
