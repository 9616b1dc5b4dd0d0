import type { Behaviour } from "../../behaviour";
import type { Schemas } from "../../contract";
import { missing, Refusal } from "../../errors";
import { findAction } from "../../service";
import type { StoredAction, StoredTask } from "../../store/store";

/**
 * Checks the changes of one action and returns a function that makes them, so that a request with one wrong action changes nothing.
 * @throws Refusal
 */
export function planActionChange(
  task: StoredTask,
  change: Schemas["ActionParametersUpdate"],
  behaviour: Behaviour,
): () => void {
  const action = findAction(task, change.actionId);
  if (change.actionType === undefined || change.actionType === "") throw missing("actionType");
  if (change.actionType !== action.actionType) {
    throw new Refusal(
      "InvalidParameter",
      `action ${action.actionId} is a ${action.actionType}, not a ${change.actionType}`,
    );
  }
  const properties = (change.properties ?? []).map(({ name, value }) => {
    if (name === undefined || name === "") throw missing("name of a property");
    if (value === undefined) throw missing(`value of property ${name}`);
    return [name, value] as const;
  });
  const loop = change.loopItems === undefined ? undefined : planLoopChange(task, action, change.loopItems, behaviour);
  return () => {
    for (const [name, value] of properties) action.properties.set(name, value);
    loop?.();
  };
}

/** Checks a change of loop items and returns a function that makes it. `action` is the default for a change without an action id. */
export function planLoopChange(
  task: StoredTask,
  action: StoredAction | undefined,
  change: Schemas["LoopItemsUpdate"],
  behaviour: Behaviour,
): () => void {
  const target = change.actionId === undefined && action !== undefined ? action : findAction(task, change.actionId);
  const { loopType, loopItems } = change;
  if (loopType === undefined || loopType === "") throw missing("loopType");
  if (loopItems === undefined) throw missing("loopItems");
  if (target.loopType === undefined && target.actionType !== "LoopAction") {
    throw new Refusal("InvalidParameter", `action ${target.actionId} is not a loop`);
  }
  const appends = change.isAppend ?? behaviour.isAppendOmitted === "appends";
  return () => {
    target.loopType = loopType;
    target.loopItems = appends ? target.loopItems.concat(loopItems) : loopItems;
  };
}

/** Refuses a type that a strict service does not take in this operation. */
export function checkLoopType(
  loopType: string | undefined,
  allowed: readonly string[],
  { loopTypeWritten }: Behaviour,
): void {
  if (loopTypeWritten === "strict" && loopType !== undefined && !allowed.includes(loopType)) {
    throw new Refusal("InvalidParameter", `loopType must be one of ${allowed.join(", ")}`);
  }
}
