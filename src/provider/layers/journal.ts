import { workArgs } from "../../resources/args";
import { isPlaceholderId } from "../../resources/task/lostResponse";
import type { Host } from "../host";
import type { Sighting } from "../journal";
import type { Layer, Step } from "../step";
import { staysAfter } from "../step";

/**
 * Shows the journal the state that each step finds, and the one after a write. Deletes nothing that this run has taken
 * over.
 */
export const keepJournal: Layer = async (step, host, next) => {
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
  const outcome = call === "delete" && host.adopted.has(id) ? {} : await next(step, host);
  if (call === "diff") {
    await show(step, staysAfter(step, outcome) ? "stays" : undefined);
    if (outcome.difference?.adopts) {
      host.adopted.add(id);
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
 * Whether a new instance follows, which takes over what a killed command made. A placeholder id names nothing that
 * could be replaced.
 */
function isReplaced({ urn, id = "" }: Step, host: Host): boolean {
  return urn !== undefined && host.replaced.get(urn)?.isAskedFor === true && !isPlaceholderId(id);
}
