import type { ServiceError } from "@grpc/grpc-js";
import { credentials, status } from "@grpc/grpc-js";
import { Alias } from "@pulumi/pulumi/proto/alias_pb";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import type { RegisterResourceRequest, RegisterResourceResponse } from "@pulumi/pulumi/proto/resource_pb";
import { RegisterResourceOutputsRequest, Result } from "@pulumi/pulumi/proto/resource_pb";
import type { LimitFunction } from "p-limit";
import pLimit from "p-limit";
import { ProviderError } from "../../../src/provider/providerErrors";
import { onAbort } from "../../../src/system/onAbort";
import type { WireProperties } from "../wireValues";
import { structOf, unlimitedMessages } from "../wireValues";

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

/** With fewer, the first up of 100 tasks takes a quarter more processor time. */
const fewestAtOnce = 500;

/** The engine, for a component that declares resources, as an SDK does for a program. */
export class Monitor {
  private readonly client: ResourceMonitorClient;
  private readonly atOnce: LimitFunction;

  /**
   * @param interrupted aborted when the command ends: then no response comes any more
   * @param parallel how many resources the engine creates at once
   */
  constructor(
    address: string,
    private readonly interrupted: AbortSignal,
    parallel: number,
  ) {
    // More would only wait in the engine, and take some 20 kB of memory each.
    this.atOnce = pLimit(Math.max(fewestAtOnce, 2 * parallel));
    this.client = new ResourceMonitorClient(address, credentials.createInsecure(), unlimitedMessages);
  }

  /**
   * Declares a resource. Resolves when the engine has created, updated or kept it; with undefined if that failed, or if
   * the command ends: the engine says so itself.
   * @throws ProviderError if the engine does not take the declaration
   */
  async register(request: RegisterResourceRequest): Promise<Registered | undefined> {
    request.setAcceptsecrets(true).setAcceptresources(true).setSupportspartialvalues(true).setAliasspecs(true);
    request.setSupportsresultreporting(true);
    const response = await this.atOnce(() =>
      this.responded<RegisterResourceResponse>((respond) => this.client.registerResource(request, respond)),
    );
    if (response === undefined || response.getResult() !== Result.SUCCESS) {
      return undefined;
    }
    return { urn: response.getUrn(), id: response.getId(), outputs: response.getObject()?.toJavaScript() ?? {} };
  }

  async registerOutputs(urn: string, outputs: WireProperties): Promise<void> {
    const request = new RegisterResourceOutputsRequest().setUrn(urn).setOutputs(structOf(outputs));
    await this.responded((respond) => this.client.registerResourceOutputs(request, respond));
  }

  /** Resolves with undefined if the command ends first. */
  private responded<Response>(
    call: (respond: (error: ServiceError | null, response: Response) => void) => unknown,
  ): Promise<Response | undefined> {
    return new Promise((resolve, reject) => {
      if (this.interrupted.aborted) {
        resolve(undefined);
        return;
      }
      const forget = onAbort(this.interrupted, () => resolve(undefined));
      call((error, response) => {
        forget();
        const hasEnded = error !== null && ended(error);
        error === null || hasEnded
          ? resolve(hasEnded ? undefined : response)
          : reject(new ProviderError(error.details));
      });
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
