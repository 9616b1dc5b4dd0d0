import type { ActionParametersUpdate } from "../../service/contract/types";
import type { ArgsSpec } from "../args";
import { anyString, choice, lines, mapOf, object, string } from "../args";
import type { CheckContext, Context } from "../resource";
import type { ActionShown } from "../task/taskPresence";
import { checkList } from "../urls/listArgs";
import { entryOf, holdsUnknown, isMap } from "../values";
import type { ActionSettingsMap } from "./actionProperties";
import { changedActions, toUpdates, valuesShown, withValues } from "./actionProperties";
import { pendingAppend } from "./appendOnce";
import type { CheckedItems, LoopDeclaration } from "./loopItems";
import { loadItems, loopShown, loopTypeAsBefore } from "./loopItems";
import { asSeen, checkAppend, itemsToSend } from "./taskLoopItems";

/** The loop of an action. */
export interface ActionLoop {
  /** The kind of item, as the service names it, for example a URL list or a text list. */
  loopType: string;
  /** The items, each one line of text. Either this or `itemsFile`. */
  items?: string[];
  /** A file with an item a line, relative to the program's folder. */
  itemsFile?: string;
  /** `replace` (default): the list becomes these items. `append`: those that the service's list lacks are added at its end; where it is not shown, those not sent before. */
  mode?: "replace" | "append";
}

/** What is declared of one action: properties, a loop, or both. */
export interface ParameterAction {
  /** The action's type, as the service names it. */
  actionType: string;
  /** Property name to value. Only what is declared here is written and compared. */
  properties?: Record<string, string>;
  /** The loop of the action: what it goes through. */
  loop?: ActionLoop;
}

/** Declared actions by their actionId. */
export type ParameterActions = Record<string, ParameterAction>;

type CheckedLoop = Omit<ActionLoop, "items"> & CheckedItems;

interface CheckedAction extends Omit<ParameterAction, "loop"> {
  loop?: CheckedLoop;
}

/** As `check` leaves them: lists as one text, with count and digest. */
export type CheckedActions = Record<string, CheckedAction>;

const loopSpec: ArgsSpec<ActionLoop, "count" | "sha256"> = {
  loopType: { kind: string, required: true },
  items: { kind: lines },
  itemsFile: { kind: string },
  mode: { kind: choice("replace", "append") },
  count: { derived: true },
  sha256: { derived: true },
};

const actionSpec: ArgsSpec<ParameterAction> = {
  actionType: { kind: string, required: true },
  properties: { kind: mapOf(anyString) },
  loop: { kind: object(loopSpec) },
};

export const parameterActionsKind = mapOf(object(actionSpec));

/** Normalises the lists of all actions. Whatever holds an unknown beside its lists stays as it is. */
export async function checkParameterActions(
  actions: ParameterActions,
  taskId: string,
  context: CheckContext,
): Promise<CheckedActions> {
  if (!isMap(actions)) {
    return actions;
  }
  const before = (context.previous?.actions ?? {}) as CheckedActions;
  const checked = new Map<string, CheckedAction>();
  for (const [actionId, action] of Object.entries(actions)) {
    const path = `actions.${actionId}`;
    if (!isMap(action) || (action.loop !== undefined && !isMap(action.loop))) {
      checked.set(actionId, action as CheckedAction);
      continue;
    }
    if (action.properties === undefined && action.loop === undefined) {
      context.problems.push({ path, reason: "declares nothing: give properties, loop or both" });
    }
    const { loop, ...rest } = action;
    const old = entryOf(before, actionId)?.loop;
    const now = loop === undefined ? rest : { ...rest, loop: await checkLoop(loop, old, path, context) };
    checked.set(actionId, now);
    await checkAppendOf(actionId, now, old, taskId, context);
  }
  return Object.fromEntries(checked);
}

async function checkLoop(
  loop: ActionLoop,
  before: CheckedLoop | undefined,
  path: string,
  context: CheckContext,
): Promise<CheckedLoop> {
  const list = await checkList(
    { ...loop },
    { list: "items", file: "itemsFile", at: `${path}.loop.`, before: before && { ...before } },
    context,
  );
  const loopType = loopTypeAsBefore(loop.loopType, before?.loopType);
  return { ...loop, loopType, items: list?.text, count: list?.count, sha256: list?.sha256 } as CheckedLoop;
}

async function checkAppendOf(
  actionId: string,
  { loop, actionType = "" }: CheckedAction,
  old: CheckedLoop | undefined,
  taskId: string,
  context: CheckContext,
): Promise<void> {
  const sameTask = context.previous?.taskId === taskId;
  if (loop === undefined || old === undefined || !sameTask || holdsUnknown(loop)) {
    return;
  }
  const problems: CheckContext["problems"] = [];
  const previous = { ...loopDeclaration(taskId, actionId, actionType, old) };
  await checkAppend(loopDeclaration(taskId, actionId, actionType, loop), { ...context, previous, problems });
  context.problems.push(...problems.map(({ path, reason }) => ({ path: `actions.${actionId}.loop.${path}`, reason })));
}

/** The loop of one action, as a TaskLoopItems would declare it. */
export function loopDeclaration(
  taskId: string,
  actionId: string,
  actionType: string,
  loop: CheckedLoop,
): LoopDeclaration {
  return { ...loop, taskId, actionId, actionType };
}

/** The part of the actions that the properties are. */
export function propertiesOf(actions: CheckedActions): ActionSettingsMap {
  const withProperties = Object.entries(actions).filter(([, { properties }]) => properties !== undefined);
  return Object.fromEntries(
    withProperties.map(([actionId, { actionType, properties = {} }]) => [actionId, { actionType, properties }]),
  );
}

/** What the service must be told, so that it agrees with `now`; nothing about what is right already. */
export async function updatesFor(
  taskId: string,
  before: CheckedActions,
  now: CheckedActions,
  stillToDo: string[] | undefined,
  context: Context,
): Promise<ActionParametersUpdate[]> {
  const hasAppend = Object.values(now).some(({ loop }) => loop?.mode === "append");
  const pending = hasAppend ? await pendingAppend(stillToDo, context) : stillToDo;
  const all = pending !== undefined && pending.length > 0;
  const properties = changedActions(all ? {} : propertiesOf(before), propertiesOf(now));
  const updates: ActionParametersUpdate[] = [];
  for (const [actionId, action] of Object.entries(now)) {
    const { actionType, loop } = action;
    const settings = entryOf(properties, actionId);
    const [changed] = toUpdates(settings === undefined ? {} : { [actionId]: settings });
    const items =
      loop === undefined
        ? []
        : await itemsOfLoop(
            loopDeclaration(taskId, actionId, actionType, loop),
            entryOf(before, actionId)?.loop,
            pending,
            context,
          );
    if (changed === undefined && items.length === 0) {
      continue;
    }
    updates.push({
      actionType,
      actionId,
      ...(changed === undefined ? {} : { properties: changed.properties }),
      ...(loop === undefined || items.length === 0
        ? {}
        : { loopItems: { actionId, loopType: loop.loopType, loopItems: items, isAppend: loop.mode === "append" } }),
    });
  }
  if (!appends(updates)) {
    await context.journal?.forget("append");
  }
  return updates;
}

async function itemsOfLoop(
  declared: LoopDeclaration,
  before: CheckedLoop | undefined,
  pending: string[] | undefined,
  context: Context,
): Promise<string[]> {
  const items = await loadItems(declared, context, `actions.${declared.actionId}.loop.`);
  const isNew = before === undefined || before.loopType !== declared.loopType;
  // What is still to do may be an append that was made already, also of a loop that is new.
  const state = isNew && !pending?.length ? undefined : { ...declared, ...before, pending };
  return itemsToSend(state, declared, items, context);
}

/** Whether any of these requests appends, so that it must not be sent twice. */
export function appends(updates: readonly ActionParametersUpdate[]): boolean {
  return updates.some(({ loopItems }) => loopItems?.isAppend);
}

/** The declared actions as the service shows them: what differs is drift. */
export function actionsSeen(taskId: string, actions: CheckedActions, shown: readonly ActionShown[]): CheckedActions {
  const declared = propertiesOf(actions);
  const properties = withValues(declared, valuesShown(shown, declared));
  const seen = Object.entries(actions).map(([actionId, action]) => {
    const loop = action.loop && loopSeen(loopDeclaration(taskId, actionId, action.actionType, action.loop), shown);
    const values = entryOf(properties, actionId)?.properties;
    return [actionId, { ...action, ...(values ? { properties: values } : {}), ...(loop ? { loop } : {}) }];
  });
  return Object.fromEntries(seen);
}

function loopSeen(declared: LoopDeclaration, shown: readonly ActionShown[]): CheckedLoop {
  const { taskId, actionId, actionType, ...loop } = declared;
  const found = loopShown(shown, actionId);
  if (found === undefined) {
    return loop;
  }
  const { loopType, items, count, sha256 } = asSeen(declared, found);
  return { ...loop, loopType, items, count, sha256 };
}
