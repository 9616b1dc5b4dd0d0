import type { ServiceError } from "@grpc/grpc-js";
import { credentials, status } from "@grpc/grpc-js";
import { Alias } from "@pulumi/pulumi/proto/alias_pb";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import type { RegisterResourceRequest, RegisterResourceResponse } from "@pulumi/pulumi/proto/resource_pb";
import { RegisterResourceOutputsRequest, Result } from "@pulumi/pulumi/proto/resource_pb";
import type { WireProperties } from "../values";
import { structOf, unlimitedMessages } from "../values";

/** An alias of a resource: another name, another type, or a whole URN. */
export type AliasOf = { name: string } | { type: string } | { urn: string };

/** A resource as the engine has it after its declaration. */
export interface Registered {
  urn: string;
  /** Empty while it is unknown. */
  id: string;
  /** Its outputs in the engine's protocol. */
  outputs: WireProperties;
}

/** The engine, for a component that declares resources, as an SDK does for a program. */
export class Monitor {
  private readonly client: ResourceMonitorClient;

  constructor(address: string) {
    this.client = new ResourceMonitorClient(address, credentials.createInsecure(), unlimitedMessages);
  }

  /**
   * Declares a resource. Resolves when the engine has created, updated or kept it; with undefined if that failed, or if the command ends: the engine says so
   * itself.
   */
  async register(request: RegisterResourceRequest): Promise<Registered | undefined> {
    request.setAcceptsecrets(true).setAcceptresources(true).setSupportspartialvalues(true).setAliasspecs(true);
    request.setSupportsresultreporting(true);
    const response = await new Promise<RegisterResourceResponse | undefined>((resolve, reject) => {
      this.client.registerResource(request, (error: ServiceError | null, response: RegisterResourceResponse) =>
        error === null ? resolve(response) : ended(error) ? resolve(undefined) : reject(error),
      );
    });
    if (response === undefined || response.getResult() !== Result.SUCCESS) {
      return undefined;
    }
    return { urn: response.getUrn(), id: response.getId(), outputs: response.getObject()?.toJavaScript() ?? {} };
  }

  async registerOutputs(urn: string, outputs: WireProperties): Promise<void> {
    const request = new RegisterResourceOutputsRequest().setUrn(urn).setOutputs(structOf(outputs));
    await new Promise<void>((resolve, reject) => {
      this.client.registerResourceOutputs(request, (error: ServiceError | null) =>
        error === null || ended(error) ? resolve() : reject(error),
      );
    });
  }

  close(): void {
    this.client.close();
  }
}

/** The engine ends its monitor with the command, for example after the failure of another resource. */
function ended({ code }: ServiceError): boolean {
  return code === status.UNAVAILABLE || code === status.CANCELLED;
}

export function aliasesOf(aliases: readonly AliasOf[]): Alias[] {
  return aliases.map((each) => {
    if ("urn" in each) {
      return new Alias().setUrn(each.urn);
    }
    const spec = new Alias.Spec();
    "name" in each ? spec.setName(each.name) : spec.setType(each.type);
    return new Alias().setSpec(spec);
  });
}
