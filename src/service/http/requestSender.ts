import type { AccessToken } from "../auth/accessToken";
import type { Tokens } from "../auth/tokens";
import { ContractBreach } from "../contract/contractBreach";
import type { PreparedRequest } from "../contract/requests";
import type { ServiceError } from "../errors/errors";
import type { ErrorExtras } from "../errors/errorText";
import { errorOf } from "../errors/errorText";
import type { Failure, HttpResponse } from "../errors/failures";
import { failureOfLoss, failureOfResponse } from "../errors/failures";
import { printable } from "../errors/foreignText";
import type { Redactor } from "../errors/redactor";
import { hideRequestValues } from "../errors/requestValues";
import type { CallOptions } from "../options";
import type { ClientSettings } from "../settings";
import { clock } from "./clock";
import { Deadline } from "./deadline";
import type { Limiter } from "./limiter";
import { onAbort } from "./onAbort";
import { RetryPolicy } from "./retryPolicy";
import type { Exchange } from "./transport";
import type { TransportOnDemand } from "./transportOnDemand";

export interface RequestSenderParts {
  settings: ClientSettings;
  transport: TransportOnDemand;
  limiter: Limiter;
  tokens: Tokens;
  secrets: Redactor;
  apiKey: string | undefined;
}

/** One attempt. `failure`: what a refusal or a loss means; undefined if the response is a success. */
type Attempt = Exchange & { failure: Failure | undefined };

/** Makes the result from the bytes of the response. `anyLost`: the response to an earlier attempt of the same call was lost. */
export type Read<T> = (body: Buffer, anyLost: boolean) => T;

/** Makes a call: gets a credential and a slot of the limiter, sends the request, and repeats it while that is safe. */
export class RequestSender {
  readonly #parts: RequestSenderParts;
  readonly #inProgress = new Set<Deadline>();

  readonly #stopListening: () => void;
  #closed = false;
  /** See `clockAhead` of the client. */
  clockAhead: number | undefined;

  constructor(parts: RequestSenderParts) {
    this.#parts = parts;
    this.#stopListening = onAbort(parts.settings.interrupted, () => {
      for (const deadline of this.#inProgress) deadline.endWaits();
    });
  }

  /**
   * @throws ServiceError
   */
  async call<T>(request: PreparedRequest, read: Read<T>, options: CallOptions = {}): Promise<T> {
    const { settings } = this.#parts;
    if (this.#closed)
      throw this.#error(request, clientClosed, { hint: "Create a new ServiceClient for further calls." });
    if (request.problem !== undefined) {
      throw this.#error(request, { kind: "invalidRequest", outcome: "notExecuted", problem: request.problem });
    }
    const { deadlineSeconds = settings.deadline / 1000 } = options;
    const deadline = new Deadline(options.signal, deadlineSeconds * 1000);
    // The response to a refresh can hold the only valid refresh token: the client waits for it and stores it.
    if (request.name !== "refreshToken") this.#inProgress.add(deadline);
    if (settings.interrupted.aborted) deadline.endWaits();
    try {
      const retries = new RetryPolicy(request, settings, options.once);
      const response = await this.#respond(request, deadline, retries);
      return this.#read(request, response, (body) => read(body, retries.anyLost));
    } finally {
      this.#inProgress.delete(deadline);
      deadline.dispose();
    }
  }

  /** Ends all calls in progress except refreshes, and refuses further calls. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    for (const deadline of this.#inProgress) deadline.end();
  }

  async #respond(request: PreparedRequest, deadline: Deadline, retries: RetryPolicy): Promise<HttpResponse> {
    const { settings, tokens } = this.#parts;
    let askedAgain = false;
    const refused: string[] = [];
    let requestId: string | undefined;
    for (;;) {
      if (deadline.signal.aborted) throw this.#ended(request, deadline, retries);
      const token =
        request.credential === "bearer"
          ? await this.#token(request, deadline, retries, { refused, requestId })
          : undefined;
      const exchange = await this.#exchange(request, token, deadline);
      if (exchange === undefined) {
        throw this.#ended(request, deadline, retries, this.#noSlot());
      }
      const { failure } = exchange;
      if (failure?.kind !== "credential" && exchange.response && token !== undefined) tokens.accepted(token);
      if (failure === undefined) {
        if (exchange.response) return exchange.response;
        continue;
      }
      const forbidden: boolean =
        failure.perhapsToken === true && !askedAgain && token !== undefined && tokens.mayRenew(token);
      if (token !== undefined && (failure.kind === "credential" || forbidden)) {
        askedAgain ||= forbidden;
        refused.push(token.value);
        ({ requestId } = failure);
        tokens.refused(token);
        this.#trace(request, "the access token was refused: getting another one");
        continue;
      }
      // The deadline of the whole call ended this attempt, not the caller.
      const told: Failure = failure.kind === "aborted" && !deadline.endedByCaller ? this.#late(failure) : failure;
      const wait = retries.waitAfter(told, deadline.left);
      if (wait === undefined) throw this.#finalError(request, told, retries);
      this.#trace(request, `${told.kind}: next attempt in ${Math.round(wait)} ms`);
      await deadline.pause(wait);
      if (settings.interrupted.aborted) {
        throw this.#finalError(request, told, retries, notAgain);
      }
    }
  }

  async #token(
    request: PreparedRequest,
    deadline: Deadline,
    retries: RetryPolicy,
    { refused, requestId }: { refused: readonly string[]; requestId: string | undefined },
  ): Promise<AccessToken> {
    const { tokens } = this.#parts;
    const found = await tokens.get(deadline.signal, refused);
    if ("value" in found) return found;
    if (found.kind === "aborted") throw this.#ended(request, deadline, retries);
    const { kind, problem, hint } = found;
    throw this.#error(request, { kind, outcome: "notExecuted", problem, requestId }, { hint });
  }

  /** Undefined if the call ended before it got a slot. */
  async #exchange(
    request: PreparedRequest,
    token: AccessToken | undefined,
    deadline: Deadline,
  ): Promise<Attempt | undefined> {
    const { settings, transport, limiter } = this.#parts;
    const headers = this.#credentialHeaders(request, token);
    transport.prepare();
    if (limiter.pause > deadline.left) return undefined;
    const release = await limiter.acquire(deadline.waits);
    if (release === undefined) return undefined;
    const begun = clock.now();
    let failure: Failure | undefined;
    try {
      const exchange = await transport.exchange({
        method: request.operation.method,
        url: settings.baseUrl + request.path,
        headers,
        json: request.json,
        upload: request.upload,
        freshConnection: !request.mayRepeat || request.operation.returnsOnce === true,
        timeout: settings.timeout,
        signal: deadline.signal,
      });
      this.#log(request, exchange, clock.now() - begun);
      const date = Date.parse(exchange.response?.date ?? "");
      if (!Number.isNaN(date)) this.clockAhead = Date.now() - date;
      failure = this.#failureOf(request, exchange);
      return { ...exchange, failure };
    } finally {
      if (failure?.kind === "rateLimited") release("limited", failure.retryAfter);
      else release("done");
    }
  }

  #failureOf(request: PreparedRequest, { response, loss }: Exchange): Failure | undefined {
    if (response === undefined) return failureOfLoss(loss);
    const { settings, secrets } = this.#parts;
    return failureOfResponse(response, {
      notExecutedCodes: settings.notExecutedCodes,
      scrub: secrets.scrub,
      hideValues: (text) => hideRequestValues(text, request),
    });
  }

  #credentialHeaders(request: PreparedRequest, token: AccessToken | undefined): Record<string, string> {
    if (token !== undefined) return { Authorization: `Bearer ${token.value}` };
    if (request.credential === "none") return {};
    const { apiKey, settings } = this.#parts;
    if (apiKey !== undefined) return { "x-api-key": apiKey };
    const failure = {
      kind: "credential",
      outcome: "notExecuted",
      problem: "not sent: no API key is configured.",
    } as const;
    throw this.#error(request, failure, { hint: `Set ${settings.settingName("apiKey")}.` });
  }

  #read<T>(request: PreparedRequest, response: HttpResponse, read: (body: Buffer) => T): T {
    try {
      return read(response.body);
    } catch (error) {
      if (!(error instanceof ContractBreach)) throw error;
      const { status, body } = response;
      const { message: problem } = error;
      const failure = { kind: "contract", outcome: "unknown", problem, status, requestId: requestIdOf(body) } as const;
      throw this.#error(request, failure);
    }
  }

  /** Why a request got no slot. */
  #noSlot(): Failure {
    const { settings, limiter } = this.#parts;
    if (settings.interrupted.aborted) return interruptedBeforeSlot;
    if (limiter.pause === 0) return noSlot;
    const seconds = Math.ceil(limiter.pause / 1000);
    const problem = `not sent: the service asked to wait (Retry-After) for another ${seconds} s, longer than the call's deadline allows.`;
    return { ...noSlot, problem };
  }

  #late(failure: Failure): Failure {
    const sent = failure.outcome === "unknown";
    return {
      ...failure,
      kind: sent ? "outcomeUnknown" : "unreachable",
      problem: sent
        ? "no response came before the call's deadline."
        : "the call's deadline passed before this attempt was sent.",
    };
  }

  #ended(request: PreparedRequest, deadline: Deadline, retries: RetryPolicy, reason = nothingSent): ServiceError {
    if (!deadline.endedByCaller) return this.#finalError(request, retries.last ?? reason, retries);
    const problem =
      retries.last === undefined
        ? "the caller ended the call before a request was sent."
        : "the caller ended the call while it waited for the next attempt.";
    return this.#finalError(request, { kind: "aborted", outcome: "notExecuted", problem, repeat: "never" }, retries);
  }

  #finalError(request: PreparedRequest, failure: Failure, retries: RetryPolicy, more = ""): ServiceError {
    return this.#error(request, retries.final(failure), {
      history: `${retries.historyBefore(failure)} ${more}`.trim(),
    });
  }

  #error(request: PreparedRequest, failure: Parameters<typeof errorOf>[1], extras: ErrorExtras = {}): ServiceError {
    const { secrets, settings } = this.#parts;
    return errorOf(request, failure, { ...extras, scrub: secrets.scrub, settingName: settings.settingName });
  }

  #log(request: PreparedRequest, exchange: Exchange, milliseconds: number): void {
    const { settings, secrets } = this.#parts;
    if (settings.logLevel === "silent") return;
    const { name, taskId } = request;
    const status = exchange.response ? exchange.response.status : exchange.loss.reason;
    const requestId = exchange.response ? requestIdOf(exchange.response.body) : undefined;
    const line = [
      `webextract ${name}`,
      taskId === undefined ? "" : ` task=${taskId}`,
      ` status=${status} ${Math.round(milliseconds)}ms`,
      requestId === undefined ? "" : ` requestId=${requestId}`,
    ];
    settings.log(printable(secrets.scrub(line.join(""))));
  }

  #trace(request: PreparedRequest, what: string): void {
    const { settings, secrets } = this.#parts;
    if (settings.logLevel === "trace") settings.log(printable(secrets.scrub(`webextract ${request.name} ${what}`)));
  }
}

const nothingSent: Failure = {
  kind: "unreachable",
  outcome: "notExecuted",
  problem: "the call's deadline passed before a request was sent.",
  repeat: "never",
};
const noSlot: Failure = {
  ...nothingSent,
  kind: "rateLimited",
  problem: "not sent: the call's deadline passed while other requests to this service were in progress.",
};

const interruptedBeforeSlot: Failure = {
  ...nothingSent,
  kind: "aborted",
  problem: "not sent: the command was interrupted while other requests to this service were in progress.",
};
const clientClosed: Failure = { ...nothingSent, kind: "aborted", problem: "not sent: the client is closed." };

const notAgain = "It was not sent again, because the command was interrupted.";

/** The requestId at the beginning or the end of a body. The body can have megabytes, so it is not parsed for the log and for errors. */
function requestIdOf(body: Buffer): string | undefined {
  const pattern = /"requestId"\s*:\s*"([\w.:-]{1,100})"/;
  const ends = [body.subarray(0, 512), body.subarray(-512)];
  for (const end of ends) {
    const found = pattern.exec(end.toString("latin1"))?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
