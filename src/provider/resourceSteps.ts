import type { Properties } from "../engine/serialization";
import { failedInputsKey } from "../engine/serialization";
import { checkFields } from "../resources/args";
import type { AnyResource } from "../resources/index";
import { checkedArgs } from "../resources/index";
import { taskNamedBy, transformProblems } from "../resources/ownership";
import { RowsAreHeld } from "../resources/task/taskRows";
import { describeLeftFile, describeSharedFile } from "../rows/destinations/fileIdentity";
import { isStoreAddress } from "../store/storeAddress";
import { messageOf, PartialFailure, ResourceError } from "../values/errors";
import type { Problem } from "../values/kinds";
import { string } from "../values/kinds";
import { canonical, differs, entryOf, holdsUnknown, isRecord, valueAt } from "../values/plain";
import { stateVersion } from "../values/stateContract";
import { describeEarlyDelete, describeRefusedDelete, programMessage } from "./advice";
import type { Host } from "./host";
import { ownerOf, titleOf } from "./host";
import { layers as allLayers, heldBy } from "./layers/layers";
import { trialProblems } from "./layers/trial";
import { ProviderError } from "./providerErrors";
import type { Layer, Outcome, RunStep, Step } from "./step";

interface GivenArguments {
  given: Properties;
  /** The arguments after the previous check; empty at the first. */
  previous: Properties;
  urn?: string | undefined;
  /** The arguments before the transforms of the program, as far as they name the task and the account. */
  declared?: unknown;
}

/** The engine asks about one resource. Unknown values are `unknown`. */
interface Request {
  urn: string | undefined;
  id: string;
  /** As the engine has saved it. */
  state: Properties;
  /** The checked arguments. */
  args: Properties;
}

/** What a create or an update has made. */
export interface Written {
  id: string;
  /** To be saved. */
  state: Properties;
  /** Why the step failed although the resource exists now. */
  failure: string | undefined;
}

/**
 * What a diff means for the engine: nothing, a replace, an update whatever the arguments are, or an update if they
 * differ.
 */
export type Change =
  | { is: "none" }
  | { is: "replace"; replaces: string[]; deleteFirst: boolean }
  | { is: "update" }
  | { is: "compare" };

/**
 * The steps of one resource, without the protocol in which the engine asks for them: each call becomes a step through
 * the layers.
 */
export class ResourceSteps {
  private readonly run: RunStep;

  constructor(
    readonly resource: AnyResource,
    /** The host of this process; it can come into being after this object. */
    private readonly host: () => Host,
    layers: readonly Layer[] = allLayers,
    innermost: RunStep = runResource,
  ) {
    const run = layers.reduceRight<RunStep>((next, layer) => (step, host) => layer(step, host, next), innermost);
    // The engine waits for one diff before it asks for the next.
    this.run = (step, host) => (step.call === "diff" ? run(step, host) : host.steps.during(() => run(step, host)));
  }

  async check(request: GivenArguments): Promise<{ args: object; problems: Problem[] }> {
    const host = this.host();
    const isNew = Object.keys(request.previous).length === 0;
    host.seen.noteChecked(request.urn, request.given, isNew);
    const { args, problems } = await checkArguments(this.resource, host, request);
    problems.push(...(isRecord(request.declared) ? transformProblems(request.declared, request.given) : []));
    if (problems.length === 0 && isNew) {
      // No diff follows.
      const declared = args as Properties;
      host.warnOfUnknownProperties({ ...declared, taskId: taskNamedBy(declared) }, {}, declared, request.urn);
    }
    return { args, problems: [...problems, ...claimFile(this.resource, args as Properties, host, request.urn)] };
  }

  /** Whether the engine skips the resource after this check, because others that it needs have failed. */
  isSkipped({ [failedInputsKey]: failed, ...given }: Properties, urn: string | undefined): boolean {
    if (failed !== undefined) {
      this.host().held.note(ownerOf(urn), heldBy(this.resource, given, this.host()), "written");
    }
    if (typeof failed === "string") {
      this.host().warnOnce(`skipped: ${failed} failed`, urn);
    }
    return failed !== undefined;
  }

  async diff({ urn, id, state: saved, args }: Request): Promise<Change> {
    const host = this.host();
    const state = this.stateOf(saved);
    if (host.seen.isDiffOfDependent(urn, args)) {
      // The dependent gets its own diff later, with the values of the new resource. To delete it now would start a paid
      // run also if these values are equal, or if --target leaves the dependent out. Not `compare`, because
      // `replaceOnChanges` would count the unknown values.
      return { is: "none" };
    }
    const { difference } = await this.run(this.step("diff", { urn, id, state, args }), host);
    const { replaces = [], deleteFirst, forced, same, note } = difference ?? {};
    if (note !== undefined) {
      host.warnOnce(note, urn);
    }
    host.warnOfUnknownProperties({ profile: args.profile, taskId: id }, state, args, urn);
    if (replaces.length > 0) {
      return { is: "replace", replaces, deleteFirst: deleteFirst === true };
    }
    if (forced || (Array.isArray(state.pending) && state.pending.length > 0)) {
      return { is: "update" };
    }
    return { is: same ? "none" : "compare" };
  }

  async create({ urn, args }: Pick<Request, "urn" | "args">): Promise<Written> {
    const written = await this.write(this.step("create", { urn, state: {}, args }));
    if (written.failure !== undefined) {
      this.host().halfMade.add(written.id);
    }
    return written;
  }

  async update({ urn, id, state, args }: Request): Promise<Written> {
    try {
      return await this.write(this.step("update", { urn, id, state: this.stateOf(state), args }));
    } catch (error) {
      if (!this.host().halfMade.has(id)) {
        throw error;
      }
      // The engine repeats a failed create as an update if a hook onError asks for it. If that failed in another way,
      // the engine would save nothing of the resource.
      return { id, state: toSave(state), failure: messageOf(error) };
    }
  }

  /** @returns the state to save and its arguments; undefined if the resource does not exist any more */
  async read(request: Omit<Request, "args">): Promise<Pick<Request, "state" | "args"> | undefined> {
    // With a static get, the id can be all that is known.
    const state = { [this.resource.idIs]: request.id, ...this.stateOf(request.state) };
    const found = await this.run(this.step("read", { ...request, state, args: state }), this.host());
    if (found.state === undefined) {
      return undefined;
    }
    const args = Object.entries(found.state).filter(([name]) => Object.hasOwn(this.resource.args, name));
    return { state: toSave(found.state), args: Object.fromEntries(args) };
  }

  async delete({ urn, id, state: saved }: Omit<Request, "args">): Promise<void> {
    const state = this.stateOf(saved);
    await this.run(this.step("delete", { urn, id, state, args: state }), this.host());
  }

  private stateOf(state: Properties): Properties {
    const { stateVersion: version } = state;
    if (typeof version === "number" && version > stateVersion) {
      throw new ProviderError(
        `This state was written by a newer version of pulumi-webextract (its format is ${version}, this version supports up to ${stateVersion}). Install that version or a later one.`,
      );
    }
    return state;
  }

  private step(call: Step["call"], request: Pick<Step, "urn" | "state" | "args"> & Partial<Pick<Step, "id">>): Step {
    const { profile } = request.args;
    if (call !== "read" && call !== "delete") {
      this.host().seen.noteNamed(request.urn);
    }
    return {
      call,
      resource: this.resource,
      profile: typeof profile === "string" ? profile : undefined,
      id: undefined,
      isDeclared: this.host().seen.isChecked(request.urn),
      ...request,
    };
  }

  private async write(step: Step): Promise<Written> {
    const { id = "", state = {}, failure } = await this.run(step, this.host());
    return { id, state: toSave(state), failure };
  }
}

function toSave(state: object): Properties {
  return { ...state, stateVersion };
}

/** The arguments in the form in which they are compared and stored, and their problems. Makes no request. */
export async function checkArguments(
  resource: AnyResource,
  host: Host,
  { given, previous, urn }: GivenArguments,
): Promise<{ args: object; problems: Problem[] }> {
  const args = withoutDerived(resource, given);
  const found: Problem[] = [];
  checkProfile(args.profile, host, found);
  const { programFolder: folder } = host;
  const { settings } = host.config;
  const known = Object.keys(previous).length > 0 ? previous : undefined;
  const replaced = known === undefined && urn !== undefined ? host.seen.of(urn).replaced?.state : undefined;
  if (resource.knowsEarlier && known !== undefined && urn !== undefined) {
    host.seen.of(urn).previous = known;
  }
  const warn = (message: string): void => host.warnOnce(message, urn);
  const context = { previous: known, replaced, folder, settings, problems: found, warn };
  const checked = await checkedArgs(resource, args, context);
  const problems = refusedOf(found, { args, before: known ?? replaced, urn }, host);
  if (problems.length === 0) {
    problems.push(...trialProblems(host, args, known ?? replaced));
  }
  // Invalid arguments are returned unchanged. The checked form has `unknown` in their place, and an up stops at an
  // unknown value before it shows the problems.
  return { args: problems.length > 0 ? args : checked, problems };
}

/** The problems without those of values that the state has: an earlier version accepted them, so they are warnings. */
function refusedOf(
  found: readonly Problem[],
  { args, before, urn }: { args: Properties; before: Properties | undefined; urn: string | undefined },
  host: Host,
): Problem[] {
  return found.filter(({ path, reason, stored }) => {
    const key = urn === undefined || stored === undefined ? undefined : `${urn} ${path} ${reason}`;
    const isSame = (each: string): boolean => canonical(valueAt(args, each)) === canonical(valueAt(before, each));
    const isFound = before !== undefined && valueAt(args, path) !== undefined;
    const isStored = Array.isArray(stored) ? isFound && stored.every(isSame) : stored === true;
    // At a replace, the engine checks the same arguments again without those of the state.
    if (!isStored && (key === undefined || !host.warnedOfStored.has(key))) {
      return true;
    }
    host.warnedOfStored.add(key ?? "");
    host.warnOnce(`${path} ${reason}. The state has it, so it stays. A new value like this is refused.`, urn);
    return false;
  });
}

/** Notes what a resource will have, and refuses a file that another one writes, before anything is started for it. */
function claimFile(resource: AnyResource, args: Properties, host: Host, urn: string | undefined): Problem[] {
  const owner = ownerOf(urn);
  const held = heldBy(resource, args, host);
  const files = held.filter((each) => each.part === "file" && each.names === undefined);
  const { part, other, claim } = host.held.conflictWith(owner, files) ?? {};
  // An export that moves leaves its file. The disk shows whether that is in the way; an object would be found in the way
  // after the run.
  const isInTheWay = claim !== "left" || (isStoreAddress(args.path) && holdsUnknown([args.taskId, args.lotNo]));
  if (part?.part === "file" && other !== undefined && isInTheWay) {
    const describe = claim === "left" ? describeLeftFile : describeSharedFile;
    return [{ path: "path", reason: describe(part.file, other.title) }];
  }
  host.held.note(owner, held, "written");
  return [];
}

/** Only `check` sets derived arguments. A class can send a placeholder for one, which only marks it as secret. */
function withoutDerived(resource: AnyResource, args: Properties): Properties {
  const isGiven = (name: string): boolean => {
    const { derived = false, givenByClass = false } = entryOf(resource.args, name) ?? {};
    return !derived || givenByClass;
  };
  return Object.fromEntries(Object.entries(args).filter(([name]) => isGiven(name)));
}

function checkProfile(profile: unknown, host: Host, problems: Problem[]): void {
  const isKnown = profile === undefined || typeof profile === "string";
  const problem = isKnown ? host.config.profileProblem(profile) : undefined;
  if (problem !== undefined) {
    const reason = profile === undefined ? "is missing" : "is not configured";
    problems.push({ path: "profile", reason: `${reason}. ${problem}` });
  }
}

/** The innermost step: calls the resource. */
const runResource: RunStep = async (step, host) => {
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
  const own = resource.diff?.(state, args, host.seen.of(urn).previous) ?? {};
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
  const context = await host.contextOfDelete(profile, urn);
  try {
    await resource.delete(id, state, context);
  } catch (error) {
    if (error instanceof RowsAreHeld) {
      const removed = host.seen.isRemoved(urn) ? urn : undefined;
      throw new ProviderError(
        context.isDeletedFirst ? describeEarlyDelete(error) : describeRefusedDelete(error, host.deleted, removed),
      );
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
