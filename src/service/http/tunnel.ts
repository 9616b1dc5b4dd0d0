import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import { HttpsProxyAgent } from "https-proxy-agent";
import type { ProxyServer } from "./proxyServer";

type ConnectOptions = Parameters<HttpsProxyAgent<string>["connect"]>[1];

/** What a request through a {@link TunnelAgent} carries besides node's own options. */
export interface TunnelOptions {
  /** Ends the request, also before it has a socket. Node keeps its own `signal` from agents. */
  ended: AbortSignal;
}

/** For https: the proxy is asked for a tunnel (CONNECT), and sees neither request nor credential. */
export class TunnelAgent extends HttpsProxyAgent<string> {
  readonly #open: (signal: AbortSignal | undefined) => HttpsProxyAgent<string>;

  constructor({ url, user }: ProxyServer, keepAlive: boolean) {
    super(url, { keepAlive });
    const authorization =
      user && `Basic ${Buffer.from(`${user.username}:${user.password}`, "utf8").toString("base64")}`;
    // A function of its own for the headers: the library writes the proxy's address into its debug output.
    const headers = () => (authorization === undefined ? {} : { "Proxy-Authorization": authorization });
    this.#open = (signal) => new HttpsProxyAgent(url, { keepAlive, headers, signal });
  }

  /** The library lets go of its socket only when the proxy answers; a request that was ended must not wait for that. */
  override connect(request: ClientRequest, options: ConnectOptions): Promise<Socket> {
    const ended = "ended" in options && options.ended instanceof AbortSignal ? options.ended : undefined;
    return this.#open(ended).connect(request, options);
  }
}
