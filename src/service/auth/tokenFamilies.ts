import { isDeepStrictEqual } from "node:util";
import type { NewTokens } from "../contract/responses";
import { isServiceError } from "../errors/errors";
import type { Redactor } from "../errors/redactor";
import { codeOf } from "../files/privateFile";
import type { AccessToken, NothingFound, TokenLookup } from "./accessToken";
import { isHeaderValue } from "./accessToken";
import type { FamilyPlace, TokenFamily } from "./tokenFamily";
import { renewedFamily, tokenOf } from "./tokenFamily";
import type { TokenStore } from "./tokenStore";
import { TokenStoreError } from "./tokenStore";

export interface FamilyParts {
  /** The configured refresh token. */
  refreshToken: string | undefined;
  /** Whether the option `tokenStore` is set; if not, the store is in its default place. */
  isStoreConfigured: boolean;
  /** Whether an access token or a command is configured. */
  hasOtherCredential: boolean;
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

/** A family and its place in the store. It has no tokens before the first refresh. */
interface Choice {
  tokens: TokenFamily | undefined;
  place: FamilyPlace;
}

interface Choices {
  /** The family of the configuration. */
  own?: Choice;
  /** The family to use if the service refuses the configured refresh token. */
  standIn?: Choice;
  /** Whether the store has families that are not used. */
  hasOthers: boolean;
}

/**
 * The sources of access tokens that use the token store. A rotated refresh token is stored before the access token beside it is used.
 * docs/explanation/credentials.md describes which family is used.
 */
export class TokenFamilies {
  readonly #parts: FamilyParts;
  #isExchanging = false;
  /** The newest tokens of this process, if they could not be stored. */
  #unstored: Choice | undefined;

  constructor(parts: FamilyParts) {
    this.#parts = parts;
  }

  get hasUnstored(): boolean {
    return this.#unstored !== undefined;
  }

  /** Whether a refresh token was sent whose successor is not stored yet. */
  get isExchanging(): boolean {
    return this.#isExchanging;
  }

  async #choices(): Promise<Choices> {
    const { refreshToken: startToken, isStoreConfigured, hasOtherCredential, store } = this.#parts;
    const { own, others, later, imported } = await store.families(startToken);
    const hasOthers = others.length > 0;
    if (startToken !== undefined) {
      // Another family can belong to another account. One that began later is of the same profile after a change of its refresh token, which
      // a refresh and a destroy do not see.
      const last = later.at(-1);
      return {
        own: this.#newest({ tokens: own, place: { startToken } }),
        standIn: last && this.#newest({ tokens: last, place: { key: last.key } }),
        hasOthers,
      };
    }
    const chosen = imported ?? (others.length === 1 ? others[0] : undefined);
    if (chosen === undefined || hasOtherCredential || !isStoreConfigured) return { hasOthers };
    return { own: this.#newest({ tokens: chosen, place: { key: chosen.key } }), hasOthers };
  }

  #newest(choice: Choice): Choice {
    return isDeepStrictEqual(this.#unstored?.place, choice.place) ? (this.#unstored ?? choice) : choice;
  }

  /** The stored access token of the own family. */
  async stored(): Promise<TokenLookup> {
    try {
      const { own } = await this.#choices();
      const token = this.#goodTokenOf(own);
      return token && { token };
    } catch (error) {
      return { reason: storeProblem(error) };
    }
  }

  /**
   * A new access token of the own family. One process at a time refreshes, under the lock, and the others use its tokens.
   * @param always refreshes although the stored access token is good
   */
  async renewed(always = false): Promise<TokenLookup> {
    const { refreshToken: startToken } = this.#parts;
    const refused: string[] = [];
    try {
      if ((await this.#choices()).own === undefined) return undefined;
      return await this.#underLock(async () => {
        // After a refusal the store is read again, because another machine that shares it without locks can have refreshed first.
        for (let round = 0; round < 3; round += 1) {
          const { own } = await this.#choices();
          if (own === undefined) break;
          const token = this.#goodTokenOf(own);
          if (token !== undefined && !always) return { token };
          // The configured token is the second choice, because some services continue to accept it.
          const candidates = [own.tokens?.refreshToken, startToken];
          const next = candidates.find((each) => each !== undefined && !refused.includes(each));
          if (next === undefined) break;
          const found = await this.#refresh(next, own);
          if (found !== "refused") return found;
          refused.push(next);
        }
        return this.#refusedOwn();
      }, always);
    } catch (error) {
      return { error: { kind: "credential", problem: `not sent: ${storeProblem(error)}.`, hint: storeHint } };
    }
  }

  #refusedOwn(): NothingFound {
    const { refreshToken, settingName } = this.#parts;
    if (refreshToken === undefined) {
      const hint = `Import a newly issued one with "webextract token import", or set ${settingName("refreshToken")}.`;
      return { refused: true, reason: "the stored refresh token was refused", hint };
    }
    return {
      refused: true,
      reason: `${settingName("refreshToken")} was refused, and the token store holds no newer refresh token that is accepted`,
      hint: "A refresh token is usually refused because it was rotated elsewhere (another machine, job or token store used it): set a newly issued one, and keep the token store between runs, or share it.",
    };
  }

  /**
   * A token of the stand-in.
   * @param always refreshes although the stored access token is good
   */
  async standIn(always = false): Promise<TokenLookup> {
    try {
      if ((await this.#choices()).standIn === undefined) return await this.#unusedFamilies();
      return await this.#underLock(async () => {
        const { standIn } = await this.#choices();
        if (standIn?.tokens === undefined) return this.#unusedFamilies();
        const token = this.#goodTokenOf(standIn);
        if (token !== undefined && !always) return { token: { ...token, isStandIn: true } };
        const found = await this.#refresh(standIn.tokens.refreshToken, standIn);
        if (found === "refused") return { refused: true, reason: "the stored refresh token was refused" };
        return "token" in found ? { token: { ...found.token, isStandIn: true } } : found;
      }, always);
    } catch (error) {
      return { reason: storeProblem(error), hint: storeHint };
    }
  }

  /** Explains how to use the stored tokens of another credential. */
  async #unusedFamilies(): Promise<TokenLookup> {
    const { refreshToken, isStoreConfigured, hasOtherCredential, store, settingName } = this.#parts;
    const { own, hasOthers } = await this.#choices();
    if (!hasOthers || (own !== undefined && refreshToken === undefined)) return undefined;
    const isStoreUnset = refreshToken === undefined && !hasOtherCredential && !isStoreConfigured;
    const orSetStore = isStoreUnset ? `, or set ${settingName("tokenStore")} to the store's folder` : "";
    return {
      reason: `the token store ${store.file} holds tokens of another credential, which may belong to another account, so they were not used`,
      hint: `To use the stored tokens, set ${settingName("refreshToken")} to the refresh token that they began with${orSetStore}.`,
    };
  }

  /** @throws Error when a rotated refresh token is lost with this process */
  checkStored(): void {
    if (this.#unstored === undefined) return;
    throw new Error(
      `The newest refresh token could not be stored in ${this.#parts.store.file} and is lost now. Set a newly issued refreshToken, and a tokenStore that is writable.`,
    );
  }

  #goodTokenOf(choice: Choice | undefined): AccessToken | undefined {
    const family = choice?.tokens;
    if (family === undefined || !isHeaderValue(family.accessToken)) return undefined;
    return this.#parts.isGood(family.accessToken, family.refreshAt) ? tokenOf(family, "storedToken") : undefined;
  }

  /**
   * Does the work without a lock if there can be none: a read-only home folder must not block the command.
   * @param mustStore the stored tokens are all that the caller wants
   */
  async #underLock(work: () => Promise<TokenLookup>, mustStore: boolean): Promise<TokenLookup> {
    const { store, warn } = this.#parts;
    let hasBegun = false;
    try {
      return await store.locked(async () => {
        if (mustStore) await store.checkWritable();
        hasBegun = true;
        return work();
      });
    } catch (error) {
      if (hasBegun) throw error;
      if (mustStore) {
        const problem = `not sent: the token store ${store.file} cannot be written (${codeOf(error)}).`;
        return { error: { kind: "credential", problem, hint: "Set tokenStore to a folder that can be written." } };
      }
      warn(
        `The token store ${store.file} cannot be locked (${codeOf(error)}): processes that share this refresh token may invalidate it for each other.`,
      );
      return work();
    }
  }

  async #refresh(
    refreshToken: string,
    { tokens: before, place }: Choice,
  ): Promise<Exclude<TokenLookup, undefined> | "refused"> {
    const { secrets } = this.#parts;
    secrets.add(refreshToken);
    let family: TokenFamily;
    const full = await this.#fullDisk();
    if (full !== undefined) {
      const problem = `not sent: the disk of the token store ${this.#parts.store.file} is full (${full}), so the new refresh token would be lost.`;
      return { error: { kind: "credential", problem, hint: "Free space there, or set tokenStore to another folder." } };
    }
    this.#isExchanging = true;
    try {
      const pair = await this.#parts.refresh(refreshToken);
      secrets.add(pair.accessToken);
      secrets.add(pair.refreshToken);
      family = renewedFamily(before, pair, refreshToken, Date.now());
      await this.#save(family, place);
    } catch (error) {
      if (isServiceError(error, "credential", "refused")) return "refused";
      if (!isServiceError(error)) throw error;
      const kind = error.kind === "unreachable" ? "unreachable" : "credential";
      const problem = `not sent: no access token, because the refresh failed. ${error.message}`;
      return { error: { kind, problem, hint: "" } };
    } finally {
      this.#isExchanging = false;
    }
    if (isHeaderValue(family.accessToken)) return { token: tokenOf(family, "refreshToken") };
    const problem =
      "not sent: the service's new access token is missing, or contains a character that a header cannot contain.";
    return {
      error: {
        kind: "contract",
        problem,
        hint: "The new refresh token was stored. Ask the operator of the service.",
      },
    };
  }

  /** The code of the error, if a write fails only because the disk is full. A store that can never be written blocks no command. */
  async #fullDisk(): Promise<string | undefined> {
    try {
      await this.#parts.store.checkWritable();
      return undefined;
    } catch (error) {
      const code = codeOf(error);
      return ["ENOSPC", "EDQUOT", "EFBIG"].includes(code) ? code : undefined;
    }
  }

  async #save(family: TokenFamily, place: FamilyPlace): Promise<void> {
    const { store, warn } = this.#parts;
    try {
      await store.save(family, place);
      this.#unstored = undefined;
    } catch (error) {
      this.#unstored = { tokens: family, place };
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
