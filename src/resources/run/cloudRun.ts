import { isServiceError } from "../../service/errors/errors";
import { ResourceError } from "../../values/errors";
import { differs, holdsUnknown } from "../../values/plain";
import { idsOf, shownTask, verifyRun } from "../adopt/imported";
import { changedArgs, workArgs } from "../args";
import type { Context, Created, Replaced, Resource } from "../resource";
import {
  isOutcomeUnknown,
  keepingAdoption,
  lostResponseDifference,
  onlyDiffers,
  refuseReplaceOfUnknown,
  refuseUpdateOfUnknown,
} from "../task/lostResponse";
import type { CheckedCloudRunArgs, CloudRunArgs, CloudRunState } from "./cloudRunModel";
import { cloudRunArgs, nameOf } from "./cloudRunModel";
import { observeRun } from "./observeRun";
import { joinRerunOn } from "./rerunOn";
import type { LabelArg } from "./runLabels";
import { checkLabel, joinLabels, labelsOf } from "./runLabels";
import { adopted, noteOwnSubtasks, startRun, takeOverRun } from "./runStart";
import { stopRun } from "./runStop";
import { waitForRun } from "./runWait";
import { statusInTwo } from "./statuses";

/** One run of a task in the cloud. cloudRunModel.ts has the requests of each step, the arguments and the state. */
export const cloudRun: Resource<CloudRunArgs, CloudRunState, CheckedCloudRunArgs, keyof LabelArg> = {
  type: "CloudRun",
  idIs: "lotNo",
  isRun: true,
  waitsFor: "settings",
  args: cloudRunArgs,
  outputs: ["lotNo", "status", "subtasks", "listBefore", "ownList"],
  // To stop the old run after the start of the new run would stop the new run.
  knowsEarlier: true,

  holds({ taskId, adoptLotNo, lotNo = adoptLotNo }) {
    return typeof taskId === "string" && typeof lotNo === "string" ? [{ part: "run", taskId, lotNo }] : [];
  },

  rules({ statuses }, problems) {
    const inTwo = holdsUnknown(statuses) ? undefined : statusInTwo(statuses);
    if (inTwo !== undefined) {
      problems.push({ path: "statuses", reason: inTwo });
    }
  },

  check(given, context) {
    const { runLabel: _given, ...others }: CheckedCloudRunArgs = given;
    const rerunOn = joinRerunOn(given.rerunOn, context.previous?.rerunOn);
    const args = { ...others, ...(rerunOn !== undefined && { rerunOn }), ...checkLabel(given, context) };
    const { previous } = context;
    const isKnown = previous !== undefined && !holdsUnknown(workArgs(cloudRunArgs, args));
    const isSame =
      isKnown && previous.runLabel === args.runLabel && changedArgs(cloudRunArgs, previous, args).length === 0;
    return keepingAdoption(args, previous, "adoptLotNo", isSame);
  },

  diff(state, args, previous?) {
    if (isOutcomeUnknown(state)) {
      return lostResponseDifference(state, args, "adoptLotNo");
    }
    const replaces: string[] = [];
    if (differs(args.adoptLotNo ?? state.lotNo, state.lotNo)) {
      replaces.push("adoptLotNo");
    }
    // The only unknown values that count as changed: a preview must never hide a run that can cost money.
    for (const name of ["triggers", "rerunOn"] as const) {
      if (holdsUnknown(args[name]) || differs(state[name], args[name])) {
        replaces.push(name);
      }
    }
    if (args.runLabel !== undefined && !labelsOf(state).includes(args.runLabel)) {
      replaces.push("runLabel");
    }
    // Another label of the past is no change, whichever of them the state has last.
    const compared = previous === undefined ? state : { ...state, runLabel: previous.runLabel };
    return {
      replaces,
      deleteFirst: true,
      note: paidRunNote(state, args, replaces),
      same: replaces.length === 0 && onlyDiffers(cloudRun.args, compared, args, ["adoptLotNo", "runLabel"]),
    };
  },

  async create(given, context) {
    const { replaced } = context;
    refuseReplaceOfUnknown(replaced, given, "adoptLotNo");
    refuseLostTriggers(replaced, given);
    const args = { ...given, ...joinLabels(replaced?.state, given) };
    const { run: existing, labelled } =
      args.adoptLotNo === undefined
        ? await takeOverRun(args, context)
        : { run: { state: adopted(args, args.adoptLotNo), atStart: false }, labelled: args };
    if (existing === undefined && replaced?.isAskedFor === false) {
      return keepReplaced(replaced, labelled, context);
    }
    const started = existing ?? (await startRun(labelled, context));
    const id = started.state.lotNo;
    if (args.waitFor === "finished") {
      return { id, state: await waitForRun(started.state, context, started) };
    }
    return { id, state: args.onDelete === "stop" ? await noteOwnSubtasks(started, context) : started.state };
  },

  async read(_id, state, context) {
    if (isOutcomeUnknown(state) || state.status === "finished") {
      return { found: true, state };
    }
    try {
      return { found: true, state: (await observeRun(state, context)).state };
    } catch (error) {
      // A run is a past event: it stays in the state if its task is gone or the service refuses to list its subtasks.
      if (isServiceError(error, "notFound", "refused", "plan")) {
        return { found: true, state };
      }
      throw error;
    }
  },

  async update(_id, state, args, context) {
    refuseUpdateOfUnknown(state);
    const { lotNo, status, subtasks } = state;
    // A newly set adoptLotNo that names this run declares that the present list belongs to it.
    const isDeclaredOwn = args.adoptLotNo === lotNo && state.adoptLotNo !== lotNo;
    const { listBefore, ownList } = isDeclaredOwn ? { listBefore: undefined, ownList: undefined } : state;
    const next: CloudRunState = { ...args, ...joinLabels(state, args), lotNo, status, subtasks, listBefore, ownList };
    const waits = args.waitFor === "finished" && (status !== "finished" || (state.pending?.length ?? 0) > 0);
    return waits ? waitForRun(next, context, { atStart: false }) : next;
  },

  async delete(_id, state, context) {
    if (isOutcomeUnknown(state)) {
      context.warn(
        `A run of task "${state.taskId}" may be running at the service: the response to its start was lost. Pulumi no longer manages it, and nothing was stopped. ` +
          "If it runs and should not, stop it in the service's own interface.",
      );
      return;
    }
    if (state.onDelete !== "stop") {
      return;
    }
    const { taskId, lotNo } = state;
    const other = context.tasks.heldBy({ part: "run", taskId, lotNo });
    if (other === undefined) {
      await stopRun(state, context);
    } else {
      context.warn(`${nameOf(state)} was not stopped: ${other} has the same run.`);
    }
  },

  async imported(given, context) {
    const [taskId, lotNo] = idsOf("CloudRun", given, "LOTNO");
    await shownTask(taskId, context);
    await verifyRun(taskId, lotNo, context);
    const state = { lotNo, status: "adopted", subtasks: { total: 0, byStatus: {} } };
    return { id: lotNo, args: { taskId, adoptLotNo: lotNo }, state };
  },
};

/**
 * The engine checks the program's arguments again for a replace, without what a policy has changed. The state would
 * never have the triggers of the policy, so each up would start a paid run.
 */
function refuseLostTriggers(replaced: Replaced | undefined, args: CheckedCloudRunArgs): void {
  if (replaced?.wanted !== undefined && differs(replaced.wanted.triggers, args.triggers)) {
    throw new ResourceError(
      `A policy changes the triggers of the run of task "${args.taskId}", and Pulumi drops the change when it replaces the run: each up would start a paid run. ` +
        "Nothing was started. Change triggers in the program, not in a policy.",
    );
  }
}

/** An earlier command deleted the old instance. What it was to start a run for no longer counts. */
async function keepReplaced(
  { id, state }: Replaced,
  args: CheckedCloudRunArgs,
  context: Context,
): Promise<Created<CloudRunState>> {
  context.warn(
    `${nameOf({ lotNo: id, taskId: args.taskId })} stays, and no run is started. An earlier up was to replace it, and nothing asks for a new run now.`,
  );
  return { id, state: await cloudRun.update(id, state as unknown as CloudRunState, args, context) };
}

/** Explains a replace that only an unknown value causes. The diff itself shows a known value that changed. */
function paidRunNote(state: CloudRunState, args: CloudRunArgs, replaces: readonly string[]): string | undefined {
  const areUnknown = (["triggers", "rerunOn"] as const).filter((name) => holdsUnknown(args[name]));
  if (areUnknown.length === 0 || areUnknown.length < replaces.length || differs(state.taskId, args.taskId)) {
    return undefined;
  }
  const what = areUnknown[0] === "triggers" ? "its triggers are" : "its rerunOn is";
  return (
    `${nameOf(state)} shows as a replace because ${what} not known yet. The up may start a paid run. ` +
    `It starts none if the values turn out to be unchanged.`
  );
}
