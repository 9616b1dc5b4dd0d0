import type { AdoptedTask } from "../../../src/resources/adopt/adoptedTask";
import { readTaskShown } from "../../../src/resources/adopt/adoptedTask";
import type { Secrets } from "../../../src/resources/adopt/secrets";
import type { Context } from "../../../src/resources/resource";
import { documentedTypes } from "../../../src/resources/task/taskPresence";
import { isServiceError } from "../../../src/service/errors/errors";
import type { WantedTask } from "./wantedTasks";

/** The types for which a service that shows actions only by type is asked, if the user names none. */
export function knownTypes({ settings }: Pick<Context, "settings">): string {
  return [...new Set([...documentedTypes, ...settings.actionTypes])].join(", ");
}

/** The sentence about tasks of which no action is shown. */
export function showsNoAction(what: string, types: readonly string[], context: Pick<Context, "settings">): string {
  const asked = types.length > 0 ? types.join(", ") : knownTypes(context);
  return `The service shows no action of ${what} ${types.length > 0 ? "" : "without their types or "}of the types ${asked}.`;
}

/**
 * Reads tasks with all settings that the service shows. Makes no write.
 * @param types the types of the only actions to read; an empty list asks the service for all
 * @returns the tasks, and the ids of those that the service does not know
 * @throws ServiceError if the service cannot be asked
 */
export async function readTasks(
  wanted: readonly WantedTask[],
  types: readonly string[],
  secrets: Secrets,
  context: Context,
): Promise<{ tasks: AdoptedTask[]; gone: string[] }> {
  // The contract does not say what an empty list of types does, so even a response to it can lack actions.
  const note =
    types.length === 0
      ? `The actions were read without naming types, or where that shows none, those of the types ${knownTypes(context)}. If one is missing, run the command again with --types.`
      : `Only actions of these types were read: ${types.join(", ")}. Use --types to read others.`;
  const gone: string[] = [];
  const read = [...new Map(wanted.map((each) => [each.taskId, each])).values()].map(async (each) => {
    const task = await readTaskShown(each.taskId, secrets, context, types).catch((error: unknown) => {
      if (isServiceError(error, "notYours")) {
        return undefined;
      }
      throw error;
    });
    if (task === undefined) {
      gone.push(each.taskId);
      return [];
    }
    return [{ ...task, ...each, notes: [note, ...task.notes] }];
  });
  return { tasks: (await Promise.all(read)).flat(), gone };
}
