import type { Properties } from "../engine/serialization";
import type { Problem } from "../resources/args";
import { checkFields, string } from "../resources/args";
import type { RunReason } from "../resources/resource";
import { PartialFailure, ResourceError } from "../resources/resource";
import { RowsAreHeld } from "../resources/task/taskRows";
import { differs, firstOf, shellQuoted } from "../resources/values";
import { moreAt } from "../values/more";
import type { Host } from "./host";
import { titleOf } from "./host";
import { ProviderError } from "./providerErrors";
import type { Outcome, RunStep, Step } from "./step";

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

/**
 * The message of a resource's error. About a run, the next line says what to do, in terms of the arguments of CloudRun.
 */
export function programMessage({ message, about }: PartialFailure | ResourceError): string {
  return about === undefined ? message : `${message}\n${nextStep[about.reason]}`;
}

const otherWays = moreAt("troubleshooting.md#runs");
const again = 'Run "pulumi up" again to continue to wait: no second run is started.';

const nextStep: Record<RunReason["reason"], string> = {
  notFinished: again,
  timedOut: `${again}\n${otherWays}`,
  superseded: `To start a new run, change triggers.\n${otherWays}`,
  failed: `To start a new run, change triggers.\n${otherWays}`,
  notStopped: 'Run the same command again, or set onDelete: "retain" and run "pulumi up" first.',
};

/**
 * A refused delete: of a destroy, of a replace, or of a resource that was removed from the program. The page has the
 * ways to keep the rows.
 * @param deleted titles of resources, such as `CloudRun "run"`, that this command has deleted
 */
export function describeRefusedDelete({ message, taskId }: RowsAreHeld, deleted: readonly string[] = []): string {
  // An earlier command can have deleted the runs of the task.
  const gone = deleted.length === 0 ? "" : `This command has deleted before: ${firstOf(deleted, 5)}. `;
  return [
    message,
    `${gone}A "pulumi up" without --target starts a paid run for each CloudRun that the state no longer has.`,
    `To remove the rows, run the same command again with the environment variable WEBEXTRACT_FORCE_DESTROY=${forcing(taskId)} (or =true, for all tasks).`,
    moreAt("how-to/destroy.md#a-destroy-that-is-refused"),
  ].join("\n");
}

/**
 * The service chooses ids. As JSON, none is taken for a list or for a word such as `true`, which allows the removal of
 * all rows.
 */
function forcing(taskId: string): string {
  return /^(?=.*\d)[\w./:@-]{2,}$/.test(taskId) ? taskId : shellQuoted(JSON.stringify([taskId]));
}
