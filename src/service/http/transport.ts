import http from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import type { AxiosInstance, AxiosProxyConfig } from "axios";
import axios from "axios";
import type { UploadSource } from "../contract/types";
import type { HttpResponse, Loss } from "../errors/failures";
import { ownPackage } from "../ownPackage";
import { deadlinePassed } from "./call";
import { longestTimer } from "./clock";
import { onAbort } from "./onAbort";
import type { ProxyServer } from "./proxyServer";
import type { TunnelOptions } from "./tunnel";
import { TunnelAgent } from "./tunnel";
import type { UploadBody } from "./upload";
import { uploadBody } from "./upload";

/** One request as it is sent. */
export interface WireRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  json?: string;
  upload?: { taskId: string; file: UploadSource };
  /** Whether to open a new connection. A kept connection that the service has just closed would look like a lost response. */
  freshConnection: boolean;
  /** Time limit in milliseconds, until the last byte of the response. Each piece of an uploaded file restarts it. */
  timeout: number;
  signal: AbortSignal;
}

export type Exchange = { response: HttpResponse; loss?: undefined } | { response?: undefined; loss: Loss };

/** Sends one request with axios. Handles no operations, credentials or retries, and never throws. */
export class Transport {
  readonly #axios: AxiosInstance;
  readonly #kept: Agents;
  readonly #fresh: Agents;
  readonly #plainProxy: AxiosProxyConfig | false;
  readonly #maxResponseBytes: number;

  constructor(maxResponseBytes: number, proxy: ProxyServer | undefined) {
    this.#maxResponseBytes = maxResponseBytes;
    this.#kept = agentsOf(proxy, true);
    this.#fresh = agentsOf(proxy, false);
    this.#plainProxy = proxy === undefined ? false : axiosProxyOf(proxy);
    this.#axios = axios.create({
      headers: { "User-Agent": `pulumi-webextract/${ownPackage.version}`, Accept: "application/json" },
      maxRedirects: 0,
      maxContentLength: maxResponseBytes,
      maxBodyLength: Number.POSITIVE_INFINITY,
      responseType: "arraybuffer",
      transformRequest: [(data: unknown) => data],
      transformResponse: [],
      validateStatus: () => true,
    });
  }

  async exchange(request: WireRequest): Promise<Exchange> {
    const progress = new Progress(request);
    let upload: UploadBody | undefined;
    try {
      if (request.upload !== undefined) upload = uploadBody(request.upload.taskId, request.upload.file, progress.renew);
      const agents = request.freshConnection || upload !== undefined ? this.#fresh : this.#kept;
      const response = await this.#axios.request<Buffer>({
        method: request.method,
        url: request.url,
        headers: { ...request.headers, ...(upload?.headers ?? jsonHeaders(request.json)) },
        data: (upload?.stream satisfies Readable | undefined) ?? request.json,
        httpAgent: agents.http,
        httpsAgent: agents.https,
        // The client's settings name the proxy. Without this, axios would read the environment.
        proxy: request.url.startsWith("https:") ? false : this.#plainProxy,
        signal: progress.signal,
        transport: progress.transport,
      });
      if (!progress.sent) {
        // Nothing was sent yet: this is the response of the proxy to CONNECT.
        const { status } = response;
        return { loss: { reason: "proxy", sent: false, status, detail: `the proxy responded ${status}` } };
      }
      return {
        response: {
          status: response.status,
          contentType: String(response.headers["content-type"] ?? ""),
          retryAfter: response.headers["retry-after"]?.toString(),
          date: response.headers.date?.toString(),
          headers: response.headers,
          body: Buffer.isBuffer(response.data) ? response.data : Buffer.alloc(0),
        },
      };
    } catch (error) {
      return { loss: this.#lossOf(error, request, progress, upload) };
    } finally {
      progress.end();
      upload?.dispose();
    }
  }

  /** Closes the kept connections. Other connections end with their request. */
  close(): void {
    for (const agent of [this.#kept.http, this.#kept.https]) agent.destroy();
  }

  #lossOf(error: unknown, request: WireRequest, progress: Progress, upload: UploadBody | undefined): Loss {
    const { sent } = progress;
    const unopened = request.upload !== undefined && upload === undefined && error instanceof Error;
    const problem = unopened ? `the file cannot be opened (${error.message}).` : upload?.problem();
    if (problem !== undefined) return { reason: "source", sent, detail: problem };
    if (request.signal.reason === deadlinePassed) return { reason: "timeout", sent, detail: deadlinePassed.message };
    if (request.signal.aborted) return { reason: "aborted", sent, detail: "aborted" };
    if (progress.timedOut) {
      return { reason: "timeout", sent, detail: `timeout after ${request.timeout / 1000} s` };
    }
    if (!(error instanceof Error)) return { reason: "connection", sent, detail: "unknown reason" };
    if (/maxContentLength/.test(error.message)) {
      return {
        reason: "tooLarge",
        sent,
        detail: `the response is larger than ${this.#maxResponseBytes} bytes (maxResponseBytes).`,
      };
    }
    // Only the system's code, because the error itself holds the request with its credential.
    const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
    const detail = code === undefined ? "connection lost" : (detailOf.get(code) ?? code);
    const host = new URL(request.url).host;
    return { reason: "connection", sent, detail, host, staleConnection: progress.reused };
  }
}

interface Agents {
  http: http.Agent;
  https: http.Agent;
}

function agentsOf(proxy: ProxyServer | undefined, keepAlive: boolean): Agents {
  return {
    http: new http.Agent({ keepAlive }),
    https: proxy === undefined ? new https.Agent({ keepAlive }) : new TunnelAgent(proxy, keepAlive),
  };
}

/** For plain http, where the proxy receives the whole request. */
function axiosProxyOf({ url, user }: ProxyServer): AxiosProxyConfig {
  const standardPort = url.protocol === "https:" ? 443 : 80;
  return {
    protocol: url.protocol,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? standardPort : Number(url.port),
    auth: user,
  };
}

const detailOf = new Map([
  ["ECONNREFUSED", "ECONNREFUSED: connection refused"],
  ["ECONNRESET", "ECONNRESET: connection cut off"],
  ["EPIPE", "EPIPE: connection cut off"],
  ["ERR_BAD_RESPONSE", "the response was cut off"],
  ["ENOTFOUND", "ENOTFOUND: no such host"],
]);

function jsonHeaders(json: string | undefined): Record<string, string> {
  return json === undefined ? {} : { "Content-Type": "application/json" };
}

/** Watches one request: its timeout, whether it was sent, and the signal of the call. */
class Progress {
  readonly #controller = new AbortController();
  readonly #request: WireRequest;
  readonly #stopListening: () => void;
  #timer: NodeJS.Timeout | undefined;
  timedOut = false;
  /** True once the connection is established. From then on, the request can reach the service. */
  sent = false;
  /** Whether the request used a kept connection. */
  reused = false;

  constructor(request: WireRequest) {
    this.#request = request;
    if (request.signal.aborted) this.#controller.abort();
    this.#stopListening = onAbort(request.signal, () => this.#controller.abort());
    this.renew();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** An arrow function, because it is passed as a callback. */
  readonly renew = (): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.timedOut = true;
        this.#controller.abort();
      },
      Math.min(this.#request.timeout, longestTimer),
    );
  };

  /** Replaces the modules of Node.js to watch the socket, because axios reports only that a request failed. */
  readonly transport = {
    request: (
      options: https.RequestOptions,
      callback: (response: http.IncomingMessage) => void,
    ): http.ClientRequest => {
      const secure = options.protocol === "https:";
      const withSignal: https.RequestOptions & TunnelOptions = { ...options, ended: this.signal };
      const request = secure ? https.request(withSignal, callback) : http.request(options, callback);
      request.once("socket", (socket) => {
        const markSent = () => {
          this.sent = true;
        };
        this.reused = request.reusedSocket;
        if (request.reusedSocket) markSent();
        else if (secure) socket.once("secureConnect", markSent);
        else if (socket.connecting) socket.once("connect", markSent);
        else markSent();
      });
      return request;
    },
  };

  end(): void {
    clearTimeout(this.#timer);
    this.#stopListening();
  }
}
