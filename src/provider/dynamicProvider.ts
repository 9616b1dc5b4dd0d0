import type { dynamic } from "@pulumi/pulumi";
import type { Properties } from "../engine/serialization";
import { deserialize, failedInputsKey, otherProblemsKey, providerKey, serialize } from "../engine/serialization";
import type { AnyResource } from "../resources/index";
import { messageOf } from "../resources/resource";
import { shownText } from "../service/errors/foreignText";
import { checkArguments } from "./checkArguments";
import type { Host } from "./host";
import { layers as allLayers } from "./layers/index";
import { runResource } from "./layers/resource";
import { InitFailure, ProviderError } from "./providerErrors";
import type { Layer, RunStep, Step } from "./step";
import { throughLayers } from "./step";

/** Version of the format of the state. A resource reads older formats and refuses newer ones. */
const stateVersion = 2;

/** A resource as a dynamic provider: converts each call of the engine into a step, and the outcome of the step into the result of the call. */
export class DynamicProvider implements dynamic.ResourceProvider {
  private readonly run: RunStep;

  constructor(
    private readonly resource: AnyResource,
    /** The host of this process; it exists from the first configure on. */
    private readonly host: () => Host,
    private readonly onConfigure: (request: dynamic.ConfigureRequest) => void,
    layers: readonly Layer[] = allLayers,
  ) {
    this.run = throughLayers(layers, runResource);
  }

  /** Only stores the configuration: the engine's host does not wait for this call, and continues without a configuration after an error. */
  async configure(request: dynamic.ConfigureRequest): Promise<void> {
    this.onConfigure(request);
  }

  async check(olds: Properties, news: Properties): Promise<dynamic.CheckResult> {
    return this.respond("printed", async (host) => {
      const urn = host.engine.urnOf(news);
      const given = deserialize(news);
      const failed = news[failedInputsKey];
      if (typeof failed === "string") {
        // The engine skips the resource after this call. With the inputs of the state, its diff shows nothing before that.
        host.warnOnce(skipped(failed), urn);
        const inputs = Object.keys(olds).length > 0 ? olds : serialize(given);
        return { inputs: { ...inputs, [failedInputsKey]: failed }, failures: [] };
      }
      host.noteChecked(urn, given);
      const { args, problems } = await checkArguments(this.resource, host, {
        given,
        previous: deserialize(olds),
        urn,
      });
      const others = news[otherProblemsKey];
      if (problems.length > 0 && typeof others === "string") {
        await host.engine.log.error(others);
      }
      const failures = problems.map(({ path, reason }) => ({ property: "", reason: shownText(`${path} ${reason}`) }));
      return { inputs: serialize(args), failures };
    });
  }

  async diff(id: string, olds: Properties, news: Properties): Promise<dynamic.DiffResult> {
    return this.respond("printed", async (host) => {
      const state = this.stateOf(olds);
      const args = deserialize(news);
      if (failedInputsKey in news) {
        return { changes: false };
      }
      if (host.isDiffOfDependent(host.engine.urnOf(news), args)) {
        // The dependent gets its own diff later, with the values of the new resource. To delete it now would start a paid run also if these values are equal,
        // or if --target leaves the dependent out. Not `{}`, because `replaceOnChanges` would count the unknown values.
        return { changes: false };
      }
      const step = this.step("diff", host, news, { id, state, args });
      const { difference = { replaces: [] } } = await this.run(step, host);
      const { replaces, deleteFirst, forced, same, note, info } = difference;
      if (note !== undefined) {
        host.warnOnce(note, step.urn);
      }
      if (info !== undefined) {
        host.infoOnce(info, step.urn);
      }
      if (replaces.length > 0) {
        return { replaces, deleteBeforeReplace: deleteFirst === true };
      }
      if (forced || (Array.isArray(state.pending) && state.pending.length > 0)) {
        return { changes: true };
      }
      // Without `changes`, the engine compares the inputs itself and shows only what differs.
      return same ? { changes: false } : {};
    });
  }

  async create(inputs: Properties): Promise<dynamic.CreateResult> {
    return this.respond("returned", (host) => {
      refuseFailedInputs(inputs);
      const step = this.step("create", host, inputs, { state: {}, args: deserialize(inputs) });
      return this.write(step, host, inputs);
    });
  }

  async update(id: string, olds: Properties, news: Properties): Promise<dynamic.UpdateResult> {
    return this.respond("returned", async (host) => {
      refuseFailedInputs(news);
      const step = this.step("update", host, news, { id, state: this.stateOf(olds), args: deserialize(news) });
      const { outs } = await this.write(step, host, news);
      return { outs };
    });
  }

  async read(id: string, props: Properties): Promise<dynamic.ReadResult> {
    return this.respond("printed", async (host) => {
      // With a static get, the id can be all that is known.
      const state = { [this.resource.idIs]: id, ...this.stateOf(props) };
      const found = await this.run(this.step("read", host, props, { id, state, args: state }), host);
      if (found.state === undefined) {
        return {};
      }
      const inputs = Object.entries(found.state).filter(([name]) => Object.hasOwn(this.resource.args, name));
      return { id, props: savedState(found.state), inputs: serialize(Object.fromEntries(inputs)) };
    });
  }

  async delete(id: string, props: Properties): Promise<void> {
    await this.respond("printed", (host) => {
      const state = this.stateOf(props);
      return this.run(this.step("delete", host, props, { id, state, args: state }), host);
    });
  }

  private stateOf(properties: Properties): Properties {
    const state = deserialize(properties);
    const { stateVersion: version } = state;
    if (typeof version === "number" && version > stateVersion) {
      throw new ProviderError(
        `This state was written by a newer version of pulumi-webextract (its format is ${version}, this version supports up to ${stateVersion}). Install that version or a later one.`,
      );
    }
    return version === 1 ? (this.resource.upgrade?.(state) ?? state) : state;
  }

  private step(
    call: Step["call"],
    host: Host,
    request: Properties,
    what: Pick<Step, "state" | "args"> & { id?: string },
  ): Step {
    const { profile } = what.args;
    const urn = host.engine.urnOf(request);
    return {
      call,
      resource: this.resource,
      urn,
      profile: typeof profile === "string" ? profile : undefined,
      id: undefined,
      isDeclared: host.isChecked(urn),
      ...what,
    };
  }

  private async write(step: Step, host: Host, request: Properties): Promise<{ id: string; outs: Properties }> {
    const { id = "", state = {}, failure } = await this.run(step, host);
    const outs = savedState(state);
    if (failure !== undefined) {
      // Without the provider text in the state, every later step on this resource would fail.
      throw new InitFailure(failure, id, { ...outs, [providerKey]: request[providerKey] });
    }
    return { id, outs };
  }

  /** @param errors what the engine's host does with an error: it returns those of create and update to the engine, and prints the others as well */
  private async respond<T>(errors: "returned" | "printed", work: (host: Host) => Promise<T>): Promise<T> {
    const host = this.host();
    try {
      return await host.during(() => work(host));
    } catch (error) {
      const told = error instanceof ProviderError ? error : new ProviderError(messageOf(error));
      if (errors === "printed") {
        host.engine.dropEchoOf(told);
      }
      throw told;
    }
  }
}

function skipped(names: string): string {
  return `skipped: ${names} failed`;
}

/** An engine that does not skip the resource must not change anything for it. */
function refuseFailedInputs({ [failedInputsKey]: failed }: Properties): void {
  if (typeof failed === "string") {
    throw new ProviderError(skipped(failed));
  }
}

function savedState(state: object): Properties {
  return serialize({ ...state, stateVersion });
}
