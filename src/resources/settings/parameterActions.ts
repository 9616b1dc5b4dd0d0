import { isRecord } from "../../service/isRecord";
import type { ArgsSpec, Problem } from "../args";
import { mapOf, object, scalar, string } from "../args";
import { isGivenOnce } from "../lists/checkList";
import type { CheckContext } from "../resource";
import { entryOf } from "../values";
import type { ActionLoopForm, CheckedLoop } from "./loopArgs";
import { checkedLoopOf, checkLoop, loopOf, loopSpec } from "./loopArgs";
import { valuesOf } from "./previous";
import type { RestoreArgs } from "./restore";
import type { Setting } from "./setting";

/** The declaration of one action: properties, a loop, or both. */
export interface ParameterAction {
  /** The type of the action, as the service names it. */
  actionType: string;
  /**
   * Property values by name. The service gets strings, so `3` and `"3"` mean the same, and a value that the service shows in another type is no
   * drift. Write an integer beyond 9007199254740991 as a string. Only the properties declared here are written and compared.
   */
  properties?: Record<string, string | number | boolean>;
  /** The list that the action loops over. */
  loop?: ActionLoopForm;
}

/** Declared actions by their actionId. */
export type ParameterActions = Record<string, ParameterAction>;

interface CheckedAction extends Omit<ParameterAction, "properties" | "loop"> {
  properties?: Record<string, string>;
  loop?: CheckedLoop;
}

/** As `check` leaves them: each value as a string, each list as one string with count and digest. */
export type CheckedActions = Record<string, CheckedAction>;

const actionSpec: ArgsSpec<ParameterAction> = {
  actionType: { kind: string, required: true },
  properties: { kind: mapOf(scalar) },
  loop: { kind: object<ActionLoopForm>(loopSpec) },
};

export const parameterActionsKind = mapOf(object(actionSpec));

export function loopPath(actionId: string): string {
  return `actions.${actionId}.loop.`;
}

function checkDeclaresAnything(actionId: string, { properties, loop }: ParameterAction, problems: Problem[]): void {
  if (properties === undefined && loop === undefined) {
    problems.push({ path: `actions.${actionId}`, reason: "declares nothing: give properties, loop or both" });
  }
}

/** The rules of all actions that their arguments alone show. */
export function checkActionRules(actions: ParameterActions, problems: Problem[]): void {
  for (const [actionId, action] of Object.entries(actions).filter(([, each]) => isRecord(each))) {
    checkDeclaresAnything(actionId, action, problems);
    if (isRecord(action.loop)) {
      isGivenOnce(action.loop, { list: "items", file: "itemsFile", at: loopPath(actionId) }, problems);
    }
  }
}

/** Normalizes the lists of all actions. `isSame` if the actions that were checked last time are those of the same task. */
export function checkParameterActions(
  { actions, onDelete }: { actions: ParameterActions } & RestoreArgs,
  isSame: boolean,
  context: CheckContext,
): CheckedActions {
  if (!isRecord(actions)) {
    return actions;
  }
  const before = (context.previous?.actions ?? {}) as CheckedActions;
  const checked = new Map<string, CheckedAction>();
  for (const [actionId, action] of Object.entries(actions)) {
    if (!isRecord(action) || (action.loop !== undefined && !isRecord(action.loop))) {
      checked.set(actionId, action as CheckedAction);
      continue;
    }
    const { loop, ...others } = action;
    // The description has converted the properties.
    const rest = others as Omit<CheckedAction, "loop">;
    checkDeclaresAnything(actionId, action, context.problems);
    const at = { at: loopPath(actionId), before: entryOf(before, actionId)?.loop, isSame, onDelete };
    checked.set(actionId, loop === undefined ? rest : { ...rest, loop: checkLoop(loop, at, context) });
  }
  return Object.fromEntries(checked);
}

export function settingsOfActions(actions: CheckedActions = {}): Setting[] {
  return Object.entries(actions).flatMap(([actionId, { actionType, properties = {}, loop }]) => {
    const settings: Setting[] = Object.entries(properties).map(([name, value]) => ({
      actionId,
      actionType,
      part: "property",
      name,
      value,
    }));
    return loop === undefined ? settings : [...settings, { actionId, actionType, part: "loop", value: loopOf(loop) }];
  });
}

/** The actions with these settings in place of their own. */
export function actionsWith<Actions extends CheckedActions>(actions: Actions, settings: readonly Setting[]): Actions {
  const replaced = Object.entries(actionsOf(settings, actions)).map(([actionId, { properties, loop }]) => {
    const action = entryOf(actions, actionId);
    const all = properties && { properties: { ...action?.properties, ...properties } };
    return [actionId, { ...action, ...all, ...(loop && { loop: { ...action?.loop, ...loop } }) }] as const;
  });
  return { ...actions, ...Object.fromEntries(replaced) };
}

/** The settings as a map of actions. A list that is the same in `before` keeps the string that it has there. */
export function actionsOf(settings: readonly Setting[], before: CheckedActions = {}): CheckedActions {
  const values = valuesOf(settings);
  const actions = new Map<string, CheckedAction>();
  for (const setting of settings) {
    const { actionId, actionType = "" } = setting;
    const action: CheckedAction = actions.get(actionId) ?? { actionType };
    actions.set(actionId, action);
    if (setting.part === "property") {
      action.properties = entryOf(values, actionId);
    } else {
      action.loop = checkedLoopOf(setting.value, entryOf(before, actionId)?.loop);
    }
  }
  return Object.fromEntries(actions);
}
