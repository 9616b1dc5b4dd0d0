import type { NewTokens } from "../contract/responses";
import { isServiceError } from "../errors/errors";
import type { Redactor } from "../errors/redactor";
import { codeOf } from "../files/privateFile";
import type { AccessToken, Found } from "./accessToken";
import { isHeaderValue } from "./accessToken";
import type { Configured, StoredFamilies, TokenFamily } from "./tokenFamily";
import { renewedFamily, standInFor, tokenOf } from "./tokenFamily";
import type { FamilyPlace, TokenStore } from "./tokenStore";
import { TokenStoreError } from "./tokenStore";

export interface FamilyParts {
  /** The configured refresh token. */
  refreshToken: string | undefined;
  configured: Configured;
  store: TokenStore;
  secrets: Redactor;
  warn: (message: string) => void;
  /** How errors name an option. */
  settingName: (option: string) => string;
  /** The operation `refreshToken` of the service. */
  refresh: (refreshToken: string) => Promise<NewTokens>;
  /** Whether an access token can be used: neither refused nor due for renewal. */
  isGood: (accessToken: string, refreshAt: number | undefined) => boolean;
}

/** The sources of access tokens that use the token store. A rotated refresh token is stored before the access token beside it is used. */
export class TokenFamilies {
  readonly #parts: FamilyParts;
  /** The newest family of this process, if it could not be stored. */
  #unstored: { family: TokenFamily; place: FamilyPlace } | undefined;

  constructor(parts: FamilyParts) {
    this.#parts = parts;
  }

  get hasUnstored(): boolean {
    return this.#unstored !== undefined;
  }

  /** The stored access token of the configured refresh token's own family. */
  async stored(): Promise<Found> {
    if (this.#parts.refreshToken === undefined) return undefined;
    try {
      const { own } = await this.#families();
      const token = this.#goodTokenOf(own);
      return token && { token };
    } catch (error) {
      return { reason: storeProblem(error) };
    }
  }

  /**
   * A new access token of the configured refresh token's own family. One process at a time refreshes, under the lock, and the others use
   * its tokens.
   * @param always refreshes although the stored access token is good
   */
  async renewed(always = false): Promise<Found> {
    const { refreshToken: startToken, settingName } = this.#parts;
    if (startToken === undefined) return undefined;
    const refused: string[] = [];
    try {
      return await this.#underLock(async () => {
        // After a refusal the store is read again, because another machine that shares it without locks can have refreshed first.
        for (let round = 0; round < 3; round += 1) {
          const { own } = await this.#families();
          const token = this.#goodTokenOf(own);
          if (token !== undefined && !always) return { token };
          // The configured token is the second choice, because some services continue to accept it.
          const next = [own?.refreshToken, startToken].find((each) => each !== undefined && !refused.includes(each));
          if (next === undefined) break;
          const found = await this.#refresh(next, own, { startToken });
          if (found !== "refused") return found;
          refused.push(next);
        }
        return {
          refused: true,
          reason: `${settingName("refreshToken")} was refused, and the token store holds no newer refresh token that is accepted`,
          hint: "A refresh token is usually refused because it was rotated elsewhere (another machine, job or token store used it): set a newly issued one, and keep the token store between runs, or share it.",
        };
      });
    } catch (error) {
      return { error: { kind: "credential", problem: `not sent: ${storeProblem(error)}.`, hint: storeHint } };
    }
  }

  /**
   * A token of another family, where {@link standInFor} allows one.
   * @param always refreshes although the stored access token is good
   */
  async standIn(always = false): Promise<Found> {
    try {
      return await this.#fromStandIn(always);
    } catch (error) {
      return { reason: storeProblem(error), hint: storeHint };
    }
  }

  async #fromStandIn(always: boolean): Promise<Found> {
    const choose = async () => standInFor(this.#parts.configured, await this.#families());
    if ((await choose()) === undefined) return this.#unusedFamilies();
    return this.#underLock(async () => {
      const family = await choose();
      if (family === undefined) return this.#unusedFamilies();
      const token = this.#goodTokenOf(family);
      if (token !== undefined && !always) return { token };
      const found = await this.#refresh(family.refreshToken, family, { replaces: family.refreshToken });
      return found === "refused" ? { refused: true, reason: "the stored refresh token was refused" } : found;
    });
  }

  /** Explains how to use the stored tokens of another credential. */
  async #unusedFamilies(): Promise<Found> {
    const { configured, store, settingName } = this.#parts;
    const { others } = await this.#families();
    if (others.length === 0) return undefined;
    const alone =
      configured === "nothing" && others.length === 1
        ? `, or set ${settingName("tokenStore")} to the store's folder`
        : "";
    return {
      reason: `the token store ${store.file} holds tokens of another credential, which may belong to another account, so they were not used`,
      hint: `To use the stored tokens, set ${settingName("refreshToken")} to the refresh token that they began with${alone}.`,
    };
  }

  /** @throws Error when a rotated refresh token is lost with this process */
  checkStored(): void {
    if (this.#unstored === undefined) return;
    throw new Error(
      `The newest refresh token could not be stored in ${this.#parts.store.file} and is lost now. Set a newly issued refreshToken, and a tokenStore that is writable.`,
    );
  }

  async #families(): Promise<StoredFamilies> {
    const { refreshToken, store } = this.#parts;
    const stored = await store.families(refreshToken);
    if (this.#unstored === undefined) return stored;
    const { family, place } = this.#unstored;
    if ("startToken" in place) return { ...stored, own: family };
    const others = stored.others.map((other) => (other.refreshToken === place.replaces ? family : other));
    return { ...stored, others };
  }

  #goodTokenOf(family: TokenFamily | undefined): AccessToken | undefined {
    if (family === undefined || !isHeaderValue(family.accessToken)) return undefined;
    return this.#parts.isGood(family.accessToken, family.refreshAt) ? tokenOf(family, "storedToken") : undefined;
  }

  /** Does the work without a lock if there can be none: a read-only home folder must not block the command. */
  async #underLock(work: () => Promise<Found>): Promise<Found> {
    const { store, warn } = this.#parts;
    let hasBegun = false;
    try {
      return await store.locked(() => {
        hasBegun = true;
        return work();
      });
    } catch (error) {
      if (hasBegun) throw error;
      warn(
        `The token store ${store.file} cannot be locked (${codeOf(error)}): processes that share this refresh token may invalidate it for each other.`,
      );
      return work();
    }
  }

  async #refresh(
    refreshToken: string,
    before: TokenFamily | undefined,
    place: FamilyPlace,
  ): Promise<Exclude<Found, undefined> | "refused"> {
    const { secrets } = this.#parts;
    secrets.add(refreshToken);
    let pair: NewTokens;
    try {
      pair = await this.#parts.refresh(refreshToken);
    } catch (error) {
      if (isServiceError(error, "credential", "refused")) return "refused";
      if (!isServiceError(error)) throw error;
      const kind = error.kind === "unreachable" ? "unreachable" : "credential";
      const problem = `not sent: no access token, because the refresh failed. ${error.message}`;
      return { error: { kind, problem, hint: "" } };
    }
    secrets.add(pair.access_token);
    secrets.add(pair.refresh_token);
    const family = renewedFamily(before, pair, Date.now());
    await this.#save(family, before !== undefined && before === this.#unstored?.family ? this.#unstored.place : place);
    if (isHeaderValue(family.accessToken)) return { token: tokenOf(family, "refreshToken") };
    const problem = "not sent: the service's new access token contains a character that a header cannot contain.";
    return {
      error: {
        kind: "contract",
        problem,
        hint: "The new refresh token was stored. Ask the operator of the service.",
      },
    };
  }

  async #save(family: TokenFamily, place: FamilyPlace): Promise<void> {
    const { store, warn } = this.#parts;
    try {
      await store.save(family, place);
      this.#unstored = undefined;
    } catch (error) {
      this.#unstored = { family, place };
      const why = error instanceof TokenStoreError ? error.message : codeOf(error);
      warn(
        `The service replaced the refresh token, and the new one could not be stored in ${store.file} (${why}). It is lost when this process ends: make the folder writable, or set tokenStore to one that is.`,
      );
    }
  }
}

const storeHint = "Make the token store readable, or set tokenStore to another folder.";

/** @throws any error that is not a problem of the token store */
function storeProblem(error: unknown): string {
  if (error instanceof TokenStoreError) return error.message;
  throw error;
}
