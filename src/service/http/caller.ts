import type { AccessToken } from "../auth/accessToken";
import type { SecretWords } from "../auth/secretWords";
import type { Tokens } from "../auth/tokens";
import { ContractBreach } from "../contract/contractBreach";
import type { PreparedRequest } from "../contract/requests";
import type { ServiceError } from "../errors/errors";
import type { ErrorExtras } from "../errors/errorText";
import { errorOf } from "../errors/errorText";
import type { Answer, Failure } from "../errors/failures";
import { failureOfAnswer, failureOfLoss } from "../errors/failures";
import { printable } from "../errors/foreignText";
import { hideRequestValues } from "../errors/requestValues";
import type { CallOptions } from "../options";
import type { Settings } from "../settings";
import { clock } from "./clock";
import type { Limiter } from "./limiter";
import { onAbort } from "./onAbort";
import { Patience } from "./patience";
import { RepeatRule } from "./repeat";
import type { Exchange } from "./transport";
import type { TransportOnDemand } from "./transportOnDemand";

export interface CallerParts {
  settings: Settings;
  transport: TransportOnDemand;
  limiter: Limiter;
  tokens: Tokens;
  secrets: SecretWords;
  apiKey: string | undefined;
}

type Tried = Exchange & { failure: Failure | undefined };

/** Makes the result from the answer's bytes; `anyLost`: the answer to an earlier try of the same call was lost. */
export type Read<T> = (body: Buffer, anyLost: boolean) => T;

/** One call: credential, turn, request, and as many repeats as are safe. */
export class Caller {
  readonly #parts: CallerParts;
  readonly #underWay = new Set<Patience>();

  readonly #stopListening: () => void;
  #closed = false;

  constructor(parts: CallerParts) {
    this.#parts = parts;
    this.#stopListening = onAbort(parts.settings.interrupted, () => {
      for (const patience of this.#underWay) patience.endWaits();
    });
  }

  /**
   * @throws ServiceError
   */
  async call<T>(request: PreparedRequest, read: Read<T>, options: CallOptions = {}): Promise<T> {
    const { settings } = this.#parts;
    if (this.#closed) throw this.#error(request, clientClosed, { hint: "Make a new ServiceClient for further calls." });
    if (request.problem !== undefined) {
      throw this.#error(request, { kind: "invalidRequest", outcome: "notExecuted", problem: request.problem });
    }
    const deadline = options.deadlineSeconds === undefined ? settings.deadline : options.deadlineSeconds * 1000;
    const patience = new Patience(options.signal, deadline);
    // The answer to a refresh may be all there is of the new refresh token: that is waited for, and stored.
    if (request.name !== "refreshToken") this.#underWay.add(patience);
    if (settings.interrupted.aborted) patience.endWaits();
    try {
      const rule = new RepeatRule(request, settings, options.once);
      const answer = await this.#answer(request, patience, rule);
      return this.#read(request, answer, (body) => read(body, rule.anyLost));
    } finally {
      this.#underWay.delete(patience);
      patience.dispose();
    }
  }

  /** Ends the calls under way, but for refreshes, and refuses further ones. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    for (const patience of this.#underWay) patience.end();
  }

  async #answer(request: PreparedRequest, patience: Patience, rule: RepeatRule): Promise<Answer> {
    const { settings, tokens } = this.#parts;
    let askedAgain = false;
    const refused: string[] = [];
    for (;;) {
      if (patience.signal.aborted) throw this.#ended(request, patience, rule);
      const token = request.credential === "bearer" ? await this.#token(request, patience, rule, refused) : undefined;
      const exchange = await this.#exchange(request, token, patience);
      if (exchange === undefined) {
        throw this.#ended(request, patience, rule, this.#noTurn());
      }
      const { failure } = exchange;
      if (failure?.kind !== "credential" && exchange.answer && token !== undefined) tokens.accepted(token);
      if (failure === undefined) {
        if (exchange.answer) return exchange.answer;
        continue;
      }
      const forbidden: boolean =
        failure.perhapsToken === true && !askedAgain && token !== undefined && tokens.mayRenew(token);
      if (token !== undefined && (failure.kind === "credential" || forbidden)) {
        askedAgain ||= forbidden;
        refused.push(token.value);
        tokens.refused(token);
        this.#trace(request, "the access token was refused: looking for another");
        continue;
      }
      // Cut off by the deadline of the whole call, which is no wish of the caller.
      const told: Failure = failure.kind === "aborted" && !patience.endedByCaller ? this.#late(failure) : failure;
      const wait = rule.waitAfter(told, patience.left);
      if (wait === undefined) throw this.#finalError(request, told, rule);
      this.#trace(request, `${told.kind}: again in ${Math.round(wait)} ms`);
      await patience.pause(wait);
      if (settings.interrupted.aborted) {
        throw this.#finalError(request, told, rule, notAgain);
      }
    }
  }

  async #token(
    request: PreparedRequest,
    patience: Patience,
    rule: RepeatRule,
    refused: readonly string[],
  ): Promise<AccessToken> {
    const { tokens } = this.#parts;
    const found = await tokens.get(patience.signal, refused);
    if ("value" in found) return found;
    if (found.kind === "aborted") throw this.#ended(request, patience, rule);
    const { kind, problem, hint } = found;
    throw this.#error(request, { kind, outcome: "notExecuted", problem }, { hint });
  }

  /** Undefined when the call ended before its turn came. */
  async #exchange(
    request: PreparedRequest,
    token: AccessToken | undefined,
    patience: Patience,
  ): Promise<Tried | undefined> {
    const { settings, transport, limiter } = this.#parts;
    const headers = this.#credentialHeaders(request, token);
    transport.prepare();
    if (limiter.pause > patience.left) return undefined;
    const permit = await limiter.acquire(patience.signal, patience.waits).catch(() => undefined);
    if (permit === undefined) return undefined;
    const begun = clock.now();
    let failure: Failure | undefined;
    try {
      const exchange = await transport.exchange({
        method: request.operation.method,
        url: settings.baseUrl + request.path,
        headers,
        json: request.json,
        upload: request.upload,
        freshConnection: !request.mayRepeat || request.operation.handsOut === true,
        timeout: settings.timeout,
        signal: patience.signal,
      });
      this.#log(request, exchange, clock.now() - begun);
      failure = this.#failureOf(request, exchange);
      return { ...exchange, failure };
    } finally {
      if (failure?.kind === "rateLimited") permit.release("limited", failure.retryAfter);
      else permit.release("done");
    }
  }

  #failureOf(request: PreparedRequest, { answer, loss }: Exchange): Failure | undefined {
    if (answer === undefined) return failureOfLoss(loss);
    const { settings, secrets } = this.#parts;
    return failureOfAnswer(answer, {
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

  #read<T>(request: PreparedRequest, answer: Answer, read: (body: Buffer) => T): T {
    try {
      return read(answer.body);
    } catch (error) {
      if (!(error instanceof ContractBreach)) throw error;
      const { status, body } = answer;
      const { message: problem } = error;
      const failure = { kind: "contract", outcome: "unknown", problem, status, requestId: requestIdOf(body) } as const;
      throw this.#error(request, failure);
    }
  }

  /** Why a request did not get its turn. */
  #noTurn(): Failure {
    const { settings, limiter } = this.#parts;
    if (settings.interrupted.aborted) return interruptedInTurn;
    if (limiter.pause === 0) return noTurn;
    const seconds = Math.ceil(limiter.pause / 1000);
    const problem = `not sent: the service asked all requests to wait (Retry-After), and the ${seconds} s that are left go beyond the call's deadline.`;
    return { ...noTurn, problem };
  }

  #late(failure: Failure): Failure {
    const sent = failure.outcome === "unknown";
    return {
      ...failure,
      kind: sent ? "outcomeUnknown" : "unreachable",
      problem: sent
        ? "no answer came before the call's deadline."
        : "the call's deadline passed before this try was sent.",
    };
  }

  #ended(request: PreparedRequest, patience: Patience, rule: RepeatRule, reason = nothingSent): ServiceError {
    if (!patience.endedByCaller) return this.#finalError(request, rule.last ?? reason, rule);
    const problem =
      rule.last === undefined
        ? "the caller ended the call before anything was sent."
        : "the caller ended the call while it waited to try again.";
    return this.#finalError(request, { kind: "aborted", outcome: "notExecuted", problem, repeat: "never" }, rule);
  }

  #finalError(request: PreparedRequest, failure: Failure, rule: RepeatRule, more = ""): ServiceError {
    return this.#error(request, rule.final(failure), { history: `${rule.historyBefore(failure)} ${more}`.trim() });
  }

  #error(request: PreparedRequest, failure: Parameters<typeof errorOf>[1], extras: ErrorExtras = {}): ServiceError {
    const { secrets, settings } = this.#parts;
    return errorOf(request, failure, { ...extras, scrub: secrets.scrub, settingName: settings.settingName });
  }

  #log(request: PreparedRequest, exchange: Exchange, milliseconds: number): void {
    const { settings, secrets } = this.#parts;
    if (settings.logLevel === "silent") return;
    const { name, taskId } = request;
    const status = exchange.answer ? exchange.answer.status : exchange.loss.reason;
    const requestId = exchange.answer ? requestIdOf(exchange.answer.body) : undefined;
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
  problem: "the call's deadline passed before anything was sent.",
  repeat: "never",
};
const noTurn: Failure = {
  ...nothingSent,
  kind: "rateLimited",
  problem:
    "not sent: the call's deadline passed while it waited for its turn among the other requests to this service.",
};

const interruptedInTurn: Failure = {
  ...nothingSent,
  kind: "aborted",
  problem:
    "not sent: the command was interrupted while it waited for its turn among the other requests to this service.",
};
const clientClosed: Failure = { ...nothingSent, kind: "aborted", problem: "not sent: the client is closed." };

const notAgain = "It was not sent again, for the command was interrupted.";

/** For log and errors: found without parsing what may be megabytes, at the beginning or the end of the answer. */
function requestIdOf(body: Buffer): string | undefined {
  const pattern = /"requestId"\s*:\s*"([\w.:-]{1,100})"/;
  const ends = [body.subarray(0, 512), body.subarray(-512)];
  for (const end of ends) {
    const found = pattern.exec(end.toString("latin1"))?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
