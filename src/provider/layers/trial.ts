import type { Properties } from "../../engine/serialization";
import { isPlaceholderId } from "../../resources/task/lostResponse";
import type { Problem } from "../../values/kinds";
import { isRecord } from "../../values/plain";
import { isTaskType } from "../../values/urn";
import type { Host } from "../host";
import { titleOf } from "../host";
import { ProviderError } from "../providerErrors";
import type { Layer, Step } from "../step";

/**
 * A trial stack (`webextract:trialGroup`) has only tasks and runs that it has made itself. Each task that the program
 * adopts is copied (`checkedSource`). What else names a task or a run must name one of these.
 */

/** What is wrong with the arguments of a new resource, or of one with another task. */
export function trialProblems(host: Host, args: Properties, earlier: Properties | undefined): Problem[] {
  const { taskId, adoptLotNo, profile } = args;
  if (host.config.settings.trialGroup === undefined) {
    return [];
  }
  const isForeign = typeof taskId === "string" && earlier?.taskId !== taskId && !madeHere(host, profile).has(taskId);
  const isForeignRun = adoptLotNo !== undefined && earlier === undefined;
  return [
    ...(isForeign ? [{ path: "taskId", reason: `names task ${JSON.stringify(taskId)}, which ${foreign}` }] : []),
    ...(isForeignRun ? [{ path: "adoptLotNo", reason: `names a run that ${notMade}. Leave it out in a trial` }] : []),
  ];
}

const notMade = "this stack has not made, and webextract:trialGroup is set";
const foreign = `${notMade}. Pass the id of its TaskCopy or ExtractionTask. With --target, add that resource as a target`;

/** Refuses what would reach another task or run, and notes in the state that a resource is one of a trial. */
export const keepToTrial: Layer = async (step, host, next) => {
  const { call, resource, state, args, profile } = step;
  const isTrial = host.config.settings.trialGroup !== undefined;
  const wasTrial = state[trialKey] === true;
  const outcome = await next(step, host);
  const isTask = isTaskType(resource.type);
  if (call === "diff" && (isTrial || wasTrial)) {
    refuseAdoption(step, isTrial, outcome.difference?.adopts === true);
    if (
      isTrial &&
      !isTask &&
      !wasTrial &&
      typeof args.taskId === "string" &&
      !madeHere(host, profile).has(args.taskId)
    ) {
      throw new ProviderError(`${nameOf(step)} has task "${args.taskId}", which ${foreign}. Nothing was sent.`);
    }
  }
  const taskId = isTask ? (outcome.id ?? step.id) : args.taskId;
  if (isTrial && (call === "diff" || call === "create") && typeof taskId === "string" && !isPlaceholderId(taskId)) {
    madeHere(host, profile).add(taskId);
  }
  const isNoted = wasTrial || (isTrial && (call === "create" || call === "update"));
  return outcome.state === undefined || !isNoted
    ? outcome
    : { ...outcome, state: { ...outcome.state, [trialKey]: true } };
};

/** In the state: the resource is one of a trial, also if the key is removed from the configuration later. */
const trialKey = "isTrial";

/** Only what a lost response may have made can be adopted. */
function refuseAdoption(step: Step, isTrial: boolean, isRecovery: boolean): void {
  const { resource, state, args } = step;
  const { adoptTaskId, adoptLotNo } = isRecord(args.from) ? args.from : args;
  const named = adoptTaskId ?? adoptLotNo;
  if (typeof named !== "string" || named === state[resource.idIs] || isRecovery) {
    return;
  }
  throw new ProviderError(
    isTrial
      ? `${nameOf(step)} would adopt "${named}", which ${notMade}. Nothing was sent. Only what a lost response may have made can be adopted in a trial.`
      : `${nameOf(step)} is the copy of a trial, and webextract:trialGroup is not set: "${named}" itself would take its place. Nothing was sent. Set the key again, or destroy the stack.`,
  );
}

function nameOf({ urn, resource }: Step): string {
  return urn === undefined ? `A ${resource.type}` : titleOf(urn);
}

function madeHere(host: Host, profile: unknown): Set<string> {
  return host.tasksOf(typeof profile === "string" ? profile : undefined).ofTrial;
}
