import { isServiceError } from "../service/errors";
import type { Subtask } from "../service/types";
import { anything, choice, differs, holdsUnknown, numberFrom, text } from "./args";
import type { LostAnswerState } from "./lostAnswer";
import {
  guardAgainstLostAnswer,
  isOutcomeUnknown,
  lostAnswerDifference,
  onlyAdoptionDiffers,
  refuseUpdateOfUnknown,
} from "./lostAnswer";
import type { Context, Created, Difference, PendingState, Read, Resource } from "./resource";
import { messageOf, PartialFailure, ResourceError } from "./resource";
import { observeRun, waitForRun } from "./runWait";
import type { ListMark, SubtaskCounts } from "./subtaskList";
import { markOf, restOf } from "./subtaskList";

/**
 * One run of a task in the cloud. It starts when the resource is created, which costs money; nothing but a changed trigger starts it
 * again. Needs a Professional or Enterprise plan.
 *
 * | step | call |
 * |---|---|
 * | create | `GET /cloudextraction/task/subtasks`, `POST /cloudextraction/start`; waiting: the subtasks again, every `pollSeconds` |
 * | read | `GET /cloudextraction/task/subtasks`: status, never drift |
 * | update | none, or it goes on waiting; it never starts again |
 * | delete | none, or `POST /cloudextraction/subtasks:stop` (`onDelete: "stop"`) |
 */
export interface CloudRunArgs {
  /** The task to run; pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
  /** Any values. A change starts a new run (a replace, the old one deleted first). */
  triggers?: unknown;
  /** Resources of this package: a change of any of their arguments starts a new run. */
  rerunOn?: unknown;
  /** `started` (default): done as soon as the run is started. `finished`: waits for its end, so that an export sees all rows. */
  waitFor?: "started" | "finished";
  /** How long to wait for the end, in seconds. Default 3600. */
  timeoutSeconds?: number;
  /** Seconds between two looks at the subtasks. Default 10. */
  pollSeconds?: number;
  /**
   * `subtasks` (default): all subtasks have a finished status. `rowsSettled`: the number of rows is above 0 and stays the same for
   * `settleSeconds`; for tasks that never split into subtasks.
   */
  finishedWhen?: "subtasks" | "rowsSettled";
  /** Default 60. */
  settleSeconds?: number;
  /** Whether failed subtasks make the resource fail: `failed` (default) or `never`. */
  failOn?: "failed" | "never";
  /** `retain` (default) lets the run go on; `stop` stops its subtasks that are not at rest, and waits for them. */
  onDelete?: "retain" | "stop";
  /** The lotNo of a run that was started already, by a request whose answer was lost: it is taken over and nothing is started. */
  adoptLotNo?: string;
  /** After a start whose answer was lost: any new text starts again. Replaces, but only then. */
  retry?: string;
  /** Name of a set of credentials in `webextract:profiles`. Default: the top-level ones. */
  profile?: string;
}

export interface CloudRunState extends CloudRunArgs, LostAnswerState, PendingState {
  /** Batch number; the same as `id`. Always text. */
  lotNo: string;
  /** The service's word at the start; later `running`, `finished`, `failed`, `stopped` or `superseded` (another run took the task over). */
  status: string;
  /** The run's subtasks when they were last looked at. */
  subtasks: SubtaskCounts;
  /** The task's list of subtasks as it was just before the start. */
  listBefore?: ListMark;
  /** The list that is known to be this run's. */
  ownList?: ListMark;
}

const noSubtasks: SubtaskCounts = { total: 0, byStatus: {} };
const mostStopSeconds = 300;
/** The list of a run that was just started may lag behind. */
const mostLooksForList = 4;

export const cloudRun: Resource<CloudRunArgs, CloudRunState> = {
  type: "CloudRun",
  idIs: "lotNo",
  args: {
    taskId: { check: text, required: true, replaces: true },
    triggers: { check: anything },
    rerunOn: { check: anything },
    waitFor: { check: choice("started", "finished"), option: true },
    timeoutSeconds: { check: numberFrom(0), option: true },
    pollSeconds: { check: numberFrom(0), option: true },
    finishedWhen: { check: choice("subtasks", "rowsSettled"), option: true },
    settleSeconds: { check: numberFrom(0), option: true },
    failOn: { check: choice("failed", "never"), option: true },
    onDelete: { check: choice("retain", "stop"), option: true },
    adoptLotNo: { check: text, option: true },
    retry: { check: text, option: true },
    profile: { check: text, option: true },
  },
  outputs: ["lotNo", "status", "subtasks", "listBefore", "ownList"],

  diff(state: CloudRunState, args: CloudRunArgs): Difference {
    if (isOutcomeUnknown(state)) {
      return lostAnswerDifference(state, args, "adoptLotNo");
    }
    const replaces: string[] = [];
    if (differs(args.adoptLotNo ?? state.lotNo, state.lotNo)) {
      replaces.push("adoptLotNo");
    }
    // An unknown trigger is the one unknown that counts as changed: better a run announced that does not come than the reverse.
    for (const name of ["triggers", "rerunOn"] as const) {
      if (holdsUnknown(args[name]) || differs(state[name], args[name])) {
        replaces.push(name);
      }
    }
    // Deleted first: stopping the old run after the start of the new one would stop the new one.
    return {
      replaces,
      deleteFirst: true,
      same: replaces.length === 0 && onlyAdoptionDiffers(cloudRun.args, state, args, "adoptLotNo"),
    };
  },

  async create(args: CloudRunArgs, context: Context): Promise<Created<CloudRunState>> {
    const state = args.adoptLotNo === undefined ? await start(args, context) : adopted(args, args.adoptLotNo);
    return { id: state.lotNo, state: args.waitFor === "finished" ? await waitOrKeep(state, context) : state };
  },

  async read(_id: string, state: CloudRunState, context: Context): Promise<Read<CloudRunState>> {
    if (isOutcomeUnknown(state)) {
      return { found: true, state };
    }
    try {
      const seen = await observeRun(state, context);
      return { found: true, state: seen.state };
    } catch (error) {
      // A run is an event of the past: it stays what it was when its task is gone, or when the service will not list its subtasks.
      if (isServiceError(error, "notFound", "refused")) {
        return { found: true, state };
      }
      throw error;
    }
  },

  async update(_id: string, state: CloudRunState, args: CloudRunArgs, context: Context): Promise<CloudRunState> {
    refuseUpdateOfUnknown(state);
    const { lotNo, status, subtasks, listBefore, ownList } = state;
    const next: CloudRunState = { ...args, lotNo, status, subtasks, listBefore, ownList };
    const wait = args.waitFor === "finished" && (status !== "finished" || (state.pending?.length ?? 0) > 0);
    return wait ? waitOrKeep(next, context) : next;
  },

  async delete(_id: string, state: CloudRunState, context: Context): Promise<void> {
    if (isOutcomeUnknown(state)) {
      context.warn(
        `A run of task "${state.taskId}" may be at work at the service: a start whose answer was lost is forgotten now.`,
      );
      return;
    }
    if (state.onDelete === "stop") {
      await stopUnlessGone(state, context);
    }
  },
};

async function start(args: CloudRunArgs, context: Context): Promise<CloudRunState> {
  const { taskId } = args;
  const listBefore = markOf(await subtasksBefore(taskId, context));
  const { data } = await guardAgainstLostAnswer(
    () => context.exclusive(taskId, () => context.client.startTask({ taskId })),
    { ...args, listBefore },
    { whatMayExist: `A paid run of task "${taskId}" may have started`, adopt: "adoptLotNo to its lotNo" },
  );
  const state: CloudRunState = { ...args, lotNo: data.lotNo, status: data.status, subtasks: noSubtasks, listBefore };
  return args.onDelete === "stop" && args.waitFor !== "finished" ? noteOwnList(state, context) : state;
}

/**
 * A run that may be stopped later must be known by its subtasks now: by then the list may be that of another run. The run exists, so a look that
 * fails does not matter.
 */
async function noteOwnList(state: CloudRunState, context: Context): Promise<CloudRunState> {
  try {
    return (await observeRun(state, context)).state;
  } catch {
    return state;
  }
}

/** A task that never ran may have no list to show. */
async function subtasksBefore(taskId: string, context: Context): Promise<Subtask[]> {
  try {
    return await context.client.allSubtasks(taskId);
  } catch (error) {
    if (isServiceError(error, "refused")) {
      return [];
    }
    throw error;
  }
}

function adopted(args: CloudRunArgs, lotNo: string): CloudRunState {
  return { ...args, lotNo, status: "adopted", subtasks: noSubtasks };
}

/** The run exists, so whatever ends the wait must not lose it: the next up goes on waiting. */
async function waitOrKeep(state: CloudRunState, context: Context): Promise<CloudRunState> {
  let last = state;
  try {
    return await waitForRun(state, context, (seen) => {
      last = seen;
    });
  } catch (error) {
    throw new PartialFailure(messageOf(error), state.lotNo, { ...last, pending: ["wait"] });
  }
}

async function stopUnlessGone(state: CloudRunState, context: Context): Promise<void> {
  // A task that never splits has no subtasks to look for, and nothing of a finished run is at work.
  if (state.status === "finished" && state.ownList === undefined) {
    return;
  }
  try {
    await stop(state, context);
  } catch (error) {
    if (!isServiceError(error, "notFound")) {
      throw error;
    }
    context.saw(state.taskId, "gone");
  }
}

/** Stops this run's subtasks, never a stranger's, and waits until they are at rest. */
async function stop(state: CloudRunState, context: Context): Promise<void> {
  const { taskId, lotNo } = state;
  const { statuses } = context.settings;
  const mostMs = Math.min(state.timeoutSeconds ?? 3600, mostStopSeconds) * 1000;
  const pollMs = (state.pollSeconds ?? 10) * 1000;
  const begin = context.now();
  let asked = false;
  let current = state;
  for (let look = 1; ; look++) {
    const seen = await observeRun(current, context);
    current = seen.state;
    if (current.ownList === undefined && look < mostLooksForList) {
      await context.sleep(pollMs);
      continue;
    }
    const running = seen.list.filter(({ status }) => restOf(status, statuses) === undefined);
    if (running.length === 0) {
      if (current.ownList === undefined) {
        context.warn(`Run ${lotNo} of task "${taskId}" was not stopped: the service lists no subtasks of it.`);
      }
      return;
    }
    if (!asked) {
      const subTaskIds = running.map(({ subTaskId }) => subTaskId);
      await context.exclusive(taskId, () => context.client.stopSubtasks({ taskId, subTaskIds }));
      asked = true;
    }
    if (context.now() - begin > mostMs) {
      throw new ResourceError(
        `Run ${lotNo} of task "${taskId}": ${running.length} subtasks were told to stop and are still at work after ${mostMs / 1000} s. ` +
          `Run the same command again, or set onDelete: "retain" and run up first.`,
      );
    }
    await context.sleep(pollMs);
  }
}
