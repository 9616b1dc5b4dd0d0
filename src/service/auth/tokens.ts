import { tokenSources } from "../errors/hints";
import { onAbort } from "../http/onAbort";
import type { AccessToken, CredentialSource, CredentialsInUse, NoToken } from "./accessToken";
import { renewalOf } from "./accessToken";
import { runCredentialCommand } from "./credentialCommand";
import type { RefreshParts } from "./refreshChains";
import { RefreshChains } from "./refreshChains";

export interface TokenParts extends Omit<RefreshParts, "isFresh"> {
  accessToken?: string;
  refreshToken?: string;
  credentialCommand?: string;
  /** How errors name an option. */
  settingName: (option: string) => string;
}

/** Milliseconds for which a source that gave a token nobody takes is left alone: a hundred calls must not make a hundred refreshes. */
const restAfterRefusal = 30_000;

/** The access token: sources that give way to each other, renewed in time, by one refresh however many calls wait for it. */
export class Tokens {
  readonly #parts: TokenParts;
  readonly #chains: RefreshChains;
  readonly #refusedTokens = new Set<string>();
  readonly #refusedSources = new Set<CredentialSource>();
  readonly #resting = new Map<CredentialSource, number>();
  #current: AccessToken | undefined;
  #flight: Promise<AccessToken | NoToken> | undefined;

  constructor(parts: TokenParts) {
    this.#parts = parts;
    this.#chains = new RefreshChains({ ...parts, isFresh: (token, refreshAt) => this.#isFresh(token, refreshAt) });
    for (const word of [parts.accessToken, parts.refreshToken]) parts.secrets.add(word);
  }

  /** An aborted caller leaves; the refresh that others wait for goes on, and its result is stored. */
  get(signal: AbortSignal): Promise<AccessToken | NoToken> {
    const current = this.#current;
    if (current !== undefined && this.#isFresh(current.value, current.refreshAt)) return Promise.resolve(current);
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
      this.#rest(token.source);
    }
    if (this.#current?.value === token.value) this.#current = undefined;
  }

  /** Whether it is worth renewing a token that may or may not have been what was refused. */
  mayRenew(token: AccessToken): boolean {
    const { credentialCommand, refreshToken } = this.#parts;
    const old = token.obtainedAt === undefined || Date.now() - token.obtainedAt > restAfterRefusal;
    return old && (credentialCommand !== undefined || refreshToken !== undefined);
  }

  /** Resolves when no refresh is under way, whatever came of it. */
  async settled(): Promise<void> {
    await this.#flight?.catch(() => undefined);
  }

  accepted(token: AccessToken): void {
    token.proven = true;
  }

  /** The error at the end that follows the warning at once: a job that ends well here would fail at its next start. */
  checkStored(): void {
    this.#chains.checkStored();
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
      unstored: this.#chains.unstored,
    };
  }

  #isFresh(accessToken: string, refreshAt: number | undefined): boolean {
    return !this.#refusedTokens.has(accessToken) && (refreshAt === undefined || Date.now() < refreshAt);
  }

  #rest(source: CredentialSource): void {
    this.#refusedSources.add(source);
    this.#resting.set(source, Date.now() + restAfterRefusal);
  }

  #rests(source: CredentialSource): boolean {
    return Date.now() < (this.#resting.get(source) ?? 0);
  }

  async #find(): Promise<AccessToken | NoToken> {
    const found = await this.#firstOf([]);
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

  /** @param tried takes a few words for each source that gave no token */
  async #firstOf(tried: string[]): Promise<AccessToken | NoToken> {
    const { accessToken, refreshToken } = this.#parts;
    const stored = refreshToken === undefined ? undefined : await this.#chains.stored(refreshToken);
    if (stored !== undefined) return stored;
    if (accessToken !== undefined) {
      if (!this.#refusedTokens.has(accessToken)) return { value: accessToken, source: "accessToken", proven: false };
      tried.push("accessToken was refused");
    }
    return (
      (await this.#fromCommand(tried)) ??
      (await this.#fromRefresh(tried)) ??
      (await this.#fromOtherChains()) ??
      this.#nothing(tried)
    );
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
        const obtainedAt = Date.now();
        const refreshAt = expiresAt === undefined ? undefined : renewalOf(obtainedAt, expiresAt);
        return { value: accessToken, source: "credentialCommand", obtainedAt, expiresAt, refreshAt, proven: false };
      }
      this.#refusedSources.add("credentialCommand");
      tried.push("the token of credentialCommand was refused");
    } catch (error) {
      tried.push(`credentialCommand ${error instanceof Error ? error.message : "failed"}`);
    }
    return undefined;
  }

  async #fromRefresh(tried: string[]): Promise<AccessToken | NoToken | undefined> {
    const { refreshToken } = this.#parts;
    if (refreshToken === undefined) return undefined;
    if (this.#rests("refreshToken")) {
      tried.push("refreshToken, or the token that it led to, was refused");
      return undefined;
    }
    const result = await this.#chains.renewed(refreshToken);
    if (result !== "refused") return result;
    this.#rest("refreshToken");
    tried.push("refreshToken was refused, and the token store holds no newer one that is taken");
    return undefined;
  }

  async #fromOtherChains(): Promise<AccessToken | NoToken | undefined> {
    if (this.#rests("storedToken")) return undefined;
    const result = await this.#chains.fromOthers(this.#parts.refreshToken);
    if (result !== "refused") return result;
    this.#rest("storedToken");
    return undefined;
  }

  #nothing(tried: string[]): NoToken {
    if (tried.length === 0) {
      const hint = `Set ${tokenSources(this.#parts.settingName)}.`;
      return { kind: "credential", problem: "not sent: no access token is configured.", hint };
    }
    const rotated = this.#refusedSources.has("refreshToken");
    return {
      kind: "credential",
      problem: `no access token is taken by the service: ${tried.join("; ")}.`,
      hint: rotated
        ? "A refresh token is usually refused because it was rotated elsewhere (another machine, job or token store used it): set a newly issued one, and keep the token store between runs, or share it."
        : `Set a valid ${tokenSources(this.#parts.settingName)}.`,
    };
  }
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
    const stopListening = onAbort(signal, leave);
    flight.then(resolve, reject).finally(stopListening);
  });
}
