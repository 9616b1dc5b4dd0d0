import type { ProxyServer } from "./proxyServer";
import type { Exchange, Transport, WireRequest } from "./transport";

/**
 * Loads the transport with the first request: axios takes most of this package's load time, and a process without changes makes no
 * request.
 */
export class TransportOnDemand {
  readonly #maxResponseBytes: number;
  readonly #proxy: ProxyServer | undefined;
  #transport: Transport | undefined;

  constructor(maxResponseBytes: number, proxy: ProxyServer | undefined) {
    this.#maxResponseBytes = maxResponseBytes;
    this.#proxy = proxy;
  }

  /** Call it before a request gets its slot, because loading takes longer than the interval between two requests. */
  prepare(): Transport {
    this.#transport ??= this.#load();
    return this.#transport;
  }

  exchange(request: WireRequest): Promise<Exchange> {
    return this.prepare().exchange(request);
  }

  close(): void {
    this.#transport?.close();
  }

  #load(): Transport {
    // biome-ignore lint/style/noCommonJs: an import would load axios with the module.
    const { Transport } = require("./transport") as typeof import("./transport");
    return new Transport(this.#maxResponseBytes, this.#proxy);
  }
}
