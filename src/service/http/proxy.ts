import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { parsedUrl } from "../parsedUrl";

/** A proxy between this process and the service. */
export interface ProxyServer {
  /** Without user name and password, so that messages can contain the address. */
  readonly url: URL;
  readonly user?: { readonly username: string; readonly password: string };
}

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

/** Begins a request to the proxy. For plain http, `path` is the whole address of the service. */
export function requestToProxy(
  { url, user }: ProxyServer,
  { headers = {}, ...options }: http.RequestOptions & { headers?: http.OutgoingHttpHeaders },
): http.ClientRequest {
  const credential = user && Buffer.from(`${user.username}:${user.password}`).toString("base64");
  const { request } = url.protocol === "https:" ? https : http;
  return request(url, {
    ...options,
    headers: credential === undefined ? headers : { ...headers, "Proxy-Authorization": `Basic ${credential}` },
  });
}

/** The proxy refused a connection to the service. */
export class ProxyRefusal extends Error {
  constructor(readonly status: number) {
    super(`the proxy responded ${status}`);
  }
}

/** What a request through a {@link TunnelAgent} names in addition: Node.js does not pass its `signal` on to agents. */
export interface TunnelOptions {
  /** Ends the request, also while the proxy has not responded. */
  ended: AbortSignal;
}

/** For https: requests a tunnel from the proxy (CONNECT). The proxy sees neither the request nor the credential. */
export class TunnelAgent extends https.Agent {
  readonly #proxy: ProxyServer;

  constructor(proxy: ProxyServer, keepAlive: boolean) {
    super({ keepAlive });
    this.#proxy = proxy;
  }

  override createConnection(
    { ended, ...options }: https.RequestOptions & Partial<TunnelOptions>,
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { host, port } = options;
    const path = `${host}:${port}`;
    const headers = { Host: path };
    const asked = requestToProxy(this.#proxy, { method: "CONNECT", path, headers, signal: ended, agent: false });
    const fail = (error: Error): void => done?.(error, asked.socket as Duplex);
    asked.on("error", fail);
    asked.once("connect", ({ statusCode = 0 }, socket) => {
      if (statusCode === 200) {
        done?.(null, tls.connect({ ...(options as tls.ConnectionOptions), socket }));
        return;
      }
      socket.destroy();
      fail(new ProxyRefusal(statusCode));
    });
    asked.end();
  }
}
