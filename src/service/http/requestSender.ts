import { clock, pause } from "../../system/clock";
import { inSpan } from "../../system/spans";
import type { AccessToken } from "../auth/accessToken";
import { NoToken } from "../auth/accessToken";
import type { Tokens } from "../auth/tokens";
import { ContractBreach, CutOff } from "../contract/contractBreach";
import type { PreparedRequest } from "../contract/requests";
import type { ServiceError, ServiceErrorKind } from "../errors/errors";
import type { ErrorExtras } from "../errors/errorText";
import { droppedCredential, errorOf } from "../errors/errorText";
import type { Failure, HttpResponse } from "../errors/failures";
import { failureOfCutOff, failureOfLoss, failureOfResponse } from "../errors/failures";
import { printable } from "../errors/foreignText";
import type { Redactor } from "../errors/hideWords";
import { hideRequestValues } from "../errors/requestValues";
import type { CallOptions, ClientSettings } from "../options";
import { Call } from "./call";
import type { Limiter } from "./limiter";
import type { Exchange, Transport } from "./transport";

export interface RequestSenderParts {
  settings: ClientSettings;
  transport: Transport;
  limiter: Limiter;
  tokens: Tokens;
  secrets: Redactor;
  apiKey: string | undefined;
}

/** One attempt. `failure`: what a refusal or a loss means; undefined if the response is a success. */
type Attempt = Exchange & { failure: Failure | undefined };

/**
 * Makes the result from the bytes of the response. `anyLost`: the response to an earlier attempt of the same call was
 * lost.
 */
export type Read<T> = (body: Buffer, anyLost: boolean) => T;

/** Makes a call: gets a credential and a slot of the limiter, sends the request, and repeats it while that is safe. */
export class RequestSender {
  readonly #parts: RequestSenderParts;
  readonly #stopped = new AbortController();
  readonly #closed = new AbortController();
  /** See `clockAhead` of the client. */
  clockAhead: number | undefined;
  /** See `answeredBy` and `cacheAge` of the client. */
  answeredBy: string | undefined;
  /** The requestIds of refusals: a proxy can send a stored one. */
  readonly #refusedIds = new Set<string>();
  cacheAge: number | undefined;

  constructor(parts: RequestSenderParts) {
    this.#parts = parts;
  }

  /**
   * @throws ServiceError
   */
  async call<T>(request: PreparedRequest, read: Read<T>, options: CallOptions = {}): Promise<T> {
    const problem = this.#stopped.signal.aborted
      ? "not sent: the client is closed. Create a new ServiceClient for further calls."
      : request.problem;
    if (problem !== undefined) {
      const kind = problem === request.problem ? "invalidRequest" : "aborted";
      throw this.#error(request, { kind, outcome: "notExecuted", problem });
    }
    const ends = { stopped: this.#stopped.signal, closed: this.#closed.signal };
    const call = new Call(request, this.#parts.settings, options, ends);
    try {
      return await this.#respond(call, (body) => read(body, call.anyLost));
    } finally {
      call.dispose();
    }
  }

  /** Sends no further request. Those in progress can complete. */
  stop(): void {
    this.#stopped.abort();
  }

  /** Ends all calls in progress except refreshes, and refuses further calls. */
  close(): void {
    this.stop();
    this.#closed.abort();
  }

  async #respond<T>(call: Call, read: (body: Buffer) => T): Promise<T> {
    const { settings, tokens } = this.#parts;
    for (;;) {
      const token = call.request.credential === "bearer" ? await this.#token(call) : undefined;
      const { response, failure: refusal } = await this.#attempt(call, token);
      const isSuccess = response !== undefined && refusal === undefined;
      const { value, failure } = isSuccess ? this.#read(call.request, response, read) : { failure: refusal };
      const isRefused = token !== undefined && response !== undefined && tokens.isRefused(token, failure, call.refused);
      if (isRefused && failure !== undefined && call.mayRepeatAfter(failure)) {
        call.last = failure;
        call.refused.push(token.value);
        this.#trace(call.request, "the access token was refused: getting another one");
        continue;
      }
      if (failure === undefined) {
        this.#parts.limiter.isReached = true;
        return value as T;
      }
      const wait = call.waitAfter(failure);
      if (wait === undefined) throw this.#finalError(call, failure);
      this.#trace(call.request, `${failure.kind}: next attempt in ${Math.round(wait)} ms`);
      const why = () => ({ "webextract.reason": failure.kind });
      await inSpan("wait before the next attempt", why, () => pause(wait, call.waits));
      if (settings.interrupted.aborted || this.#stopped.signal.aborted) throw this.#finalError(call, failure, notAgain);
    }
  }

  async #token(call: Call): Promise<AccessToken> {
    try {
      return await this.#parts.tokens.get(call.ended, call.refused, call.request.operation.madeId === undefined);
    } catch (error) {
      if (!(error instanceof NoToken)) throw error;
      const { kind, problem, hint } = error;
      if (kind === "aborted") throw this.#notSent(call, nothingSent("unreachable", "the call's deadline passed"));
      // A reason on this machine, such as a full disk, has nothing to do with the last response.
      const isLocal = problem.startsWith("not sent");
      const { requestId, problem: said = "it was not sent.", about } = (isLocal ? undefined : call.last) ?? {};
      const told = isLocal ? { problem } : { meaning: problem, problem: said };
      const advice = about === "notOfService" ? `${hint} ${droppedCredential}` : hint;
      throw this.#error(call.request, { kind, outcome: "notExecuted", ...told, requestId }, { hint: advice });
    }
  }

  /** @throws ServiceError if the call ended before it got a slot */
  async #attempt(call: Call, token: AccessToken | undefined): Promise<Attempt> {
    const { settings, transport, limiter } = this.#parts;
    const { request } = call;
    const headers = { ...this.#credentialHeaders(request, token), ...request.headers };
    transport.prepare();
    const facts = () => ({
      "http.request.method": request.operation.method,
      "url.template": request.operation.path,
      "server.address": new URL(settings.baseUrl).hostname,
      "webextract.task_id": request.taskId,
    });
    const send = (): Promise<Attempt> =>
      inSpan(request.name, facts, async (note) => {
        settings.watch.before(request.name);
        const begun = clock.now();
        const exchange = await transport.exchange({
          method: request.operation.method,
          url: settings.baseUrl + request.path,
          headers,
          json: request.json,
          upload: request.upload,
          // After a lost response too: each kept connection can be as stale as the one that was lost.
          freshConnection: !request.mayRepeat || request.operation.returnsOnce === true || call.anyLost,
          timeout: settings.timeoutSeconds * 1000,
          signal: call.ended,
        });
        this.#log(request, exchange, clock.now() - begun);
        if (exchange.response !== undefined) this.#note(request, exchange.response);
        if (exchange.response !== undefined) settings.watch.after(request.name, exchange.response);
        const failure = this.#failureOf(request, exchange);
        note({ "http.response.status_code": exchange.response?.status, "error.type": failure?.kind });
        return { ...exchange, failure };
      });
    const isTooLate = this.#stopped.signal.aborted || limiter.pause > call.left;
    const attempt = isTooLate ? undefined : await limiter.run(call.waits, send);
    if (attempt === undefined) throw this.#notSent(call, this.#noSlot());
    return attempt;
  }

  #note({ name, operation, path }: PreparedRequest, { date = "", answeredBy, age = 0 }: HttpResponse): void {
    const time = Date.parse(date);
    if (!Number.isNaN(time)) this.clockAhead = Date.now() - time;
    this.answeredBy = answeredBy;
    if (operation.method !== "GET" || age === 0) return;
    const isFirst = this.cacheAge === undefined;
    this.cacheAge = age;
    if (!isFirst) return;
    this.#parts.settings.warn(
      `${name} (GET ${path.split("?")[0]}): a cache on the way sent a response that it had stored ${age} s before (Age). ` +
        "Waits see a run late, exports miss new rows, and no rows are marked. Exclude the service from the cache.",
    );
  }

  #failureOf(request: PreparedRequest, { response, loss }: Exchange): Failure | undefined {
    if (response === undefined) return failureOfLoss(loss);
    const { settings, secrets } = this.#parts;
    const failure = failureOfResponse(response, {
      request,
      notExecutedCodes: settings.notExecutedCodes,
      earlierIds: this.#refusedIds,
      scrub: secrets.scrub,
      hideValues: (text) => hideRequestValues(text, request),
    });
    if (failure?.requestId !== undefined) this.#refusedIds.add(failure.requestId);
    return failure;
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

  /** @throws ServiceError for a response that breaks the contract. A part of one is a lost response */
  #read<T>(
    request: PreparedRequest,
    { status, body }: HttpResponse,
    read: (body: Buffer) => T,
  ): { value?: T; failure?: Failure } {
    try {
      return { value: read(body) };
    } catch (error) {
      if (!(error instanceof ContractBreach)) throw error;
      const facts = { status, requestId: requestIdOf(body) };
      if (error instanceof CutOff) return { failure: { ...failureOfCutOff(body.length), ...facts } };
      const { message: problem } = error;
      throw this.#error(request, { kind: "contract", outcome: "unknown", problem, ...facts });
    }
  }

  /** Why a request got no slot. */
  #noSlot(): Failure {
    const { settings, limiter } = this.#parts;
    const inProgress = "while other requests to this service were in progress";
    if (this.#stopped.signal.aborted) return nothingSent("aborted", "the client sends no further requests");
    if (settings.interrupted.aborted) return nothingSent("aborted", `the command was interrupted ${inProgress}`);
    if (limiter.pause === 0) return nothingSent("rateLimited", `the call's deadline passed ${inProgress}`);
    const seconds = Math.ceil(limiter.pause / 1000);
    const why = `the service asked to wait (Retry-After) for another ${seconds} s, longer than the call's deadline allows`;
    return nothingSent("rateLimited", why);
  }

  /** The error of a call that ended before its next attempt. */
  #notSent(call: Call, otherwise: Failure): ServiceError {
    if (!call.isEndedByCaller) return this.#finalError(call, call.last ?? otherwise);
    return this.#finalError(call, nothingSent("aborted", "the caller ended the call"));
  }

  #finalError(call: Call, failure: Failure, more = ""): ServiceError {
    const history = `${call.historyBefore(failure)} ${more}`.trim();
    return this.#error(call.request, call.final(failure), { history });
  }

  #error(
    request: PreparedRequest,
    failure: Parameters<typeof errorOf>[1],
    extras: Pick<ErrorExtras, "history" | "hint"> = {},
  ): ServiceError {
    const { secrets, settings } = this.#parts;
    return errorOf(request, failure, { ...extras, scrub: secrets.scrub, settingName: settings.settingName });
  }

  #log(request: PreparedRequest, exchange: Exchange, milliseconds: number): void {
    this.#write("debug", () => ({
      operation: request.name,
      task: request.taskId,
      status: exchange.response ? exchange.response.status : exchange.loss.reason,
      ms: Math.round(milliseconds),
      requestId: exchange.response && requestIdOf(exchange.response.body),
    }));
  }

  #trace({ name }: PreparedRequest, what: string): void {
    this.#write("trace", () => ({ operation: name, what }));
  }

  /** Writes a line of the log, if the level asks for it. */
  #write(level: "debug" | "trace", factsOf: () => LogFacts): void {
    const { settings, secrets } = this.#parts;
    if (settings.logLevel !== level && settings.logLevel !== "trace") return;
    const [time, facts] = [new Date().toISOString(), factsOf()];
    const line = settings.logFormat === "json" ? JSON.stringify({ time, ...facts }) : `${time} ${textOf(facts)}`;
    settings.log(printable(secrets.scrub(line)));
  }
}

interface LogFacts {
  operation: string;
  what?: string;
  task?: string | undefined;
  status?: string | number;
  ms?: number;
  requestId?: string | undefined;
}

function textOf({ operation, what, ms, ...named }: LogFacts): string {
  const facts = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`));
  return [`webextract ${operation}`, what, ...facts, ms === undefined ? undefined : `${ms}ms`]
    .filter(Boolean)
    .join(" ");
}

function nothingSent(kind: ServiceErrorKind, why: string): Failure {
  return { kind, outcome: "notExecuted", problem: `not sent: ${why}.`, repeat: "never" };
}

const notAgain = "It was not sent again, because the command was interrupted.";

/**
 * The requestId at the beginning or the end of a body. The body can have megabytes, so it is not parsed for the log and
 * for errors.
 */
function requestIdOf(body: Buffer): string | undefined {
  const pattern = /"requestId"\s*:\s*"([\w.:-]{1,100})"/;
  const ends = [body.subarray(0, 512), body.subarray(-512)];
  for (const end of ends) {
    const found = pattern.exec(end.toString("latin1"))?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
