import type { dynamic } from "@pulumi/pulumi";
import { urnOf } from "../engine/engineSurface";
import { dropEchoOf } from "../engine/errorEcho";
import type { Properties } from "../engine/wire";
import { fromWire, providerKey, toWire } from "../engine/wire";
import type { Problem } from "../resources/args";
import { checkFields, workArgs } from "../resources/args";
import type { AnyResource } from "../resources/index";
import { messageOf, PartialFailure } from "../resources/resource";
import { isGone } from "../resources/task/taskPresence";
import { differs, entryOf, isMap } from "../resources/values";
import type { Host } from "./host";
import type { Sighting } from "./journal";
import type { ResourceName } from "./journalFiles";
import { InitFailure, ProviderError } from "./providerErrors";

/** Version of the state's form. A resource reads older ones; a newer one is refused. */
const stateVersion = 1;

/** Properties of the state that are ours and no resource's. */
interface OwnState {
  stateVersion?: number;
  /** Where the service was that the resource was made at. */
  origin?: string;
}

/** A resource as a dynamic provider. */
export class Backend implements dynamic.ResourceProvider {
  constructor(
    private readonly resource: AnyResource,
    /** The process's host; it exists from the first configure on. */
    private readonly host: () => Host,
    private readonly onConfigure: (request: dynamic.ConfigureRequest) => void,
  ) {}

  /** Stores only: the engine's host doesn't wait for more, and goes on unconfigured after a throw. */
  async configure(request: dynamic.ConfigureRequest): Promise<void> {
    this.onConfigure(request);
  }

  async check(olds: Properties, news: Properties): Promise<dynamic.CheckResult> {
    return this.guarded(async () => {
      this.host().noteChecked(urnOf(news));
      const args = this.withoutDerived(fromWire(news));
      const previous = fromWire(olds);
      const problems: Problem[] = [];
      const sound = checkFields(this.resource.args, args, "", problems);
      this.checkProfile(args.profile, problems);
      let checked: object = args;
      if (this.resource.check) {
        const { settings, programFolder: folder } = this.host();
        const known = Object.keys(previous).length > 0 ? previous : undefined;
        checked = await this.resource.check(sound, { previous: known, folder, settings, problems });
      }
      const failures = problems.map(({ path, reason }) => ({ property: "", reason: `${path} ${reason}` }));
      // Refused arguments go back as they came: what stands in for wrong ones is an unknown, at which an up breaks off before it shows the failures.
      return { inputs: toWire(failures.length > 0 ? args : checked), failures };
    });
  }

  async diff(id: string, olds: Properties, news: Properties): Promise<dynamic.DiffResult> {
    return this.guarded(async () => {
      const state = this.stateOf(olds);
      const args = fromWire(news);
      const moved = this.refuseElsewhere(state, args.profile);
      const { replaces = [], deleteFirst, adopts, forced, same, note } = this.resource.diff?.(state, args) ?? {};
      const bySpec = Object.keys(this.resource.args).filter(
        (name) => this.resource.args[name]?.replaces && differs(state[name], args[name]),
      );
      const all = [...new Set([...bySpec, ...replaces])];
      if (note !== undefined) {
        this.host().warnOnce(note, urnOf(news));
      }
      // A refresh asks for diffs too, of what it has read: they say nothing of what the program wants.
      const stays = all.length === 0 && this.host().isChecked(urnOf(news));
      await this.show(news, args.profile, state, { step: stays ? "diff" : "replace", id });
      if (stays) {
        this.decide("declare", news, args, this.taskOf(args, id));
      }
      if (adopts) {
        this.host().adopted.add(id);
      }
      if (all.length > 0) {
        return { replaces: all, deleteBeforeReplace: deleteFirst === true };
      }
      if (forced || moved || (Array.isArray(state.pending) && state.pending.length > 0)) {
        return { changes: true };
      }
      // No `changes`: the engine then compares the inputs itself, and shows only what differs.
      return same ? { changes: false } : {};
    });
  }

  async create(inputs: Properties): Promise<dynamic.CreateResult> {
    const args = fromWire(inputs);
    return this.writing(inputs, args.profile, async () => {
      this.decide("claim", inputs, args, this.taskOf(args));
      const { id, state } = await this.resource.create(args, this.context(inputs, args.profile));
      this.decide("wrote", inputs, args, this.taskOf(args, id));
      await this.show(inputs, args.profile, state, { step: "created", id });
      const outs = this.toState(state);
      this.returned(inputs, args.profile);
      return { id, outs };
    });
  }

  async read(id: string, props: Properties): Promise<dynamic.ReadResult> {
    return this.guarded(async () => {
      // With a static get, the id may be all that is known.
      const state: Properties = { [this.resource.idIs]: id, ...this.stateOf(props) };
      this.refuseElsewhere(state, state.profile);
      if (state.stateVersion === undefined) {
        this.refuseUnreadable(id, state);
      }
      await this.show(props, state.profile, state, { step: "read", id });
      const { read } = this.resource;
      if (read === undefined) {
        return this.found(id, state);
      }
      const accountGuard = this.host().accountGuard(profileName(state.profile));
      const context = this.context(props, state.profile);
      return accountGuard.during(async () => {
        const seen = await read.call(this.resource, id, state, context);
        if (seen.found) {
          return this.found(id, seen.state);
        }
        if (state.stateVersion === undefined) {
          throw new ProviderError(
            `There is no ${this.resource.type} "${id}" at the service, so it cannot be looked up.`,
          );
        }
        const doubt = await accountGuard.doubt(this.resource.copiedFrom?.(state), (source) => isGone(source, context));
        if (doubt !== undefined) {
          throw new ProviderError(doubt);
        }
        return {};
      });
    });
  }

  async update(id: string, olds: Properties, news: Properties): Promise<dynamic.UpdateResult> {
    const args = fromWire(news);
    return this.writing(news, args.profile, async () => {
      const state = this.stateOf(olds);
      this.refuseElsewhere(state, args.profile);
      await this.show(news, args.profile, state, { step: "update", id });
      this.decide("claim", news, args, this.taskOf(args, id));
      const next = await this.resource.update(id, state, args, this.context(news, args.profile));
      this.decide("wrote", news, args, this.taskOf(args, id));
      const outs = this.toState(next);
      this.returned(news, args.profile);
      return { outs };
    });
  }

  async delete(id: string, props: Properties): Promise<void> {
    return this.guarded(async () => {
      const state = this.stateOf(props);
      this.refuseElsewhere(state, state.profile);
      if (this.isTakenOver(props, state.profile, id)) {
        this.host().warn(`"${id}" was taken over in its own place, so it was not deleted.`, urnOf(props));
        return;
      }
      await this.show(props, state.profile, state, { step: "delete", id });
      if (this.host().adopted.has(id)) {
        return;
      }
      await this.resource.delete(id, state, this.context(props, state.profile));
    });
  }

  /** What these arguments decide of a task is declared, about to be written, or written. */
  private decide(how: "declare" | "claim" | "wrote", request: Properties, args: Properties, taskId?: string): void {
    const parts = this.resource.decides?.(args) ?? [];
    const isAccountKnown = args.profile === undefined || typeof args.profile === "string";
    if (taskId !== undefined && parts.length > 0 && isAccountKnown) {
      const account = this.host().account(profileName(args.profile));
      this.host().decided[how](urnOf(request), { account, taskId }, parts);
    }
  }

  /** The task whose parts these arguments decide, as far as it is known. */
  private taskOf(args: Properties, id?: string): string | undefined {
    const { adoptTaskId } = isMap(args.from) ? args.from : { adoptTaskId: undefined };
    const known = [args.taskId, this.resource.idIs === "taskId" ? id : undefined, adoptTaskId];
    return known.find((taskId): taskId is string => typeof taskId === "string");
  }

  /** Lets the journal see what the engine's state holds. */
  private async show(
    request: Properties,
    profile: unknown,
    state: object,
    seen: Pick<Sighting, "step" | "id">,
  ): Promise<void> {
    const host = this.host();
    const name = host.nameOf(urnOf(request), profileName(profile));
    if (name !== undefined) {
      await host.journal?.saw(name, { ...seen, args: workArgs(this.resource.args, state) });
    }
  }

  private returned(request: Properties, profile: unknown): void {
    const name = this.fullName(request, profile);
    if (name !== undefined) {
      this.host().journal?.returned(name);
    }
  }

  /** Only where a replace was asked for by hand right after a kill: what the state still held was taken for an orphan. */
  private isTakenOver(request: Properties, profile: unknown, id: string): boolean {
    const name = this.fullName(request, profile);
    return name !== undefined && this.host().journal?.isTakenOver(name, id) === true;
  }

  private fullName(request: Properties, profile: unknown): ResourceName | undefined {
    const urn = urnOf(request);
    return urn === undefined ? undefined : this.host().nameOf(urn, profileName(profile));
  }

  private context(request: Properties, profile: unknown) {
    return this.host().context(profileName(profile), urnOf(request));
  }

  private found(id: string, state: object): dynamic.ReadResult {
    const inputs = Object.entries(state).filter(([name]) => Object.hasOwn(this.resource.args, name));
    return { id, props: this.toState(state), inputs: toWire(Object.fromEntries(inputs)) };
  }

  private toState(state: object): Properties {
    const own: OwnState = { stateVersion, origin: this.host().origin(profileName((state as Properties).profile)) };
    return toWire({ ...state, ...own });
  }

  private stateOf(properties: Properties): Properties {
    const state = fromWire(properties);
    if (typeof state.stateVersion === "number" && state.stateVersion > stateVersion) {
      throw new ProviderError(
        `This state was written by a newer version of pulumi-webextract (its form is ${state.stateVersion}, this version knows ${stateVersion}). Install that version or a later one.`,
      );
    }
    return state;
  }

  /** A resource is only touched where it was made. Answers whether its service has moved, as the configuration says. */
  private refuseElsewhere(state: Properties, profile: unknown): boolean {
    const here = this.host().origin(profileName(profile));
    const made = state.origin;
    if (typeof made !== "string" || here === undefined || made === here) {
      return false;
    }
    if (this.host().movedFrom(made)) {
      return true;
    }
    throw new ProviderError(
      `It was made at ${made}, and the configuration names ${here}; nothing was touched. If this is the same service at another address, ` +
        `run "pulumi config set webextract:movedFrom ${made}" (a refresh or a destroy takes it from WEBEXTRACT_MOVED_FROM); else set webextract:baseUrl back ` +
        `and run "pulumi up" without --refresh: a refresh or a destroy goes by the configuration of the last up.`,
    );
  }

  /** What is only looked up was never checked. */
  private refuseUnreadable(id: string, state: Properties): void {
    const spec = this.resource.args;
    const needed = Object.entries(spec).filter(([name, { createOnly }]) => !createOnly || state[name] !== undefined);
    const given = Object.entries(state).filter(([name]) => Object.hasOwn(spec, name));
    const problems: Problem[] = [];
    checkFields(Object.fromEntries(needed), Object.fromEntries(given), "", problems);
    if (problems.length > 0) {
      const list = problems.map(({ path, reason }) => `${path} ${reason}`).join("; ");
      throw new ProviderError(
        `The ${this.resource.type} "${id}" cannot be looked up, for what is given of its state is not enough or not right: ${list}. Nothing was sent.`,
      );
    }
  }

  private checkProfile(profile: unknown, problems: Problem[]): void {
    const isKnown = profile === undefined || typeof profile === "string";
    const problem = isKnown ? this.host().profileProblem(profile) : undefined;
    if (problem !== undefined) {
      problems.push({
        path: "profile",
        reason: `is ${profile === undefined ? "missing" : "not configured"}. ${problem}`,
      });
    }
  }

  /** Derived arguments come from `check` alone; a class may send a placeholder that carries a secret's mark. */
  private withoutDerived(args: Properties): Properties {
    return Object.fromEntries(Object.entries(args).filter(([name]) => !entryOf(this.resource.args, name)?.derived));
  }

  private async writing<T>(request: Properties, profile: unknown, step: () => Promise<T>): Promise<T> {
    return this.guarded(step, (failure) => {
      this.returned(request, profile);
      const properties = toWire({ ...failure.state, stateVersion, origin: this.host().origin(profileName(profile)) });
      // Without the provider's text in it, every later step on this resource would fail.
      return new InitFailure(failure, { ...properties, [providerKey]: request[providerKey] });
    });
  }

  private async guarded<T>(step: () => Promise<T>, onPartial?: (failure: PartialFailure) => Error): Promise<T> {
    try {
      return await this.host().during(step);
    } catch (error) {
      if (error instanceof PartialFailure && onPartial) {
        throw onPartial(error);
      }
      const told = error instanceof ProviderError ? error : new ProviderError(messageOf(error));
      if (onPartial === undefined) {
        dropEchoOf(told);
      }
      throw told;
    }
  }
}

function profileName(profile: unknown): string | undefined {
  return typeof profile === "string" ? profile : undefined;
}
