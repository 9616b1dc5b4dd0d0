import { isServiceError } from "../../service/errors/errors";
import { ResourceError } from "../../values/errors";
import { counted } from "../../values/words";
import type { Context } from "../resource";
import type { CloudRunState } from "./cloudRunModel";
import { nameOf, statusesOf, timesOf } from "./cloudRunModel";
import { observeRun } from "./observeRun";
import { pollRun, showProgress } from "./pollRun";
import { runningOf } from "./subtaskList";

/** Seconds that a stop waits. */
export const mostStopSeconds = 300;
/** One empty list proves nothing. After this number of empty lists, the run has nothing to stop. */
const mostEmptyLists = 4;

/**
 * Stops the running subtasks of this run and waits until they have stopped. Subtasks that can belong to another run are
 * never stopped.
 */
export async function stopRun(run: CloudRunState, context: Context): Promise<void> {
  const { taskId, lotNo, ownList } = run;
  // What runs under ids that the service uses for each run is another run.
  if (run.status === "finished") {
    return;
  }
  const notStopped = `${nameOf(run)} was not stopped`;
  if (ownList === undefined || ownList.seenLate === true) {
    context.warn(
      `${notStopped}: its subtasks were not seen when it started, and subtasks that were seen later may belong to another run. ` +
        "If it is still running and should not be, stop it in the service's own interface.",
    );
    return;
  }
  const told = new Set<string>();
  let reads = 0;
  const poll = async (deadlineSeconds: number): Promise<boolean> => {
    const { list, shows, state } = await observeRun(run, context, { deadlineSeconds });
    reads++;
    if (shows === "laterRun") {
      if (state.status === "superseded") {
        context.warn(`${notStopped}: the service now lists the subtasks of another run.`);
      }
      return true;
    }
    if (list.length === 0 && reads >= mostEmptyLists) {
      context.warn(`${notStopped}: the service lists no subtasks of it.`);
      return true;
    }
    const running = runningOf(list, statusesOf(run, context)).flatMap(({ subTaskId }) => {
      const other = context.tasks.heldBy({ part: "subtask", taskId, subTaskId });
      if (other !== undefined) {
        context.warn(`${nameOf(run)} was stopped without its subtask "${subTaskId}": ${other} wants it started.`);
      }
      return other === undefined ? subTaskId : [];
    });
    const untold = running.filter((id) => !told.has(id));
    if (untold.length > 0) {
      await context.tasks.exclusive(taskId, () =>
        context.client.stopSubtasks({ taskId, subTaskIds: untold }, { deadlineSeconds }),
      );
      for (const id of untold) {
        told.add(id);
      }
    }
    if (list.length === 0 || running.length > 0) {
      return false;
    }
    // The engine shows the last line beside the resource until the command ends.
    showProgress(run, "stopped", context);
    return true;
  };
  const mayBeRunning = (what: string): ResourceError =>
    new ResourceError(`${what} It may still be running.`, { taskId, lotNo, reason: "notStopped" });
  try {
    const seconds = Math.min(timesOf(run).timeoutSeconds, mostStopSeconds);
    const early = await pollRun(run, { seconds, poll, progress: () => "stopping" }, context);
    if (early !== undefined) {
      const { when, lastFailure } = early;
      const asked = `${counted(told.size, "subtask")} got the request to stop`;
      throw mayBeRunning(`${nameOf(run)} was not seen to stop ${when} (${asked}).${lastFailure}`);
    }
  } catch (error) {
    if (isServiceError(error, "notFound")) {
      context.tasks.saw(taskId, "gone");
      return;
    }
    throw isServiceError(error) && error.kind !== "notYours" ? mayBeRunning(`${error.message} ${notStopped}.`) : error;
  }
}
