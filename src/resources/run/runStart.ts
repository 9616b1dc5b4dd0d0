import type { Subtask } from "../../service/contract/types";
import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import type { MakingRequest } from "../task/lostAnswer";
import { sendOnce, takeOver } from "../task/lostAnswer";
import { lookUpExistence } from "../task/taskPresence";
import type { CloudRunArgs, CloudRunState } from "./cloudRunModel";
import { statusesOf, timesOf } from "./cloudRunModel";
import { observeRun } from "./observeRun";
import type { SubtaskCounts, SubtaskFingerprint } from "./subtaskList";
import { fingerprintOf, runningOf } from "./subtaskList";

const noSubtasks: SubtaskCounts = { total: 0, byStatus: {} };

export interface StartedRun {
  state: CloudRunState;
  /** Whether this step started the run. Then the first list that differs from the one before is the run's own. */
  atStart: boolean;
}

/** Starts a run, or takes over the run that an earlier command started before it was killed: a start may cost money. */
export async function startOrTakeOver(args: CloudRunArgs, context: Context): Promise<StartedRun> {
  const { taskId, triggers, rerunOn, retry } = args;
  const request: MakingRequest = {
    operation: "startTask",
    inputs: { taskId, triggers, rerunOn, retry },
    what: `paid run of task "${taskId}"`,
    state: args,
    whatMayExist: `A paid run of task "${taskId}" may have started`,
    adopt: "adoptLotNo",
  };
  const earlier = await takeOver(request, () => lookUpExistence(taskId, context), context);
  if (earlier === undefined) {
    return { state: await start(request, args, context), atStart: true };
  }
  const listBefore = earlier.detail.listBefore as SubtaskFingerprint | undefined;
  return { state: { ...adopted(args, earlier.id), listBefore }, atStart: false };
}

/** The state of a run that was started elsewhere. */
export function adopted(args: CloudRunArgs, lotNo: string): CloudRunState {
  return { ...args, lotNo, status: "adopted", subtasks: noSubtasks };
}

async function start(request: MakingRequest, args: CloudRunArgs, context: Context): Promise<CloudRunState> {
  const { taskId } = args;
  const { data, listBefore } = await context.exclusive(taskId, async () => {
    const before = await listBeforeStart(args, context);
    if (context.interrupted.aborted) {
      throw new ResourceError(
        `The command was interrupted before it started a run of task "${taskId}". Nothing was started.`,
      );
    }
    const once = { ...request, state: { ...args, listBefore: before }, detail: { listBefore: before } };
    const send = () => context.client.startTask({ taskId });
    const answer = await sendOnce(once, send, (started) => started.data.lotNo, context);
    return { ...answer, listBefore: before };
  });
  return { ...args, lotNo: data.lotNo, status: data.status, subtasks: noSubtasks, listBefore };
}

async function listBeforeStart(args: CloudRunArgs, context: Context): Promise<SubtaskFingerprint> {
  const list = await listOrNone(args.taskId, context);
  const atWork = runningOf(list, statusesOf(args, context)).length > 0;
  return { ...fingerprintOf(list), ...(atWork ? { atWork } : {}) };
}

/** The service may refuse to list the subtasks of a task that has never run. */
async function listOrNone(taskId: string, context: Context): Promise<Subtask[]> {
  try {
    return await context.client.allSubtasks(taskId);
  } catch (error) {
    if (isServiceError(error, "refused")) {
      return [];
    }
    throw error;
  }
}

/** The list of a run that was just started may appear late. */
const mostReads = 4;

/**
 * Reads the list until it shows the run's own subtasks. A run that may be stopped later must be known by its subtasks at the start: later
 * the list may be that of another run. The run exists, so a failed read does not matter.
 */
export async function noteOwnSubtasks({ state, atStart }: StartedRun, context: Context): Promise<CloudRunState> {
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
