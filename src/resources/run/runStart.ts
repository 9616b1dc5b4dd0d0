import type { Subtask } from "../../service/contract/types";
import type { ServiceError } from "../../service/errors/errors";
import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import type { MakingRequest } from "../task/lostResponse";
import { sendOnce, takeOver, withoutHint } from "../task/lostResponse";
import { lookUpExistence } from "../task/taskPresence";
import type { CheckedCloudRunArgs, CloudRunArgs, CloudRunState } from "./cloudRunModel";
import { nameOf, statusesOf, timesOf } from "./cloudRunModel";
import { observeRun } from "./observeRun";
import type { LabelState } from "./runLabels";
import { joinLabels, labelsOf } from "./runLabels";
import type { SubtaskCounts, SubtaskFingerprint } from "./subtaskList";
import { fingerprintOf, runningOf } from "./subtaskList";

const noSubtasks: SubtaskCounts = { total: 0, byStatus: {} };

export interface StartedRun {
  state: CloudRunState;
  /** Whether this step started the run. Then the first list that differs from the one before is the run's own. */
  atStart: boolean;
  /** The service refused the list before the start. So a later list can be that of an earlier run. */
  isListRefused?: boolean;
}

/** The run that an earlier command started before it was killed, if it is the one to start now; and the arguments, with the labels of a run that is not. */
export async function takeOverRun(
  args: CheckedCloudRunArgs,
  context: Context,
): Promise<{ run: StartedRun | undefined; labelled: CheckedCloudRunArgs }> {
  const { taskId, runLabel } = args;
  let labelled = args;
  const request: MakingRequest = {
    ...startOf(args, context),
    // An up with another label asks for another run. Without a label, or with the same one, the up takes the run over. A start that may have taken effect has to be
    // cleared up first, under any label.
    isOther({ id, detail }: { id?: string; detail: LabelState }) {
      const isOther = detail.runLabel !== undefined && runLabel !== undefined && !labelsOf(detail).includes(runLabel);
      if (id !== undefined && isOther) {
        labelled = { ...args, ...joinLabels(detail, args) };
        return true;
      }
      request.state = { ...args, ...(isOther ? joinLabels(undefined, detail) : joinLabels(args, detail)) };
      return false;
    },
  };
  const earlier = await takeOver(request, () => lookUpExistence(taskId, context), context);
  if (earlier === undefined) {
    return { run: undefined, labelled };
  }
  const listBefore = earlier.detail.listBefore as SubtaskFingerprint | undefined;
  const state = { ...adopted(args, earlier.id), ...joinLabels(args, earlier.detail), listBefore };
  return { run: { state, atStart: false }, labelled };
}

function startOf(args: CheckedCloudRunArgs, { replaced }: Context): MakingRequest {
  const { taskId, triggers, rerunOn, retry, runLabel } = args;
  const isNewLabel = runLabel !== undefined && !labelsOf(replaced?.state).includes(runLabel);
  return {
    operation: "startTask",
    inputs: { taskId, triggers, rerunOn, retry },
    what: `paid run of task "${taskId}"`,
    detail: { runLabel: isNewLabel ? runLabel : undefined, __runLabels: labelsOf(args) },
    state: args,
  };
}

/** The state of a run that was started elsewhere. */
export function adopted(args: CheckedCloudRunArgs, lotNo: string): CloudRunState {
  return { ...args, lotNo, status: "adopted", subtasks: noSubtasks };
}

export async function startRun(args: CheckedCloudRunArgs, context: Context): Promise<StartedRun> {
  const { taskId } = args;
  const request = startOf(args, context);
  const { data, before } = await context.exclusive(taskId, async () => {
    const before = await listBeforeStart(args, context);
    const { listBefore } = before;
    if (context.interrupted.aborted) {
      throw new ResourceError(
        `The command was interrupted before it started a run of task "${taskId}". Nothing was started.`,
      );
    }
    const once = { ...request, state: { ...args, listBefore }, detail: { ...request.detail, listBefore } };
    const send = () => context.client.startTask({ taskId });
    const response = await sendOnce(once, send, (sent) => sent.data.lotNo, context);
    return { ...response, before };
  });
  const { listBefore, refusal } = before;
  const state = { ...args, lotNo: data.lotNo, status: data.status, subtasks: noSubtasks, listBefore };
  if (refusal !== undefined) {
    context.warn(startedWithoutList(state, refusal));
  }
  return { state, atStart: true, isListRefused: refusal !== undefined };
}

interface ListBefore {
  listBefore?: SubtaskFingerprint;
  /** The account is not allowed to list subtasks. */
  refusal?: ServiceError;
}

async function listBeforeStart(args: CloudRunArgs, context: Context): Promise<ListBefore> {
  let list: Subtask[];
  try {
    list = await context.client.allSubtasks(args.taskId);
  } catch (error) {
    // A wait needs the list, so it must not start a paid run first.
    if (isServiceError(error, "plan") && args.waitFor !== "finished") {
      return { refusal: error };
    }
    // The service can refuse to list the subtasks of a task that has never run.
    if (!isServiceError(error, "refused")) {
      throw error;
    }
    list = [];
  }
  const atWork = runningOf(list, statusesOf(args, context)).length > 0;
  return { listBefore: { ...fingerprintOf(list), ...(atWork ? { atWork } : {}) } };
}

function startedWithoutList(run: CloudRunState, refusal: ServiceError): string {
  return (
    `${nameOf(run)} was started, but the service refused to list its subtasks. So the outputs status and subtasks stay as they are now, ` +
    `waitFor: "finished" would fail, and onDelete: "stop" would stop nothing. To see or stop the run, use the service's own interface. ${withoutHint(refusal)}`
  );
}

/** The list of a run that was just started can appear late. */
const mostReads = 4;

/**
 * Reads the list until it shows the run's own subtasks. A later stop needs the subtasks from the start, because a later list can be that of
 * another run. The run exists, so a failed read does not matter.
 */
export async function noteOwnSubtasks(
  { state, atStart, isListRefused }: StartedRun,
  context: Context,
): Promise<CloudRunState> {
  if (isListRefused) {
    return state;
  }
  let seen = state;
  try {
    for (let read = 1; read <= mostReads; read++) {
      seen = (await observeRun(seen, context, { atStart })).state;
      if (seen.ownList !== undefined || context.interrupted.aborted) {
        break;
      }
      await context.sleep(read < mostReads ? timesOf(seen).pollSeconds * 1000 : 0);
    }
  } catch {
    // The state keeps what was seen so far.
  }
  return seen;
}
