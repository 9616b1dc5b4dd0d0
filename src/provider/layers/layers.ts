import type { Properties } from "../../engine/serialization";
import type { Sighting } from "../../journal/entryMatch";
import { workArgs } from "../../resources/args";
import type { AnyResource } from "../../resources/index";
import type { Claim, Held, OwnedPart } from "../../resources/ownership";
import { claimKey, describeConflict, mayName, taskNamedBy } from "../../resources/ownership";
import { isPlaceholderId } from "../../resources/task/lostResponse";
import { isGone, isSurelyNotOurs } from "../../resources/task/taskPresence";
import { isServiceError, whyNotYours, withoutHint } from "../../service/errors/errors";
import { namesSameService } from "../../service/serviceAddress";
import { shellQuoted } from "../../values/words";
import type { Host } from "../host";
import { ownerOf, titleOf } from "../host";
import { ProviderError } from "../providerErrors";
import type { Layer, Outcome, Step } from "../step";
import { keepToTrial } from "./trial";

/**
 * Refuses a step at another service than the one where the resource was made. `origin` in the state is its address;
 * earlier versions wrote it without the path.
 */
const checkOrigin: Layer = async (step, host, next) => {
  const here = host.origin(step.profile);
  const made = step.state.origin;
  const isElsewhere = typeof made === "string" && here !== undefined && !namesSameService(made, here);
  if (isElsewhere && !host.config.isPresent(made, here)) {
    throw new ProviderError(
      `This resource was made at ${made}, and the configuration names ${here}. Nothing was changed. If this is the same service at another address, ` +
        `run "pulumi config set webextract:movedFrom ${made}" (a refresh or a destroy takes it from WEBEXTRACT_MOVED_FROM). If not, set webextract:baseUrl back ` +
        `and run "pulumi up" without --refresh: a refresh or a destroy uses the configuration of the last up.`,
    );
  }
  const { state, difference, ...outcome } = await next(step, host);
  return {
    ...outcome,
    // A refresh after an upgrade shows no difference: a read leaves the form of an earlier version.
    ...(state && { state: { ...state, origin: step.call === "read" && !isElsewhere ? (made ?? here) : here } }),
    // Only an update writes the new origin into the state.
    ...(difference && { difference: isElsewhere ? { ...difference, forced: true } : difference }),
  };
};

/** Refuses a step that would write what another resource manages, before anything is sent. */
export const claimParts: Layer = async (step, host, next) => {
  const parts = step.call === "read" || step.call === "delete" ? [] : (step.resource.manages?.(step.args) ?? []);
  if (parts.length === 0) {
    return next(step, host);
  }
  const owner = ownerOf(step.urn);
  const note = (claim: "declared" | "writing" | "written", id: string | undefined): void => {
    ownersOf(step, host, id)?.note(owner, parts, claim);
  };
  if (step.call !== "diff") {
    refuseConflict(step, host, parts);
    note("writing", step.id);
  }
  const outcome = await next(step, host);
  if (staysAfter(step, outcome)) {
    note("declared", step.id);
  }
  if (step.call !== "diff" && outcome.failure === undefined) {
    note("written", outcome.id);
  }
  return outcome;
};

function refuseConflict(step: Step, host: Host, parts: readonly OwnedPart[]): void {
  const owner = ownerOf(step.urn);
  const found = ownersOf(step, host, step.id)?.conflictWith(owner, parts);
  if (found !== undefined) {
    const { part, other } = found;
    const task = `task "${taskOf(step, step.id)}"`;
    throw new ProviderError(
      `${describeConflict(owner.title, `${other.title} (${other.key})`, part, task)} Nothing was sent for ${owner.title}. Keep it in one of them.`,
    );
  }
}

/** Undefined while the task or the account is unknown, because unknown values never conflict. */
function ownersOf(step: Step, host: Host, id: string | undefined) {
  const { profile } = step.args;
  const taskId = taskOf(step, id);
  const isAccountKnown = profile === undefined || typeof profile === "string";
  return taskId === undefined || !isAccountKnown ? undefined : host.tasksOf(step.profile).ownersOf(taskId);
}

/** The task whose parts the arguments manage. */
function taskOf({ resource, args }: Step, id: string | undefined): string | undefined {
  const named = taskNamedBy(args);
  return typeof named === "string" ? named : resource.idIs === "taskId" ? id : undefined;
}

/** Whether a diff means that the resource stays: it is updated or unchanged. */
function staysAfter(step: Step, { difference }: Outcome): boolean {
  return step.call === "diff" && step.isDeclared && difference?.replaces.length === 0;
}

/** Notes what each resource of this command has, so that no delete undoes it. */
const noteHeld: Layer = async (step, host, next) => {
  const { call, resource, args, state, id } = step;
  const isWrite = call === "create" || call === "update";
  const note = (held: readonly Held[], claim: Claim): void => host.held.note(ownerOf(step.urn), held, claim);
  const named = heldBy(resource, args, host);
  if (isWrite || (call === "diff" && step.isDeclared)) {
    note(named, "written");
  }
  const outcome = await next(step, host);
  if (staysAfter(step, outcome)) {
    // The task of the state counts only if it is the resource itself: others may be updated to another task.
    const known = heldBy(resource, { ...state, taskId: resource.idIs === "taskId" ? id : args.taskId }, host);
    const isLeft = (each: Held): boolean => each.part === "file" && !named.some((other) => keepsFile(other, each.file));
    note(known.filter(isLeft), "left");
    note(
      known.filter((each) => !isLeft(each)),
      "declared",
    );
    host.seen.noteThere(step.urn);
  } else if (isWrite) {
    note(heldBy(resource, outcome.state ?? {}, host), "written");
    host.seen.noteThere(step.urn);
  }
  return outcome;
};

/** Whether an export that has this part by its arguments has this file. */
function keepsFile(part: Held, file: string): boolean {
  return claimKey(part) === claimKey({ part: "file", file }) || mayName(part, file);
}

/** What arguments or a state name, and the delete of another resource could undo. */
export function heldBy(resource: AnyResource, known: Properties, { programFolder }: Host): Held[] {
  const taskId = taskNamedBy(known);
  const rows: Held[] = typeof taskId === "string" ? [{ part: "rows", taskId }] : [];
  return [...rows, ...(resource.holds?.(known, programFolder) ?? [])];
}

/**
 * Shows the journal the state that each step finds, and the one after a write. Deletes nothing that this run has taken
 * over.
 */
const keepJournal: Layer = async (step, host, next) => {
  const { call, id = "", urn, profile } = step;
  const name = host.nameOf(urn, profile);
  const show = async ({ resource, id = "", state }: Step, final: Sighting["final"]): Promise<void> => {
    if (name !== undefined) {
      await host.journal.saw(name, { type: resource.type, id, args: workArgs(resource.args, state), state, final });
    }
  };
  if (call === "delete") {
    // If the user requests a replace after a kill, the new resource takes over the object that the state still contains
    // as the old one.
    if (name !== undefined && host.journal.has(name, id)) {
      host.engine.log.warn(`"${id}" was taken over by the resource that replaces it, so it was not deleted.`, urn);
      return {};
    }
    await show(step, isReplaced(step, host) ? undefined : "deleted");
  }
  const isAdopted = call === "delete" && isPlaceholderId(id) && (await host.isAdopted(id));
  const outcome = isAdopted ? {} : await next(step, host);
  if (call === "diff") {
    await show(step, staysAfter(step, outcome) ? "stays" : undefined);
    if (outcome.difference?.adopts) {
      await host.adopt(id);
    }
  } else if (call !== "read" && name !== undefined) {
    if (call !== "delete" && outcome.failure === undefined) {
      await show({ ...step, id: outcome.id, state: outcome.state ?? {} }, "written");
    }
    // If the user interrupts the command a second time, the engine drops results that it has not received yet.
    if (!host.engine.interrupted.aborted) {
      host.journal.noteReturned(name);
    }
  }
  return outcome;
};

/**
 * Whether a new instance follows, which takes over what a killed command made. No diff has to ask for it: of a
 * placeholder, the user can request a replace.
 */
function isReplaced({ urn, id = "" }: Step, host: Host): boolean {
  const isAskedFor = urn !== undefined && host.seen.of(urn).replaced?.isAskedFor === true;
  return isPlaceholderId(id) ? host.seen.isChecked(urn) : isAskedFor;
}

/** Refuses a read that finds its task gone if the account is probably wrong. */
const guardAccount: Layer = async (step, host, next) => {
  if (step.call !== "read") {
    return next(step, host);
  }
  const guard = host.tasksOf(step.profile).guard;
  return guard.during(async () => {
    const outcome = await next(step, host);
    if (outcome.id === undefined) {
      const source = step.resource.copiedFrom?.(step.state);
      const context = host.context(step.profile, step.urn);
      const { standIn } = context.client.describeCredentials();
      const doubt = await guard.doubt(source, (taskId) => isGone(taskId, context), standIn);
      if (doubt !== undefined) {
        throw new ProviderError(doubt);
      }
    }
    return outcome;
  });
};

/**
 * A task that is not this account's, or gone: a refresh keeps the state, with one warning for each task. A delete ends
 * if the credentials are surely not the reason: users delete in the service's own interface what the API cannot delete.
 */
const keepNotYours: Layer = async (step, host, next) => {
  const { call, resource, state, urn, profile } = step;
  const { guard } = host.tasksOf(profile);
  for (const task of [taskOf(step, step.id), resource.copiedFrom?.(state)]) {
    guard.name(task);
  }
  try {
    return await next(step, host);
  } catch (error) {
    // In a static get and an import, this provider has not written the state.
    const isOurs = state.stateVersion !== undefined && (call === "read" || call === "delete");
    if (!isServiceError(error, "notYours") || error.taskId === undefined || !isOurs) {
      throw error;
    }
    const { taskId } = error;
    const what = `Task "${taskId}" is not this account's: ${whyNotYours}.`;
    if (call === "read") {
      host.warnOnce(`${what} Its resources stay in the state as they are. Check the id and the credentials.`);
      return { id: step.id, state };
    }
    const named = urn === undefined ? resource.type : titleOf(urn);
    if (await isSurelyNotOurs(taskId, guard.othersThan(taskId), host.context(profile, urn))) {
      host.engine.log.warn(
        `${what} Another task responds, so ${named} is deleted from the state, and nothing else.`,
        urn,
      );
      return {};
    }
    throw new ProviderError(
      `${withoutHint(error)} ${named} stays in the state: ${whyNotYours}, and no other task of this stack responds.\n` +
        `Check the credentials. If the task was deleted, run: pulumi state delete ${shellQuoted(urn ?? "URN")}`,
    );
  }
};

/**
 * Keeps what the engine shows of an instance that it may replace, because a create gets only the arguments of the new
 * one, and the runs that resources have.
 */
const noteReplaced: Layer = async (step, host, next) => {
  const outcome = await next(step, host);
  const { call, resource, urn, id, state, args } = step;
  if (resource.knowsEarlier && urn !== undefined && id !== undefined && (call === "diff" || call === "delete")) {
    const asks = (outcome.difference?.replaces.length ?? 0) > 0;
    const wanted = asks ? args : host.seen.of(urn).replaced?.wanted;
    host.seen.of(urn).replaced = { id, state, isAskedFor: call === "delete" || asks, wanted };
  }
  const shown = outcome.id ?? id;
  // A preview may not know the task.
  if (resource.idIs === "lotNo" && shown !== undefined && typeof args.taskId === "string") {
    host.tasksOf(step.profile).noteRun(args.taskId, shown);
  }
  return outcome;
};

/** The layers through which each call of the engine passes, outermost first. */
export const layers: readonly Layer[] = [
  // First, so that a resource of another service makes no claims and no journal entries.
  checkOrigin,
  claimParts,
  noteHeld,
  keepJournal,
  guardAccount,
  noteReplaced,
  keepNotYours,
  keepToTrial,
];
