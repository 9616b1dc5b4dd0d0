import { isOwnRunId } from "../../service/contract/ownRunIds";
import type { Subtask } from "../../service/contract/types";
import { isServiceError } from "../../service/errors/errors";
import type { RunReason } from "../../values/errors";
import { messageOf, PartialFailure } from "../../values/errors";
import { firstOf } from "../../values/words";
import type { Context, Statuses } from "../resource";
import type { CloudRunState } from "./cloudRunModel";
import { cloudRunArgs, nameOf, statusesOf, timesOf } from "./cloudRunModel";
import type { RunObservation } from "./observeRun";
import { observeRun } from "./observeRun";
import { pollRun, showProgress } from "./pollRun";
import { terminalStatusOf } from "./statuses";
import { describeCounts, eachStatus } from "./subtaskList";

/** How long a read of the rows can delay the wait if only the progress line needs it, in seconds. */
const mostSecondsForProgress = 10;
const mostNamed = 10;
/** After so many reads without a subtask, the wait says what helps. A list can appear late. */
const looksWithoutList = 3;
const unsplitInShort = "no subtasks (finishedWhen rowsSettled?)";
const unsplit = ' A task without a loop lists none: wait with finishedWhen "rowsSettled".';

/**
 * Waits until the run has finished, and returns its state. Whatever ends the wait, the run exists: a partial failure
 * keeps it in the state, so that the next up continues to wait.
 */
export async function waitForRun(
  run: CloudRunState,
  context: Context,
  { atStart }: { atStart: boolean },
): Promise<CloudRunState> {
  const { taskId, lotNo, settleSeconds = cloudRunArgs.settleSeconds.default } = run;
  const settlesRows = run.finishedWhen === "rowsSettled";
  const statuses = statusesOf(run, context);
  let state = run;
  let rows: number | undefined;
  let settledSince: number | undefined;
  let emptyLooks = 0;

  const failed = (reason: RunReason["reason"], message: string): PartialFailure =>
    new PartialFailure(message, lotNo, { ...state, pending: ["wait"] }, { taskId, lotNo, reason });

  const poll = async (deadlineSeconds: number): Promise<boolean> => {
    const seen = await observeRun(state, context, { atStart, deadlineSeconds });
    state = seen.state;
    emptyLooks = seen.list.length === 0 ? emptyLooks + 1 : 0;
    const { is, message } = verdictOf(seen, statuses);
    if (is !== "ended" && is !== "running") {
      throw failed(is, message);
    }
    if (is === "ended" && !settlesRows) {
      // The last number is older than the end.
      rows = undefined;
      return true;
    }
    const before = rows;
    rows = await countRows(run, context, deadlineSeconds);
    // Without any row, the run may not have begun to extract. While the list is that of an earlier run, this run's
    // subtasks may all wait.
    // Without a lotNo, the rows are those of all runs of the task, and tell nothing of a run without a list.
    const canSettle = is === "ended" || (seen.shows === "nothing" && rows !== 0 && !isOwnRunId(lotNo));
    if (!canSettle) {
      settledSince = undefined;
    } else if (settledSince === undefined || rows !== before) {
      settledSince = context.now();
    }
    return settlesRows && settledSince !== undefined && context.now() - settledSince >= settleSeconds * 1000;
  };

  const countedRows = (): string => (rows === undefined ? "" : `, ${rows} rows`);
  // Without a lotNo, rows cannot tell that a run has ended.
  const mayHaveNoList = (looks: number): boolean => emptyLooks >= looks && !settlesRows && !isOwnRunId(lotNo);
  const progress = (): string => {
    const done = mayHaveNoList(looksWithoutList) ? unsplitInShort : subtasksDone(state, statuses);
    return `${done}${countedRows()}, ${statusOf(state)}`;
  };
  try {
    const early = await pollRun(run, { seconds: timesOf(run).timeoutSeconds, poll, progress }, context);
    if (early !== undefined) {
      const { reason, when, lastFailure } = early;
      const subtasks = state.ownList === undefined ? "none of its subtasks were seen" : describeCounts(state.subtasks);
      const seen = `${nameOf(run)} was not seen to finish ${when} (${subtasks}${countedRows()})`;
      throw failed(
        reason,
        `${seen}. It may continue at the service; nothing was stopped.${mayHaveNoList(1) ? unsplit : ""}${lastFailure}`,
      );
    }
  } catch (error) {
    // Nothing is known of a run that the user names, before the service has shown it.
    const isUnseen = state.status === "adopted" && state.adoptLotNo === lotNo;
    throw error instanceof PartialFailure || isUnseen
      ? error
      : failed("notFinished", `${messageOf(error)} ${nameOf(run)} was started and may be running.`);
  }
  // The engine shows the last line beside the resource until the command ends.
  state = state.status === "failed" ? state : { ...state, status: "finished" };
  showProgress(run, progress(), context);
  return state;
}

interface Verdict {
  is: "running" | "ended" | "superseded" | "failed";
  /** What has happened, if it is none of the first two. */
  message: string;
}

/** Whether the run has ended, as this read shows it. */
function verdictOf({ state, shows, list, requestId }: RunObservation, statuses: Statuses): Verdict {
  const toleratesFailed = state.failOn === "never";
  const hasEndedWell = state.status === "finished" || (state.status === "failed" && toleratesFailed);
  if (shows === "laterRun" && !hasEndedWell) {
    const message =
      `${nameOf(state)} is superseded: the service now lists the subtasks of another run (last seen of this run: ${describeCounts(state.subtasks)}). ` +
      "Nothing was stopped. The rows that this run has extracted can be exported by its lotNo. A task has one run at a time.";
    return { is: "superseded", message };
  }
  const of = (end: "failed" | "stopped"): Subtask[] =>
    list.filter(({ status }) => terminalStatusOf(status, statuses) === end);
  const failed = toleratesFailed ? [] : of("failed");
  const unwanted = [...failed, ...of("stopped")];
  if (state.status !== "running" && unwanted.length > 0) {
    const end = failed.length > 0 ? "failed" : "stopped";
    const named = unwanted.map(({ subTaskId, status }) => `${subTaskId} (${status})`);
    const message =
      `${nameOf(state)} ended ${end} (${describeCounts(state.subtasks)}): ${firstOf(named, mostNamed)}${requestId && ` (request ${requestId})`}. ` +
      "The rows of the other subtasks are available.";
    return { is: "failed", message };
  }
  const hasEnded = shows === "laterRun" || (state.ownList !== undefined && hasEndedWell);
  return { is: hasEnded ? "ended" : "running", message: "" };
}

/**
 * By a read of one row. Never from notexported, which can return rows only once. Undefined if only the progress line
 * needs it, and the read fails.
 */
async function countRows(
  { taskId, lotNo, finishedWhen }: CloudRunState,
  { client, interrupted }: Context,
  secondsLeft: number,
): Promise<number | undefined> {
  const isNeeded = finishedWhen === "rowsSettled";
  const deadlineSeconds = isNeeded ? secondsLeft : Math.min(mostSecondsForProgress, secondsLeft);
  try {
    const request = { taskId, offset: 0, size: 1 };
    const options = { signal: interrupted, deadlineSeconds };
    const read = isOwnRunId(lotNo)
      ? client.getData(request, options)
      : client.getBatchData({ ...request, lotno: lotNo }, options);
    return (await read).data.total;
  } catch (error) {
    if (isNeeded || !isServiceError(error)) {
      throw error;
    }
    return undefined;
  }
}

function subtasksDone({ subtasks }: CloudRunState, statuses: Statuses): string {
  const ended = Object.entries(subtasks.byStatus).filter(
    ([status]) => terminalStatusOf(status, statuses) !== undefined,
  );
  const done = ended.reduce((sum, [, count]) => sum + count, 0);
  return subtasks.total === 0 ? "no subtasks listed" : `${done} of ${subtasks.total} done`;
}

function statusOf({ status, subtasks }: CloudRunState): string {
  return subtasks.total === 0 ? status : `${status} (${eachStatus(subtasks)})`;
}
