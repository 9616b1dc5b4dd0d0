import type { ProxyServer } from "./proxyServer";
import type { Exchange, Transport, WireRequest } from "./transport";

/**
 * Loads the transport with the first request: axios and what it brings take most of this package's time to load, and a process in which
 * nothing has changed makes no request.
 */
export class TransportOnDemand {
  readonly #maxResponseBytes: number;
  readonly #proxy: ProxyServer | undefined;
  #transport: Transport | undefined;

  constructor(maxResponseBytes: number, proxy: ProxyServer | undefined) {
    this.#maxResponseBytes = maxResponseBytes;
    this.#proxy = proxy;
  }

  /** To be called before a request's turn comes: loading takes longer than the steps that a limit allows. */
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
    const { Transport } = require("./transport") as typeof import("./transport");
    return new Transport(this.#maxResponseBytes, this.#proxy);
  }
}
