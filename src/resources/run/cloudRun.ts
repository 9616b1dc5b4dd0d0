import type { Subtask } from "../../service/contract/types";
import { isServiceError } from "../../service/errors/errors";
import { anything, changedArgs, choice, list, number, object, string, workArgs } from "../args";
import type {
  CheckContext,
  Context,
  Created,
  Difference,
  PendingState,
  ProfileArgs,
  Read,
  Resource,
} from "../resource";
import { messageOf, PartialFailure, ResourceError } from "../resource";
import type { LostAnswerState, MakingRequest } from "../task/lostAnswer";
import {
  isOutcomeUnknown,
  keepingAdoption,
  lostAnswerDifference,
  onlyAdoptionDiffers,
  refuseUpdateOfUnknown,
  sendOnce,
  takeOver,
} from "../task/lostAnswer";
import { lookUpExistence } from "../task/taskPresence";
import { differs, holdsUnknown } from "../values";
import { observeRun, statusesOf } from "./observeRun";
import { stopRun } from "./runStop";
import { interruptedMessage, waitForRun } from "./runWait";
import type { ListMark, SubtaskCounts } from "./subtaskList";
import { isAtWork, markOf } from "./subtaskList";

/**
 * One run of a task in the cloud. It starts when the resource is created, which costs money; nothing but a changed trigger starts it
 * again. Needs a Professional or Enterprise plan.
 *
 * | step | call |
 * |---|---|
 * | create | `GET /cloudextraction/task/subtasks`, `POST /cloudextraction/start`; waiting: the subtasks again, every `pollSeconds`, and `GET /data/lotno/all` for the number of rows |
 * | read | `GET /cloudextraction/task/subtasks`: status, never drift; none once it has finished |
 * | update | none, or it goes on waiting; it never starts again |
 * | delete | none, or `POST /cloudextraction/subtasks:stop` (`onDelete: "stop"`) |
 *
 * A wait that ends for whatever reason, a first Ctrl-C among them, keeps the run in the state: the next up goes on waiting. An outage of
 * the service does not end it before its time: no connection, no answer, an answer 5xx and too many requests are waited out. A refusal does.
 */
export interface CloudRunArgs extends ProfileArgs {
  /** The task to run; pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
  /** Any values. A change starts a new run (a replace, the old one deleted first), and so does one that a preview does not know yet. */
  triggers?: unknown;
  /** Resources of this package: a change of any of their arguments starts a new run, as one of `triggers` does. */
  rerunOn?: unknown;
  /**
   * `started`: done as soon as the run is started. `finished`: waits for its end, so that an export sees all rows, and fails
   * where it ends badly. A change to `finished` waits for the run there is.
   * @default "started"
   */
  waitFor?: "started" | "finished";
  /**
   * How long one up waits for the end, in seconds; 0 looks once. No request may take longer than what is left, but for 2 seconds at the end,
   * and 30 where 0 is set. A change starts nothing.
   * @default 3600
   */
  timeoutSeconds?: number;
  /**
   * Seconds between two looks at the subtasks. A change starts nothing.
   * @default 10
   */
  pollSeconds?: number;
  /**
   * `subtasks`: all subtasks have a finished status. `rowsSettled`: besides, the number of rows is above 0 and stays the same
   * for `settleSeconds`; for tasks that never split into subtasks, and where rows arrive after the last subtask has finished. While the
   * service still lists the subtasks of before the start, rows do not count as settled. A change starts nothing.
   * @default "subtasks"
   */
  finishedWhen?: "subtasks" | "rowsSettled";
  /**
   * How long the number of rows must stay the same with `rowsSettled`, in seconds. A change starts nothing.
   * @default 60
   */
  settleSeconds?: number;
  /**
   * Which statuses of a subtask mean what for this run, without case; any other means "still running". A change starts nothing.
   * @default for each of the three that is left out: `webextract:statuses`
   */
  statuses?: {
    /** It has done its work. */
    finished?: string[];
    /** It has ended, and not done its work. */
    failed?: string[];
    /** Somebody has ended it. */
    stopped?: string[];
  };
  /**
   * Whether failed subtasks make the wait fail: `failed` or `never`. Stopped ones always do. A change starts nothing.
   * @default "failed"
   */
  failOn?: "failed" | "never";
  /**
   * `retain` lets the run go on; `stop` stops its subtasks that are not at rest, and waits for them, at most `timeoutSeconds` and
   * 300 seconds, an outage of the service included. To be set from the start, which then looks up to four times for the run's subtasks: those
   * listed later may be another run's, and are never stopped. A change makes no call.
   * @default "retain"
   */
  onDelete?: "retain" | "stop";
  /**
   * The lotNo of a run that was started already, by a request whose answer was lost: it is taken over and nothing is started. Another one
   * than the present replaces. The present one says that the subtasks listed now are this run's.
   */
  adoptLotNo?: string;
  /** After a start whose answer was lost: any new text starts again. Replaces, but only then. */
  retry?: string;
}

export interface CloudRunState extends CloudRunArgs, LostAnswerState, PendingState {
  /** Batch number; the same as `id`. Always text. */
  lotNo: string;
  /** The service's word at the start; later `running`, `finished`, `failed`, `stopped` or `superseded` (another run took the task over). */
  status: string;
  /** The run's subtasks when they were last looked at: `total`, and `byStatus` in the service's words. */
  subtasks: SubtaskCounts;
  /**
   * The task's list of subtasks as it was just before the start.
   * @internal
   */
  listBefore?: ListMark;
  /**
   * The list that is known to be this run's, as it was first seen.
   * @internal
   */
  ownList?: ListMark;
}

const noSubtasks: SubtaskCounts = { total: 0, byStatus: {} };
/** The list of a run that was just started may lag behind. */
const mostLooksForList = 4;

const words = list(string, { mayBeEmpty: true });

export const cloudRun: Resource<CloudRunArgs, CloudRunState> = {
  type: "CloudRun",
  idIs: "lotNo",
  provides: "runs",
  waitsFor: "settings",
  args: {
    taskId: { kind: string, required: true, replaces: true },
    triggers: { kind: anything },
    rerunOn: { kind: anything },
    waitFor: { kind: choice("started", "finished"), default: "started", option: true },
    timeoutSeconds: { kind: number(0), default: 3600, option: true },
    pollSeconds: { kind: number(0), default: 10, option: true },
    finishedWhen: { kind: choice("subtasks", "rowsSettled"), default: "subtasks", option: true },
    settleSeconds: { kind: number(0), default: 60, option: true },
    statuses: {
      kind: object<Required<CloudRunArgs>["statuses"]>({
        finished: { kind: words },
        failed: { kind: words },
        stopped: { kind: words },
      }),
      option: true,
    },
    failOn: { kind: choice("failed", "never"), default: "failed", option: true },
    onDelete: { kind: choice("retain", "stop"), default: "retain", option: true },
    adoptLotNo: { kind: string, option: true },
    retry: { kind: string, option: true },
    profile: { kind: string, option: true },
  },
  outputs: ["lotNo", "status", "subtasks", "listBefore", "ownList"],
  // Stopping the old run after the start of the new one would stop the new one.
  deletedFirst: true,

  check(args: CloudRunArgs, { previous }: CheckContext): CloudRunArgs {
    const isKnown = previous !== undefined && !holdsUnknown(workArgs(cloudRun.args, args));
    const isSame = isKnown && changedArgs(cloudRun.args, previous, args).length === 0;
    return keepingAdoption(args, previous, "adoptLotNo", isSame);
  },

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
    return {
      replaces,
      deleteFirst: true,
      note: paidRunNote(state, args, replaces),
      same: replaces.length === 0 && onlyAdoptionDiffers(cloudRun.args, state, args, "adoptLotNo"),
    };
  },

  async create(args: CloudRunArgs, context: Context): Promise<Created<CloudRunState>> {
    const { state, atStart } =
      args.adoptLotNo === undefined
        ? await startOrTakeOver(args, context)
        : { state: adopted(args, args.adoptLotNo), atStart: true };
    if (args.waitFor === "finished") {
      return { id: state.lotNo, state: await waitOrKeep(state, context, { atStart }) };
    }
    return {
      id: state.lotNo,
      state: args.onDelete === "stop" ? await noteOwnList(state, context, { atStart }) : state,
    };
  },

  async read(_id: string, state: CloudRunState, context: Context): Promise<Read<CloudRunState>> {
    if (isOutcomeUnknown(state) || state.status === "finished") {
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
    const { lotNo, status, subtasks } = state;
    // Naming the run that it already is says that the list shown now is this run's, whatever it looked like.
    const isNamed = args.adoptLotNo === lotNo && state.adoptLotNo !== lotNo;
    const { listBefore, ownList } = isNamed ? { listBefore: undefined, ownList: undefined } : state;
    const next: CloudRunState = { ...args, lotNo, status, subtasks, listBefore, ownList };
    const wait = args.waitFor === "finished" && (status !== "finished" || (state.pending?.length ?? 0) > 0);
    return wait ? waitOrKeep(next, context, { atStart: false }) : next;
  },

  async delete(_id: string, state: CloudRunState, context: Context): Promise<void> {
    if (isOutcomeUnknown(state)) {
      context.warn(
        `A run of task "${state.taskId}" may be at work at the service: the answer to the start was lost, and this state forgets it now.`,
      );
      return;
    }
    if (state.onDelete === "stop") {
      await stopRun(state, context);
    }
  },
};

/** Said where nothing but an unknown value makes it a replace: of what is known, the diff shows that it changed. */
function paidRunNote(state: CloudRunState, args: CloudRunArgs, replaces: readonly string[]): string | undefined {
  const areUnknown = (["triggers", "rerunOn"] as const).filter((name) => holdsUnknown(args[name]));
  if (areUnknown.length === 0 || areUnknown.length < replaces.length || differs(state.taskId, args.taskId)) {
    return undefined;
  }
  const what = areUnknown[0] === "triggers" ? "its triggers are" : "its rerunOn is";
  return (
    `Run ${state.lotNo} of task "${state.taskId}" shows as a replace, for ${what} not known yet: the up may start a paid run. ` +
    `It starts none where they turn out the same.`
  );
}

/** A start that cost money once must not do so again; `atStart` says whether this step made it. */
async function startOrTakeOver(
  args: CloudRunArgs,
  context: Context,
): Promise<{ state: CloudRunState; atStart: boolean }> {
  const { taskId, triggers, rerunOn, retry } = args;
  const once: MakingRequest = {
    operation: "startTask",
    inputs: { taskId, triggers, rerunOn, retry },
    what: `paid run of task "${taskId}"`,
    state: args,
    whatMayExist: `A paid run of task "${taskId}" may have started`,
    adopt: "adoptLotNo",
  };
  const earlier = await takeOver(once, () => lookUpExistence(taskId, context), context);
  if (earlier === undefined) {
    return { state: await start(once, args, context), atStart: true };
  }
  const listBefore = earlier.detail.listBefore as ListMark | undefined;
  return { state: { ...adopted(args, earlier.id), listBefore }, atStart: false };
}

async function start(once: MakingRequest, args: CloudRunArgs, context: Context): Promise<CloudRunState> {
  const { taskId } = args;
  const { data, listBefore } = await context.exclusive(taskId, async () => {
    const before = await subtasksBefore(args, context);
    if (context.interrupted.aborted) {
      throw new ResourceError(
        `The command was interrupted before a run of task "${taskId}" was started: nothing was started.`,
      );
    }
    const request = { ...once, state: { ...args, listBefore: before }, detail: { listBefore: before } };
    const send = () => context.client.startTask({ taskId });
    const answer = await sendOnce(request, send, (started) => started.data.lotNo, context);
    return { ...answer, listBefore: before };
  });
  return { ...args, lotNo: data.lotNo, status: data.status, subtasks: noSubtasks, listBefore };
}

/**
 * A run that may be stopped later must be known by its subtasks now: by then the list may be that of another run. The run exists, so a look that
 * fails does not matter.
 */
async function noteOwnList(
  start: CloudRunState,
  context: Context,
  { atStart }: { atStart: boolean },
): Promise<CloudRunState> {
  let state = start;
  try {
    for (let look = 1; look <= mostLooksForList; look++) {
      state = (await observeRun(state, context, { atStart })).state;
      if (state.ownList !== undefined || context.interrupted.aborted) {
        break;
      }
      await context.sleep(look < mostLooksForList ? (state.pollSeconds ?? 10) * 1000 : 0);
    }
  } catch {
    // What was seen so far is kept.
  }
  return state;
}

/** The list as it is before a start. A task that never ran may have none to show. */
async function subtasksBefore(args: CloudRunArgs, context: Context): Promise<ListMark> {
  const list = await listOrNone(args.taskId, context);
  return { ...markOf(list), ...(isAtWork(list, statusesOf(args, context)) ? { atWork: true } : {}) };
}

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

function adopted(args: CloudRunArgs, lotNo: string): CloudRunState {
  return { ...args, lotNo, status: "adopted", subtasks: noSubtasks };
}

/** The run exists, so whatever ends the wait must not lose it: the next up goes on waiting. */
async function waitOrKeep(
  state: CloudRunState,
  context: Context,
  { atStart }: { atStart: boolean },
): Promise<CloudRunState> {
  let last = state;
  const onState = (seen: CloudRunState): void => {
    last = seen;
  };
  try {
    return await waitForRun(state, context, { atStart, onState });
  } catch (error) {
    throw new PartialFailure(whyWaitEnded(error, last), state.lotNo, { ...last, pending: ["wait"] });
  }
}

function whyWaitEnded(error: unknown, state: CloudRunState): string {
  if (isServiceError(error, "aborted")) {
    return interruptedMessage(state);
  }
  const goesOn = isServiceError(error)
    ? ` Run ${state.lotNo} of task "${state.taskId}" was started and may be at work; run up again to go on waiting: nothing is started a second time.`
    : "";
  return `${messageOf(error)}${goesOn}`;
}
