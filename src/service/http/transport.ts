import type { IncomingHttpHeaders } from "node:http";
import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import type { AxiosInstance, AxiosStatic } from "axios";
import { longestTimer } from "../../system/clock";
import { ownPackage } from "../../system/ownPackage";
import { codeOf } from "../../system/privateFile";
import type { UploadSource } from "../contract/types";
import type { HttpResponse, Loss } from "../errors/failures";
import type { ProxyServer } from "../options";
import { parsedUrl } from "../parsedUrl";
import { deadlinePassed } from "./call";
import type { TunnelOptions } from "./proxy";
import { TunnelAgent } from "./proxy";
import type { UploadBody } from "./upload";
import { FileProblem, uploadBody } from "./upload";

/** One request as it is sent. */
export interface WireRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  json?: string;
  upload?: { taskId?: string; file: UploadSource };
  /**
   * Whether to open a new connection. A kept connection that the service has just closed would look like a lost
   * response.
   */
  freshConnection: boolean;
  /** Time limit in milliseconds, until the last byte of the response. Each piece of an uploaded file restarts it. */
  timeout: number;
  signal: AbortSignal;
}

export type Exchange = { response: HttpResponse; loss?: undefined } | { response?: undefined; loss: Loss };

/** What is known of a request that failed. */
interface Watch {
  /** True once the connection is established. From then on, the request can reach the service. */
  sent: boolean;
  /** The request used a kept connection. */
  staleConnection: boolean;
  fileProblem?: FileProblem;
  /** Why a proxy opened no tunnel: the status of its refusal; none if the connection to the proxy failed. */
  noTunnel?: { status?: number };
}

/** Sends one request with axios. Handles no operations, credentials or retries, and never throws. */
export class Transport {
  readonly #maxResponseBytes: number;
  readonly #proxy: ProxyServer | undefined;
  readonly #kept: Agents;
  #axios: AxiosInstance | undefined;

  constructor(maxResponseBytes: number, proxy: ProxyServer | undefined) {
    this.#maxResponseBytes = maxResponseBytes;
    this.#proxy = proxy;
    this.#kept = agentsOf(proxy, true);
  }

  /**
   * Loads axios, which takes most of this package's load time: a process without changes makes no request. Call it
   * before a request gets its slot, because loading takes longer than the interval between two requests.
   */
  prepare(): AxiosInstance {
    // biome-ignore lint/style/noCommonJs: an import would load axios with the module.
    const { default: axios } = require("axios") as { default: AxiosStatic };
    this.#axios ??= axios.create({
      headers: {
        "User-Agent": `pulumi-webextract/${ownPackage.version}`,
        Accept: "application/json",
        // A cache on the way would show a run as it was.
        "Cache-Control": "no-store",
      },
      maxRedirects: 0,
      maxContentLength: this.#maxResponseBytes,
      maxBodyLength: Number.POSITIVE_INFINITY,
      responseType: "arraybuffer",
      transformRequest: [(data: unknown) => data],
      transformResponse: [],
      validateStatus: () => true,
    });
    return this.#axios;
  }

  async exchange(request: WireRequest): Promise<Exchange> {
    const { method, url, json, signal, timeout } = request;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), Math.min(timeout, longestTimer));
    const ended = AbortSignal.any([signal, limit.signal]);
    const watch: Watch = { sent: false, staleConnection: false };
    let upload: UploadBody | undefined;
    let body: Readable | undefined;
    try {
      upload = request.upload && uploadBody(request.upload.taskId, request.upload.file, () => timer.refresh());
      body = upload && Readable.from(upload.pieces, { objectMode: false });
      body?.on("error", (error) => {
        if (error instanceof FileProblem) watch.fileProblem = error;
      });
      const isFresh = request.freshConnection || upload !== undefined;
      const agents = isFresh ? agentsOf(this.#proxy, false) : this.#kept;
      const { status, headers, data } = await this.prepare().request<Buffer>({
        method,
        url,
        headers: { ...request.headers, ...(upload?.headers ?? (json && { "Content-Type": "application/json" })) },
        data: body ?? json,
        httpAgent: agents.http,
        httpsAgent: agents.https,
        // The client's settings name the proxy. Without this, axios would read the environment.
        proxy: this.#proxy === undefined || url.startsWith("https:") ? false : plainProxyOf(this.#proxy),
        signal: ended,
        transport: watched(watch, ended),
      });
      const received = Buffer.isBuffer(data) ? data : Buffer.alloc(0);
      return { response: responseOf(url, status, headers as IncomingHttpHeaders, received) };
    } catch (error) {
      if (error instanceof FileProblem) watch.fileProblem = error;
      const { sent, staleConnection } = watch;
      const { host } = new URL(url);
      const reason = this.#reasonOf(error, watch, signal, limit.signal);
      // Plain http goes to the proxy itself.
      const isAtProxy = url.startsWith("https:") ? watch.noTunnel !== undefined : this.#proxy !== undefined && !sent;
      const proxy = isAtProxy && reason.reason === "connection" ? this.#proxy?.url.host : undefined;
      return { loss: { ...reason, sent, host, proxy, staleConnection } };
    } finally {
      clearTimeout(timer);
      body?.destroy();
      upload?.close();
    }
  }

  /** Closes the kept connections. Other connections end with their request. */
  close(): void {
    for (const agent of [this.#kept.http, this.#kept.https]) agent.destroy();
  }

  #reasonOf(
    error: unknown,
    { fileProblem, noTunnel: { status } = {} }: Watch,
    signal: AbortSignal,
    limit: AbortSignal,
  ): Pick<Loss, "reason" | "detail" | "status"> {
    if (fileProblem !== undefined) return { reason: "source", detail: fileProblem.message };
    if (signal.reason === deadlinePassed) return { reason: "timeout", detail: deadlinePassed.message };
    if (signal.aborted) return { reason: "aborted", detail: "aborted" };
    if (limit.aborted) return { reason: "timeout", detail: "the time of the request (timeoutSeconds) passed" };
    if (status !== undefined) return { reason: "proxy", detail: `the proxy responded ${status}`, status };
    if (error instanceof Error && /maxContentLength/.test(error.message)) {
      const detail = `the response is larger than ${this.#maxResponseBytes} bytes (maxResponseBytes).`;
      return { reason: "tooLarge", detail };
    }
    // Only the system's code, because the error itself holds the request with its credential.
    return { reason: "connection", detail: codeOf(error) };
  }
}

interface Agents {
  http: http.Agent;
  https: https.Agent;
}

function agentsOf(proxy: ProxyServer | undefined, keepAlive: boolean): Agents {
  return {
    http: new http.Agent({ keepAlive }),
    https: proxy === undefined ? new https.Agent({ keepAlive }) : new TunnelAgent(proxy, keepAlive),
  };
}

/** For plain http, where the proxy receives the whole request. */
function plainProxyOf({ url, user }: ProxyServer) {
  const standardPort = url.protocol === "https:" ? 443 : 80;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return { protocol: url.protocol, host, port: Number(url.port) || standardPort, auth: user };
}

/** Replaces the modules of Node.js to watch the connection, because axios reports only that a request failed. */
function watched(watch: Watch, ended: AbortSignal) {
  const tunnel: TunnelOptions = {
    ended,
    refused: (status) => {
      watch.noTunnel = { status };
    },
  };
  return {
    request: (
      options: https.RequestOptions,
      callback: (response: http.IncomingMessage) => void,
    ): http.ClientRequest => {
      const secure = options.protocol === "https:";
      const request = secure ? https.request({ ...options, ...tunnel }, callback) : http.request(options, callback);
      request.once("socket", (socket) => {
        const markSent = (): void => {
          watch.sent = true;
        };
        watch.staleConnection = request.reusedSocket;
        if (!request.reusedSocket && secure) socket.once("secureConnect", markSent);
        else if (!request.reusedSocket && socket.connecting) socket.once("connect", markSent);
        else markSent();
      });
      return request;
    },
  };
}

/** The headers with which servers, proxies and caches name themselves. */
const naming = { server: "Server", via: "Via", "x-varnish": "X-Varnish" } as const;

/** The parts of a response that the client reads. */
function responseOf(url: string, status: number, headers: IncomingHttpHeaders, body: Buffer): HttpResponse {
  const names = Object.entries(naming).flatMap(([name, shown]) =>
    headers[name] ? [`${shown}: ${headers[name]}`] : [],
  );
  return {
    status,
    contentType: headers["content-type"] ?? "",
    retryAfter: headers["retry-after"],
    date: headers.date,
    location: targetOf(headers.location, url),
    challenge: headers["www-authenticate"],
    age: Number.parseInt(headers.age ?? "", 10) || 0,
    answeredBy: names.length === 0 ? undefined : names.join(", "),
    rateHeaders: [...new Set(Object.keys(headers).flatMap(rateHeader))],
    body,
  };
}

/** The name of a header about a rate. A report shows it, so other words of it are left out: they can name an account. */
function rateHeader(name: string): string[] {
  const [, begin, rest = ""] = /^((?:x-)?rate-?limit|retry-after$)(.*)/.exec(name) ?? [];
  return begin === undefined ? [] : [rateWords.test(rest) ? name : `${begin}-…`];
}

const rateWords =
  /^(?:-(?:limit|remaining|reset|policy|used|after|window|burst|replenished|rate|requests|tokens|second|minute|hour|day))*$/;

/** The target of a redirect without its query, which can hold a secret. */
function targetOf(location: string | undefined, url: string): string | undefined {
  const target = location === undefined ? undefined : parsedUrl(location, url);
  return target === undefined || target.origin === "null" ? undefined : target.origin + target.pathname;
}
