import { dirname } from "node:path";
import { codeOf } from "../../system/privateFile";
import type { AccessToken, NothingFound, TokenLookup } from "./accessToken";
import { NoToken } from "./accessToken";
import { requireNoFormerTokens } from "./formerStore";
import type { TokenKeeper, TokenParts } from "./tokenExchange";
import { exchanged, newAccessToken, storedAccessToken } from "./tokenExchange";
import type { Families, TokenFamily } from "./tokenStore";
import { ownFamily, TokenStore, TokenStoreError } from "./tokenStore";

/**
 * What a full disk reports. A store that can never be written, such as that of a read-only home folder, blocks no work
 * of the provider.
 */
const fullDisk = ["ENOSPC", "EDQUOT", "EFBIG"];

/**
 * The sources of access tokens that use the token store in a folder. A rotated refresh token is stored before the access token
 * beside it is used. docs/explanation/credentials.md describes which family is used.
 */
export class TokenRefresh implements TokenKeeper {
  isExchanging = false;
  readonly #store: TokenStore;
  readonly #parts: TokenParts;
  readonly #isGood: (token: AccessToken) => boolean;

  /** @param isGood whether an access token can be used: neither refused nor due for renewal */
  constructor(parts: TokenParts, isGood: (token: AccessToken) => boolean) {
    this.#parts = parts;
    this.#isGood = isGood;
    this.#store = new TokenStore(parts.settings);
  }

  get file(): string {
    return this.#store.file;
  }

  get hasUnstored(): boolean {
    return this.#store.hasUnstored;
  }

  async stored(): Promise<TokenLookup> {
    try {
      return this.#goodTokenOf((await this.#families()).own);
    } catch (error) {
      if (!(error instanceof TokenStoreError)) throw error;
      return { reason: error.message };
    }
  }

  /**
   * A new access token of the own family, or one of the stand-in. One process at a time refreshes, under the lock, and
   * the others use its tokens.
   */
  async renewed(always = false): Promise<TokenLookup> {
    try {
      const { own, others } = await this.#families();
      if (this.#parts.options.refreshToken === undefined && own === undefined) {
        return others.length > 0 ? this.#notUsed() : undefined;
      }
      return await this.#store.locked(() => this.#firstAccepted(always));
    } catch (error) {
      if (!(error instanceof TokenStoreError)) throw error;
      throw new NoToken("credential", `not sent: ${error.message}.`, error.hint);
    }
  }

  async #families(): Promise<Families> {
    const { options } = this.#parts;
    const families = await this.#store.families(options.refreshToken);
    return { ...families, own: ownFamily(families, options) };
  }

  async #firstAccepted(always: boolean): Promise<TokenLookup> {
    const refused: string[] = [];
    for (;;) {
      // Read again after a refusal, because another machine that shares the store without locks can have refreshed
      // first.
      const families = await this.#families();
      const { own, standIn } = families;
      if (own === undefined) await requireNoFormerTokens(this.#parts);
      const candidates = [
        { family: own, refreshToken: own?.refreshToken },
        // Some services continue to accept the configured token.
        { family: own, refreshToken: this.#parts.options.refreshToken },
        { family: standIn, refreshToken: always ? undefined : standIn?.refreshToken, isStandIn: true },
      ];
      const next = candidates.find(({ refreshToken: sent }) => sent !== undefined && !refused.includes(sent));
      if (next?.refreshToken === undefined) return this.#refused(families);
      const { family, refreshToken, isStandIn } = next;
      const token =
        (always ? undefined : this.#goodTokenOf(family)) ??
        (await this.#exchange(refreshToken, family, always || this.#parts.settings.mustStoreTokens));
      if (token !== undefined) return { ...token, isStandIn };
      refused.push(refreshToken);
    }
  }

  /** Undefined if the service refuses the refresh token. */
  async #exchange(sent: string, before: TokenFamily | undefined, mustStore: boolean): Promise<AccessToken | undefined> {
    const { secrets, options } = this.#parts;
    const store = this.#store;
    secrets.add(sent);
    const code = await store.writeProblem();
    if (code !== undefined && (mustStore || fullDisk.includes(code))) {
      const problem = `not sent: the token store ${store.file} cannot be written (${code}), so the new refresh token would be lost.`;
      const remedy = fullDisk.includes(code) ? "Free space there" : `Make the folder ${dirname(store.file)} writable`;
      const copy = "copy the folder to where it can be written, and set tokenStore to that";
      throw new NoToken("credential", problem, `${remedy}, or ${copy}.`);
    }
    store.warnWithoutLock();
    this.isExchanging = true;
    try {
      const tokens = await exchanged(sent, this.#parts);
      if (tokens === undefined) return undefined;
      const { updatedAt } = tokens;
      const { key = store.keyOf(options.refreshToken ?? ""), beganAt = updatedAt, profiles = [] } = before ?? {};
      await this.#save({ key, ...tokens, beganAt, profiles });
      return newAccessToken(tokens);
    } finally {
      this.isExchanging = false;
    }
  }

  async #save(family: TokenFamily): Promise<void> {
    try {
      await this.#store.save(family, this.#parts.options.refreshToken);
    } catch (error) {
      const why = error instanceof TokenStoreError ? error.message : codeOf(error);
      this.#parts.settings.warn(
        `The service replaced the refresh token, and the new one could not be stored in ${this.#store.file} (${why}). It is lost when this process ends: make the folder writable, or set tokenStore to one that is.`,
      );
    }
  }

  #goodTokenOf(family: TokenFamily | undefined): AccessToken | undefined {
    return family && storedAccessToken(family, this.#isGood);
  }

  #refused({ others, standIn }: Families): NothingFound {
    const name = this.#parts.settings.settingName("refreshToken");
    if (this.#parts.options.refreshToken === undefined) {
      const hint = `Import a newly issued one with "webextract token import", or set ${name}.`;
      return { refused: true, reason: "the stored refresh token was refused", hint };
    }
    const notUsed = others.some((family) => family !== standIn) ? this.#notUsed() : undefined;
    const reason = `${name} was refused, and the token store holds no newer refresh token that is accepted`;
    const hint =
      "A refresh token is usually refused because it was rotated elsewhere (another machine, job or token store used it): set a newly issued one, and keep the token store between runs, or share it.";
    if (notUsed === undefined) return { refused: true, reason, hint };
    return { refused: true, reason: `${reason}; ${notUsed.reason}`, hint: `${hint} ${notUsed.hint}` };
  }

  /** Explains how to use the stored tokens of another credential. */
  #notUsed(): NothingFound {
    const { settingName } = this.#parts.settings;
    return {
      reason: `the token store ${this.#store.file} holds tokens of another credential, which may belong to another account, so they were not used`,
      hint: `To use the stored tokens, set ${settingName("refreshToken")} to the refresh token that they began with, or set only ${settingName("tokenStore")} after "webextract token import".`,
    };
  }
}
