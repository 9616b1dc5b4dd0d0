import type { AdoptedTask } from "../../resources/adopt/adoptedTask";
import { readTaskShown } from "../../resources/adopt/readTaskShown";
import type { Secrets } from "../../resources/adopt/secrets";
import type { Context } from "../../resources/resource";
import type { WantedTask } from "./wantedTasks";

/** Tasks that were read, and those that the service does not know. */
export interface ReadTasks {
  tasks: AdoptedTask[];
  gone: string[];
}

/**
 * Reads tasks with all settings that the service shows. Makes no write.
 * @param actionTypes the types of the actions to read; an empty list asks the service for all
 * @throws ServiceError if the service cannot be asked
 */
export async function readTasks(
  wanted: readonly WantedTask[],
  actionTypes: readonly string[],
  secrets: Secrets,
  context: Context,
): Promise<ReadTasks> {
  const asking = { ...context, settings: { ...context.settings, actionTypes } };
  const byId = new Map(wanted.map((each) => [each.taskId, each]));
  const found = await Promise.all(
    [...byId.values()].map(async (each) => ({ taskId: each.taskId, task: await readTask(each, secrets, asking) })),
  );
  return {
    tasks: found.flatMap(({ task }) => task ?? []),
    gone: found.flatMap(({ taskId, task }) => (task === undefined ? [taskId] : [])),
  };
}

/** Undefined if the service says that the task does not exist. */
async function readTask(
  { taskId, name, group, profile }: WantedTask,
  secrets: Secrets,
  context: Context,
): Promise<AdoptedTask | undefined> {
  const { actionTypes } = context.settings;
  const task = await readTaskShown(taskId, secrets, context);
  if (task === undefined) {
    return undefined;
  }
  const notes = [...noteOfTypes(actionTypes, task.shown === 0), ...task.notes];
  return { ...task, name, group, profile, notes };
}

/** The contract does not say what an empty list of types does, so even a response to it can lack actions. */
function noteOfTypes(actionTypes: readonly string[], seesNone: boolean): string[] {
  const names = actionTypes.join(", ");
  if (actionTypes.length > 0) {
    const found = seesNone ? "The service shows no action" : "Only actions of these types were read";
    return [`${found}${seesNone ? " of the types" : ":"} ${names}. Use --types to read others.`];
  }
  return seesNone
    ? [
        "The service shows no actions without their types. Run the command again with --types and the types of the task's actions.",
      ]
    : ["The actions were read without naming types. If one is missing, run the command again with --types."];
}
