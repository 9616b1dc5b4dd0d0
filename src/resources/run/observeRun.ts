import type { Subtask } from "../../service/contract/types";
import { allSubtasks } from "../../service/rows/subtasks";
import type { Context, Statuses } from "../resource";
import type { CloudRunState } from "./cloudRunModel";
import { statusesOf } from "./cloudRunModel";
import { terminalStatusOf } from "./statuses";
import type { SubtaskFingerprint } from "./subtaskList";
import { countsOf, fingerprintOf, isSameList, noteTask, runningOf, sharesSubtasks } from "./subtaskList";

/**
 * One read of a run's subtasks. The service lists subtasks by task, without a lotNo: just after a start, the list can
 * still be that of the previous run, and later that of a run which somebody else started. So each read determines whose
 * list it is.
 */
export interface RunObservation {
  /** The run's state with what the list tells. */
  state: CloudRunState;
  /** Whose subtasks the service listed. `nothing`: the list is empty. */
  shows: "nothing" | "earlierRun" | "thisRun" | "laterRun";
  /** The run's own subtasks. Empty if the service listed others, or none. */
  list: Subtask[];
  /** Of the service's response. */
  requestId: string;
}

export interface ObserveOptions {
  /** True in the step that started the run. Default false. */
  atStart?: boolean;
  /** How long a request can take. Default: the client's deadline. */
  deadlineSeconds?: number;
}

export async function observeRun(
  state: CloudRunState,
  context: Context,
  { atStart = false, deadlineSeconds }: ObserveOptions = {},
): Promise<RunObservation> {
  const { taskId } = state;
  let requestId = "";
  const list = await allSubtasks(async (page, size) => {
    const options = { signal: context.interrupted, deadlineSeconds };
    const response = await context.client.getSubtasks({ taskId, page, size }, options);
    requestId = response.requestId;
    return response.data;
  });
  noteTask(taskId, list, context);
  const statuses = statusesOf(state, context);
  const { ownList, listBefore } = state;
  const others = { state, list: [], requestId };
  if (list.length === 0) {
    return { ...others, shows: "nothing" };
  }
  if (ownList === undefined && !isOwn(list, listBefore, statuses)) {
    const isEnded = listBefore?.atWork === true && runningOf(list, statuses).length === 0;
    const before = isEnded ? { ...fingerprintOf(list), at: listBefore.at } : listBefore;
    return { ...others, shows: "earlierRun", state: { ...state, listBefore: before } };
  }
  if (ownList !== undefined && !sharesSubtasks(ownList, list)) {
    // The list from before the start, seen again, is an outdated response.
    if (listBefore !== undefined && sharesSubtasks(listBefore, list)) {
      return { ...others, shows: "earlierRun" };
    }
    // A run that has ended keeps its status when the task runs again.
    const hasEnded = ["finished", "failed", "stopped"].includes(state.status.toLowerCase());
    return { ...others, shows: "laterRun", state: hasEnded ? state : { ...state, status: "superseded" } };
  }
  const own = ownList ?? { ...fingerprintOf(list), ...(atStart ? {} : { seenLate: true }) };
  const seen = { ...state, ownList: own, subtasks: countsOf(list), status: statusOfRun(list, statuses) };
  return { state: seen, shows: "thisRun", list, requestId };
}

/**
 * A list belongs to this run if it has other subtasks than the list before the start. A service can use the same ids
 * for each run. Then the list belongs to this run when a subtask is running again. If subtasks were running before the
 * start, they belong to another run until all of them have stopped, even if the list grows.
 */
function isOwn(list: readonly Subtask[], before: SubtaskFingerprint | undefined, statuses: Statuses): boolean {
  if (before === undefined || !sharesSubtasks(before, list)) {
    return true;
  }
  return before.atWork !== true && (runningOf(list, statuses).length > 0 || !isSameList(before, list));
}

function statusOfRun(list: readonly Subtask[], statuses: Statuses): string {
  const terminal = list.map(({ status }) => terminalStatusOf(status, statuses));
  if (terminal.includes(undefined)) {
    return "running";
  }
  return (["failed", "stopped"] as const).find((status) => terminal.includes(status)) ?? "finished";
}
