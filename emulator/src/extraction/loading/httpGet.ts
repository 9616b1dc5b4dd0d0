import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from "node:http";
import { request as sendHttp } from "node:http";
import { request as sendHttps } from "node:https";

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
  async get(url: URL, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
    const options = { headers: { ...headers, "accept-encoding": "identity" } };
    try {
      return await this.send(url, options);
    } catch (error) {
      // The site closed a connection of an earlier page, which it may do at any time without a word.
      if (this.current?.reusedSocket !== true) throw error;
      return this.send(url, { ...options, agent: false });
    }
  }

  private send(url: URL, options: RequestOptions): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) throw this.failure.reason;
      const send = url.protocol === "https:" ? sendHttps : sendHttp;
      this.current = send(url, options)
        .once("response", resolve)
        .once("upgrade", (_response, socket) => {
          socket.destroy();
          reject(new Error("the site changed the protocol"));
        })
        .on("error", reject);
      this.current.end();
    });
  }
}
