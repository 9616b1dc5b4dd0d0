import { request as requestPlain } from "node:http";
import type { RequestOptions } from "node:https";
import { Agent, request as requestSecure } from "node:https";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import type { ProxyServer } from "../options";
import { parsedUrl } from "../parsedUrl";

/** Parses the value of a proxy variable. Undefined if the value is not the address of an http or https proxy. */
export function proxyOf(address: string): ProxyServer | undefined {
  const url = parsedUrl(address);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "") return undefined;
  try {
    const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    url.username = "";
    url.password = "";
    return { url, user: username === "" && password === "" ? undefined : { username, password } };
  } catch {
    return undefined;
  }
}

/** The secrets of a proxy, which messages must not contain. */
export function secretsOf(proxy: ProxyServer | undefined): string[] {
  if (proxy?.user === undefined) return [];
  const { username, password } = proxy.user;
  return [password, `${username}:${password}`];
}

/** What a request through a {@link TunnelAgent} names in addition. */
export interface TunnelOptions {
  /** Ends the request, also while the proxy has not responded. Node.js does not pass its own `signal` to agents. */
  ended: AbortSignal;
  /** Called with the status of a proxy that refuses the tunnel; without one if the connection to the proxy failed. */
  refused(status?: number): void;
}

/**
 * For https: requests a tunnel from the proxy (CONNECT). The proxy sees neither the request nor the credential.
 * Not https-proxy-agent, which hands the refusal of a proxy on as a response of the service.
 */
export class TunnelAgent extends Agent {
  readonly #proxy: ProxyServer;

  constructor(proxy: ProxyServer, keepAlive: boolean) {
    super({ keepAlive });
    this.#proxy = proxy;
  }

  override createConnection(
    { ended, refused, ...options }: RequestOptions & Partial<TunnelOptions>,
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { url, user } = this.#proxy;
    const { host = "", port } = options;
    const path = `${host?.includes(":") ? `[${host}]` : host}:${port}`;
    const credential = user && Buffer.from(`${user.username}:${user.password}`).toString("base64");
    const authorization = credential === undefined ? {} : { "Proxy-Authorization": `Basic ${credential}` };
    const headers = { Host: path, ...authorization };
    const request = url.protocol === "https:" ? requestSecure : requestPlain;
    const asked = request(url, { method: "CONNECT", path, headers, signal: ended, agent: false });
    const fail = (error: Error): void => done?.(error, asked.socket as Duplex);
    asked.on("error", (error) => {
      if (ended?.aborted !== true) refused?.();
      fail(error);
    });
    asked.once("connect", ({ statusCode = 0 }, socket) => {
      if (statusCode === 200) {
        done?.(null, tls.connect({ ...(options as tls.ConnectionOptions), socket }));
        return;
      }
      socket.destroy();
      refused?.(statusCode);
      fail(new Error("the proxy refused the tunnel"));
    });
    asked.end();
  }
}
