import type { Context } from "../resource";
import { lookUpByRows, lookUpTask } from "../task/taskPresence";
import type { AdoptedTask } from "./adoptedTask";
import { adoptedTask } from "./adoptedTask";
import type { Secrets } from "./secrets";

/** Reads a task with all settings that the service shows. Undefined if the service says that the task does not exist. */
export async function readTaskShown(
  taskId: string,
  secrets: Secrets,
  context: Context,
): Promise<AdoptedTask | undefined> {
  const presence = await lookUpTask(taskId, [], context);
  const is = presence.is === "unclear" ? await lookUpByRows(taskId, context) : presence.is;
  if (is === "gone") {
    return undefined;
  }
  const task = adoptedTask(taskId, presence.is === "there" ? presence.actions : [], secrets);
  return { ...task, shownName: presence.is === "there" ? presence.name : undefined };
}
