import type { NewTokens } from "../contract/answers";
import { isServiceError } from "../errors/errors";
import type { AccessToken, CredentialSource, NoToken } from "./accessToken";
import { chainOf, tokenOf } from "./accessToken";
import type { SecretWords } from "./secretWords";
import type { Chain, TokenStore } from "./tokenStore";

export interface RefreshParts {
  store: TokenStore;
  secrets: SecretWords;
  warn: (message: string) => void;
  /** The operation `refreshToken` of the service. */
  refresh: (refreshToken: string) => Promise<NewTokens>;
  /** Whether an access token may still be used: neither refused nor due for renewal. */
  isFresh: (accessToken: string, refreshAt: number | undefined) => boolean;
}

/** The refresh tokens of the store and what they lead to. Whatever rotates is stored before it is used. */
export class RefreshChains {
  readonly #parts: RefreshParts;
  /** The newest chain that this process made, where it could not be stored. */
  #unstored: Chain | undefined;

  constructor(parts: RefreshParts) {
    this.#parts = parts;
  }

  get unstored(): boolean {
    return this.#unstored !== undefined;
  }

  /** The access token that the chain of this start token already has. */
  async stored(startToken: string): Promise<AccessToken | undefined> {
    return this.#usable(await this.#chain(startToken), "storedToken");
  }

  /** A new access token from the chain of this start token: under the lock, so that one process refreshes for all. */
  renewed(startToken: string): Promise<AccessToken | NoToken | "refused"> {
    return this.#underLock(async () => {
      const refusedHere: string[] = [];
      // A refusal has the store read once more: on machines that share it without locks, another one may have been quicker.
      for (let round = 0; round < 3; round += 1) {
        const chain = await this.#chain(startToken);
        const renewed = this.#usable(chain, "storedToken");
        if (renewed !== undefined) return renewed;
        // The start token comes second: some services go on taking it.
        const next = [chain?.refreshToken, startToken].find(
          (token) => token !== undefined && !refusedHere.includes(token),
        );
        if (next === undefined) break;
        const result = await this.#refreshWith(next, { startToken });
        if (result !== "refused") return result;
        refusedHere.push(next);
      }
      return "refused";
    });
  }

  /**
   * From the newest chain that began with another start token: the configuration may be an older one than the newest that this profile was
   * used with.
   */
  async fromOthers(startToken: string | undefined): Promise<AccessToken | NoToken | "refused" | undefined> {
    const { store, warn } = this.#parts;
    const newest = async () => (await store.otherChains(startToken))[0];
    const chain = await newest();
    if (chain === undefined) return undefined;
    const told =
      "The configured credentials were refused; the newest stored token of this service and profile is used instead.";
    const stored = this.#usable(chain, "storedToken");
    if (stored !== undefined) {
      warn(told);
      return stored;
    }
    // Rotating is left to those who configure a refresh token: previews, for one, must not.
    if (startToken === undefined) return undefined;
    const result = await this.#underLock(async () => {
      const now = (await newest()) ?? chain;
      return this.#usable(now, "storedToken") ?? this.#refreshWith(now.refreshToken, { replaces: now.refreshToken });
    });
    if (result !== "refused") warn(told);
    return result;
  }

  /** @throws Error when a rotated refresh token is lost with this process */
  checkStored(): void {
    if (this.#unstored === undefined) return;
    throw new Error(
      `The newest refresh token could not be stored in ${this.#parts.store.file} and is lost now: set a newly issued refreshToken, and a tokenStore that can be written.`,
    );
  }

  async #chain(startToken: string): Promise<Chain | undefined> {
    return this.#unstored ?? (await this.#parts.store.chain(startToken));
  }

  #usable(chain: Chain | undefined, source: CredentialSource): AccessToken | undefined {
    if (chain === undefined || !this.#parts.isFresh(chain.accessToken, chain.refreshAt)) return undefined;
    return tokenOf(chain, source);
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

  async #refreshWith(
    refreshToken: string,
    place: { startToken: string } | { replaces: string },
  ): Promise<AccessToken | NoToken | "refused"> {
    const { secrets } = this.#parts;
    secrets.add(refreshToken);
    let pair: NewTokens;
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
    await this.#save(chain, place);
    return tokenOf(chain, "refreshToken");
  }

  async #save(chain: Chain, place: { startToken: string } | { replaces: string }): Promise<void> {
    const { store, warn } = this.#parts;
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
  }
}
