import type { Properties } from "../../engine/serialization";
import type { Problem } from "../../resources/args";
import { checkFields, string } from "../../resources/args";
import { PartialFailure, ResourceError } from "../../resources/resource";
import { RowsAreHeld } from "../../resources/task/taskRows";
import { differs } from "../../resources/values";
import { describeRefusedDelete, programMessage } from "../advice";
import type { Host } from "../host";
import { titleOf } from "../host";
import { ProviderError } from "../providerErrors";
import type { Outcome, RunStep, Step } from "../step";

/** The innermost step: calls the resource. */
export const runResource: RunStep = async (step, host) => {
  switch (step.call) {
    case "diff":
      return { difference: differenceOf(step, host) };
    case "create":
    case "update":
      return write(step, host);
    case "read":
      return read(step, host);
    case "delete":
      return remove(step, host);
  }
};

function differenceOf({ resource, state, args, urn = "" }: Step, host: Host): Outcome["difference"] {
  const own = resource.diff?.(state, args, host.previous.get(urn)) ?? {};
  const described = Object.keys(resource.args).filter(
    (name) => resource.args[name]?.replaces && differs(state[name], args[name]),
  );
  return { ...own, replaces: [...new Set([...described, ...(own.replaces ?? [])])] };
}

async function write({ call, resource, id = "", state, args, profile, urn }: Step, host: Host): Promise<Outcome> {
  const context = host.context(profile, urn);
  try {
    return call === "create"
      ? await resource.create(args, context)
      : { id, state: await resource.update(id, state, args, context) };
  } catch (error) {
    if (error instanceof PartialFailure) {
      return { id: error.id, state: error.state as Properties, failure: programMessage(error) };
    }
    throw error;
  }
}

async function remove({ resource, id = "", state, profile, urn }: Step, host: Host): Promise<Outcome> {
  try {
    await resource.delete(id, state, host.context(profile, urn));
  } catch (error) {
    if (error instanceof RowsAreHeld) {
      throw new ProviderError(describeRefusedDelete(error, host.deleted));
    }
    throw error instanceof ResourceError ? new ProviderError(programMessage(error)) : error;
  }
  host.deleted.push(urn === undefined ? `${resource.type} "${id}"` : titleOf(urn));
  return {};
}

async function read(step: Step, host: Host): Promise<Outcome> {
  const { resource, id = "", profile, urn } = step;
  // A static get: this provider has not written the state.
  const isOnlyLookedUp = step.state.stateVersion === undefined;
  const state = isOnlyLookedUp ? { ...step.state, ...soundArgs(step) } : step.state;
  if (resource.read === undefined) {
    return { id, state };
  }
  const seen = await resource.read(id, state, host.context(profile, urn));
  if (!seen.found && isOnlyLookedUp) {
    throw new ProviderError(`There is no ${resource.type} "${id}" at the service, so it cannot be looked up.`);
  }
  return seen.found ? { id, state: seen.state } : {};
}

/**
 * Checks the arguments of a static get, for which the engine does not call `check`. Throws if they are not complete or
 * not valid.
 */
function soundArgs({ resource, id, state }: Step): Properties {
  const needed = Object.entries(resource.args).filter(
    ([name, { createOnly }]) => !createOnly || state[name] !== undefined,
  );
  const problems: Problem[] = [];
  const sound = checkFields(Object.fromEntries(needed), state, "", problems, "dropped");
  checkFields({ id: { kind: string } }, { id }, "", problems);
  if (problems.length > 0) {
    const list = problems.map(({ path, reason }) => `${path} ${reason}`).join("; ");
    throw new ProviderError(
      `The ${resource.type} "${id}" cannot be looked up: the state that was given is not complete or not valid: ${list}. Nothing was sent.`,
    );
  }
  return sound;
}
