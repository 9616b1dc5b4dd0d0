import type { dynamic } from "@pulumi/pulumi";
import { urnOf } from "../engine/requests";
import type { Properties } from "../engine/serialization";
import { declaredKey, deserialize, failedInputsKey, otherProblemsKey, serialize } from "../engine/serialization";
import type { AnyResource } from "../resources/index";
import { shownText } from "../service/errors/foreignText";
import { providerKey } from "../values/stateContract";
import type { Host } from "./host";
import { InitFailure } from "./providerErrors";
import type { Written } from "./resourceSteps";
import { ResourceSteps } from "./resourceSteps";
import type { Layer } from "./step";

/**
 * A resource as a dynamic provider: converts each call of the SDK's host into a step, and the outcome of the step into
 * the result of the call.
 */
export class DynamicProvider implements dynamic.ResourceProvider {
  private readonly steps: ResourceSteps;

  constructor(
    resource: AnyResource,
    /** The host of this process; it exists from the first configure on. */
    private readonly host: () => Host,
    private readonly onConfigure: (request: dynamic.ConfigureRequest) => void,
    layers?: readonly Layer[],
  ) {
    this.steps = new ResourceSteps(resource, host, layers);
  }

  /**
   * Only stores the configuration: the engine's host does not wait for this call, and continues without a configuration
   * after an error.
   */
  async configure(request: dynamic.ConfigureRequest): Promise<void> {
    this.onConfigure(request);
  }

  async check(olds: Properties, news: Properties): Promise<dynamic.CheckResult> {
    return this.host().during(async () => {
      const urn = urnOf(news);
      const given = deserialize(news);
      if (this.steps.isSkipped(news, urn)) {
        return { inputs: news, failures: [] };
      }
      if (Object.keys(olds).length > 0 && !(providerKey in olds)) {
        const reason =
          'the state of this stack has it as a resource of the native plugin. Nothing was sent. To move it, run "webextract migrate --to dynamic". To leave it there, set webextract:native to true.';
        return { inputs: news, failures: [{ property: "", reason }] };
      }
      const { declared } = deserialize({ declared: news[declaredKey] });
      const { args, problems } = await this.steps.check({ urn, given, previous: deserialize(olds), declared });
      const others = news[otherProblemsKey];
      if (problems.length > 0 && typeof others === "string") {
        await this.host().engine.log.error(others);
      }
      problems.push(...(await this.host().claimAccount(given.profile)));
      const failures = problems.map(({ path, reason }) => ({ property: "", reason: shownText(`${path} ${reason}`) }));
      return { inputs: serialize(args), failures };
    });
  }

  async diff(id: string, olds: Properties, news: Properties): Promise<dynamic.DiffResult> {
    return this.host().during(async () => {
      if (failedInputsKey in news) {
        return { changes: false };
      }
      const urn = urnOf(news);
      const change = await this.steps.diff({ urn, id, state: deserialize(olds), args: deserialize(news) });
      switch (change.is) {
        case "none":
          return { changes: false };
        case "replace":
          return { replaces: change.replaces, deleteBeforeReplace: change.deleteFirst };
        case "update":
          return { changes: true };
        case "compare":
          // Without `changes`, the engine compares the inputs itself and shows only what differs.
          return {};
      }
    });
  }

  async create(inputs: Properties): Promise<dynamic.CreateResult> {
    return this.host().during(async () => {
      return resultOf(await this.steps.create({ urn: urnOf(inputs), args: deserialize(inputs) }), inputs);
    });
  }

  async update(id: string, olds: Properties, news: Properties): Promise<dynamic.UpdateResult> {
    return this.host().during(async () => {
      const request = { urn: urnOf(news), id, state: deserialize(olds), args: deserialize(news) };
      const { outs } = resultOf(await this.steps.update(request), news);
      return { outs };
    });
  }

  async read(id: string, props: Properties): Promise<dynamic.ReadResult> {
    return this.host().during(async () => {
      const found = await this.steps.read({ urn: urnOf(props), id, state: deserialize(props) });
      return found === undefined ? {} : { id, props: serialize(found.state), inputs: serialize(found.args) };
    });
  }

  async delete(id: string, props: Properties): Promise<void> {
    await this.host().during(() => this.steps.delete({ urn: urnOf(props), id, state: deserialize(props) }));
  }
}

function resultOf({ id, state, failure }: Written, request: Properties): { id: string; outs: Properties } {
  const outs = serialize(state);
  if (failure !== undefined) {
    // Without the provider text in the state, every later step on this resource would fail.
    throw new InitFailure(failure, id, { ...outs, [providerKey]: request[providerKey] });
  }
  return { id, outs };
}
