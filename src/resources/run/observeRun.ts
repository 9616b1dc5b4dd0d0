import type { Subtask } from "../../service/contract/types";
import { allSubtasks } from "../../service/subtasks";
import type { Context, Statuses } from "../resource";
import type { CloudRunState } from "./cloudRun";
import type { ListMark } from "./subtaskList";
import { countsOf, isAtWork, isSameList, markOf, noteTask, restOf, sharesSubtasks } from "./subtaskList";

/**
 * Looking at a cloud run. The list of subtasks carries no lotNo: for a while after a start it may still be the previous run's, and later
 * that of a run which somebody else started. So it counts only once it's known to be ours, and no longer when it's another one.
 */

export interface ObservedRun {
  state: CloudRunState;
  /** The run's subtasks. Empty where the service shows none of it. */
  list: Subtask[];
  /** The list shows another run, started after this one. */
  superseded: boolean;
  /** The list shows the subtasks of before the start: of this run nothing is known. */
  showsBefore: boolean;
  /** Of the service's answer. */
  requestId: string;
}

/** Which statuses mean what for this run. */
export function statusesOf({ statuses }: Pick<CloudRunState, "statuses">, { settings }: Context): Statuses {
  return { ...settings.statuses, ...statuses };
}

export interface LookOptions {
  /** In the step that started the run. Default false. */
  atStart?: boolean;
  /** How long the next request may take. Default: as long as any. */
  secondsForRequest?: () => number;
}

/** Looks at the subtasks and answers the state with what they tell. */
export async function observeRun(
  state: CloudRunState,
  context: Context,
  { atStart = false, secondsForRequest }: LookOptions = {},
): Promise<ObservedRun> {
  const { list, requestId } = await subtasksOf(state.taskId, context, secondsForRequest);
  const statuses = statusesOf(state, context);
  const { ownList, listBefore } = state;
  const noNews: ObservedRun = { state, list: [], superseded: false, showsBefore: false, requestId };
  // A list that comes up empty says nothing: not of a run that was in it, nor of one that is to appear.
  if (list.length === 0) {
    return noNews;
  }
  if (ownList === undefined && !isOurs(list, listBefore, statuses)) {
    return { ...noNews, state: { ...state, listBefore: atRestNow(listBefore, list, statuses) }, showsBefore: true };
  }
  if (ownList !== undefined && !sharesSubtasks(ownList, list)) {
    // The list of before, seen once more, is an old answer and no later run.
    if (listBefore !== undefined && sharesSubtasks(listBefore, list)) {
      return { ...noNews, showsBefore: true };
    }
    // What has ended stays what it was, whatever others start later.
    const ended = restOf(state.status, plainWords) !== undefined;
    return { ...noNews, state: ended ? state : { ...state, status: "superseded" }, superseded: true };
  }
  const own = ownList ?? { ...markOf(list), ...(atStart ? {} : { seenLate: true }) };
  const seen = { ...state, ownList: own, subtasks: countsOf(list), status: statusOf(list, statuses) };
  return { state: seen, list, superseded: false, showsBefore: false, requestId };
}

/** Our own words for a status of the whole run. */
const plainWords: Statuses = { finished: ["finished"], failed: ["failed"], stopped: ["stopped"] };

async function subtasksOf(
  taskId: string,
  context: Context,
  secondsForRequest?: () => number,
): Promise<{ list: Subtask[]; requestId: string }> {
  let requestId = "";
  const list = await allSubtasks(async (page, size) => {
    const options = { signal: context.interrupted, deadlineSeconds: secondsForRequest?.() };
    const answer = await context.client.getSubtasks({ taskId, page, size }, options);
    requestId = answer.requestId;
    return answer.data;
  });
  noteTask(taskId, list, context);
  return { list, requestId };
}

/**
 * Ours is a list of other subtasks than before the start. Where a service gives the same ids to each run, it's ours once it's at work
 * again; what was at work before the start is another run, and goes on being one, also when its list grows.
 */
function isOurs(list: readonly Subtask[], before: ListMark | undefined, statuses: Statuses): boolean {
  if (before === undefined || !sharesSubtasks(before, list)) {
    return true;
  }
  return before.atWork !== true && (isAtWork(list, statuses) || !isSameList(before, list));
}

/** The other run of before the start has ended: the same subtasks at work again will be ours. */
function atRestNow(before: ListMark | undefined, list: readonly Subtask[], statuses: Statuses): ListMark | undefined {
  return before?.atWork === true && !isAtWork(list, statuses) ? markOf(list) : before;
}

function statusOf(list: readonly Subtask[], statuses: Statuses): string {
  const rests = list.map(({ status }) => restOf(status, statuses));
  if (rests.includes(undefined)) {
    return "running";
  }
  return (["failed", "stopped"] as const).find((rest) => rests.includes(rest)) ?? "finished";
}
