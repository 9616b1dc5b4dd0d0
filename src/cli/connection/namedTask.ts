import { didYouMean } from "../../resources/likelyName";
import type { Context } from "../../resources/resource";
import type { Presence } from "../../resources/task/taskPresence";
import { lookUpExistence } from "../../resources/task/taskPresence";
import { isServiceError } from "../../service/errors/errors";
import { CliError } from "../exitCodes";
import type { StackTask } from "./stackTasks";
import { stackTasks } from "./stackTasks";

/** A task that the user names by its id or by its name. Only its id is known then, or what the state of the stack says. */
export type NamedTask = Omit<StackTask, "exports">;

/** `task "shop-1"`, or `task "books" (id shop-1, stack dev)`. */
export function describeTask({ taskId, name }: NamedTask, stack: string | undefined): string {
  const ofStack = stack === undefined ? [] : [`stack ${stack}`];
  const more = [...(name === undefined ? [] : [`id ${taskId}`]), ...ofStack];
  return `task "${name ?? taskId}"${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

/**
 * The task that an argument means. An id that the service knows counts first: then the state of the stack is not read. An argument that is neither that nor
 * a name counts as an id, because some services do not show whether a task exists.
 * @throws CliError if the name belongs to several tasks, or the state cannot be read
 */
export async function namedTask(given: string, stack: string | undefined, context: Context): Promise<NamedTask> {
  const presence = stack === undefined ? "there" : await presenceOf(given, context);
  if (stack === undefined || presence === "there") {
    return { taskId: given };
  }
  const tasks = await stackTasks(stack, context.interrupted);
  const isId = tasks.some(({ taskId }) => taskId === given);
  const found = isId ? [] : tasks.filter(({ name }) => name === given);
  const [first] = found;
  if (first !== undefined) {
    requireOne(found, given, stack);
    return first;
  }
  if (presence === "gone" && !isId) {
    const likely = didYouMean(
      given,
      tasks.flatMap(({ name }) => name ?? []),
    );
    throw new CliError(
      `The service does not know the task "${given}", and stack "${stack}" has no task with this name${likely === "" ? "." : likely} ` +
        `"webextract list --stack ${stack}" shows its tasks.`,
      "notFound",
      { taskId: given },
    );
  }
  return { taskId: given };
}

async function presenceOf(taskId: string, context: Context): Promise<Presence["is"]> {
  try {
    return await lookUpExistence(taskId, { ...context, saw: () => undefined });
  } catch (error) {
    if (!isServiceError(error) || isServiceError(error, "credential", "rateLimited", "aborted")) {
      throw error;
    }
    // Some services refuse a name because it does not look like an id, others fail with a 5xx. The command itself finds out whether the service is there.
    return "unclear";
  }
}

/** @throws CliError */
function requireOne(found: readonly StackTask[], name: string, stack: string): void {
  const places = [
    ...new Set(found.map(({ taskId, profile }) => `${taskId}${profile === undefined ? "" : ` (profile ${profile})`}`)),
  ];
  if (places.length > 1) {
    throw new CliError(
      `Stack "${stack}" has ${places.length} tasks with the name "${name}": ${places.join(", ")}. Give the id of the one that you mean.`,
      "usage",
      { taskIds: found.map(({ taskId }) => taskId) },
    );
  }
}
