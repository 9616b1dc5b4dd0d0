import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { request as sendHttp } from "node:http";
import { request as sendHttps } from "node:https";
import type { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/**
 * The GET requests of one page, one after another: the page and its redirects. They end together.
 *
 * Neither fetch with a signal nor an AbortController for each page: V8 frees what they keep for a request only when it collects all of its
 * memory, and by then a run of a million pages has filled hundreds of megabytes.
 */
export class PageRequests {
  /** Rejects with the reason of the end. */
  readonly ended: Promise<never>;
  private reject: (reason: unknown) => void = () => undefined;
  private failure: { reason: unknown } | undefined;
  private current: ClientRequest | undefined;

  constructor() {
    this.ended = new Promise((_resolve, reject) => {
      this.reject = reject;
    });
  }

  /** Closes the connection of a response that is not read to its end. Later requests fail. */
  end(reason: unknown): void {
    this.failure ??= { reason };
    this.reject(reason);
    this.current?.destroy();
  }

  /** Resolves when the head of the response has arrived. */
  get(url: URL, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) throw this.failure.reason;
      const send = url.protocol === "https:" ? sendHttps : sendHttp;
      this.current = send(url, { headers: { ...headers, "accept-encoding": acceptedEncodings } });
      this.current.once("response", resolve).on("error", reject).end();
    });
  }
}

/** Sites end compressed pages in ways that only a strict decoder refuses. */
const lenient = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

const decoders = new Map<string, () => Transform>([
  ["gzip", () => createGunzip(lenient)],
  ["x-gzip", () => createGunzip(lenient)],
  ["deflate", () => createInflate(lenient)],
  ["br", () => createBrotliDecompress()],
]);

const acceptedEncodings = "gzip, deflate, br";

/** The body of a response without its Content-Encoding. An unknown one stays. */
export function decodedBody(response: IncomingMessage): Readable {
  const encodings = (response.headers["content-encoding"] ?? "").toLowerCase().split(",");
  return encodings.reduceRight<Readable>((body, encoding) => {
    const decoder = decoders.get(encoding.trim())?.();
    // Its reader has the error of a failure.
    return decoder === undefined ? body : pipeline(body, decoder, () => undefined);
  }, response);
}
