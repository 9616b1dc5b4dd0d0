import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import { HttpsProxyAgent } from "https-proxy-agent";
import type { ProxyServer } from "./proxyServer";

type ConnectOptions = Parameters<HttpsProxyAgent<string>["connect"]>[1];

/** Options of a request through a {@link TunnelAgent}, in addition to those of Node.js. */
export interface TunnelOptions {
  /** Ends the request, also before it has a socket. Node.js does not pass its own `signal` to agents. */
  ended: AbortSignal;
}

/** For https: requests a tunnel from the proxy (CONNECT). The proxy sees neither the request nor the credential. */
export class TunnelAgent extends HttpsProxyAgent<string> {
  readonly #open: (signal: AbortSignal | undefined) => HttpsProxyAgent<string>;

  constructor({ url, user }: ProxyServer, keepAlive: boolean) {
    super(url, { keepAlive });
    const authorization =
      user && `Basic ${Buffer.from(`${user.username}:${user.password}`, "utf8").toString("base64")}`;
    // The credential is a header and not a part of the address: the library writes the address into its debug output.
    const headers = () => (authorization === undefined ? {} : { "Proxy-Authorization": authorization });
    this.#open = (signal) => new HttpsProxyAgent(url, { keepAlive, headers, signal });
  }

  /** The library releases its socket only when the proxy responds. An aborted request must not wait for that. */
  override connect(request: ClientRequest, options: ConnectOptions): Promise<Socket> {
    const ended = "ended" in options && options.ended instanceof AbortSignal ? options.ended : undefined;
    return this.#open(ended).connect(request, options);
  }
}
