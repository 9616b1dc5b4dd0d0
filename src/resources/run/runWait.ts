import { BatchRows } from "../export/batchRows";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import type { CloudRunState } from "./cloudRun";
import type { ObservedRun } from "./observeRun";
import { observeRun, statusesOf } from "./observeRun";
import { inShort, RunPatience } from "./runPatience";
import type { Rest } from "./subtaskList";
import { inWords, restOf } from "./subtaskList";

export interface RunWaitOptions {
  /** In the step that started the run. */
  atStart: boolean;
  /** Gets each state on the way, for an error to keep. */
  onState: (state: CloudRunState) => void;
}

/** What is known of a run while it is waited for. */
interface Wait {
  state: CloudRunState;
  /** The last look at its subtasks that came to its end. */
  seen?: ObservedRun;
  readonly rows: BatchRows;
  readonly patience: RunPatience;
}

/** Waits until the run is finished, and answers its last state. */
export async function waitForRun(
  start: CloudRunState,
  context: Context,
  { atStart, onState }: RunWaitOptions,
): Promise<CloudRunState> {
  const { timeoutSeconds = 3600, pollSeconds = 10 } = start;
  const patience = new RunPatience(timeoutSeconds, context);
  const { secondsForRequest } = patience;
  const wait: Wait = { state: start, rows: new BatchRows(start, context, secondsForRequest), patience };
  const look = async (): Promise<boolean> => {
    const seen = await observeRun(wait.state, context, { atStart, secondsForRequest });
    wait.seen = seen;
    wait.state = seen.state;
    onState(seen.state);
    if (seen.superseded && !hasEndedWell(seen.state)) {
      throw new ResourceError(supersededMessage(seen.state));
    }
    refuseBadEnd(seen, context);
    return isFinished(seen, wait.rows);
  };
  while (!(await patience.look(look))) {
    context.progress(progressOf(wait, context));
    if (patience.isOver) {
      throw new ResourceError(timeoutMessage(wait, context));
    }
    await patience.pause(pollSeconds);
    if (context.interrupted.aborted) {
      throw new ResourceError(interruptedMessage(wait.state));
    }
  }
  const end: CloudRunState = wait.state.status === "failed" ? wait.state : { ...wait.state, status: "finished" };
  // The engine shows the last line beside the resource until the command ends.
  const counted = end.finishedWhen === "rowsSettled" ? `, ${wait.rows.total} rows` : "";
  context.progress(`run ${end.lotNo}: ${end.status}, ${subtasksInProgress(end, context)}${counted}`);
  return end;
}

/** What a wait says that the user broke off. */
export function interruptedMessage(state: CloudRunState): string {
  return (
    `The wait for run ${state.lotNo} of task "${state.taskId}" was interrupted (${listInWords(state)}). It goes on at the service; nothing was stopped. ` +
    `Run up again to go on waiting: nothing is started a second time.`
  );
}

function hasEndedWell({ status, failOn }: CloudRunState): boolean {
  return status === "finished" || (status === "failed" && failOn === "never");
}

async function isFinished({ state, list, superseded, showsBefore }: ObservedRun, rows: BatchRows): Promise<boolean> {
  const ended = superseded || (state.ownList !== undefined && hasEndedWell(state));
  // While the list is the one of before, the run's own subtasks may all be waiting: rows that stay the same mean nothing then.
  if (state.finishedWhen === "rowsSettled" && (ended || (list.length === 0 && !showsBefore))) {
    return rows.haveSettled(ended);
  }
  if (!ended) {
    await rows.look();
  }
  return ended;
}

/** Throws where the run has come to its end and subtasks have failed or were stopped. */
function refuseBadEnd({ state, list, requestId }: ObservedRun, context: Context): void {
  const statuses = statusesOf(state, context);
  const bad: readonly (Rest | undefined)[] = state.failOn === "never" ? ["stopped"] : ["failed", "stopped"];
  const unwanted = list.filter(({ status }) => bad.includes(restOf(status, statuses)));
  if (state.status === "running" || unwanted.length === 0) {
    return;
  }
  const named = unwanted.slice(0, 10).map(({ subTaskId, status }) => `${subTaskId} (${status})`);
  const more = unwanted.length > named.length ? ` and ${unwanted.length - named.length} more` : "";
  const ended = unwanted.some(({ status }) => restOf(status, statuses) === "failed") ? "failed" : "stopped";
  const goOn =
    ended === "failed"
      ? 'set failOn: "never" to go on without them'
      : 'if that word does not mean "stopped" here, set statuses';
  throw new ResourceError(
    `Run ${state.lotNo} of task "${state.taskId}" ended ${ended} (${inWords(state.subtasks)}): ${named.join(", ")}${more} (request ${requestId}). ` +
      `The rows of the other subtasks are there. Start the subtasks named here again at the service and run up, which goes on waiting; ` +
      `or start a new run by changing triggers, or with "pulumi up --replace" and this resource's URN; or ${goOn}.`,
  );
}

function progressOf({ state, rows, patience: { problem } }: Wait, context: Context): string {
  const subtasks = subtasksInProgress(state, context);
  return `run ${state.lotNo}: ${state.status}, ${subtasks}${rowsInWords(rows)}${problem === undefined ? "" : `; ${inShort(problem)}`}`;
}

function subtasksInProgress(state: CloudRunState, context: Context): string {
  const { total, byStatus } = state.subtasks;
  const counts = Object.entries(byStatus);
  const statuses = statusesOf(state, context);
  const done = counts
    .filter(([status]) => restOf(status, statuses) !== undefined)
    .reduce((sum, [, count]) => sum + count, 0);
  const each = counts.map(([status, count]) => `${count} ${status}`).join(", ");
  return total === 0 ? "no subtasks listed" : `${done} of ${total} subtasks done (${each})`;
}

function rowsInWords({ total }: BatchRows): string {
  return total === undefined ? "" : `, ${total} rows so far`;
}

function listInWords(state: CloudRunState): string {
  return state.ownList === undefined ? "the service has listed no subtasks of it" : inWords(state.subtasks);
}

function supersededMessage(state: CloudRunState): string {
  return (
    `Run ${state.lotNo} of task "${state.taskId}" is superseded: the subtasks that the service lists now are those of another run, started elsewhere or by another CloudRun of this program ` +
    `(of this one it last showed ${inWords(state.subtasks)}). Nothing was stopped. What the run has extracted so far can be exported by its lotNo. ` +
    `A task has one run at a time: of two CloudRuns for it, let one wait for the other (dependsOn, and waitFor: "finished" on the first), or declare one. ` +
    `Change triggers to start a run again, or set adoptLotNo: "${state.lotNo}" if the list is this run's after all.`
  );
}

function timeoutMessage(wait: Wait, context: Context): string {
  const { state, seen, rows, patience } = wait;
  const { problem } = patience;
  const list =
    seen === undefined && state.ownList === undefined ? "its subtasks could not be read" : listInWords(state);
  const parts = [
    `Run ${state.lotNo} of task "${state.taskId}" was not finished after ${state.timeoutSeconds ?? 3600} s` +
      `${problem === undefined ? "" : ", as far as was seen"} (${list}${rowsInWords(rows)}).`,
    `It ${problem === undefined ? "goes" : "may go"} on at the service; nothing was stopped.`,
    "Run up again to go on waiting, or raise timeoutSeconds.",
    seen === undefined ? undefined : timeoutHint(seen, context),
    problem === undefined ? undefined : `The last request failed: ${problem.message}`,
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}

function timeoutHint({ state, showsBefore }: ObservedRun, context: Context): string {
  if (state.ownList === undefined && showsBefore) {
    return beforeHint(state);
  }
  const statuses = statusesOf(state, context);
  const atWork = Object.keys(state.subtasks.byStatus).filter((status) => restOf(status, statuses) === undefined);
  if (state.finishedWhen === "rowsSettled" && atWork.length === 0) {
    return "It counts as finished once its number of rows is above 0, or its subtasks have finished, and the number stays the same for settleSeconds.";
  }
  if (state.ownList === undefined) {
    return 'If this task never splits into subtasks, set finishedWhen: "rowsSettled".';
  }
  const named = atWork.map((status) => `"${status}"`).join(", ");
  return `What counts as still running: ${named}. If one of these means the end, name it in statuses, or in webextract:statuses.`;
}

/** Why a run is not known to be finished whose own subtasks the service does not show, but those of before. */
function beforeHint({ lotNo, listBefore, finishedWhen }: CloudRunState): string {
  const meanwhile = finishedWhen === "rowsSettled" ? "; meanwhile its rows do not count as settled" : "";
  if (listBefore?.atWork === true) {
    return (
      `The service goes on listing the subtasks of a run that was under way before this one was started${meanwhile}: ` +
      `if it answered the start with that run, set adoptLotNo: "${lotNo}".`
    );
  }
  return (
    `The service goes on listing the subtasks that were there before this run was started, and none of its own${meanwhile}. ` +
    `If it gets none (a task that does not split), or the same ones each time, see at the service whether it has ended; ` +
    `then set adoptLotNo: "${lotNo}", which takes that list for this run's.`
  );
}
