import type { ServiceError } from "../../service/errors/errors";
import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import type { CloudRunState } from "./cloudRun";
import { observeRun, statusesOf } from "./observeRun";
import { inShort, RunPatience } from "./runPatience";
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
    if (isServiceError(error, "notFound")) {
      context.saw(state.taskId, "gone");
      return;
    }
    throw isServiceError(error) ? new ResourceError(`${error.message} ${mayBeAtWork(state)}. ${waysOut}`) : error;
  }
}

async function stop(state: CloudRunState, context: Context): Promise<void> {
  const { taskId, timeoutSeconds = 3600, pollSeconds = 10 } = state;
  const statuses = statusesOf(state, context);
  const seconds = Math.min(timeoutSeconds, mostSeconds);
  const patience = new RunPatience(seconds, context);
  const { secondsForRequest } = patience;
  const told = new Set<string>();
  let looks = 0;
  let atWork = 0;
  const look = async (): Promise<boolean> => {
    const { list, superseded, state: seen } = await observeRun(state, context, { secondsForRequest });
    looks++;
    if (seen.status === "superseded") {
      context.warn(`${notStopped(state)}: the service lists another run's subtasks now.`);
    }
    const running = list.filter(({ status }) => restOf(status, statuses) === undefined);
    atWork = list.length > 0 ? running.length : atWork;
    const says = list.length > 0 || looks >= mostEmptyLooks;
    if (superseded || (says && running.length === 0)) {
      if (!superseded && list.length === 0) {
        context.warn(`${notStopped(state)}: the service lists no subtasks of it.`);
      } else if (!superseded) {
        context.progress(`run ${state.lotNo}: stopped`);
      }
      return true;
    }
    const subTaskIds = running.map(({ subTaskId }) => subTaskId).filter((id) => !told.has(id));
    if (subTaskIds.length > 0) {
      await context.exclusive(taskId, () =>
        context.client.stopSubtasks({ taskId, subTaskIds }, { deadlineSeconds: secondsForRequest() }),
      );
      for (const id of subTaskIds) {
        told.add(id);
      }
    }
    return false;
  };
  while (!(await patience.look(look))) {
    const { problem } = patience;
    context.progress(`run ${state.lotNo}: stopping${problem === undefined ? "" : `; ${inShort(problem)}`}`);
    if (patience.isOver) {
      throw new ResourceError(timeoutMessage(state, { seconds, told: told.size, atWork, problem }));
    }
    await patience.pause(pollSeconds);
    if (context.interrupted.aborted) {
      throw new ResourceError(interruptedMessage(state));
    }
  }
}

const waysOut = 'Run the same command again, or set onDelete: "retain" and run up first.';

function notStopped({ lotNo, taskId }: CloudRunState): string {
  return `Run ${lotNo} of task "${taskId}" was not stopped`;
}

function mayBeAtWork(state: CloudRunState): string {
  return `${notStopped(state)} and may still be at work`;
}

interface StopSoFar {
  seconds: number;
  /** How many subtasks were told to stop. */
  told: number;
  /** How many were not at rest in the last list that said anything. */
  atWork: number;
  problem: ServiceError | undefined;
}

function timeoutMessage(state: CloudRunState, { seconds, told, atWork, problem }: StopSoFar): string {
  const { lotNo, taskId } = state;
  const failed = problem === undefined ? "" : ` The last request failed: ${problem.message}`;
  if (told === 0) {
    const why = problem === undefined ? ": the service listed no subtasks of it" : "";
    return `${mayBeAtWork(state)} after ${seconds} s${why}.${failed} ${waysOut}`;
  }
  const are = problem === undefined ? "are still at work" : "were not seen at rest";
  return `Run ${lotNo} of task "${taskId}": ${atWork} subtasks were told to stop and ${are} after ${seconds} s.${failed} ${waysOut}`;
}

function interruptedMessage({ lotNo, taskId }: CloudRunState): string {
  return `Run ${lotNo} of task "${taskId}": the command was interrupted before all of its subtasks had stopped. ${waysOut}`;
}
