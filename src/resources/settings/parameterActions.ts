import type { Problem } from "../../values/kinds";
import { mapOf, scalar, string } from "../../values/kinds";
import { entryOf, isRecord } from "../../values/plain";
import type { ArgsSpec } from "../args";
import { object } from "../args";
import { splitLines } from "../lists/lines";
import type { CheckContext } from "../resource";
import type { ActionLoopForm } from "./loop";
import { checkLoop, loopSpec } from "./loop";
import type { RestoreArgs } from "./restore";
import type { Loop, Setting } from "./setting";
import { listOf } from "./setting";

/** The declaration of one action: properties, a loop, or both. */
export interface ParameterAction {
  /** The type of the action, as the service names it. */
  actionType: string;
  /**
   * Property values by name. The service gets strings, so `3` and `"3"` mean the same. Write an integer beyond
   * 9007199254740991 as a string. Only the properties declared here are written and compared.
   */
  properties?: Record<string, string | number | boolean>;
  /** The list that the action loops over. */
  loop?: ActionLoopForm;
}

/** Declared actions by their actionId. */
export type ParameterActions = Record<string, ParameterAction>;

interface CheckedAction extends Omit<ParameterAction, "properties" | "loop"> {
  properties?: Record<string, string>;
  loop?: Loop;
}

/** As `check` leaves them: each value as a string, each list as one string with count and digest. */
export type CheckedActions = Record<string, CheckedAction>;

/** State of a resource whose declaration can lose settings that it then restores. */
export interface LeavingState {
  /**
   * The settings that left the declaration in an update whose response was lost: the next update restores them. Secret,
   * also where the program no longer declares a secret.
   * @internal
   */
  leaving?: CheckedActions;
}

const actionSpec: ArgsSpec<ParameterAction> = {
  actionType: { kind: string, required: true },
  properties: { kind: mapOf(scalar) },
  loop: { kind: object<ActionLoopForm>(loopSpec) },
};

export const parameterActionsKind = mapOf(object(actionSpec));

export function loopPath(actionId: string): string {
  return `actions.${actionId}.loop.`;
}

/** Refuses an action that declares nothing. */
export function checkActionRules(actions: ParameterActions | undefined, problems: Problem[]): void {
  for (const [actionId, action] of Object.entries(isRecord(actions) ? actions : {})) {
    if (isRecord(action) && action.properties === undefined && action.loop === undefined) {
      problems.push({ path: `actions.${actionId}`, reason: "declares nothing: give properties, loop or both" });
    }
  }
}

/**
 * Normalizes the lists of all actions. `isSame` if the actions that were checked last time are those of the same task.
 */
export function checkParameterActions(
  { actions, onDelete }: { actions: ParameterActions } & RestoreArgs,
  isSame: boolean,
  context: CheckContext,
): CheckedActions {
  if (!isRecord(actions)) {
    return actions;
  }
  const before = (context.previous?.actions ?? {}) as CheckedActions;
  const checked = Object.entries(actions).map(([actionId, action]) => {
    if (!isRecord(action) || (action.loop !== undefined && !isRecord(action.loop))) {
      return [actionId, action];
    }
    const { loop, ...rest } = action;
    const at = { at: loopPath(actionId), before: entryOf(before, actionId)?.loop, isSame, onDelete };
    return [actionId, loop === undefined ? rest : { ...rest, loop: checkLoop(loop, at, context) }];
  });
  return Object.fromEntries(checked);
}

export function settingsOfActions(actions: Record<string, Partial<CheckedAction>> = {}): Setting[] {
  return Object.entries(actions).flatMap(([actionId, { actionType, properties = {}, loop }]) => {
    const settings: Setting[] = Object.entries(properties).map(([name, value]) => ({
      actionId,
      actionType,
      part: "property",
      name,
      value,
    }));
    return loop === undefined ? settings : [...settings, { actionId, actionType, part: "loop", value: loop }];
  });
}

export function actionsOf(settings: readonly Setting[]): CheckedActions {
  const actions = new Map<string, { actionType: string; properties: [string, string][]; loop?: Loop }>();
  for (const setting of settings) {
    const { actionId, actionType = "" } = setting;
    const action = actions.get(actionId) ?? { actionType, properties: [] };
    actions.set(actionId, action);
    if (setting.part === "property") {
      action.properties.push([setting.name, setting.value]);
    } else {
      action.loop = setting.value;
    }
  }
  return Object.fromEntries(
    [...actions].map(([actionId, { actionType, properties, loop }]) => [
      actionId,
      {
        actionType,
        ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
        ...(loop && { loop }),
      },
    ]),
  );
}

/** The actions with these settings in place of their own. */
export function actionsWith<Actions extends CheckedActions>(actions: Actions, settings: readonly Setting[]): Actions {
  const replaced = Object.entries(actionsOf(settings)).map(([actionId, { properties, loop }]) => {
    const action = entryOf(actions, actionId);
    const all = properties && { properties: { ...action?.properties, ...properties } };
    return [actionId, { ...action, ...all, ...(loop && { loop }) }] as const;
  });
  return { ...actions, ...Object.fromEntries(replaced) };
}

/** The form in which the state keeps the settings from before the first write. */
export interface Previous {
  /** Values of properties, by actionId and name. */
  properties?: Record<string, Record<string, string>>;
  /** By actionId. The items of a list are one string with an item on each line. */
  loops?: Record<string, { loopType: string; items: string }>;
}

export function rememberedOf({ properties = {}, loops = {} }: Previous = {}): Setting[] {
  const loopActions = Object.entries(loops).map(([actionId, { loopType, items }]) => {
    const loop: Loop = { loopType, ...listOf(splitLines(items), items) };
    return [actionId, { loop }] as const;
  });
  const propertyActions = Object.entries(properties).map(([actionId, values]) => [actionId, { properties: values }]);
  return [propertyActions, loopActions].flatMap((actions) => settingsOfActions(Object.fromEntries(actions)));
}

export function previousOf(remembered: readonly Setting[]): Required<Previous> {
  const actions = Object.entries(actionsOf(remembered));
  return {
    properties: Object.fromEntries(
      actions.flatMap(([actionId, { properties }]) => (properties === undefined ? [] : [[actionId, properties]])),
    ),
    loops: Object.fromEntries(
      actions.flatMap(([actionId, { loop }]) =>
        loop === undefined ? [] : [[actionId, { loopType: loop.loopType, items: loop.items ?? "" }]],
      ),
    ),
  };
}
