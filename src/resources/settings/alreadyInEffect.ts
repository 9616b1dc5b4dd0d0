import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";
import type { ActionShown } from "../task/taskPresence";
import { actionsById, fieldOf, lookUpTask } from "../task/taskPresence";
import { loopAsShown } from "./loop";
import { shownSetting } from "./restore";
import type { Setting } from "./setting";
import { typesOf } from "./setting";

/**
 * Settings that are declared for the first time on a task that somebody else has configured. They are read first, and only those that differ are
 * written. A copy that this run has made needs no read: its settings are those of the template, and almost always some of them change.
 */

/** The settings that the service shows as they are declared. None if it does not show the task: the error of the write tells why. */
export async function settingsInEffect(
  taskId: string,
  fresh: readonly Setting[],
  context: Context,
): Promise<Setting[]> {
  if (fresh.length === 0) {
    return [];
  }
  try {
    const presence = await lookUpTask(taskId, typesOf(fresh), context);
    return presence.is === "there" ? settingsAsShown(fresh, presence.actions) : [];
  } catch (error) {
    // An account can be allowed to write a task that it cannot read.
    if (isServiceError(error, "refused", "plan", "actionNotFound", "contract")) {
      return [];
    }
    throw error;
  }
}

/** The settings whose values at the service are the declared ones. */
export function settingsAsShown(settings: readonly Setting[], actions: readonly ActionShown[]): Setting[] {
  const shownActions = actionsById(actions);
  return settings.filter((setting) => {
    const shown = shownSetting(setting, shownActions);
    if (shown === undefined || hasOtherType(setting, shownActions)) {
      return false;
    }
    if (setting.part === "property" || shown.part === "property") {
      return setting.value === shown.value;
    }
    // Of a file to append, only the digest is known. A list that contains other items too cannot be compared with it.
    const isKnown = setting.value.mode !== "append" || setting.value.items !== undefined;
    return isKnown && loopAsShown(setting.value, shown.value) === setting.value;
  });
}

function hasOtherType({ actionId, actionType }: Setting, actions: ReadonlyMap<unknown, ActionShown>): boolean {
  const action = actions.get(actionId);
  const shown = action && fieldOf(action, "actionType");
  return typeof shown === "string" && actionType !== undefined && shown.toLowerCase() !== actionType.toLowerCase();
}
