import type { ServiceError } from "../../service/errors/errors";
import { isServiceError, withoutHint } from "../../service/errors/errors";
import { PartialFailure, ResourceError } from "../../values/errors";
import { isRecord } from "../../values/plain";
import { didYouMean, firstOf } from "../../values/words";
import type { ArgSpecs } from "../args";
import { workArgs } from "../args";
import type { Context, PendingState } from "../resource";
import { fieldOf, lookUpTask } from "./taskPresence";

export interface TaskWrite<State> {
  /** The state that the write leads to. */
  state: State;
  /** The state to keep if the response is lost. Default: `state`. */
  kept?: State;
  /** Set if the write appends items: sent twice, it would add them twice. The arguments are noted in the journal. */
  append?: ArgSpecs;
}

/**
 * Writes to a task. Call it inside `exclusive`. If the response is lost, or only the first of several requests took
 * effect, the resource is kept with the write pending. Except for an append, a write can safely be sent again.
 */
export async function writeTask<State extends PendingState & { taskId: string }, Result>(
  { state, kept = state, append }: TaskWrite<State>,
  send: (took: () => void) => Promise<Result>,
  context: Context,
): Promise<Result> {
  const { taskId } = state;
  let tookEffect = false;
  const sendAll = () =>
    send(() => {
      tookEffect = true;
    });
  try {
    return await (append === undefined ? sendAll() : sendAppend(taskId, workArgs(append, state), sendAll, context));
  } catch (error) {
    const isLost = isServiceError(error) && error.outcome !== "notExecuted";
    if (isServiceError(error) && (isLost || tookEffect)) {
      const message =
        append === undefined
          ? `${error.message}${isLost ? "" : " Other settings were written before. The next up sends all of them again."}`
          : `${withoutHint(error)} The items may be in the list. The next up reads the list and sends only the missing items.`;
      const pending = [append === undefined ? "write" : "append"];
      throw new PartialFailure(message, taskId, { ...kept, pending });
    }
    throw isServiceError(error, "actionNotFound") ? await withKnownActions(error, state, context) : error;
  }
}

/**
 * Notes an append in the journal: if the process is killed during the request, only the service's list shows what is
 * still to do.
 */
function sendAppend<Result>(
  taskId: string,
  inputs: object,
  send: () => Promise<Result>,
  { journal }: Context,
): Promise<Result> {
  const what = `append to a list of task "${taskId}"`;
  return journal === undefined ? send() : journal.once({ operation: "append", inputs, what }, send, () => undefined);
}

/**
 * What is still to do of a resource that appends: what its state says, or an append of an earlier run that ended before
 * it could save.
 */
export async function pendingWithAppend(pending: readonly string[], { journal }: Context): Promise<readonly string[]> {
  if (pending.length > 0 || (await journal?.earlier("append")) === undefined) {
    return pending;
  }
  return ["append"];
}

/** Action ids that an error lists. */
const mostIds = 30;

/**
 * A refusal of an action that the task does not have, with the ids that it has. The same error if they cannot be read.
 * @param state the arguments: `actions` by their ids, or one `actionId`
 */
async function withKnownActions(
  error: ServiceError,
  state: { taskId: string; actions?: unknown; actionId?: unknown },
  context: Context,
): Promise<Error> {
  const declared = isRecord(state.actions) ? state.actions : {};
  const types = Object.values(declared).flatMap((each) =>
    isRecord(each) && typeof each.actionType === "string" ? each.actionType : [],
  );
  const presence = await lookUpTask(state.taskId, types, context).catch(() => undefined);
  const known = (presence?.is === "there" ? presence.actions : [])
    .map((action) => fieldOf(action, "actionId"))
    .filter((id) => typeof id === "string");
  if (known.length === 0) {
    return error;
  }
  const given = typeof state.actionId === "string" ? [state.actionId] : Object.keys(declared);
  const unknown = given
    .filter((id) => !known.includes(id))
    .slice(0, mostIds)
    .map((id) => `"${id}" is not among them${didYouMean(id, known) || "."}`);
  const list = firstOf(
    known.map((id) => `"${id}"`),
    mostIds,
  );
  return new ResourceError([withoutHint(error), `The service shows the actions ${list}.`, ...unknown].join(" "));
}
