import type { ServiceError } from "../../service/errors/errors";
import type { Failure } from "../../service/errors/failures";
import type { RawAttempt, RawClient, RawRequest } from "../../service/rawClient";
import { Reply } from "./reply";

/** Maximum number of requests of one probe, repeats included. */
export const mostRequests = 60;

/** Attempts at one request: a refusal because of the rate, a lost response and a page of a proxy may pass. */
const mostAttempts = 4;

/** The limit of requests is reached. */
export class NoMoreRequests extends Error {
  override readonly name = "NoMoreRequests";
}

/** Asks the service, each question once: the same request gets the first response again. Counts and limits the requests. */
export class Asker {
  /** Attempts. */
  sent = 0;
  /** Attempts that were refused because there were too many. */
  limited = 0;
  readonly replies: Reply[] = [];
  /** The credential of all requests that do not name another one. */
  credential: RawRequest["credential"] = "own";
  private readonly asked = new Map<string, Reply>();

  constructor(private readonly client: RawClient) {}

  /**
   * @throws ServiceError if no response came
   * @throws NoMoreRequests
   */
  async ask(question: Omit<RawRequest, "credential"> & Partial<RawRequest>): Promise<Reply> {
    const request = { credential: this.credential, ...question };
    const key = JSON.stringify(request);
    const reply = this.asked.get(key) ?? (await this.send(request));
    if (!this.asked.has(key)) {
      this.asked.set(key, reply);
      this.replies.push(reply);
    }
    return reply;
  }

  /** The error of a question whose response does not let the probe continue. */
  errorOf({ request, failure }: Pick<Reply, "request" | "failure">): ServiceError {
    return this.client.errorOf(request, failure ?? noResponse);
  }

  private async send(request: RawRequest): Promise<Reply> {
    for (let attempts = 1; ; attempts++) {
      if (this.sent >= mostRequests) {
        throw new NoMoreRequests(`${mostRequests} requests were sent`);
      }
      this.sent++;
      const tried = await this.client.attempt(request);
      const { response, failure, tokenRefused } = tried;
      const isLimited = failure?.kind === "rateLimited";
      this.limited += isLimited ? 1 : 0;
      if (attempts < mostAttempts && mayPass(tried)) {
        continue;
      }
      if (response === undefined || tokenRefused || isLimited) {
        throw this.errorOf({ request, failure });
      }
      return new Reply(request, response, failure);
    }
  }
}

/** Whether the next attempt may bring another response. */
function mayPass({ response, loss, failure, tokenRefused }: RawAttempt): boolean {
  const isLost = loss !== undefined && (loss.reason === "connection" || loss.reason === "timeout") && loss.sent;
  const isPage = response !== undefined && failure?.kind === "outcomeUnknown" && failure.code === undefined;
  return tokenRefused || failure?.kind === "rateLimited" || isLost || isPage;
}

const noResponse: Failure = {
  kind: "contract",
  outcome: "unknown",
  problem: "the response is not one of the service.",
  repeat: "never",
};
