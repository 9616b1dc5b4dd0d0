import type { ServiceError } from "../../service/errors/errors";
import { isRecord } from "../../values/isRecord";
import { didYouMean } from "../../values/likelyName";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import { firstOf } from "../values";
import { withoutHint } from "./lostResponse";
import { fieldOf, lookUpTask } from "./taskPresence";

/** Action ids that an error lists. */
const mostIds = 30;

/**
 * A refusal of an action that the task does not have, with the ids that it has. The same error if they cannot be read.
 * @param state the arguments: `actions` by their ids, or one `actionId`
 */
export async function withKnownActions(
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
