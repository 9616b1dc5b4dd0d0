import { isBrokenText } from "../../values/kinds";
import { counted } from "../../values/words";
import { splitLines } from "../lists/lines";
import type { Context } from "../resource";
import type { ActionShown } from "../task/taskPresence";
import { fieldOf, itemsOf, lookUpAllActions, lookUpByAll, propertiesShown } from "../task/taskPresence";
import type { Secrets } from "./secrets";

/** A task of the service, as far as it can be declared. */
export interface AdoptedTask {
  taskId: string;
  /** What the user calls it. */
  name?: string;
  /** What the service calls it. */
  shownName?: string;
  /** A folder for its file. */
  group?: string;
  /** Its account, if it is not the default one. */
  profile?: string;
  /** Number of actions that the service shows. */
  shown: number;
  /** Those whose id and type it shows. */
  all: AdoptedAction[];
  /** Those that can be declared: they have properties or a list. */
  actions: AdoptedAction[];
  /** What the declaration lacks, and why. */
  notes: string[];
}

export interface AdoptedAction {
  actionId: string;
  actionType: string;
  /** How the service's own interface calls the action. */
  title?: string;
  properties: Map<string, PropertyValue>;
  loop?: AdoptedLoop;
  notes: string[];
}

export interface AdoptedLoop {
  loopType: string;
  items: readonly string[] | typeof secretValue;
}

/** In place of a value that may be a secret. */
export const secretValue = Symbol("secret value");

export type PropertyValue = string | number | boolean | typeof secretValue;

/**
 * Reads a task with all settings that the service shows. Undefined if the service says that the task does not exist.
 * @param types the types of the only actions to read; none for all actions
 */
export async function readTaskShown(
  taskId: string,
  secrets: Secrets,
  context: Context,
  types: readonly string[] = [],
): Promise<AdoptedTask | undefined> {
  const only = { ...context, settings: { ...context.settings, actionTypes: types } };
  const presence = await (types.length === 0 ? lookUpAllActions(taskId, context) : lookUpByAll(taskId, [], only));
  if (presence.is === "gone") {
    return undefined;
  }
  const { actions, name } = presence.is === "there" ? presence : { actions: [], name: undefined };
  return { ...adoptedTask(taskId, actions, secrets), shownName: name };
}

/** The declaration of a task that shows these actions. What cannot be declared becomes a note. */
export function adoptedTask(taskId: string, shown: readonly ActionShown[], secrets: Secrets): AdoptedTask {
  const actions = new Map<string, AdoptedAction>();
  const notes: string[] = [];
  for (const each of shown) {
    const actionId = fieldOf(each, "actionId");
    const actionType = fieldOf(each, "actionType");
    if (!isName(actionId) || !isName(actionType)) {
      notes.push(`An action is not declared, because its actionId (${String(actionId)}) or its actionType ${notKept}.`);
    } else if (actions.has(actionId)) {
      notes.push(`The service shows a second action "${actionId}". Only the first is declared.`);
    } else {
      actions.set(actionId, adoptedAction({ actionId, actionType }, each, secrets));
    }
  }
  const all = [...actions.values()];
  const declared = all.filter(({ properties, loop }) => properties.size > 0 || loop !== undefined);
  for (const { actionId, actionType, notes: reasons } of all.filter((each) => !declared.includes(each))) {
    const why = reasons.join(" ") || "The service shows no properties and no list of this action.";
    notes.push(`Action "${actionId}" (${actionType}) is not declared. ${why}`);
  }
  return { taskId, shown: shown.length, all, actions: declared, notes };
}

function adoptedAction(
  { actionId, actionType }: { actionId: string; actionType: string },
  shown: ActionShown,
  secrets: Secrets,
): AdoptedAction {
  const notes: string[] = [];
  const title = fieldOf(shown, "name");
  const { values, areFields } = propertiesOf(shown, notes);
  const properties = new Map<string, PropertyValue>();
  const ofAction = Object.entries(shown).filter(([name]) => !["properties", "loopitems"].includes(name.toLowerCase()));
  const beside = (name: string): unknown[] => [...ofAction, ...values].filter(([each]) => each !== name).flat();
  for (const [name, value] of values) {
    if (!isName(name) || !isScalar(value)) {
      notes.push(`Property "${name}" is not declared, because its name or its value ${notKept}.`);
    } else if (
      secrets.mayBeProperty(name, String(value)) ||
      secrets.isTypedPassword(name, String(value), beside(name))
    ) {
      notes.push(`The value of property "${name}" may be a secret. It ${secrets.fate}.`);
      properties.set(name, secretValue);
    } else if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
      // The arguments refuse a number whose last digits may be lost.
      notes.push(`Property "${name}" is declared as a string, because its number may have lost digits.`);
      properties.set(name, String(value));
    } else {
      // YAML writes a negative zero with its sign, and JSON does not.
      properties.set(name, value === 0 ? 0 : value);
    }
  }
  if (areFields && properties.size > 0) {
    notes.push("The service shows properties as fields of the action. Remove the fields that are no properties.");
  }
  return {
    actionId,
    actionType,
    ...(typeof title === "string" && title.trim() !== "" && !secrets.mayBeValue(title) && { title }),
    properties,
    loop: adoptedLoop(shown, secrets, notes),
    notes,
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && !isBrokenText(value);
}

/** Pulumi loses the name `__proto__`. */
function isName(value: unknown): value is string {
  return isText(value) && value.trim() !== "" && value !== "__proto__";
}

function isScalar(value: unknown): value is string | number | boolean {
  return isText(value) || typeof value === "boolean" || Number.isFinite(value);
}

const notKept = "is no text, number or boolean that a program can hold";

function propertiesOf(shown: ActionShown, notes: string[]): { values: Map<string, unknown>; areFields: boolean } {
  const { pairs, areFields } = propertiesShown(shown);
  const values = new Map<string, unknown>();
  for (const [name, value] of pairs) {
    if (name === undefined) {
      notes.push("A property is not declared, because the service does not show its name.");
    } else if (values.has(name)) {
      notes.push(`The service shows a second property "${name}". Only the first is declared.`);
    } else {
      values.set(name, value);
    }
  }
  return { values, areFields };
}

function adoptedLoop(shown: ActionShown, secrets: Secrets, notes: string[]): AdoptedLoop | undefined {
  const given = fieldOf(shown, "loopItems") ?? undefined;
  const items = itemsOf(shown);
  const loopType = fieldOf(shown, "loopType");
  if (given === undefined) {
    return undefined;
  }
  if (items === undefined || !isName(loopType) || items.length === 0 || !areLines(items) || !items.every(isText)) {
    notes.push(
      "The list of the loop is not declared, because it is empty, or the service does not show it as lines of text with a loopType.",
    );
    return undefined;
  }
  if (items.some((item) => secrets.mayBeValue(item))) {
    notes.push(`An item of the list of ${counted(items.length, "item")} may be a secret. The list ${secrets.fate}.`);
    return { loopType, items: secretValue };
  }
  return { loopType, items };
}

/** Whether the items come back the same from a string or a file with one item on each line. */
function areLines(items: readonly string[]): boolean {
  const lines = splitLines(items.join("\n"));
  return lines.length === items.length && items.every((item, index) => item === lines[index] && !/[\r\n]/.test(item));
}
