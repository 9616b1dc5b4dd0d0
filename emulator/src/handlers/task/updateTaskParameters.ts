import type { Behaviour } from "../../behaviour";
import type { DocumentedFields, Schemas } from "../../contract";
import { Refusal } from "../../errors";
import type { Handler } from "../../service";
import { findTask, refuseWhileRunning } from "../../service";
import { checkLoopType, planActionChange, planLoopChange } from "./actionChanges";

type Loop = Schemas["LoopItemsUpdate"];

export const updateTaskParameters: Handler<"updateTaskParameters"> = (service, request) => {
  const { behaviour, store } = service;
  const task = findTask(service, request.account, request.fields.taskId);
  refuseWhileRunning(service, task);
  const actions = request.fields.actions.map(({ loopItems, ...action }) =>
    loopItems === undefined || behaviour.loopsInActions !== "taken" ? action : { ...action, loopItems },
  );
  const loops = behaviour.loopsInActions === "taken" ? [] : listedLoops(request.fields);
  for (const { loopType } of [
    ...actions.flatMap((action) => ("loopItems" in action ? action.loopItems : [])),
    ...loops,
  ]) {
    checkLoopType(loopType, ["URLList", "TextList"], behaviour);
  }
  const changes = [
    ...actions.map((action) => planActionChange(task, action, behaviour)),
    ...loops.map((loop) => planLoopChange(task, undefined, loop, behaviour)),
  ];
  for (const change of changes) change();
  store.taskChanged(task);
  const isCopied = behaviour.loopsInActions === "repeatedOnly";
  const updatedParameters = isCopied ? describeRequest(request.fields) : describe(actions, loops, behaviour);
  return { data: { taskId: task.taskId, updatedParameters } };
};

/** The list beside `actions`, which the contract does not have. */
function listedLoops(fields: DocumentedFields<"updateTaskParameters"> & { loopItems?: unknown }): Loop[] {
  const { loopItems = [] } = fields;
  if (!Array.isArray(loopItems) || !loopItems.every(isLoop)) {
    throw new Refusal("InvalidParameter", "loopItems must be a list of loops");
  }
  return loopItems;
}

function describeRequest({ taskId, ...parts }: DocumentedFields<"updateTaskParameters">): object {
  return parts;
}

function isLoop(value: Record<string, unknown> | null): value is Loop {
  const items = value?.loopItems;
  const strings = Array.isArray(items) && items.every((item) => typeof item === "string");
  return strings && typeof value?.actionId === "string" && typeof value.loopType === "string";
}

function describe(
  actions: readonly Schemas["ActionParametersUpdate"][],
  loops: readonly Loop[],
  { updatedParameters }: Behaviour,
): object {
  switch (updatedParameters) {
    case "empty":
      return {};
    case "counts":
      return {
        actions: actions.map(({ actionId, properties, loopItems }) => ({
          actionId,
          properties: (properties ?? []).map(({ name }) => name),
          loopItems: loopItems?.loopItems?.length ?? 0,
        })),
      };
    case "lists": {
      const inside = actions.flatMap(({ actionId, loopItems }) => (loopItems ? [{ actionId, ...loopItems }] : []));
      return { actions: actions.map(({ loopItems, ...action }) => action), loopItems: [...inside, ...loops] };
    }
    default:
      return { actions, ...(loops.length > 0 ? { loopItems: loops } : {}) };
  }
}
