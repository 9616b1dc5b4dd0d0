import type { Subtask } from "../../../service/contract/types";
import type { ServiceError } from "../../../service/errors/errors";
import type { Statuses } from "../../resource";
import type { CloudRunState } from "../cloudRunModel";
import { timesOf } from "../cloudRunModel";
import type { RunObservation } from "../observeRun";
import type { RunAdvice } from "../runAdvice";
import { describeCounts, terminalStatusOf } from "../subtaskList";

/** The messages of a wait for a run. Each error says what happened, that the run continues, and what to do. */

/** The lotNo is empty if the user does not know it. */
export function nameOf({ lotNo, taskId }: CloudRunState): string {
  return lotNo === "" ? `The run of task "${taskId}"` : `Run ${lotNo} of task "${taskId}"`;
}

/** What is known while a run is waited for. */
export interface WaitSoFar {
  state: CloudRunState;
  statuses: Statuses;
  advice: RunAdvice;
  lastSeen: RunObservation | undefined;
  /** Number of rows. */
  rows: number | undefined;
  /** Why the last poll failed. */
  failure: ServiceError | undefined;
}

export function progress({ state, statuses, rows, failure }: WaitSoFar): string {
  const failed = failure === undefined ? "" : `; ${inShort(failure)}`;
  return `run ${state.lotNo}: ${state.status}, ${subtasksDone(state, statuses)}${rowsSoFar(rows)}${failed}`;
}

export function ended({ state, statuses, rows }: WaitSoFar): string {
  // Only a wait for rows has read them again at the end.
  const counted = state.finishedWhen === "rowsSettled" ? `, ${rows} rows` : "";
  return `run ${state.lotNo}: ${state.status}, ${subtasksDone(state, statuses)}${counted}`;
}

/** A failure for the progress line. Without the parts that differ each time, so that a log gets no new line for each poll. */
export function inShort({ kind, status, operation }: ServiceError): string {
  const response = status === undefined ? "no response" : `the service responded with ${status}`;
  const why = { unreachable: "no connection", rateLimited: "too many requests", busy: "the task is busy" } as const;
  const said = Object.hasOwn(why, kind) ? why[kind as keyof typeof why] : response;
  return `the last request failed (${operation}: ${said})`;
}

export function interrupted(state: CloudRunState, advice: RunAdvice): string {
  return (
    `The wait for run ${state.lotNo} of task "${state.taskId}" was interrupted (${subtasksSeen(state)}). ` +
    `The run continues at the service; nothing was stopped. ${advice.waitAgain(state)}: no second run is started.`
  );
}

/** After an error of the service that ended the wait. */
export function mayContinue(state: CloudRunState, advice: RunAdvice): string {
  return `${nameOf(state)} was started and may be running. ${advice.waitAgain(state)}: no second run is started.`;
}

export function superseded(state: CloudRunState, advice: RunAdvice): string {
  return (
    `${nameOf(state)} is superseded: the service now lists the subtasks of another run, started ${advice.startedBy} ` +
    `(last seen of this run: ${describeCounts(state.subtasks)}). Nothing was stopped. The rows that this run has extracted can be exported by its lotNo. ` +
    `A task has one run at a time. ${advice.superseded(state)}`
  );
}

const mostNamed = 10;

export function endedBadly(
  state: CloudRunState,
  { end, unwanted, requestId }: { end: "failed" | "stopped"; unwanted: readonly Subtask[]; requestId: string },
  advice: RunAdvice,
): string {
  const named = unwanted.slice(0, mostNamed).map(({ subTaskId, status }) => `${subTaskId} (${status})`);
  const more = unwanted.length > mostNamed ? ` and ${unwanted.length - mostNamed} more` : "";
  return (
    `${nameOf(state)} ended ${end} (${describeCounts(state.subtasks)}): ${named.join(", ")}${more} (request ${requestId}). ` +
    `The rows of the other subtasks are available. ${advice.endedBadly(state, end)}`
  );
}

export function timedOut({ state, statuses, advice, lastSeen, rows, failure }: WaitSoFar): string {
  const seen =
    lastSeen === undefined && state.ownList === undefined ? "its subtasks could not be read" : subtasksSeen(state);
  const within = `within ${timesOf(state).timeoutSeconds} s (${seen}${rowsSoFar(rows)})`;
  const parts = [
    failure === undefined
      ? `${nameOf(state)} did not finish ${within}. It continues at the service; nothing was stopped.`
      : `${nameOf(state)} was not seen to finish ${within}. It may continue at the service; nothing was stopped.`,
    `${advice.waitAgain(state)}, or ${advice.waitLonger}.`,
    ...(lastSeen === undefined ? [] : [hint(lastSeen, statuses, advice)]),
    ...(failure === undefined ? [] : [`The last request failed: ${failure.message}`]),
  ];
  return parts.join(" ");
}

/** Why the run does not count as finished, and what to set if it has finished. */
function hint({ state, shows }: RunObservation, statuses: Statuses, advice: RunAdvice): string {
  if (state.ownList === undefined && shows === "earlierRun") {
    return hintAtEarlierRun(state, advice);
  }
  const running = Object.keys(state.subtasks.byStatus).filter(
    (status) => terminalStatusOf(status, statuses) === undefined,
  );
  if (state.finishedWhen === "rowsSettled" && running.length === 0) {
    return `The run counts as finished when it has rows, or its subtasks have finished, and the number of rows has not changed for ${advice.settleTime}.`;
  }
  if (state.ownList === undefined) {
    return advice.settle;
  }
  const named = running.map((status) => `"${status}"`).join(", ");
  return advice.running(named);
}

function hintAtEarlierRun(state: CloudRunState, advice: RunAdvice): string {
  const { listBefore, finishedWhen } = state;
  const meanwhile = finishedWhen === "rowsSettled" ? ", so rows do not count as settled" : "";
  if (listBefore?.atWork === true) {
    return (
      `The service still lists the subtasks of a run that was running before this start${meanwhile}. ` +
      `If it responded to the start with that run, ${advice.takeList(state)}.`
    );
  }
  return (
    `The service still lists the subtasks from before this start, and none of this run${meanwhile}. ` +
    `If this run has none (a task that does not split) or the same subtasks each time, see at the service whether it has ended. ` +
    `Then ${advice.takeList(state)}, which takes the listed subtasks as those of this run.`
  );
}

function subtasksSeen(state: CloudRunState): string {
  return state.ownList === undefined ? "the service has listed no subtasks of it" : describeCounts(state.subtasks);
}

function subtasksDone(state: CloudRunState, statuses: Statuses): string {
  const { total, byStatus } = state.subtasks;
  const done = Object.entries(byStatus)
    .filter(([status]) => terminalStatusOf(status, statuses) !== undefined)
    .reduce((sum, [, count]) => sum + count, 0);
  const each = Object.entries(byStatus)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ");
  return total === 0 ? "no subtasks listed" : `${done} of ${total} subtasks done (${each})`;
}

function rowsSoFar(total: number | undefined): string {
  return total === undefined ? "" : `, ${total} rows so far`;
}
