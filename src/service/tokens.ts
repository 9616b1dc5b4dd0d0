import { runCredentialCommand } from "./credentialCommand";
import type { ServiceErrorKind } from "./errors";
import { isServiceError } from "./errors";
import type { SecretWords } from "./secretWords";
import type { Chain, TokenStore } from "./tokenStore";
import type { TokenPair } from "./types";

/** Where an access token comes from, in the order in which they are tried. */
export type CredentialSource = "storedToken" | "accessToken" | "credentialCommand" | "refreshToken" | "none";

/** Which credentials are in use, without their values. */
export interface CredentialsInUse {
  /** Source of the access token in use, or of the one that the next call tries first. */
  source: CredentialSource;
  /** The sources that were refused so far. */
  refused: CredentialSource[];
  /** Whether an API key is configured. */
  apiKey: boolean;
  /** End of the access token's life as an ISO date, where it is known. */
  expires?: string;
  /** True when a rotated refresh token could not be stored: it is lost with this process. */
  unstored: boolean;
}

export interface AccessToken {
  readonly value: string;
  readonly source: CredentialSource;
  /** Milliseconds since 1970; absent where nobody knows. */
  readonly obtainedAt?: number;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Milliseconds since 1970: from here on a newer one is looked for. */
  refreshAt?: number;
  /** Whether the service has taken it at least once. */
  proven: boolean;
}

/** Why there is no access token. */
export interface NoToken {
  kind: ServiceErrorKind;
  problem: string;
  hint: string;
}

export interface TokenParts {
  accessToken?: string;
  refreshToken?: string;
  credentialCommand?: string;
  store: TokenStore;
  secrets: SecretWords;
  warn: (message: string) => void;
  /** The operation `refreshToken` of the service. */
  refresh: (refreshToken: string) => Promise<TokenPair>;
}

/** Milliseconds before its end that a token is renewed; half of its life where that is shorter. */
const renewBefore = 300_000;
/** Milliseconds for which a source that gave a token nobody takes is left alone: a hundred calls must not make a hundred refreshes. */
const restAfterRefusal = 30_000;

/** The access token: sources that give way to each other, renewed in time, by one refresh however many calls wait for it. */
export class Tokens {
  readonly #parts: TokenParts;
  readonly #refusedTokens = new Set<string>();
  readonly #refusedSources = new Set<CredentialSource>();
  readonly #resting = new Map<CredentialSource, number>();
  #current: AccessToken | undefined;
  #flight: Promise<AccessToken | NoToken> | undefined;
  /** The newest chain that this process made, in case it could not be stored. */
  #unstored: Chain | undefined;

  constructor(parts: TokenParts) {
    this.#parts = parts;
    for (const word of [parts.accessToken, parts.refreshToken]) parts.secrets.add(word);
  }

  /** Never rejects. An aborted caller leaves; the refresh that others wait for goes on, and its result is stored. */
  get(signal: AbortSignal): Promise<AccessToken | NoToken> {
    const current = this.#current;
    if (current !== undefined && this.#fresh(current)) return Promise.resolve(current);
    this.#flight ??= this.#find().finally(() => {
      this.#flight = undefined;
    });
    return orAborted(this.#flight, signal);
  }

  /** The service refused this token: the next {@link get} looks for another. */
  refused(token: AccessToken): void {
    this.#refusedTokens.add(token.value);
    if (token.source === "accessToken") this.#refusedSources.add(token.source);
    // A token just obtained and refused at once: the next one of that source would fare no better.
    if (!token.proven && (token.source === "refreshToken" || token.source === "credentialCommand")) {
      this.#refusedSources.add(token.source);
      this.#resting.set(token.source, Date.now() + restAfterRefusal);
    }
    if (this.#current?.value === token.value) this.#current = undefined;
  }

  /** Whether it is worth renewing a token that may or may not have been what was refused. */
  mayRenew(token: AccessToken): boolean {
    const { credentialCommand, refreshToken } = this.#parts;
    const old = token.obtainedAt === undefined || Date.now() - token.obtainedAt > restAfterRefusal;
    return old && (credentialCommand !== undefined || refreshToken !== undefined);
  }

  accepted(token: AccessToken): void {
    token.proven = true;
  }

  describe(apiKey: boolean): CredentialsInUse {
    const { accessToken, credentialCommand, refreshToken } = this.#parts;
    const configured: [CredentialSource, string | undefined][] = [
      ["accessToken", accessToken],
      ["credentialCommand", credentialCommand],
      ["refreshToken", refreshToken],
    ];
    const next = configured.find(([source, value]) => value !== undefined && !this.#refusedSources.has(source));
    const { expiresAt } = this.#current ?? {};
    return {
      source: this.#current?.source ?? next?.[0] ?? "none",
      refused: [...this.#refusedSources],
      apiKey,
      expires: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
      unstored: this.#unstored !== undefined,
    };
  }

  /** The error at the end that follows the warning at once: a job that ends well here would fail at its next start. */
  checkStored(): void {
    if (this.#unstored === undefined) return;
    throw new Error(
      `The newest refresh token could not be stored in ${this.#parts.store.file} and is lost now: set a newly issued refreshToken, and a tokenStore that can be written.`,
    );
  }

  #fresh(token: AccessToken | Chain): boolean {
    const value = "value" in token ? token.value : token.accessToken;
    return !this.#refusedTokens.has(value) && (token.refreshAt === undefined || Date.now() < token.refreshAt);
  }

  #rests(source: CredentialSource): boolean {
    return Date.now() < (this.#resting.get(source) ?? 0);
  }

  async #find(): Promise<AccessToken | NoToken> {
    const tried: string[] = [];
    const found = await this.#firstOf(tried);
    if ("value" in found) {
      this.#current = found;
      this.#parts.secrets.add(found.value);
      return found;
    }
    const current = this.#current;
    // Renewal failed before the old one ended: it goes on being used, and renewal is tried again a little later.
    if (current?.expiresAt !== undefined && Date.now() < current.expiresAt && !this.#refusedTokens.has(current.value)) {
      current.refreshAt = Math.min(current.expiresAt, Date.now() + restAfterRefusal);
      return current;
    }
    return found;
  }

  async #firstOf(tried: string[]): Promise<AccessToken | NoToken> {
    const { accessToken, refreshToken, store } = this.#parts;
    if (refreshToken !== undefined) {
      const stored = this.#usable(this.#unstored ?? (await store.chain(refreshToken)));
      if (stored !== undefined) return stored;
    }
    if (accessToken !== undefined) {
      if (!this.#refusedTokens.has(accessToken)) return { value: accessToken, source: "accessToken", proven: false };
      tried.push("accessToken was refused");
    }
    const fromCommand = await this.#fromCommand(tried);
    if (fromCommand !== undefined) return fromCommand;
    if (refreshToken !== undefined) {
      const fromRefresh = await this.#fromRefresh(refreshToken, tried);
      if (fromRefresh !== undefined) return fromRefresh;
    }
    const other = await this.#fromOtherChains();
    return other ?? this.#nothing(tried);
  }

  #usable(chain: Chain | undefined): AccessToken | undefined {
    if (chain === undefined || !this.#fresh(chain)) return undefined;
    return tokenOf(chain, "storedToken");
  }

  async #fromCommand(tried: string[]): Promise<AccessToken | undefined> {
    const command = this.#parts.credentialCommand;
    if (command === undefined) return undefined;
    if (this.#rests("credentialCommand")) {
      tried.push("the token of credentialCommand was refused");
      return undefined;
    }
    try {
      const { accessToken, expiresAt } = await runCredentialCommand(command);
      this.#parts.secrets.add(accessToken);
      if (!this.#refusedTokens.has(accessToken)) {
        const refreshAt = expiresAt === undefined ? undefined : renewalOf(Date.now(), expiresAt);
        const obtainedAt = Date.now();
        return { value: accessToken, source: "credentialCommand", obtainedAt, expiresAt, refreshAt, proven: false };
      }
      this.#refusedSources.add("credentialCommand");
      tried.push("the token of credentialCommand was refused");
    } catch (error) {
      tried.push(`credentialCommand ${error instanceof Error ? error.message : "failed"}`);
    }
    return undefined;
  }

  async #fromRefresh(startToken: string, tried: string[]): Promise<AccessToken | NoToken | undefined> {
    if (this.#rests("refreshToken")) {
      tried.push("the token that a refresh gave was refused");
      return undefined;
    }
    return this.#underLock(() => this.#refreshChain(startToken, tried));
  }

  /** Where no lock can be had the work is done all the same: a read-only home must not keep anybody from working. */
  async #underLock<T>(work: () => Promise<T>): Promise<T> {
    const { store, warn } = this.#parts;
    let begun = false;
    try {
      return await store.locked(() => {
        begun = true;
        return work();
      });
    } catch (error) {
      if (begun) throw error;
      warn(
        `The token store ${store.file} cannot be locked: processes that share this refresh token may spoil it for each other.`,
      );
      return work();
    }
  }

  /** Under the lock: the newest refresh token of the chain, then the start token, which some services go on taking. */
  async #refreshChain(startToken: string, tried: string[]): Promise<AccessToken | NoToken | undefined> {
    const { store } = this.#parts;
    const refusedHere: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const chain = this.#unstored ?? (await store.chain(startToken));
      // Another process may have been quicker.
      const renewed = this.#usable(chain);
      if (renewed !== undefined) return renewed;
      const candidates = [chain?.refreshToken, startToken];
      const next = candidates.find((token) => token !== undefined && !refusedHere.includes(token));
      if (next === undefined) break;
      const result = await this.#refreshWith(next, { startToken });
      if (result !== "refused") return result;
      refusedHere.push(next);
    }
    this.#refusedSources.add("refreshToken");
    this.#resting.set("refreshToken", Date.now() + restAfterRefusal);
    tried.push("refreshToken was refused, and the token store holds no newer one that is taken");
    return undefined;
  }

  /** The configuration may be an older one than the newest that this profile was used with. */
  async #fromOtherChains(): Promise<AccessToken | NoToken | undefined> {
    const { store, refreshToken, warn } = this.#parts;
    const newest = async () => (await store.otherChains(refreshToken))[0];
    const chain = await newest();
    if (chain === undefined || this.#rests("storedToken")) return undefined;
    const told =
      "The configured credentials were refused; the newest stored token of this service and profile is used instead.";
    const stored = this.#usable(chain);
    if (stored !== undefined) {
      warn(told);
      return stored;
    }
    // Rotating is left to those who configure a refresh token: previews, for one, must not.
    if (refreshToken === undefined) return undefined;
    const result = await this.#underLock(async () => {
      const now = (await newest()) ?? chain;
      return this.#usable(now) ?? this.#refreshWith(now.refreshToken, { replaces: now.refreshToken });
    });
    if (result !== "refused") {
      warn(told);
      return result;
    }
    this.#resting.set("storedToken", Date.now() + restAfterRefusal);
    return undefined;
  }

  async #refreshWith(
    refreshToken: string,
    place: { startToken: string } | { replaces: string },
  ): Promise<AccessToken | NoToken | "refused"> {
    const { secrets, store, warn } = this.#parts;
    secrets.add(refreshToken);
    let pair: TokenPair;
    try {
      pair = await this.#parts.refresh(refreshToken);
    } catch (error) {
      if (isServiceError(error, "credential", "refused")) return "refused";
      if (!isServiceError(error)) throw error;
      const kind = error.kind === "unreachable" ? "unreachable" : "credential";
      return { kind, problem: `not sent: no access token, because the refresh failed. ${error.message}`, hint: "" };
    }
    secrets.add(pair.access_token);
    secrets.add(pair.refresh_token);
    const chain = chainOf(pair, Date.now());
    try {
      await store.save(chain, place);
      this.#unstored = undefined;
    } catch (error) {
      this.#unstored = chain;
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
      warn(
        `The refresh token was replaced by the service, and the new one could not be stored in ${store.file} (${code}). It is lost when this process ends: make the folder writable, or set tokenStore to one that is.`,
      );
    }
    return tokenOf(chain, "refreshToken");
  }

  #nothing(tried: string[]): NoToken {
    if (tried.length === 0) {
      const hint = "Set accessToken, refreshToken or credentialCommand.";
      return { kind: "credential", problem: "not sent: no access token is configured.", hint };
    }
    const rotated = this.#refusedSources.has("refreshToken");
    return {
      kind: "credential",
      problem: `no access token is taken by the service: ${tried.join("; ")}.`,
      hint: rotated
        ? "A refresh token is usually refused because it was rotated elsewhere (another machine, job or token store used it): set a newly issued one, or share the token store."
        : "Set a valid accessToken, refreshToken or credentialCommand.",
    };
  }
}

function tokenOf(chain: Chain, source: CredentialSource): AccessToken {
  const { accessToken: value, updatedAt: obtainedAt, expiresAt, refreshAt } = chain;
  return { value, source, obtainedAt, expiresAt, refreshAt, proven: false };
}

function chainOf(pair: TokenPair, now: number): Chain {
  const lifetime = Number(pair.expires_in) * 1000;
  const known = Number.isFinite(lifetime) && lifetime > 0;
  const expiresAt = known ? now + lifetime : undefined;
  return {
    refreshToken: pair.refresh_token,
    accessToken: pair.access_token,
    expiresAt,
    refreshAt: expiresAt === undefined ? undefined : renewalOf(now, expiresAt),
    updatedAt: now,
  };
}

function renewalOf(now: number, expiresAt: number): number {
  return expiresAt - Math.min(renewBefore, (expiresAt - now) / 2);
}

function orAborted(flight: Promise<AccessToken | NoToken>, signal: AbortSignal): Promise<AccessToken | NoToken> {
  const left: NoToken = {
    kind: "aborted",
    problem: "the call ended while it waited for an access token.",
    hint: "Nothing happened at the service.",
  };
  return new Promise((resolve, reject) => {
    const leave = () => resolve(left);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    flight.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
