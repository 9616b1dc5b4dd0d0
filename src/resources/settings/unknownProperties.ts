import { firstOf, likelyName } from "../../values/words";
import type { SettingId } from "../ownership";
import { describePart } from "../ownership";
import type { Context, PropertyNames, Template } from "../resource";
import type { ActionShown } from "../task/taskPresence";
import { actionsById, lookUpTask, propertiesShown, unseen } from "../task/taskPresence";
import { actionsBefore } from "./restore";
import type { Setting } from "./setting";
import { typesOf } from "./setting";

export function propertyNames(actions: readonly ActionShown[]): PropertyNames {
  const namesOf = (action: ActionShown): string[] => propertiesShown(action).pairs.flatMap(([name]) => name ?? []);
  return new Map([...actionsById(actions)].map(([actionId, action]) => [actionId, namesOf(action)]));
}

/**
 * The warning of properties that the service does not show although it shows others of the action. Not an error: a
 * service can know properties that it shows only once they are set. An action without properties proves nothing, nor
 * does one with others of the same family, such as `Field.title`: their names are the user's.
 */
export function warningOfUnknown(
  taskId: string,
  settings: readonly SettingId[],
  names: PropertyNames,
): string | undefined {
  const unknown = settings.flatMap((each) => {
    const known = names.get(each.actionId) ?? [];
    if (each.part === "loop" || known.length === 0 || known.includes(each.name)) {
      return [];
    }
    const family = familyOf(each.name);
    if (family !== undefined && known.some((name) => familyOf(name) === family)) {
      return [];
    }
    const likely = likelyName(each.name, known);
    return `${describePart(each)} (${likely === undefined ? `only ${firstOf(known, 5)}` : `did you mean "${likely}"?`})`;
  });
  return unknown.length === 0
    ? undefined
    : `Task "${taskId}" does not show ${firstOf(unknown, 5)}. The value is written all the same, and the service may ignore it. Check the name.`;
}

/** What a name has before its last dot. */
function familyOf(name: string): string | undefined {
  return /^(.+)\./.exec(name)?.[1];
}

/**
 * The actions before the first write of these settings; none if their values do not count. Warns of properties that no
 * action has. A copy that this run has made has the actions of its template, which is read once for all of its copies.
 * @param isCompared whether the caller needs the values
 */
export async function lookBefore(
  taskId: string,
  settings: readonly Setting[],
  isCompared: boolean,
  context: Context,
): Promise<readonly ActionShown[]> {
  const isLookedUp = isCompared ? settings.length > 0 : settings.some(({ part }) => part === "property");
  if (!isLookedUp) {
    return [];
  }
  const template = context.tasks.templateOf(taskId);
  // The first loops of a process are compared, to see whether the service takes them (`loopWay`).
  const isFirstLoop = settings.some(({ part }) => part === "loop") && context.tasks.loopWay.found === undefined;
  const isRead = isCompared || template === undefined || isFirstLoop;
  const shown = isRead ? await actionsBefore(taskId, settings, context) : [];
  const names =
    isRead || template === undefined
      ? propertyNames(shown)
      : await namesInTemplate(template, typesOf(settings), context);
  const warning = warningOfUnknown(taskId, settings, names);
  if (warning !== undefined) {
    context.warn(warning);
  }
  return shown;
}

function namesInTemplate(template: Template, types: readonly string[], context: Context): Promise<PropertyNames> {
  const asked = [...new Set(types)].sort();
  const key = JSON.stringify(asked);
  // Only a warning depends on the template: a read that fails must not stop a write, nor count for the account.
  const names =
    template.names.get(key) ??
    lookUpTask(template.taskId, asked, unseen(context))
      .then((presence) => propertyNames(presence.is === "there" ? presence.actions : []))
      .catch(() => new Map());
  template.names.set(key, names);
  return names;
}
