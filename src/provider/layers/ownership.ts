import type { OwnedPart } from "../../resources/ownership";
import { describeConflict, taskNamedBy } from "../../resources/ownership";
import type { Host } from "../host";
import { ownerOf } from "../host";
import { ProviderError } from "../providerErrors";
import type { Layer, Step } from "../step";
import { staysAfter } from "../step";

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
  return taskId === undefined || !isAccountKnown ? undefined : host.ownersOf(step.profile, taskId);
}

/** The task whose parts the arguments manage. */
function taskOf({ resource, args }: Step, id: string | undefined): string | undefined {
  const named = taskNamedBy(args);
  return typeof named === "string" ? named : resource.idIs === "taskId" ? id : undefined;
}
