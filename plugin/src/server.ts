import type { ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import { Metadata, Server, ServerCredentials, status } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import type {
  CheckRequest,
  ConfigureRequest,
  ConstructRequest,
  ConstructResponse,
  CreateRequest,
  DeleteRequest,
  DiffRequest,
  InvokeRequest,
  ReadRequest,
  UpdateRequest,
} from "@pulumi/pulumi/proto/provider_pb";
import {
  ConfigureResponse,
  DiffResponse,
  ErrorResourceInitFailed,
  GetSchemaResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import type { Message } from "google-protobuf";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { engineAddress } from "../../src/engine/hostModules";
import { AccountClaims } from "../../src/provider/accountClaims";
import { endWithEngine, Host } from "../../src/provider/host";
import { InitFailure, ProviderError } from "../../src/provider/providerErrors";
import { ownPackage } from "../../src/system/ownPackage";
import { messageOf } from "../../src/values/errors";
import { isDefaultProvider } from "../../src/values/urn";
import { construct } from "./component/construct";
import { checkConfig, readKeys } from "./configuration";
import { invoke } from "./invoke";
import { inLanguage } from "./languageWords";
import type { PluginEngine } from "./pluginEngine";
import { ResourceCalls } from "./resourceCalls";
import { schemaText } from "./schemaText";
import { decodeStruct, structOf, unlimitedMessages } from "./wireValues";

type Handler<Request, Response> = (request: Request) => Response | Promise<Response>;

/** The native plugin: a process for each provider of a command. */
export class Plugin {
  private readonly server = new Server(unlimitedMessages);
  /**
   * Known from CheckConfig, which a refresh and a destroy do not call: then no resource is checked or declared either.
   */
  private urn = "";
  private calls: ResourceCalls | undefined;
  /** Those that the engine waits for. */
  private readonly components = new Set<Promise<ConstructResponse>>();

  constructor(private readonly engine: PluginEngine) {
    const { server } = this;
    // Also for a process that only shows its schema.
    endWithEngine(() => this.calls?.host, engine);
    server.addService(ResourceProviderService, {
      getPluginInfo: this.handler(() => new PluginInfo().setVersion(ownPackage.version)),
      getSchema: this.handler(() => new GetSchemaResponse().setSchema(schemaText())),
      checkConfig: this.handler((request: CheckRequest) => {
        this.urn = request.getUrn();
        return checkConfig(request, (message) => engine.log.warn(message));
      }),
      // The engine compares the configuration itself, and updates a provider that changed. It never replaces it.
      diffConfig: this.handler(() => new DiffResponse()),
      configure: this.handler((request: ConfigureRequest) => this.configure(request)),
      check: this.configured((calls, request: CheckRequest) => calls.check(request)),
      diff: this.configured((calls, request: DiffRequest) => calls.diff(request)),
      create: this.configured((calls, request: CreateRequest) => calls.create(request)),
      read: this.configured((calls, request: ReadRequest) => calls.read(request)),
      update: this.configured((calls, request: UpdateRequest) => calls.update(request)),
      delete: this.configured(async (calls, request: DeleteRequest) => {
        await calls.delete(request);
        return new Empty();
      }),
      invoke: this.configured(({ host }, request: InvokeRequest) => invoke(request, host)),
      construct: this.configured(({ host }, request: ConstructRequest) => this.construct(host, request)),
      cancel: this.handler(async () => {
        engine.cancel();
        // The engine closes the connection next, and would show that as an error of each component that it still waits
        // for.
        await Promise.allSettled(this.components);
        return new Empty();
      }),
    });
  }

  /** Resolves with the port. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
  }

  close(): void {
    this.server.forceShutdown();
  }

  private construct(host: Host, request: ConstructRequest): Promise<ConstructResponse> {
    const component = construct(request, host, this.urn);
    this.components.add(component);
    return component.finally(() => this.components.delete(component));
  }

  private configure(request: ConfigureRequest): ConfigureResponse {
    const { values } = decodeStruct(request.getArgs());
    this.calls = new ResourceCalls(
      new Host(readKeys(values), this.engine, { claims: new AccountClaims(this.urn, engineAddress()) }),
      this.urn !== "" && !isDefaultProvider(this.urn, values.version),
    );
    // With secrets, because the engine marks values that were secret, but it cannot mark what is derived from them.
    return new ConfigureResponse().setSupportspreview(true).setAcceptsecrets(true).setAcceptresources(true);
  }

  private configured<Request extends Message, Response extends Message>(
    call: (calls: ResourceCalls, request: Request) => Promise<Response>,
  ) {
    return this.handler((request: Request) => {
      const { calls } = this;
      if (calls === undefined) {
        throw new ProviderError("The engine has not configured this provider.");
      }
      return calls.host.during(() => call(calls, request));
    });
  }

  private handler<Request, Response>(handle: Handler<Request, Response>) {
    return async (
      { request, metadata }: ServerUnaryCall<Request, Response>,
      respond: sendUnaryData<Response>,
    ): Promise<void> => {
      this.engine.enterCall?.(metadata.get("traceparent")[0]);
      try {
        respond(null, await handle(request));
      } catch (error) {
        respond(statusOf(error));
      }
    };
  }
}

/** An error as the engine shows it. After a partial failure, the status contains what exists. */
function statusOf(error: unknown): { code: status; details: string; metadata?: Metadata } {
  const told = error instanceof ProviderError ? error : new ProviderError(messageOf(error));
  const message = inLanguage(told.message);
  const failed = { code: status.UNKNOWN, details: message };
  if (!(told instanceof InitFailure)) {
    return failed;
  }
  const detail = new ErrorResourceInitFailed()
    .setId(told.id)
    .setProperties(structOf(told.properties))
    .setReasonsList(told.reasons.map(inLanguage));
  const packed = new Any();
  packed.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const full = new Status().setCode(status.UNKNOWN).setMessage(message);
  full.addDetails(packed);
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(full.serializeBinary()));
  return { ...failed, metadata };
}
