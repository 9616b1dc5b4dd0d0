import { isStoreAddress } from "../../store/storeAddress";
import { onAbort } from "../../system/onAbort";
import { tokenSources } from "../errors/errorText";
import type { Failure } from "../errors/failures";
import type { AccessToken, CredentialSource, CredentialsInUse, NothingFound, TokenLookup } from "./accessToken";
import { NoToken } from "./accessToken";
import { runCredentialCommand } from "./credentialCommand";
import { SharedTokens } from "./sharedTokens";
import type { TokenKeeper, TokenParts } from "./tokenExchange";
import { TokenRefresh } from "./tokenRefresh";

/**
 * Milliseconds before a source with a refused token is tried again, so that a hundred calls do not make a hundred
 * refreshes.
 */
const restAfterRefusal = 30_000;

/**
 * The access token of a client. The first source with a token provides it. One refresh renews it in time, for all calls
 * that wait for it.
 */
export class Tokens {
  readonly #parts: TokenParts;
  readonly #refresh: TokenKeeper;
  /** Accepted at least once. */
  readonly #proven = new Set<string>();
  /** Refused, and not accepted since. */
  readonly #refused = new Set<string>();
  /** The sources that cost a refresh or a process, while they rest. */
  readonly #resting = new Map<CredentialSource, { until: number; why: NothingFound }>();
  /** The newest token. It stays when it is refused: see {@link #onceMore}. */
  #current: AccessToken | undefined;
  #flight: Promise<AccessToken> | undefined;

  constructor(parts: TokenParts) {
    this.#parts = parts;
    const Keeper = isStoreAddress(parts.settings.tokenStore) ? SharedTokens : TokenRefresh;
    this.#refresh = new Keeper(parts, (token) => this.#isGood(token));
    for (const word of [parts.options.accessToken, parts.options.refreshToken]) parts.secrets.add(word);
  }

  /**
   * An aborted call ends. The refresh continues for other callers, and its result is stored.
   * @param refusedByCall the tokens with which the service refused this very call
   * @param mayStandIn whether tokens that may belong to another account can be used
   * @throws NoToken
   */
  async get(signal: AbortSignal, refusedByCall: readonly string[] = [], mayStandIn = false): Promise<AccessToken> {
    const token = await this.#get(signal, refusedByCall);
    if (token.isStandIn !== true || mayStandIn) return token;
    const name = this.#parts.settings.settingName("refreshToken");
    throw new NoToken(
      "credential",
      `not sent: ${name} was refused. The token store ${this.#refresh.file} holds later tokens of this profile, which may belong to another account: nothing is copied or started with them.`,
      `Set ${name} to a newly issued one, and run "pulumi up".`,
    );
  }

  async #get(signal: AbortSignal, refusedByCall: readonly string[]): Promise<AccessToken> {
    const current = this.#current;
    if (current !== undefined && this.#isGood(current)) return current;
    this.#flight ??= this.#find().finally(() => {
      this.#flight = undefined;
    });
    try {
      return await orAborted(this.#flight, signal);
    } catch (error) {
      const isCredential = error instanceof NoToken && error.kind === "credential";
      const again = isCredential ? this.#onceMore(refusedByCall) : undefined;
      if (again === undefined) throw error;
      return again;
    }
  }

  /**
   * Exchanges the newest refresh token now, also where the access token is good, and stores the result.
   * @throws NoToken
   */
  async renew(): Promise<void> {
    await this.settled();
    const found = await this.#refresh.renewed(true);
    if (found !== undefined && "value" in found) {
      this.#current = found;
      return;
    }
    const { reason, hint = `Set ${this.#parts.settings.settingName("refreshToken")}.` } = found ?? {};
    const nowhere = "No refresh token is configured, and the token store has none.";
    throw new NoToken("credential", reason === undefined ? nowhere : `No new token: ${reason}.`, hint);
  }

  /**
   * Notes whether the service accepted a token.
   * @param failure what the response to a request with the token means
   * @param refusedByCall the tokens with which the service refused the same call before
   * @returns whether another token may help
   */
  isRefused(token: AccessToken, failure: Failure | undefined, refusedByCall: readonly string[]): boolean {
    if (failure?.kind === "credential") {
      this.#refuse(token);
      return true;
    }
    this.#accept(token);
    // A 403 without a code: either the account lacks the permission, or the access token has expired.
    const mayBeExpired = failure?.perhapsToken === true && refusedByCall.length === 0 && this.#mayRenew(token);
    if (mayBeExpired) this.#refuse(token);
    return mayBeExpired;
  }

  /** Resolves when no refresh is in progress, whether it failed or not. */
  async settled(): Promise<void> {
    await this.#flight?.catch(() => undefined);
  }

  /** Whether the process, if it ended now, could lose the only valid refresh token. */
  get isExchanging(): boolean {
    return this.#refresh.isExchanging;
  }

  /**
   * A warning was shown before. Without this error at the end, a job would succeed now and fail at its next start.
   * @throws Error when a rotated refresh token is lost with this process
   */
  checkStored(): void {
    const { file, hasUnstored } = this.#refresh;
    if (!hasUnstored) return;
    throw new Error(
      `The newest refresh token could not be stored in ${file} and is lost now. Set a newly issued refreshToken, and a tokenStore that is writable.`,
    );
  }

  describe(): CredentialsInUse {
    const { options } = this.#parts;
    const configured = (["accessToken", "credentialCommand", "refreshToken"] as const).filter((name) => options[name]);
    const current = this.#current !== undefined && !this.#refused.has(this.#current.value) ? this.#current : undefined;
    return {
      source: current?.source ?? configured[0] ?? "none",
      apiKey: options.apiKey !== undefined,
      expires: current?.expiresAt === undefined ? undefined : new Date(current.expiresAt).toISOString(),
      standIn: current?.isStandIn === true,
      unstored: this.#refresh.hasUnstored,
    };
  }

  #isGood({ value, refreshAt = Number.POSITIVE_INFINITY }: AccessToken): boolean {
    return !this.#refused.has(value) && Date.now() < refreshAt;
  }

  #refuse({ value, source }: AccessToken): void {
    const isNew = !this.#refused.has(value) && !this.#proven.has(value);
    this.#refused.add(value);
    // The service refused a new token at once, so it would refuse the next token of this source too. A call that sends
    // the old token once more does not make the rest longer.
    if (isNew && (source === "credentialCommand" || source === "refreshToken")) {
      this.#rest(source, {
        reason: `the new access token from ${this.#parts.settings.settingName(source)} was refused`,
      });
    }
  }

  #accept({ value, isStandIn }: AccessToken): void {
    if (isStandIn === true && !this.#proven.has(value)) {
      this.#parts.settings.warn(
        `The configured refresh token was refused. The token store ${this.#refresh.file} holds tokens of a refresh token that this profile used later; they are used instead, but to copy or start nothing.`,
      );
    }
    this.#proven.add(value);
    this.#refused.delete(value);
  }

  #mayRenew({ obtainedAt }: AccessToken): boolean {
    const { credentialCommand, refreshToken } = this.#parts.options;
    const isOld = obtainedAt === undefined || Date.now() - obtainedAt > restAfterRefusal;
    return isOld && (credentialCommand !== undefined || refreshToken !== undefined);
  }

  /**
   * The refused token, once for each call, if no source has another: the refusal can come from a gateway, or from one
   * endpoint only. If the service accepted the token from other calls, a call tries it twice.
   */
  #onceMore(refusedByCall: readonly string[]): AccessToken | undefined {
    const last = this.#current;
    if (last === undefined || !this.#refused.has(last.value) || !isAlive(last)) return undefined;
    const tries = refusedByCall.filter((value) => value === last.value).length;
    return tries < (this.#proven.has(last.value) ? 2 : 1) ? last : undefined;
  }

  async #find(): Promise<AccessToken> {
    const { options, secrets } = this.#parts;
    const sources = [
      () => this.#refresh.stored(),
      () => this.#configured(options.accessToken),
      () => this.#unlessResting("credentialCommand", () => this.#command(options.credentialCommand)),
      () => this.#unlessResting("refreshToken", () => this.#refresh.renewed()),
    ];
    try {
      const token = await this.#firstOf(sources);
      secrets.add(token.value);
      this.#current = token;
      return token;
    } catch (error) {
      const current = this.#current;
      if (current?.expiresAt === undefined || !isAlive(current) || this.#refused.has(current.value)) throw error;
      // The renewal failed before the token expired: it is used further, and renewal is tried again a little later.
      this.#current = { ...current, refreshAt: Math.min(current.expiresAt, Date.now() + restAfterRefusal) };
      return this.#current;
    }
  }

  /** @throws NoToken that says why each configured source has no token */
  async #firstOf(sources: readonly (() => Promise<TokenLookup>)[]): Promise<AccessToken> {
    const failed: NothingFound[] = [];
    for (const find of sources) {
      const found = await find().catch((error: unknown) => {
        throw error instanceof NoToken ? withReasons(error, failed) : error;
      });
      if (found === undefined) continue;
      if ("value" in found) return found;
      failed.push(found);
    }
    const { options, settings } = this.#parts;
    const isConfigured = [options.accessToken, options.credentialCommand, options.refreshToken].some(Boolean);
    const reasons = failed.map(({ reason }) => reason);
    const hints = failed.flatMap(({ hint }) => hint ?? []);
    const { settingName } = settings;
    if (!isConfigured) {
      const key = options.apiKey === undefined ? `${settingName("apiKey")}, and ` : "";
      const toKey = `If the service takes an API key for all operations, set ${key}${settingName("credentials")} to apiKey.`;
      hints.unshift(toKey, `Otherwise, set ${tokenSources(settingName)}.`);
    } else if (hints.length === 0) {
      hints.push(`Set a valid ${tokenSources(settingName)}.`);
    }
    // A command that fails, or a store that cannot be read, says nothing about the service.
    const isRefused = this.#refused.size > 0 || failed.some(({ refused }) => refused === true);
    const problem =
      isConfigured && isRefused
        ? `The service accepts no access token: ${reasons.join("; ")}.`
        : `not sent: ${[`no access token ${isConfigured ? "could be had" : "is configured"}`, ...reasons].join("; ")}.`;
    throw new NoToken("credential", problem, hints.join(" "));
  }

  #rest(source: CredentialSource, why: NothingFound): void {
    this.#resting.set(source, { until: Date.now() + restAfterRefusal, why });
  }

  async #unlessResting(source: CredentialSource, find: () => Promise<TokenLookup>): Promise<TokenLookup> {
    const rest = this.#resting.get(source);
    if (rest !== undefined && Date.now() < rest.until) return rest.why;
    const found = await find();
    if (found !== undefined && "refused" in found) this.#rest(source, found);
    return found;
  }

  async #configured(value: string | undefined): Promise<TokenLookup> {
    if (value === undefined) return undefined;
    if (!this.#refused.has(value)) return { value, source: "accessToken" };
    return { reason: `${this.#parts.settings.settingName("accessToken")} was refused` };
  }

  async #command(command: string | undefined): Promise<TokenLookup> {
    if (command === undefined) return undefined;
    const { settings } = this.#parts;
    const name = settings.settingName("credentialCommand");
    try {
      const token = await runCredentialCommand(command, settings.interrupted);
      return this.#refused.has(token.value) ? { refused: true, reason: `the token of ${name} was refused` } : token;
    } catch (error) {
      return { reason: `${name} ${error instanceof Error ? error.message : "failed"}` };
    }
  }
}

/** The error of the last source, with what other sources lacked. */
function withReasons({ kind, problem, hint }: NoToken, failed: readonly NothingFound[]): NoToken {
  const reasons = failed.flatMap(({ reason }) => (problem.includes(reason) ? [] : `${reason}; `)).join("");
  return new NoToken(kind, problem.replace(/^not sent: /, `not sent: ${reasons.replaceAll("$", "$$$$")}`), hint);
}

function isAlive({ expiresAt }: AccessToken): boolean {
  return expiresAt === undefined || Date.now() < expiresAt;
}

function orAborted(flight: Promise<AccessToken>, signal: AbortSignal): Promise<AccessToken> {
  return new Promise((resolve, reject) => {
    const problem = "the call ended while it waited for an access token.";
    const leave = (): void => reject(new NoToken("aborted", problem, "Nothing happened at the service."));
    const stopListening = onAbort(signal, leave);
    if (signal.aborted) leave();
    flight.then(resolve, reject).finally(stopListening);
  });
}
