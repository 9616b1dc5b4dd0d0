import type { ServiceError } from "../../service/errors/errors";
import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import type { CloudRunState } from "./cloudRunModel";
import { statusesOf, timesOf } from "./cloudRunModel";
import { observeRun } from "./observeRun";
import { runningOf } from "./subtaskList";
import { RunPolling } from "./wait/runPolling";
import { inShort, nameOf } from "./wait/waitMessages";

const mostSeconds = 300;
/** One empty list proves nothing. After this number of empty lists, the run has nothing to stop. */
const mostEmptyLists = 4;

/** Stops the running subtasks of this run and waits until they have stopped. Subtasks that can belong to another run are never stopped. */
export async function stopRun(run: CloudRunState, context: Context): Promise<void> {
  if (run.status === "finished" && run.ownList === undefined) {
    return;
  }
  if (run.ownList === undefined || run.ownList.seenLate === true) {
    context.warn(
      `${notStopped(run)}: its subtasks were not seen when it started, and subtasks that were seen later may belong to another run. ` +
        "If it is still running and should not be, stop it in the service's own interface.",
    );
    return;
  }
  try {
    await new RunStop(run, context).untilStopped();
  } catch (error) {
    if (isServiceError(error, "aborted")) {
      throw new ResourceError(interrupted(run, context));
    }
    if (isServiceError(error, "notFound")) {
      context.saw(run.taskId, "gone");
      return;
    }
    throw isServiceError(error)
      ? new ResourceError(`${error.message} ${mayBeRunning(run)}. ${context.runAdvice.stopAgain}`)
      : error;
  }
}

class RunStop {
  private readonly seconds: number;
  private readonly polling: RunPolling;
  /** Subtasks that the service was told to stop. */
  private readonly told = new Set<string>();
  /** How many were running in the last list that was not empty. */
  private running = 0;
  private polls = 0;

  constructor(
    private readonly run: CloudRunState,
    private readonly context: Context,
  ) {
    this.seconds = Math.min(timesOf(run).timeoutSeconds, mostSeconds);
    this.polling = new RunPolling(this.seconds, context);
  }

  async untilStopped(): Promise<void> {
    const { run, polling } = this;
    await polling.until(() => this.poll(), timesOf(run).pollSeconds, {
      progress: () => {
        const { lastFailure } = polling;
        return `run ${run.lotNo}: stopping${lastFailure === undefined ? "" : `; ${inShort(lastFailure)}`}`;
      },
      timedOut: () => timedOut(run, { ...this.sofar, failure: polling.lastFailure }, this.context),
      interrupted: () => interrupted(run, this.context),
    });
  }

  private get sofar(): Omit<StopSoFar, "failure"> {
    return { seconds: this.seconds, told: this.told.size, running: this.running };
  }

  private async poll(): Promise<boolean> {
    const { run, context, polling } = this;
    const { list, shows, state } = await observeRun(run, context, { secondsForRequest: polling.secondsForRequest });
    this.polls++;
    if (shows === "laterRun") {
      if (state.status === "superseded") {
        context.warn(`${notStopped(run)}: the service now lists the subtasks of another run.`);
      }
      return true;
    }
    const running = runningOf(list, statusesOf(run, context)).map(({ subTaskId }) => subTaskId);
    if (list.length === 0) {
      if (this.polls < mostEmptyLists) {
        return false;
      }
      context.warn(`${notStopped(run)}: the service lists no subtasks of it.`);
      return true;
    }
    this.running = running.length;
    if (running.length === 0) {
      context.progress(`run ${run.lotNo}: stopped`);
      return true;
    }
    await this.tell(running.filter((id) => !this.told.has(id)));
    return false;
  }

  private async tell(subTaskIds: string[]): Promise<void> {
    if (subTaskIds.length === 0) {
      return;
    }
    const { run, context, polling } = this;
    const { taskId } = run;
    await context.exclusive(taskId, () =>
      context.client.stopSubtasks({ taskId, subTaskIds }, { deadlineSeconds: polling.secondsForRequest() }),
    );
    for (const id of subTaskIds) {
      this.told.add(id);
    }
  }
}

function notStopped(run: CloudRunState): string {
  return `${nameOf(run)} was not stopped`;
}

function mayBeRunning(run: CloudRunState): string {
  return `${notStopped(run)} and may still be running`;
}

interface StopSoFar {
  seconds: number;
  told: number;
  running: number;
  failure: ServiceError | undefined;
}

function timedOut(run: CloudRunState, { seconds, told, running, failure }: StopSoFar, context: Context): string {
  const failed = failure === undefined ? "" : ` The last request failed: ${failure.message}`;
  if (told === 0) {
    const why = failure === undefined ? ": the service listed no subtasks of it" : "";
    return `${mayBeRunning(run)} after ${seconds} s${why}.${failed} ${context.runAdvice.stopAgain}`;
  }
  const are = failure === undefined ? "are still running" : "were not seen to stop";
  return `${nameOf(run)}: ${running} subtasks were told to stop and ${are} after ${seconds} s.${failed} ${context.runAdvice.stopAgain}`;
}

function interrupted(run: CloudRunState, context: Context): string {
  return `${nameOf(run)}: the command was interrupted before all of its subtasks had stopped. ${context.runAdvice.stopAgain}`;
}
