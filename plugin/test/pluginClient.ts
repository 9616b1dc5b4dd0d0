import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceError } from "@grpc/grpc-js";
import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Emulator, EmulatorOptions, SeedTask } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { eachTest } from "../../test/eachTest";
import { EngineLog } from "../../test/internals/engine";
import { unknownText } from "../../test/program/inProcess";
import { task } from "../../test/resources/life";
import { Plugin } from "./internals";

export type Properties = Record<string, unknown>;

const kindKey = "4dabf18193072939515e22adb298388d";
/** As the engine sends a secret, and a reference to a resource. */
export const secret = (value: unknown) => ({ [kindKey]: "1b47061264138c4ac30d75fd1eb44270", value });
export const reference = (urn: string, id: string) => ({
  [kindKey]: "5cf8f73096256a8f31e491e813e4eb8e",
  urn,
  id: id || unknownText,
});

export const urnOf = (type: string, name: string) => `urn:pulumi:dev::test::webextract:index:${type}::${name}`;

const struct = (properties: Properties) => Struct.fromJavaScript(properties as { [name: string]: JavaScriptValue });
const plain = (from: Struct | undefined): Properties => from?.toJavaScript() ?? {};

export interface Diff {
  changes: "none" | "some";
  replaces: string[];
  deleteFirst: boolean;
  /** The kinds of changes by path. */
}

/** An error of the plugin with what exists after it. */
export class PluginFailure extends Error {
  constructor(
    message: string,
    readonly made?: { id: string; properties: Properties; reasons: string[] },
  ) {
    super(message);
  }
}

/** Gives each test of a `describe` a world. */
export function usePluginWorld(...options: Parameters<typeof PluginWorld.create>): PluginWorld {
  return eachTest(() => PluginWorld.create(...options));
}

/** A plugin, and what the engine is for it: a client of its server. The service is an emulator. */
export class PluginWorld {
  readonly warnings: string[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), "webextract-plugin-"));
  private readonly interruption = new AbortController();
  private readonly plugin = new Plugin({
    log: new EngineLog((message, _urn, kind) => kind === "warning" && this.warnings.push(message)),
    interrupted: this.interruption.signal,
    cancel: () => this.interruption.abort(),
    onEnd: () => undefined,
  });
  private client: ResourceProviderClient | undefined;

  private constructor(readonly emulator: Emulator) {}

  /** @param provider name of the provider. Default: the one that the engine makes. */
  static async create({
    config = {},
    provider = "default",
    tasks = [task],
    emulator: options = {},
  }: {
    config?: Properties;
    provider?: string;
    tasks?: SeedTask[];
    emulator?: EmulatorOptions;
  } = {}): Promise<PluginWorld> {
    const seed = { taskGroups: [{ taskGroupId: "group-1" }, { taskGroupId: "group-2" }], tasks };
    const world = new PluginWorld(await startEmulator({ seed, ...options }));
    const port = await world.plugin.listen();
    world.client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
    const { accessToken, apiKey } = world.emulator.credentials;
    const standard = { baseUrl: world.emulator.url, accessToken, apiKey, actionTypes: "LoopAction,NavigateAction" };
    const all = { ...standard, maxRetries: "0", tokenStore: join(world.folder, "tokens"), ...config };
    const { failures } = await world.checkConfig(all, provider);
    if (failures.length === 0) {
      await world.call("configure", new messages.ConfigureRequest().setArgs(struct(all)));
    }
    return world;
  }

  async remove(): Promise<void> {
    this.client?.close();
    this.plugin.close();
    await this.emulator.close();
    rmSync(this.folder, { recursive: true });
  }

  operations(): string[] {
    const names = this.emulator.requests.map(({ operation }) => operation);
    this.emulator.clearRequests();
    return names;
  }

  async schema(): Promise<unknown> {
    const response = await this.call<messages.GetSchemaResponse>("getSchema", new messages.GetSchemaRequest());
    return JSON.parse(response.getSchema());
  }

  async checkConfig(news: Properties, provider = "default"): Promise<{ inputs: Properties; failures: string[] }> {
    const request = new messages.CheckRequest()
      .setUrn(`urn:pulumi:dev::test::pulumi:providers:webextract::${provider}`)
      .setNews(struct(news));
    return checked(await this.call("checkConfig", request));
  }

  async cancel(): Promise<void> {
    await this.call("cancel", new Empty());
  }

  async check(type: string, news: Properties, { name = type, olds = {} as Properties } = {}) {
    const request = new messages.CheckRequest().setUrn(urnOf(type, name)).setNews(struct(news)).setOlds(struct(olds));
    return checked(await this.call("check", request));
  }

  /** The checked arguments. */
  async checked(
    type: string,
    news: Properties,
    options: { name?: string; olds?: Properties } = {},
  ): Promise<Properties> {
    const { inputs, failures } = await this.check(type, news, options);
    if (failures.length > 0) {
      throw new Error(failures.join("; "));
    }
    return inputs;
  }

  async diff(
    type: string,
    { id, state, inputs }: { id: string; state: Properties; inputs: Properties },
    news: Properties,
    name = type,
  ): Promise<Diff> {
    const request = new messages.DiffRequest()
      .setUrn(urnOf(type, name))
      .setId(id)
      .setOlds(struct(state))
      .setOldInputs(struct(inputs))
      .setNews(struct(news));
    return diffOf(await this.call("diff", request));
  }

  async create(type: string, properties: Properties, { name = type, preview = false } = {}) {
    const request = new messages.CreateRequest()
      .setUrn(urnOf(type, name))
      .setProperties(struct(properties))
      .setPreview(preview);
    const response = await this.call<messages.CreateResponse>("create", request);
    return { id: response.getId(), state: plain(response.getProperties()), inputs: properties };
  }

  async update(
    type: string,
    { id, state }: { id: string; state: Properties },
    news: Properties,
    { name = type, preview = false } = {},
  ): Promise<Properties> {
    const request = new messages.UpdateRequest()
      .setUrn(urnOf(type, name))
      .setId(id)
      .setOlds(struct(state))
      .setNews(struct(news))
      .setPreview(preview);
    const response = await this.call<messages.UpdateResponse>("update", request);
    return plain(response.getProperties());
  }

  async read(type: string, id: string, state: Properties = {}, inputs: Properties = {}, name = type) {
    const request = new messages.ReadRequest()
      .setUrn(urnOf(type, name))
      .setId(id)
      .setProperties(struct(state))
      .setInputs(struct(inputs));
    const response = await this.call<messages.ReadResponse>("read", request);
    return { id: response.getId(), state: plain(response.getProperties()), inputs: plain(response.getInputs()) };
  }

  async delete(type: string, { id, state }: { id: string; state: Properties }, name = type): Promise<void> {
    await this.call(
      "delete",
      new messages.DeleteRequest().setUrn(urnOf(type, name)).setId(id).setProperties(struct(state)),
    );
  }

  async invoke(token: string, args: Properties, preview = false): Promise<{ result: Properties; failures: string[] }> {
    const request = new messages.InvokeRequest().setTok(token).setArgs(struct(args)).setPreview(preview);
    const response = await this.call<messages.InvokeResponse>("invoke", request);
    const failures = response.getFailuresList().map((each) => `${each.getProperty()} ${each.getReason()}`.trim());
    return { result: plain(response.getReturn()), failures };
  }

  private call<Response>(method: keyof ResourceProviderClient, request: unknown): Promise<Response> {
    return new Promise((resolve, reject) => {
      const client = this.client as unknown as Record<
        string,
        (request: unknown, done: (error: ServiceError | null, response: Response) => void) => void
      >;
      client[String(method)]?.(request, (error, response) =>
        error === null ? resolve(response) : reject(failureOf(error)),
      );
    });
  }
}

function checked(response: messages.CheckResponse): { inputs: Properties; failures: string[] } {
  const failures = response.getFailuresList().map((each) => `${each.getProperty()}: ${each.getReason()}`);
  return { inputs: plain(response.getInputs()), failures };
}

function diffOf(response: messages.DiffResponse): Diff {
  return {
    changes: response.getChanges() === messages.DiffResponse.DiffChanges.DIFF_NONE ? "none" : "some",
    replaces: response.getReplacesList(),
    deleteFirst: response.getDeletebeforereplace(),
  };
}

function failureOf({ details, metadata }: ServiceError): PluginFailure {
  const [bytes] = metadata.get("grpc-status-details-bin");
  if (bytes === undefined) {
    return new PluginFailure(details);
  }
  const [detail] = Status.deserializeBinary(bytes as Buffer).getDetailsList();
  const made = messages.ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array());
  return new PluginFailure(details, {
    id: made.getId(),
    properties: plain(made.getProperties()),
    reasons: made.getReasonsList(),
  });
}
