import type { SmallObject } from "../../store/objectStore";
import { Seal } from "../../store/seal";
import { patience, SharedStore } from "../../store/sharedStore";
import { StoreError } from "../../store/storeError";
import { clock, pause } from "../../system/clock";
import { isRecord } from "../../values/plain";
import { serviceAddress } from "../serviceAddress";
import type { AccessToken, NothingFound, TokenLookup } from "./accessToken";
import { NoToken } from "./accessToken";
import { requireNoFormerTokens } from "./formerStore";
import type { IssuedTokens, TokenKeeper, TokenParts } from "./tokenExchange";
import { exchanged, newAccessToken, storedAccessToken } from "./tokenExchange";
import { movedFromTo } from "./tokenStore";

/** Tokens on their way to another place. */
export type MovedTokens = IssuedTokens & { beganAt: number };

/** Whether tokens that were stored then may be newer than moved ones: the clock of a store has whole seconds. */
export function mayBeNewer(storedAt: number, { updatedAt }: MovedTokens): boolean {
  return storedAt + 2_000 > updatedAt;
}

/** In milliseconds. The first one must be the same for all processes that share a store. Replaced by tests. */
export const claims = {
  /** After this time by the store's clock, the claim of another process counts as left. */
  lastMs: 120_000,
  /** For the exchange. A write may take {@link patience}. The rest of a claim is for the claim itself. */
  exchangeMs: 30_000,
  /** Between two looks at the claim of another process. */
  lookMs: 1_000,
  /** After a refusal, no process sends the token for this time. */
  restMs: 600_000,
};

/** The content of the object of a chain of refresh tokens, which began with the configured one. */
interface Chain {
  /** How many refresh tokens the service has issued in it. */
  gen: number;
  /** Whether a process has claimed to send the refresh token, and no other may. */
  isSending?: boolean;
  /** Whether the service has refused it. */
  isRefused?: boolean;
  refreshToken: string;
  accessToken: string;
  /** Milliseconds for which the access token was issued. Absent: not known. */
  life?: number;
  /** Milliseconds since the tokens were issued, when this was written. Absent: none. */
  tokenAge?: number;
  beganAt: number;
  /** The place to which they were moved. Whoever still looks here must not begin again with the configured token. */
  movedTo?: string;
}

/** A chain as this process sees it. */
interface Seen {
  /** Absent if it is not stored. */
  etag?: string;
  /** Milliseconds since it was written, by the store's clock: those of two machines can be hours apart. */
  age: number;
  chain?: Chain;
}

/**
 * The tokens of several machines in an object store. One object has both the newest tokens and the claim of the process
 * that renews them, so each step is one conditional write. Its name and key come from the configured refresh token.
 *
 * A claim is never prolonged. Its holder measures from before the claim, sends only if the rest of the time is enough,
 * and stores the new tokens before it uses them.
 */
export class SharedTokens implements TokenKeeper {
  isExchanging = false;
  readonly #parts: TokenParts;
  readonly #isGood: (token: AccessToken) => boolean;
  /** For the present address and each earlier one. */
  readonly #seals: readonly Seal[];
  /** The newest tokens of this process, if they could not be stored. */
  #unstored: (Chain & { storedAt: number }) | undefined;
  #store: SharedStore | undefined;

  constructor(parts: TokenParts, isGood: (token: AccessToken) => boolean) {
    this.#parts = parts;
    this.#isGood = isGood;
    const { baseUrl, movedFrom } = parts.settings;
    const { refreshToken } = parts.options;
    const addresses = new Set([baseUrl, ...movedFrom].map(serviceAddress));
    this.#seals =
      refreshToken === undefined ? [] : [...addresses].map((each) => new Seal(refreshToken, `token ${each}`));
  }

  get file(): string {
    return this.#parts.settings.tokenStore ?? "";
  }

  get hasUnstored(): boolean {
    return this.#unstored !== undefined;
  }

  async stored(): Promise<TokenLookup> {
    if (this.#seals.length === 0) return undefined;
    try {
      return this.#goodTokenOf(await this.#look());
    } catch (error) {
      // Without the store, the refresh token would be lost later: the user hears of it before the first request.
      if (error instanceof StoreError && error.kind === "unknown") return { reason: error.message };
      throw failed(error);
    }
  }

  async renewed(always = false): Promise<TokenLookup> {
    const { settings } = this.#parts;
    if (this.#seals.length === 0) {
      const name = settings.settingName("refreshToken");
      const reason = `the tokens in ${this.file} can be found and read only with the refresh token that they began with`;
      return { reason, hint: `Set ${name} to it.` };
    }
    try {
      return await this.#firstClaim(always);
    } catch (error) {
      throw failed(error);
    }
  }

  /** When it was first used and last renewed, and when the access token expires. Undefined if nothing is stored. */
  async describe(): Promise<Pick<MovedTokens, "beganAt" | "updatedAt" | "expiresAt"> | undefined> {
    return tokensOf(await this.#look());
  }

  /** Removes the tokens here once `keep` has stored them at `to`. Meanwhile, no other process may send them. */
  async moveOut(to: string, keep: (tokens: MovedTokens) => Promise<void>): Promise<void> {
    const { etag, age, chain, tokens } = await this.#idle();
    if (!(chain && tokens)) throw new StoreError(`${this.file} has no tokens to move.`, "refused");
    const idle = { ...writtenAgain(chain, age), isSending: undefined };
    const claim = await this.#write({ ...idle, isSending: true }, etag);
    if (claim === undefined) throw inUse(this.file);
    await keep(tokens).catch((error) => this.#release(idle, claim).then(() => Promise.reject(error)));
    for (const seal of this.#seals.slice(1)) {
      const found = await this.#shared().get(nameOf(seal));
      if (found !== undefined && !(await this.#shared().remove(nameOf(seal), found.etag))) throw inUse(this.file);
    }
    const { gen, beganAt } = chain;
    const moved: Chain = { gen, beganAt, refreshToken: "", accessToken: "", movedTo: to };
    if ((await this.#write(moved, claim)) === undefined) throw inUse(this.file);
  }

  /** Stores tokens of another place. */
  async moveIn(tokens: MovedTokens): Promise<void> {
    const { etag, chain, tokens: present } = await this.#idle();
    // Another machine can have sent the spent token before the newest one came here.
    const isIssued = chain !== undefined && chain.gen > 0 && chain.isRefused !== true;
    if (isIssued && present && present.refreshToken !== tokens.refreshToken && mayBeNewer(present.updatedAt, tokens)) {
      throw new StoreError(`${this.file} has newer tokens of the configured refresh token.`, "refused");
    }
    const next = nextOf({ beganAt: tokens.beganAt, gen: chain?.gen ?? 0 }, tokens);
    const age = Math.max(0, Date.now() - tokens.updatedAt);
    if ((await this.#write(writtenAgain(next, age), etag)) === undefined) throw inUse(this.file);
  }

  /** @throws StoreError while another process may send the token */
  async #idle(): Promise<Seen & { tokens?: MovedTokens }> {
    await this.#shared().requireConditions();
    const seen = await this.#find(true);
    if (seen.chain?.isSending === true && seen.age < claims.lastMs) throw inUse(this.file);
    return { ...seen, tokens: seen.chain?.movedTo === undefined ? tokensOf(seen) : undefined };
  }

  async #firstClaim(always: boolean): Promise<TokenLookup> {
    const { settings } = this.#parts;
    const isLate = stopwatch(3 * claims.lastMs);
    while (!isLate()) {
      const seen = await this.#look();
      const { etag, age, chain } = seen;
      const good = always ? undefined : this.#goodTokenOf(seen);
      if (good !== undefined) return good;
      if (chain?.isSending === true && age < claims.lastMs) {
        await pause(claims.lookMs, settings.interrupted);
        if (settings.interrupted.aborted) break;
      } else if (chain?.isRefused === true && age < claims.restMs) {
        return this.#refused();
      } else {
        const token = await this.#claimed(chain && writtenAgain(chain, age), etag);
        if (token !== undefined) return token;
      }
    }
    throw new NoToken(
      "credential",
      `not sent: another process has claimed the refresh token in ${this.file}, and stored no new one.`,
      "Run the same command again in two minutes.",
    );
  }

  /** Undefined if another process was faster, or too much time has passed. */
  async #claimed(before: Chain | undefined, etag: string | undefined): Promise<TokenLookup> {
    const { options } = this.#parts;
    const startToken = options.refreshToken ?? "";
    await this.#shared().requireConditions();
    if (before === undefined) await requireNoFormerTokens(this.#parts);
    const chain: Chain = {
      ...(before ?? { gen: 0, refreshToken: startToken, accessToken: "", beganAt: Date.now() }),
      isRefused: undefined,
      isSending: true,
    };
    const claimedAt = Date.now();
    const idle = () => writtenAgain({ ...chain, isSending: undefined }, Date.now() - claimedAt);
    const isTooLate = stopwatch(claims.lastMs - claims.exchangeMs - patience.ms);
    const claim = await this.#write(chain, etag);
    if (claim === undefined) return undefined;
    this.#unstored = undefined;
    this.isExchanging = true;
    try {
      // Some services continue to accept the configured token.
      for (const sent of new Set([chain.refreshToken, startToken])) {
        if (isTooLate()) return void (await this.#release(idle(), claim));
        this.#parts.secrets.add(sent);
        const issued = await exchanged(sent, this.#parts, claims.exchangeMs / 1000);
        if (issued !== undefined) {
          await this.#keep(nextOf(chain, issued), claim);
          return newAccessToken(issued);
        }
      }
      await this.#release({ ...idle(), isRefused: true }, claim);
      return this.#refused();
    } catch (error) {
      // The token may be used up, or not: the next process sends it again, as it does after a kill.
      await this.#release(idle(), claim);
      throw error;
    } finally {
      this.isExchanging = false;
    }
  }

  /** Stores new tokens, until the patience is over. */
  async #keep(next: Chain, claim: string): Promise<void> {
    this.#unstored = { ...next, storedAt: Date.now() };
    try {
      for (let replaces: string | undefined = claim; ; ) {
        if ((await this.#write(next, replaces)) !== undefined) break;
        // Another process has taken this claim over. If it went on from these tokens, they are stored.
        const { etag, chain } = await this.#look(false);
        if (chain !== undefined && chain.gen >= next.gen) break;
        replaces = etag;
      }
      this.#unstored = undefined;
      await this.#markEarlier(next).catch(() => undefined);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#parts.settings.warn(
        `The service replaced the refresh token, and the new one could not be stored in ${this.file}. It is lost when this process ends. ${error.message}`,
      );
    }
  }

  /** A machine that still uses an earlier address must not send the token that is spent now. */
  async #markEarlier({ gen, beganAt }: Chain): Promise<void> {
    const mark: Chain = { gen, beganAt, refreshToken: "", accessToken: "", movedTo: this.file };
    for (const seal of this.#seals.slice(1)) {
      const found = await this.#shared().get(nameOf(seal));
      if (found !== undefined && this.#opened(seal, found).movedTo === undefined) {
        await this.#shared().write(nameOf(seal), seal.close(mark), found.etag);
      }
    }
  }

  /** Ends a claim. If that fails, its time ends it. */
  async #release(chain: Chain, claim: string): Promise<void> {
    await this.#write(chain, claim).catch(() => undefined);
  }

  /**
   * @param withUnstored whether newer tokens of this process count
   * @throws StoreError if the tokens were moved
   */
  async #look(withUnstored = true): Promise<Seen> {
    const seen = await this.#find(withUnstored);
    if (seen.chain?.movedTo === undefined) return seen;
    throw new StoreError(`The ${movedFromTo(this.file, seen.chain.movedTo)}.`, "refused");
  }

  async #find(withUnstored: boolean): Promise<Seen> {
    const own = this.#unstored;
    let etag: string | undefined;
    for (const [index, seal] of this.#seals.entries()) {
      const found = await this.#shared().get(nameOf(seal));
      const chain = found && this.#opened(seal, found);
      if (index === 0) etag = found?.etag;
      // Those of an address that the service had in between.
      const isElsewhere = chain?.movedTo === this.file && index + 1 < this.#seals.length;
      if (found !== undefined && !isElsewhere) {
        return withUnstored && own !== undefined && (chain?.gen ?? 0) < own.gen
          ? { etag, age: Date.now() - own.storedAt, chain: own }
          : { etag, age: found.age, chain };
      }
    }
    return withUnstored && own !== undefined ? { age: Date.now() - own.storedAt, chain: own } : { age: 0 };
  }

  #opened(seal: Seal, { body }: SmallObject): Chain {
    const chain = seal.open(body);
    if (isRecord(chain)) {
      for (const word of [chain.refreshToken, chain.accessToken]) this.#parts.secrets.add(String(word));
      return chain as unknown as Chain;
    }
    throw new StoreError(
      `The object ${this.#shared().path(nameOf(seal))} was changed by another program. Remove it, and set a newly issued refresh token.`,
      "refused",
    );
  }

  #write(chain: Chain, replaces: string | undefined): Promise<string | undefined> {
    const [seal] = this.#seals;
    if (seal === undefined) throw new Error("There is no refresh token.");
    return this.#shared().write(nameOf(seal), seal.close(chain), replaces);
  }

  /** Made when it is needed: it refuses a package that is not installed. */
  #shared(): SharedStore {
    const { packagesFolder, s3ForcePathStyle } = this.#parts.options;
    this.#store ??= new SharedStore(this.file, {
      folder: process.cwd(),
      settings: { packagesFolder, s3ForcePathStyle },
    });
    return this.#store;
  }

  #goodTokenOf(seen: Seen): AccessToken | undefined {
    const tokens = tokensOf(seen);
    return tokens && storedAccessToken(tokens, this.#isGood);
  }

  #refused(): NothingFound {
    const name = this.#parts.settings.settingName("refreshToken");
    return {
      refused: true,
      reason: `${name} was refused, and the token store holds no newer refresh token that is accepted`,
      hint: `A refresh token is usually refused because something else has used it, or because a process was ended while it stored the next one. If a folder or another store has the next one, run "webextract token move ${this.file}" with that tokenStore. Otherwise set a newly issued one.`,
    };
  }
}

function tokensOf({ age, chain }: Seen): MovedTokens | undefined {
  const updatedAt = Date.now() - age - (chain?.tokenAge ?? 0);
  return chain && { ...chain, updatedAt, expiresAt: chain.life && updatedAt + chain.life };
}

/** The store gives what it writes a new age. The tokens keep theirs. */
function writtenAgain(chain: Chain, age: number): Chain {
  return { ...chain, tokenAge: (chain.tokenAge ?? 0) + age };
}

function inUse(file: string): StoreError {
  return new StoreError(`Another process uses the tokens in ${file}. Wait for two minutes.`, "refused");
}

function nameOf({ name }: Seal): string {
  return `tokens/${name}`;
}

function nextOf({ gen, beganAt }: Pick<Chain, "gen" | "beganAt">, tokens: IssuedTokens): Chain {
  const { refreshToken, accessToken, expiresAt, updatedAt } = tokens;
  const life = expiresAt === undefined ? undefined : expiresAt - updatedAt;
  return { gen: gen + 1, refreshToken, accessToken, life, beganAt };
}

/** Whether a time has passed: by the clock that never goes back, or by the one that goes on while a machine sleeps. */
function stopwatch(milliseconds: number): () => boolean {
  const [began, beganAt] = [clock.now(), Date.now()];
  return () => Math.max(clock.now() - began, Date.now() - beganAt) > milliseconds;
}

function failed(error: unknown): unknown {
  return error instanceof StoreError ? new NoToken("credential", `not sent: ${error.message}`, "") : error;
}
