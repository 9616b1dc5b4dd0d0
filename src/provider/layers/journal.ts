import { workArgs } from "../../resources/args";
import { isPlaceholderId } from "../../resources/task/lostResponse";
import type { Host } from "../host";
import type { Sighting } from "../journal";
import type { Layer, Step } from "../step";
import { staysAfter } from "../step";

/** Shows the journal the state before and after the step. Deletes nothing that this run has taken over. */
export const keepJournal: Layer = async (step, host, next) => {
  switch (step.call) {
    case "diff": {
      const outcome = await next(step, host);
      await show(step, host, { step: staysAfter(step, outcome) ? "stays" : "inProgress", id: step.id });
      if (outcome.difference?.adopts && step.id !== undefined) {
        host.adopted.add(step.id);
      }
      return outcome;
    }
    case "read":
      await show(step, host, { step: "inProgress", id: step.id });
      return next(step, host);
    case "create":
    case "update": {
      if (step.call === "update") {
        await show(step, host, { step: "inProgress", id: step.id });
      }
      const outcome = await next(step, host);
      if (step.call === "create" && outcome.failure === undefined) {
        await show({ ...step, state: outcome.state ?? {} }, host, { step: "created", id: outcome.id });
      }
      const name = host.nameOf(step.urn, step.profile);
      // If the user interrupts the command a second time, the engine drops results that it has not received yet.
      if (name !== undefined && !host.engine.interrupted.aborted) {
        host.journal?.returned(name);
      }
      return outcome;
    }
    case "delete": {
      const { id = "" } = step;
      const name = host.nameOf(step.urn, step.profile);
      // If the user requests a replace after a kill, the new resource takes over the object that the state still contains as the old one.
      if (name !== undefined && host.journal?.isTakenOver(name, id) === true) {
        host.warn(`"${id}" was taken over by the resource that replaces it, so it was not deleted.`, step.urn);
        return {};
      }
      await show(step, host, { step: isReplaced(step, host) ? "inProgress" : "deleted", id });
      return host.adopted.has(id) ? {} : next(step, host);
    }
  }
};

/** Whether a new instance follows, which takes over what a killed command made. A placeholder id names nothing that could be replaced. */
function isReplaced({ urn, id = "" }: Step, host: Host): boolean {
  return urn !== undefined && host.replaced.get(urn)?.isAskedFor === true && !isPlaceholderId(id);
}

async function show(
  { resource, urn, profile, state }: Step,
  host: Host,
  { step, id = "" }: { step: Sighting["step"]; id: string | undefined },
): Promise<void> {
  const origin = host.origin(profile);
  if (origin !== undefined) {
    const name = { urn, origin, profile: profile ?? "" };
    await host.journal?.saw(name, { step, id, args: workArgs(resource.args, state), state });
  }
}
