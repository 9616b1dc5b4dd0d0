import { isServiceError } from "../service/errors";
import type { CloudRunState } from "./cloudRun";
import { observeRun, statusesOf } from "./observeRun";
import type { Context } from "./resource";
import { ResourceError } from "./resource";
import { restOf } from "./subtaskList";

const mostSeconds = 300;
/** A list that comes up empty says nothing; one that stays so has nothing to stop. */
const mostEmptyLooks = 4;

/** Stops this run's subtasks that are not at rest, never another run's, and waits until they are at rest; a task that is gone has none. */
export async function stopRun(state: CloudRunState, context: Context): Promise<void> {
  // Nothing of a finished run is at work.
  if (state.status === "finished" && state.ownList === undefined) {
    return;
  }
  if (state.ownList === undefined || state.ownList.seenLate === true) {
    context.warn(
      `${notStopped(state)}: its subtasks were not seen when it was started, and those listed since may be another run's.`,
    );
    return;
  }
  try {
    await stop(state, context);
  } catch (error) {
    if (isServiceError(error, "aborted")) {
      throw new ResourceError(interruptedMessage(state));
    }
    if (!isServiceError(error, "notFound")) {
      throw error;
    }
    context.saw(state.taskId, "gone");
  }
}

async function stop(state: CloudRunState, context: Context): Promise<void> {
  const { taskId, timeoutSeconds = 3600, pollSeconds = 10 } = state;
  const statuses = statusesOf(state, context);
  const mostMs = Math.min(timeoutSeconds, mostSeconds) * 1000;
  const begin = context.now();
  const told = new Set<string>();
  for (let look = 1; ; look++) {
    const { list, superseded, state: seen } = await observeRun(state, context);
    if (seen.status === "superseded") {
      context.warn(`${notStopped(state)}: the service lists another run's subtasks now.`);
    }
    const running = list.filter(({ status }) => restOf(status, statuses) === undefined);
    const says = list.length > 0 || look >= mostEmptyLooks;
    if (superseded || (says && running.length === 0)) {
      if (!superseded && list.length === 0) {
        context.warn(`${notStopped(state)}: the service lists no subtasks of it.`);
      }
      return;
    }
    const subTaskIds = running.map(({ subTaskId }) => subTaskId).filter((id) => !told.has(id));
    if (subTaskIds.length > 0) {
      await context.exclusive(taskId, () => context.client.stopSubtasks({ taskId, subTaskIds }));
      for (const id of subTaskIds) {
        told.add(id);
      }
    }
    const leftMs = mostMs - (context.now() - begin);
    if (leftMs <= 0) {
      throw new ResourceError(
        `Run ${state.lotNo} of task "${taskId}": ${running.length} subtasks were told to stop and are still at work after ${mostMs / 1000} s. ${waysOut}`,
      );
    }
    await context.sleep(Math.min(pollSeconds * 1000, leftMs));
    if (context.interrupted.aborted) {
      throw new ResourceError(interruptedMessage(state));
    }
  }
}

const waysOut = 'Run the same command again, or set onDelete: "retain" and run up first.';

function notStopped({ lotNo, taskId }: CloudRunState): string {
  return `Run ${lotNo} of task "${taskId}" was not stopped`;
}

function interruptedMessage({ lotNo, taskId }: CloudRunState): string {
  return `Run ${lotNo} of task "${taskId}": the command was interrupted before all of its subtasks had stopped. ${waysOut}`;
}
