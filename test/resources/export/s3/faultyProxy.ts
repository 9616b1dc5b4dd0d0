import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenRequest {
  method: string;
  /** Decoded path, from the bucket. */
  path: string;
  query: URLSearchParams;
  headers: http.IncomingHttpHeaders;
}

/**
 * What happens to a request. `error`: the proxy responds with 500. `cut`: the connection breaks before the store gets it. `lost`: the store gets
 * it, and the connection breaks before the response. `stall`: no response comes. `stallBody`: the response stops after its first bytes. `damaged`: the
 * store gets another byte.
 */
export type Fate = "pass" | "error" | "cut" | "lost" | "stall" | "stallBody" | "damaged" | OwnResponse;

/** What the proxy responds, without the store. */
export interface OwnResponse {
  status: number;
  body?: string;
}

/** A response with a code of S3. */
export function refusal(status: number, code: string): OwnResponse {
  return { status, body: `<Error><Code>${code}</Code><Message>No.</Message></Error>` };
}

const usualMessage = "We encountered an internal error.";

/** A store in front of the real one, with the faults of a network. */
export class FaultyProxy {
  /** In the order in which they arrived. */
  readonly requests: SeenRequest[] = [];
  /** Decides about each request. A promise holds the request. */
  fate: (request: SeenRequest) => Fate | Promise<Fate> = () => "pass";
  /** What the response of the fate `error` says. */
  message = usualMessage;
  /** Changes a header of a response. Undefined removes it. */
  header: ((name: string, value: string) => string | undefined) | undefined;
  /** What the real store should answer, and does not. */
  guard: ((request: SeenRequest) => Promise<OwnResponse | undefined>) | undefined;
  /** Jumps of the store's clock: what was written before one is older after it. */
  private told = 0;
  private jumps: { at: number; by: number }[] = [];
  private readonly agent = new http.Agent({ keepAlive: true });
  private readonly server = http.createServer((request, response) => {
    void this.pass(request, response).catch(() => response.destroy());
  });

  private constructor(private readonly port: number) {}

  /** @param port of the real store */
  static async start(port: number): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(port);
    proxy.server.listen(0, "127.0.0.1");
    await once(proxy.server, "listening");
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Method and, of a multipart upload, what it does. */
  operations(): string[] {
    return this.requests.splice(0).map(operationOf);
  }

  /** Requests of an operation so far. */
  count(operation: string): number {
    return this.requests.filter((each) => operationOf(each) === operation).length;
  }

  reset(): void {
    this.requests.length = 0;
    this.fate = () => "pass";
    this.header = undefined;
    this.jumps = [];
    this.message = usualMessage;
  }

  /** Lets time pass for the store. */
  letPass(milliseconds: number): void {
    // By the store's own clock: that of a test can be another one. A header has whole seconds.
    this.jumps.push({ at: this.told + 999, by: milliseconds });
  }

  private shifted(name: string, value: string): string {
    if (!["date", "last-modified"].includes(name)) return value;
    const time = Date.parse(value);
    if (name === "date") this.told = time;
    const until = name === "date" ? time + 1_000 : time;
    const passed = this.jumps.reduce((sum, { at, by }) => sum + (until > at ? by : 0), 0);
    return passed === 0 ? value : new Date(time + passed).toUTCString();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.agent.destroy();
    this.server.close();
    await once(this.server, "close");
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://store");
    const { method = "", headers: given } = request;
    // The proxy has answered the request to continue.
    const { expect: _, ...headers } = given;
    const path = pathOf(decodeURIComponent(url.pathname), url.searchParams);
    const seen = { method, path, query: url.searchParams, headers: given };
    this.requests.push(seen);
    const fated = await this.fate(seen);
    const fate = fated === "pass" ? ((await this.guard?.(seen)) ?? "pass") : fated;
    if (fate === "cut") {
      request.socket.destroy();
      return;
    }
    if (fate === "stall") {
      request.resume();
      return;
    }
    const pieces: Buffer[] = [];
    for await (const piece of request) {
      pieces.push(piece as Buffer);
    }
    if (typeof fate === "object") {
      response.writeHead(fate.status, { "content-type": "application/xml" });
      response.end(method === "HEAD" ? undefined : fate.body);
      return;
    }
    if (fate === "error") {
      response.writeHead(500, { "content-type": "application/xml" });
      response.end(`<Error><Code>InternalError</Code><Message>${this.message}</Message></Error>`);
      return;
    }
    const body = Buffer.concat(pieces);
    if (fate === "damaged") {
      // Of the content, also where a description stands before it and a boundary behind it.
      body[Math.max(0, body.length - 60)] = 0;
    }
    const forwarded = http.request({
      port: this.port,
      host: "127.0.0.1",
      method,
      path: request.url,
      headers,
      agent: this.agent,
    } as http.RequestOptions);
    forwarded.end(body);
    const [answer] = (await once(forwarded, "response")) as [IncomingMessage];
    if (fate === "lost") {
      answer.resume();
      await once(answer, "end");
      request.socket.destroy();
      return;
    }
    const shown = Object.entries(answer.headers).flatMap(([name, value]) => {
      const told = this.shifted(name, String(value));
      const changed = this.header === undefined ? told : this.header(name, told);
      return changed === undefined ? [] : [[name, changed] as const];
    });
    response.writeHead(answer.statusCode ?? 500, Object.fromEntries(shown));
    if (fate === "stallBody") {
      response.write("{");
      answer.resume();
      return;
    }
    answer.pipe(response);
  }
}

/** From the bucket: Google Cloud Storage and Azurite have more before it. */
function pathOf(path: string, query: URLSearchParams): string {
  const [, bucket, key] = /^(?:\/upload)?\/storage\/v1\/b\/([^/]+)\/o(?:\/(.*))?$/s.exec(path) ?? [];
  return bucket === undefined
    ? path.replace(/^\/devstoreaccount1(?=\/)/, "")
    : `/${bucket}/${key ?? query.get("name") ?? ""}`;
}

export function isWrite({ method }: SeenRequest): boolean {
  return !["GET", "HEAD"].includes(method);
}

/** What a request is, in the words of S3. */
export function operationOf(request: SeenRequest): string {
  const { method, query, headers } = request;
  if (headers["x-ms-version"] !== undefined) return azureOperationOf(request);
  if (headers["x-amz-date"] === undefined) return gcsOperationOf(request);
  if (query.has("uploads")) {
    return method === "GET" ? "ListMultipartUploads" : "CreateMultipartUpload";
  }
  if (query.has("uploadId")) {
    const names: Record<string, string> = {
      PUT: "UploadPart",
      POST: "CompleteMultipartUpload",
      DELETE: "AbortMultipartUpload",
    };
    return names[method] ?? method;
  }
  const isList = query.has("list-type");
  const names: Record<string, string> = {
    HEAD: "HeadObject",
    GET: isList ? "ListObjectsV2" : "GetObject",
    PUT: "PutObject",
    DELETE: "DeleteObject",
  };
  return names[method] ?? method;
}

/** Whether it is the request after which the object is there. For Azure, a list of parts ends each upload. */
export function makesObject(request: SeenRequest): boolean {
  return ["PutObject", "CompleteMultipartUpload"].includes(operationOf(request));
}

function azureOperationOf({ method, query }: SeenRequest): string {
  const names: Record<string, string> = {
    ...{ block: "UploadPart", blocklist: "CompleteMultipartUpload", list: "ListObjectsV2" },
    ...{ HEAD: "HeadObject", GET: "GetObject", PUT: "PutObject", DELETE: "DeleteObject" },
  };
  return names[query.get("comp") ?? method] ?? method;
}

function gcsOperationOf({ method, path, query, headers }: SeenRequest): string {
  if (query.has("upload_id")) {
    const [, end, total] = /-(\d+)\/(\d+)$/.exec(headers["content-range"] ?? "") ?? [];
    if (method === "DELETE") return "AbortMultipartUpload";
    return Number(end) + 1 === Number(total) ? "CompleteMultipartUpload" : "UploadPart";
  }
  if (query.get("uploadType") === "resumable") return "CreateMultipartUpload";
  if (method === "POST") return "PutObject";
  if (method === "DELETE") return "DeleteObject";
  if (path.endsWith("/")) return "ListObjectsV2";
  return query.has("alt") ? "GetObject" : "HeadObject";
}
