import type { AccessToken } from "./auth/accessToken";
import type { ClientParts } from "./clientParts";
import { clientParts } from "./clientParts";
import type { OperationName } from "./contract/operations";
import { operations } from "./contract/operations";
import type { PreparedRequest } from "./contract/requests";
import type { ServiceError } from "./errors/errors";
import { errorOf } from "./errors/errorText";
import type { Failure } from "./errors/failures";
import type { Attempt } from "./http/requestSender";
import type { ServiceClientOptions } from "./options";

/** A request that does not have to follow the contract: fields may be missing, and the path may be another one. */
export interface RawRequest {
  readonly operation: OperationName;
  /** Default: that of the operation. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly json?: unknown;
  /** `own`: the credential that the settings choose. `madeUp`: an invented access token. */
  readonly credential: "own" | "apiKey" | "madeUp" | "none";
}

/** One attempt at a request. */
export type RawAttempt = Attempt & {
  /** The service refused the client's own access token. The next attempt uses another one. */
  readonly tokenRefused: boolean;
};

const madeUpToken: AccessToken = { value: "webextract-probe-no-such-token", source: "none" };

/**
 * Sends single requests over the same connection as a `ServiceClient`, and returns each response as it came: for a look at how the service
 * behaves. Obeys the limits of the settings. Repeats nothing.
 */
export class RawClient {
  readonly #parts: ClientParts;
  readonly #signal: AbortSignal;
  /** Since the service accepted a token. */
  #refused: string[] = [];
  #askedAgain = false;

  constructor(options: ServiceClientOptions) {
    this.#parts = clientParts(options);
    this.#signal = this.#parts.settings.interrupted;
  }

  /** @throws ServiceError if no request could be sent, for example because the service accepts no access token */
  async attempt(request: RawRequest): Promise<RawAttempt> {
    const { sender, tokens } = this.#parts;
    const prepared = this.#prepared(request);
    const token = request.credential === "madeUp" ? madeUpToken : await this.#ownToken(prepared);
    const tried = await sender.attempt(prepared, token, this.#signal);
    if (token === undefined || token === madeUpToken) return { ...tried, tokenRefused: false };
    const { failure } = tried;
    if (failure?.kind !== "credential" && tried.response) tokens.accepted(token);
    const isForbidden = failure?.perhapsToken === true && !this.#askedAgain && tokens.mayRenew(token);
    const tokenRefused = failure?.kind === "credential" || isForbidden;
    if (tokenRefused) {
      this.#askedAgain ||= isForbidden;
      this.#refused.push(token.value);
      tokens.refused(token);
    } else {
      this.#refused = [];
    }
    return { ...tried, tokenRefused };
  }

  /** The error of a call that ends with this failure. */
  errorOf(request: RawRequest, failure: Failure): ServiceError {
    return this.#error(this.#prepared(request), failure);
  }

  /** See `clockAhead` of the client. */
  get clockAhead(): number | undefined {
    return this.#parts.sender.clockAhead;
  }

  /** See `tokensSettled` of the client. */
  async tokensSettled(): Promise<void> {
    await this.#parts.tokens.settled();
  }

  /** See `isRefreshing` of the client. */
  get isRefreshing(): boolean {
    return this.#parts.tokens.isExchanging;
  }

  /** See `close` of the client. */
  close(): void {
    this.#parts.close();
  }

  async #ownToken(request: PreparedRequest): Promise<AccessToken | undefined> {
    if (request.credential !== "bearer") return undefined;
    const found = await this.#parts.tokens.get(this.#signal, this.#refused);
    if ("value" in found) return found;
    const { kind, problem, hint } = found;
    throw this.#error(request, { kind, outcome: "notExecuted", problem }, hint);
  }

  #error(request: PreparedRequest, failure: Parameters<typeof errorOf>[1], hint?: string): ServiceError {
    const { secrets, settings } = this.#parts;
    return errorOf(request, failure, { hint, scrub: secrets.scrub, settingName: settings.settingName });
  }

  #prepared({ operation: name, path, query = {}, json, credential }: RawRequest): PreparedRequest {
    const operation = operations[name];
    const fields = Object.entries(query).map(([field, value]) => `${field}=${encodeURIComponent(value)}`);
    return {
      name,
      operation,
      credential: this.#credentialOf(name, credential),
      path: `${path ?? operation.path}${fields.length === 0 ? "" : `?${fields.join("&")}`}`,
      json: json === undefined ? undefined : JSON.stringify(json),
      mayRepeat: true,
      taskId: typeof query.taskId === "string" ? query.taskId : undefined,
    };
  }

  #credentialOf(name: OperationName, credential: RawRequest["credential"]): PreparedRequest["credential"] {
    switch (credential) {
      case "own": {
        const { credentials } = this.#parts.settings;
        return credentials === "contract" ? operations[name].credential : credentials;
      }
      case "madeUp":
        return "bearer";
      default:
        return credential;
    }
  }
}
