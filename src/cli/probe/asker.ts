import type { ServiceError } from "../../service/errors/errors";
import type { Failure } from "../../service/errors/failures";
import type { RawAttempt, RawClient, RawRequest } from "../../service/rawClient";
import { Reply } from "./reply";

/** Maximum number of requests of one probe, repeats included. */
export const mostRequests = 60;

/** Attempts at one request: a refusal because of the rate, a lost response and a page of a proxy may pass. */
const mostAttempts = 4;

/** What happened on the way to the responses. */
export interface Notes {
  /** Attempts. */
  sent: number;
  /** Refused because there were too many requests, with the form of the Retry-After header. */
  limited: ("none" | "seconds" | "date")[];
  /** Kept connections that the other side had cut. */
  cut: number;
  /** Other responses that were lost. */
  lost: number;
  /** Pages in place of a response that the next attempt brought. */
  pages: number;
  /** Access tokens that the service refused. */
  tokensRefused: number;
  /** The longest time from a request to its response, in milliseconds. */
  slowest: number;
}

/** The limit of requests is reached. */
export class NoMoreRequests extends Error {
  override readonly name = "NoMoreRequests";
}

/** Asks the service, each question once: the same request gets the first response again. Counts and limits the requests. */
export class Asker {
  readonly notes: Notes = { sent: 0, limited: [], cut: 0, lost: 0, pages: 0, tokensRefused: 0, slowest: 0 };
  readonly replies: Reply[] = [];
  /** The credential of all requests that do not name another one. */
  credential: RawRequest["credential"] = "own";
  private readonly asked = new Map<string, Reply>();

  constructor(
    private readonly client: RawClient,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * @throws ServiceError if no response came
   * @throws NoMoreRequests
   */
  async ask(question: Omit<RawRequest, "credential"> & Partial<RawRequest>): Promise<Reply> {
    const request = { credential: this.credential, ...question };
    const key = JSON.stringify(request);
    const known = this.asked.get(key);
    if (known !== undefined) {
      return known;
    }
    const reply = await this.send(request);
    this.asked.set(key, reply);
    this.replies.push(reply);
    return reply;
  }

  /** Sends the request of a response once more. */
  askAgain({ request }: Reply): Promise<Reply> {
    return this.send(request);
  }

  /** See `clockAhead` of the client. */
  get clockAhead(): number | undefined {
    return this.client.clockAhead;
  }

  private async send(request: RawRequest): Promise<Reply> {
    const { notes } = this;
    let pages = 0;
    for (let attempts = 1; ; attempts++) {
      const tried = await this.attempt(request);
      const { failure } = tried;
      const isPage = failure?.kind === "outcomeUnknown" && failure.code === undefined && tried.response !== undefined;
      pages += isPage ? 1 : 0;
      if (attempts < mostAttempts && this.mayPass(tried)) {
        continue;
      }
      if (tried.response === undefined || tried.tokenRefused || failure?.kind === "rateLimited") {
        throw this.client.errorOf(request, failure ?? noResponse);
      }
      notes.pages += isPage ? 0 : pages;
      return new Reply(request, tried.response, failure);
    }
  }

  private async attempt(request: RawRequest): Promise<RawAttempt> {
    if (this.notes.sent >= mostRequests) {
      throw new NoMoreRequests(`${mostRequests} requests were sent`);
    }
    this.notes.sent++;
    const begun = this.now();
    const tried = await this.client.attempt(request);
    this.note(tried, this.now() - begun);
    return tried;
  }

  private note({ response, loss, failure, tokenRefused }: RawAttempt, milliseconds: number): void {
    const { notes } = this;
    if (response !== undefined && failure?.kind !== "rateLimited") {
      notes.slowest = Math.max(notes.slowest, milliseconds);
    }
    notes.tokensRefused += tokenRefused ? 1 : 0;
    if (failure?.kind === "rateLimited") {
      notes.limited.push(formOfWait(response?.retryAfter));
    }
    if (loss?.staleConnection === true) {
      notes.cut++;
      this.client.freshConnections = true;
    } else if (loss !== undefined) {
      notes.lost++;
    }
  }

  /** Whether the next attempt may bring another response. */
  private mayPass({ response, loss, failure, tokenRefused }: RawAttempt): boolean {
    if (tokenRefused || failure?.kind === "rateLimited") {
      return true;
    }
    const isLost = loss !== undefined && (loss.reason === "connection" || loss.reason === "timeout") && loss.sent;
    return isLost || (response !== undefined && failure?.kind === "outcomeUnknown" && failure.code === undefined);
  }

  /** The error of a question whose response does not let the probe continue. */
  errorOf({ request, failure }: Reply): ServiceError {
    return this.client.errorOf(request, failure ?? noResponse);
  }
}

const noResponse: Failure = {
  kind: "contract",
  outcome: "unknown",
  problem: "the response is not one of the service.",
  repeat: "never",
};

function formOfWait(retryAfter: string | undefined): "none" | "seconds" | "date" {
  if (retryAfter === undefined) {
    return "none";
  }
  return /^\s*\d+(?:\.\d+)?\s*$/.test(retryAfter) ? "seconds" : "date";
}
