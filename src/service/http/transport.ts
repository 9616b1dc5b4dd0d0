import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { pipeline } from "node:stream";
import { pipeline as sendPieces } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { UploadSource } from "../contract/types";
import type { HttpResponse, Loss } from "../errors/failures";
import { codeOf } from "../files/privateFile";
import { ownPackage } from "../ownPackage";
import { longestTimer } from "./clock";
import type { ProxyServer, TunnelOptions } from "./proxy";
import { ProxyRefusal, requestToProxy, TunnelAgent } from "./proxy";
import type { UploadBody } from "./upload";
import { FileProblem, uploadBody } from "./upload";

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

class TooLarge extends Error {}

/** Node.js does not pass the `signal` of a request on to its agent: see {@link TunnelOptions}. */
type RequestOptions = https.RequestOptions & TunnelOptions;

/** Sends one request. Handles no operations, credentials or retries, and never throws. */
export class Transport {
  readonly #maxResponseBytes: number;
  readonly #proxy: ProxyServer | undefined;
  readonly #kept: { plain: http.Agent; secure: https.Agent };

  constructor(maxResponseBytes: number, proxy: ProxyServer | undefined) {
    this.#maxResponseBytes = maxResponseBytes;
    this.#proxy = proxy;
    this.#kept = { plain: new http.Agent({ keepAlive: true }), secure: this.#secureAgent(true) };
  }

  async exchange(request: WireRequest): Promise<Exchange> {
    const { signal, timeout } = request;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), Math.min(timeout, longestTimer));
    let upload: UploadBody | undefined;
    let outgoing: http.ClientRequest | undefined;
    /** True once the connection is established. From then on, the request can reach the service. */
    let sent = false;
    try {
      upload = request.upload && uploadBody(request.upload.taskId, request.upload.file, () => timer.refresh());
      outgoing = this.#begin(request, upload, AbortSignal.any([signal, limit.signal]));
      onConnection(outgoing, () => {
        sent = true;
      });
      const response = await send(outgoing, request.json, upload);
      const { statusCode: status = 0, headers } = response;
      return {
        response: {
          status,
          contentType: headers["content-type"] ?? "",
          retryAfter: headers["retry-after"],
          date: headers.date,
          body: await this.#bodyOf(response),
        },
      };
    } catch (error) {
      const reason = reasonOf(error, request, limit.signal.aborted);
      const { host } = new URL(request.url);
      return { loss: { ...reason, sent, host, staleConnection: outgoing?.reusedSocket } };
    } finally {
      clearTimeout(timer);
      upload?.close();
    }
  }

  /** Closes the kept connections. Other connections end with their request. */
  close(): void {
    for (const agent of Object.values(this.#kept)) agent.destroy();
  }

  #begin({ method, url, ...request }: WireRequest, upload: UploadBody | undefined, ended: AbortSignal) {
    const json = request.json === undefined ? {} : { "Content-Type": "application/json" };
    const headers = { ...ownHeaders, ...request.headers, ...(upload?.headers ?? json) };
    const options: RequestOptions = { method, headers, signal: ended, ended };
    const isFresh = request.freshConnection || upload !== undefined;
    const { protocol, host } = new URL(url);
    if (protocol === "https:") {
      return https.request(url, { ...options, agent: isFresh ? this.#secureAgent(false) : this.#kept.secure });
    }
    if (this.#proxy === undefined) {
      return http.request(url, { ...options, agent: isFresh ? false : this.#kept.plain });
    }
    // For plain http, the proxy receives the whole request.
    return requestToProxy(this.#proxy, { ...options, path: url, headers: { ...headers, Host: host }, agent: false });
  }

  #secureAgent(keepAlive: boolean): https.Agent {
    return this.#proxy === undefined ? new https.Agent({ keepAlive }) : new TunnelAgent(this.#proxy, keepAlive);
  }

  async #bodyOf(response: http.IncomingMessage): Promise<Buffer> {
    const isZipped = response.headers["content-encoding"] === "gzip";
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of isZipped ? pipeline(response, createGunzip(), () => undefined) : response) {
      length += piece.length;
      if (length > this.#maxResponseBytes) {
        throw new TooLarge(`the response is larger than ${this.#maxResponseBytes} bytes (maxResponseBytes).`);
      }
      pieces.push(piece);
    }
    return Buffer.concat(pieces, length);
  }
}

const ownHeaders = {
  "User-Agent": `pulumi-webextract/${ownPackage.version}`,
  Accept: "application/json",
  "Accept-Encoding": "gzip",
};

/** Calls `established` once the request has a connection, on which it can reach the service. */
function onConnection(request: http.ClientRequest, established: () => void): void {
  request.once("socket", (socket) => {
    if (!request.reusedSocket && "encrypted" in socket) socket.once("secureConnect", established);
    else if (socket.connecting) socket.once("connect", established);
    else established();
  });
}

/** Sends the body, and resolves with the response as soon as its headers are there. */
async function send(request: http.ClientRequest, json: string | undefined, upload: UploadBody | undefined) {
  const responded = once(request, "response") as Promise<[http.IncomingMessage]>;
  responded.catch(() => undefined);
  request.on("error", () => undefined);
  if (upload === undefined) request.end(json);
  else await Promise.race([responded, sendPieces(upload.pieces, request)]);
  const [response] = await responded;
  return response;
}

function reasonOf(
  error: unknown,
  { signal, timeout }: WireRequest,
  isLate: boolean,
): Pick<Loss, "reason" | "detail" | "status"> {
  if (error instanceof FileProblem) return { reason: "source", detail: error.message };
  if (error instanceof TooLarge) return { reason: "tooLarge", detail: error.message };
  if (error instanceof ProxyRefusal) return { reason: "proxy", detail: error.message, status: error.status };
  if (signal.aborted) return { reason: "aborted", detail: "aborted" };
  if (isLate) return { reason: "timeout", detail: `timeout after ${timeout / 1000} s` };
  // Only the code: the message can contain what the other side has sent.
  return { reason: "connection", detail: codeOf(error) };
}
