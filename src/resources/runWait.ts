import type { Subtask } from "../service/types";
import type { CloudRunState } from "./cloudRun";
import type { Context } from "./resource";
import { ResourceError } from "./resource";
import { countsOf, inWords, isSameList, markOf, restOf, sharesSubtasks } from "./subtaskList";

/**
 * Waiting for a cloud run. The list of subtasks carries no lotNo and may for a while still be the previous run's, so it counts only once
 * it is known to be ours.
 */

/** Looks at the subtasks and answers the state with what they tell. Throws where another run took the task over. */
export async function observeRun(
  state: CloudRunState,
  context: Context,
): Promise<{ state: CloudRunState; list: Subtask[] }> {
  const list = await context.client.allSubtasks(state.taskId);
  const own = state.ownList;
  if (own !== undefined) {
    // A list that comes up empty says nothing of a run that was in it.
    if (list.length === 0) {
      return { state, list };
    }
    if (!sharesSubtasks(own, list)) {
      // What is finished stays so, whatever others start later.
      return { state: state.status === "finished" ? state : { ...state, status: "superseded" }, list: [] };
    }
  } else if (!isOurs(state, list, context)) {
    return { state, list: [] };
  }
  return {
    state: { ...state, ownList: markOf(list), subtasks: countsOf(list), status: statusOf(list, context) },
    list,
  };
}

function isOurs(state: CloudRunState, list: readonly Subtask[], context: Context): boolean {
  const running = list.some(({ status }) => restOf(status, context.settings.statuses) === undefined);
  return list.length > 0 && (running || !isSameList(state.listBefore, list));
}

function statusOf(list: readonly Subtask[], context: Context): string {
  const rests = list.map(({ status }) => restOf(status, context.settings.statuses));
  if (rests.includes(undefined)) {
    return "running";
  }
  return (["failed", "stopped"] as const).find((rest) => rests.includes(rest)) ?? "finished";
}

/** Waits until the run is finished, and answers its last state; `onState` gets each state on the way, for an error to keep. */
export async function waitForRun(
  start: CloudRunState,
  context: Context,
  onState: (state: CloudRunState) => void,
): Promise<CloudRunState> {
  const timeoutMs = (start.timeoutSeconds ?? 3600) * 1000;
  const pollMs = (start.pollSeconds ?? 10) * 1000;
  const begin = context.now();
  const settled = new SettledRows(start, context);
  let state = start;
  while (true) {
    const seen = await observeRun(state, context);
    state = seen.state;
    onState(state);
    refuseSuperseded(state);
    if (await isFinished(state, seen.list, settled, context)) {
      return state.status === "failed" ? state : { ...state, status: "finished" };
    }
    context.progress(`run ${state.lotNo}: ${inWords(state.subtasks)}`);
    if (context.now() - begin + pollMs > timeoutMs) {
      throw new ResourceError(timeoutMessage(state, timeoutMs / 1000));
    }
    await context.sleep(pollMs);
  }
}

async function isFinished(
  state: CloudRunState,
  list: readonly Subtask[],
  settled: SettledRows,
  context: Context,
): Promise<boolean> {
  const failureIsFine = state.status === "failed" && state.failOn === "never";
  if (!failureIsFine && list.length > 0 && (state.status === "failed" || state.status === "stopped")) {
    throw new ResourceError(endedBadly(state, list, context));
  }
  const ended = state.ownList !== undefined && (failureIsFine || state.status === "finished");
  if (state.finishedWhen === "rowsSettled") {
    return (list.length === 0 || ended) && settled.look();
  }
  return ended;
}

/** Rows have settled when their number is the same for a while. None at all is as often "not yet" as "nothing there". */
class SettledRows {
  private total = 0;
  private since: number;

  constructor(
    private readonly run: CloudRunState,
    private readonly context: Context,
  ) {
    this.since = context.now();
  }

  async look(): Promise<boolean> {
    const { taskId, lotNo, settleSeconds = 60 } = this.run;
    const { data } = await this.context.client.getBatchData({ taskId, lotno: lotNo, offset: 0, size: 1 });
    const now = this.context.now();
    if (data.total !== this.total) {
      this.total = data.total;
      this.since = now;
    }
    return this.total > 0 && now - this.since >= settleSeconds * 1000;
  }
}

function refuseSuperseded(state: CloudRunState): void {
  if (state.status === "superseded") {
    throw new ResourceError(
      `Run ${state.lotNo} of task "${state.taskId}" is superseded: the subtasks that the service lists now are another run's, started elsewhere. ` +
        `Nothing was stopped. What the run has extracted so far can be exported by its lotNo. Change triggers to start a run again.`,
    );
  }
}

function endedBadly(state: CloudRunState, list: readonly Subtask[], context: Context): string {
  const bad = list.filter(({ status }) => {
    const rest = restOf(status, context.settings.statuses);
    return rest === "failed" || rest === "stopped";
  });
  const named = bad.slice(0, 10).map(({ subTaskId, status }) => `${subTaskId} (${status})`);
  const more = bad.length > named.length ? ` and ${bad.length - named.length} more` : "";
  return (
    `Run ${state.lotNo} of task "${state.taskId}" ended ${state.status} (${inWords(state.subtasks)}): ${named.join(", ")}${more}. ` +
    `The rows of the other subtasks are there. Start the subtasks named here again at the service and run up, which goes on waiting; ` +
    `or start a new run by changing triggers, or with "pulumi up --replace" and this resource's URN; or set failOn: "never" to go on without them.`
  );
}

function timeoutMessage(state: CloudRunState, seconds: number): string {
  const list = state.ownList === undefined ? "the service has listed no subtasks of it" : inWords(state.subtasks);
  const hint =
    state.finishedWhen === "rowsSettled"
      ? "It counts as finished once its number of rows is above 0 and stays the same for settleSeconds."
      : 'If this task never splits into subtasks, set finishedWhen: "rowsSettled".';
  return (
    `Run ${state.lotNo} of task "${state.taskId}" was not finished after ${seconds} s (${list}). It goes on at the service; nothing was stopped. ` +
    `Run up again to go on waiting, or raise timeoutSeconds. ${hint}`
  );
}
