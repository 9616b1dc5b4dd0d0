import { workArgs } from "../../resources/args";
import { isPlaceholderId } from "../../resources/task/lostResponse";
import type { Host } from "../host";
import type { Sighting } from "../journal";
import type { Layer, Step } from "../step";
import { staysAfter } from "../step";

/** Shows the journal the state that each step finds, and the one after a create. Deletes nothing that this run has taken over. */
export const keepJournal: Layer = async (step, host, next) => {
  const { call, id = "", urn, profile } = step;
  const name = host.nameOf(urn, profile);
  switch (call) {
    case "read":
      return next(step, host);
    case "diff": {
      const outcome = await next(step, host);
      await show(step, host, staysAfter(step, outcome) ? "stays" : undefined);
      if (outcome.difference?.adopts) {
        host.adopted.add(id);
      }
      return outcome;
    }
    case "create":
    case "update": {
      const outcome = await next(step, host);
      if (call === "create" && outcome.failure === undefined) {
        await show({ ...step, id: outcome.id, state: outcome.state ?? {} }, host, "created");
      }
      // If the user interrupts the command a second time, the engine drops results that it has not received yet.
      if (name !== undefined && !host.engine.interrupted.aborted) {
        host.journal?.noteReturned(name);
      }
      return outcome;
    }
    case "delete": {
      // If the user requests a replace after a kill, the new resource takes over the object that the state still contains as the old one.
      if (name !== undefined && host.journal?.isTakenOver(name, id) === true) {
        host.warn(`"${id}" was taken over by the resource that replaces it, so it was not deleted.`, urn);
        return {};
      }
      await show(step, host, isReplaced(step, host) ? undefined : "deleted");
      return host.adopted.has(id) ? {} : next(step, host);
    }
  }
};

/** Whether a new instance follows, which takes over what a killed command made. A placeholder id names nothing that could be replaced. */
function isReplaced({ urn, id = "" }: Step, host: Host): boolean {
  return urn !== undefined && host.replaced.get(urn)?.isAskedFor === true && !isPlaceholderId(id);
}

async function show(step: Step, host: Host, final: Sighting["final"]): Promise<void> {
  const { resource, urn = "", profile, id = "", state } = step;
  const origin = host.origin(profile);
  if (origin !== undefined) {
    const sighting = { type: resource.type, id, args: workArgs(resource.args, state), state, final };
    await host.journal?.saw({ urn, origin, profile: profile ?? "" }, sighting);
  }
}
