import type { Subtask } from "../../service/contract/types";
import { isServiceError, ServiceError } from "../../service/errors/errors";
import { ResourceError } from "../../values/errors";
import type { Context } from "../resource";
import type { MakingRequest } from "../task/lostResponse";
import { earlierRequest, sendOnce, takeOver } from "../task/lostResponse";
import { lookUpExistence } from "../task/taskPresence";
import type { CheckedCloudRunArgs, CloudRunArgs, CloudRunState } from "./cloudRunModel";
import { statusesOf, timesOf } from "./cloudRunModel";
import { observeRun } from "./observeRun";
import { pollRun } from "./pollRun";
import { hashesOf } from "./rerunOn";
import type { LabelState } from "./runLabels";
import { joinLabels, labelsOf } from "./runLabels";
import type { SubtaskCounts, SubtaskFingerprint } from "./subtaskList";
import { fingerprintOf, runningOf } from "./subtaskList";

const noSubtasks: SubtaskCounts = { total: 0, byStatus: {} };

export interface RunAtStart {
  state: CloudRunState;
  /** Whether this step started the run. Then the first list that differs from the one before is the run's own. */
  atStart: boolean;
}

/**
 * The run that an earlier command started before it was killed, if it is the one to start now; and the arguments, with
 * the labels of a run that is not.
 */
export async function takeOverRun(
  args: CheckedCloudRunArgs,
  context: Context,
): Promise<{ run: RunAtStart | undefined; labelled: CheckedCloudRunArgs }> {
  const { taskId, runLabel } = args;
  const request = startOf(args, context);
  const earlier = await earlierRequest(request, context);
  if (earlier === undefined) {
    return { run: undefined, labelled: args };
  }
  const detail = earlier.detail as LabelState & { listBefore?: SubtaskFingerprint };
  // An up with another label asks for another run. Without a label, or with the same one, the up takes the run over. A
  // start that may have taken effect has to be cleared up first, under any label.
  const isOther = detail.runLabel !== undefined && runLabel !== undefined && !labelsOf(detail).includes(runLabel);
  if (isOther && earlier.id !== undefined) {
    return { run: undefined, labelled: { ...args, ...joinLabels(detail, args) } };
  }
  const state = { ...args, ...(isOther ? joinLabels(undefined, detail) : joinLabels(args, detail)) };
  const lotNo = await takeOver({ ...request, state }, earlier, () => lookUpExistence(taskId, context), context);
  if (lotNo === undefined) {
    return { run: undefined, labelled: args };
  }
  return {
    run: { state: { ...adopted(state, lotNo), listBefore: detail.listBefore }, atStart: false },
    labelled: args,
  };
}

function startOf(args: CheckedCloudRunArgs, { replaced }: Context): MakingRequest {
  const { taskId, triggers, rerunOn, retry, runLabel } = args;
  const isNewLabel = runLabel !== undefined && !labelsOf(replaced?.state).includes(runLabel);
  return {
    operation: "startTask",
    inputs: { taskId, triggers, rerunOn: hashesOf(rerunOn), retry },
    earlierInputs: { taskId, triggers, rerunOn, retry },
    what: `paid run of task "${taskId}"`,
    detail: { taskId, runLabel: isNewLabel ? runLabel : undefined, __runLabels: labelsOf(args) },
    state: args,
  };
}

/** The state of a run that was started elsewhere. */
export function adopted(args: CheckedCloudRunArgs, lotNo: string): CloudRunState {
  return { ...args, lotNo, status: "adopted", subtasks: noSubtasks };
}

export async function startRun(args: CheckedCloudRunArgs, context: Context): Promise<RunAtStart> {
  const { taskId } = args;
  const request = startOf(args, context);
  return context.tasks.exclusive(taskId, async () => {
    const listBefore = await listBeforeStart(args, context);
    if (context.interrupted.aborted) {
      throw new ResourceError(
        `The command was interrupted before it started a run of task "${taskId}". Nothing was started.`,
      );
    }
    const once = { ...request, state: { ...args, listBefore }, detail: { ...request.detail, listBefore } };
    const send = async () => {
      const response = await context.client.startTask({ taskId });
      if (!context.tasks.isNewRun(taskId, response.data.lotNo)) throw noNewRun(taskId, response.data.lotNo);
      return response;
    };
    const { lotNo, status } = (await sendOnce(once, send, (sent) => sent.data.lotNo, context)).data;
    // A service need not tell the status.
    return { state: { ...args, lotNo, status: status || "started", subtasks: noSubtasks, listBefore }, atStart: true };
  });
}

/**
 * The service responded to the start with a run that a resource has. Its rows can be those from before the change that
 * asked for a new run, and an export of that lotNo would not be exported again.
 */
function noNewRun(taskId: string, lotNo: string): ServiceError {
  const message =
    `The service started no new run of task "${taskId}": it responded with run ${lotNo}, which is in the state already and was probably still running. ` +
    'Wait until that run has ended, then run "pulumi up" again.';
  return new ServiceError({ message, operation: "startTask", taskId, kind: "busy", outcome: "notExecuted", hint: "" });
}

async function listBeforeStart(args: CloudRunArgs, context: Context): Promise<SubtaskFingerprint> {
  let list: Subtask[];
  try {
    list = await context.client.allSubtasks(args.taskId);
  } catch (error) {
    // The service can refuse to list the subtasks of a task that has never run.
    if (!isServiceError(error, "refused")) {
      throw error;
    }
    list = [];
  }
  const atWork = runningOf(list, statusesOf(args, context)).length > 0;
  return { ...fingerprintOf(list), ...(atWork ? { atWork } : {}), at: Date.now() };
}

/** The list of a run that was just started can appear late: how many pauses to wait for it. */
const mostPauses = 3;

/**
 * Reads the list until it shows the run's own subtasks. A later stop needs the subtasks from the start, because a later
 * list can be that of another run. The run exists, so a failed read does not matter.
 */
export async function noteOwnSubtasks({ state, atStart }: RunAtStart, context: Context): Promise<CloudRunState> {
  let seen = state;
  const poll = async (deadlineSeconds: number): Promise<boolean> => {
    seen = (await observeRun(seen, context, { atStart, deadlineSeconds })).state;
    return seen.ownList !== undefined;
  };
  const seconds = mostPauses * timesOf(state).pollSeconds;
  await pollRun(state, { seconds, poll, progress: () => "started" }, context).catch(() => undefined);
  return seen;
}
