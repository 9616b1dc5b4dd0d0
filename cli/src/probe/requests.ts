import type { ServiceError } from "../../../src/service/errors/errors";
import { isServiceError } from "../../../src/service/errors/errors";
import { statusSays } from "../../../src/service/errors/failures";
import type { RequestWatch, WatchedResponse } from "../../../src/service/options";
import { parsedJson } from "../../../src/service/parsedJson";
import { isPlainMap } from "../../../src/values/plain";

/** Requests of a probe that only reads, and of one that writes: more than the questions need, because some are sent again. */
export const mostReads = 60;
export const mostRequests = 140;

/** No request is left. */
export class LimitReached extends Error {
  override readonly name = "LimitReached";
}

/** A response as it came. */
export interface RawResponse {
  operation: string;
  status: number;
  /** What the body is, if it is JSON. */
  body: unknown;
  /** The length of the body in bytes. */
  bytes: number;
  rateHeaders: readonly string[];
}

/** Larger bodies are not parsed: only rows are so large. */
const largestParsed = 1024 * 1024;

/**
 * Counts the requests of a probe, refuses more than `most`, and keeps the responses as they came, without large bodies.
 */
export class Requests implements RequestWatch {
  readonly responses: RawResponse[] = [];
  sent = 0;
  /** How many of the requests are kept for later questions: no question takes those of another. */
  kept = 0;

  constructor(private readonly most: number) {}

  get left(): number {
    return this.most - this.kept - this.sent;
  }

  before(): void {
    if (this.left <= 0) {
      const rest = this.kept === 0 ? "" : `, but for ${this.kept} that are kept for later questions`;
      throw new LimitReached(`the limit of ${this.most} requests is reached${rest}`);
    }
    this.sent += 1;
  }

  after(operation: string, { status, body, rateHeaders = [] }: WatchedResponse): void {
    const parsed = body.length > largestParsed ? undefined : parsedJson(body.toString("utf8"));
    this.responses.push({ operation, status, body: parsed, bytes: body.length, rateHeaders });
  }

  get last(): RawResponse | undefined {
    return this.responses.at(-1);
  }

  get now(): Point {
    return { sent: this.sent, responses: this.responses.length };
  }

  /**
   * Whether the service has executed each request since then as often as a response shows, so that its counts and those
   * of the probe are the same. A lost response and a page of a proxy can hide an execution.
   */
  isExactSince({ sent, responses }: Point): boolean {
    const since = this.responses.slice(responses);
    return this.sent - sent === since.length && since.every(({ status }) => !statusSays.hidesExecution(status));
  }
}

/** A point in the order of the requests. */
export interface Point {
  readonly sent: number;
  readonly responses: number;
}

/** A response, or the refusal in place of it. */
export type Reply<Response> =
  | { response: Response; refusal?: undefined }
  | { response?: undefined; refusal: ServiceError };

/**
 * A refusal of the credential or for the rate says nothing about the question, so it is thrown.
 * @throws ServiceError if the service did not respond, or with something that neither accepts nor refuses the request
 */
export async function replyOf<Response>(call: Promise<Response>): Promise<Reply<Response>> {
  const reply = await credentialReplyOf(call);
  if (isServiceError(reply.refusal, "credential")) {
    throw reply.refusal;
  }
  return reply;
}

/** As {@link replyOf}, for a question about credentials: a refusal of one is a reply. */
export async function credentialReplyOf<Response>(call: Promise<Response>): Promise<Reply<Response>> {
  try {
    return { response: await call };
  } catch (error) {
    const isPage = isServiceError(error, "outcomeUnknown") && error.code === undefined;
    const isReply = isServiceError(error) && error.status !== undefined && !isPage;
    if (isReply && !isServiceError(error, "contract", "rateLimited")) {
      return { refusal: error };
    }
    throw error;
  }
}

/** As {@link credentialReplyOf}, but a page of a proxy or of the service is a refusal too. */
export async function anyReplyOf<Response>(call: Promise<Response>): Promise<Reply<Response>> {
  try {
    return await credentialReplyOf(call);
  } catch (error) {
    if (isServiceError(error) && error.status !== undefined) {
      return { refusal: error };
    }
    throw error;
  }
}

/** What two replies have in common that mean the same. */
export function meaningOf({ refusal }: Reply<unknown>): string {
  return refusal === undefined ? "accepted" : `${refusal.kind} ${refusal.status} ${refusal.code}`;
}

/** The field of a body at a path; undefined if there is none. */
export function fieldAt(body: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isPlainMap(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    body,
  );
}
