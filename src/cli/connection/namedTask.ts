import type { Context } from "../../resources/resource";
import type { Presence } from "../../resources/task/taskPresence";
import { lookUpExistence } from "../../resources/task/taskPresence";
import { shellWord } from "../../resources/values";
import { isServiceError } from "../../service/errors/errors";
import { didYouMean } from "../../values/likelyName";
import { CliError } from "../exitCodes";
import type { Connection } from "./connection";
import { serviceOf } from "./connection";
import type { StackTask } from "./stackTasks";
import { stackTasks } from "./stackTasks";

/**
 * A task that the user names by its id or by its name. Only its id is known then, or what the state of the stack says.
 */
export type NamedTask = Omit<StackTask, "exports">;

/** `task "shop-1"`, or `task "books" (id shop-1, stack dev)`. */
export function describeTask({ taskId, name }: NamedTask, stack: string | undefined): string {
  const ofStack = stack === undefined ? [] : [`stack ${stack}`];
  const more = [...(name === undefined ? [] : [`id ${taskId}`]), ...ofStack];
  return `task "${name ?? taskId}"${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

/**
 * The tasks that arguments mean. An id that the service knows counts first: then the state of the stack is not read. An
 * argument that is neither that nor a name counts as an id, because some services do not show whether a task exists.
 * @throws CliError if the name belongs to several tasks, no task is meant, or the state cannot be read
 */
export async function namedTasks(
  given: readonly string[],
  stack: string | undefined,
  context: Context,
): Promise<NamedTask[]> {
  const presences = stack === undefined ? [] : await Promise.all(given.map((each) => presenceOf(each, context)));
  if (stack === undefined || presences.every((presence) => presence === "there")) {
    return given.map((taskId) => ({ taskId }));
  }
  const inState = await stackTasks(stack, context.interrupted);
  const unknown: string[] = [];
  const meant = given.map((each, index): NamedTask => {
    if (presences[index] === "there" || inState.some(({ taskId }) => taskId === each)) {
      return { taskId: each };
    }
    const found = inState.filter(({ name }) => name === each);
    const places = new Set(found.map(({ taskId, profile }) => `${taskId}${profile ? ` (profile ${profile})` : ""}`));
    if (places.size > 1) {
      throw new CliError(
        `Stack "${stack}" has ${places.size} tasks with the name "${each}": ${[...places].join(", ")}. Give the id of the one that you mean.`,
        "usage",
        { taskIds: found.map(({ taskId }) => taskId) },
      );
    }
    unknown.push(...(found.length === 0 && presences[index] === "gone" ? [each] : []));
    return found[0] ?? { taskId: each };
  });
  if (unknown.length > 0) {
    const names = inState.flatMap(({ name }) => name ?? []);
    const likely = unknown.map((each) => `"${each}"${didYouMean(each, names)}`).join(", ");
    throw new CliError(
      `Neither the service nor stack "${stack}" knows ${likely}${likely.endsWith("?") ? "" : "."} "webextract list --stack ${shellWord(stack)}" shows its tasks.`,
      "notFound",
      { taskIds: unknown },
    );
  }
  return meant;
}

/** @throws CliError if the task is at another service: the same id there is another task */
export function requireOrigin({ name, origin }: NamedTask, connected: Connection & { stack?: string }): void {
  const service = serviceOf(connected);
  if (origin !== undefined && origin !== service && !connected.config.movedFrom.includes(origin)) {
    throw new CliError(
      `Task "${name}" of stack "${connected.stack}" is at ${origin}, and the command would use ${service}. Nothing was sent about it.`,
      "usage",
    );
  }
}

async function presenceOf(taskId: string, context: Context): Promise<Presence["is"]> {
  try {
    return await lookUpExistence(taskId, { ...context, saw: () => undefined });
  } catch (error) {
    if (!isServiceError(error) || isServiceError(error, "credential", "rateLimited", "aborted")) {
      throw error;
    }
    // Some services refuse a name because it does not look like an id, others fail with a 5xx. The command itself finds
    // out whether the service is there.
    return "unclear";
  }
}
