import { randomBytes } from "node:crypto";
import type { Behaviour } from "../behaviour";
import type { Schemas } from "../contract";
import { Refusal } from "../errors";
import { EmulatorClock } from "./clock";
import type { SeedCredentials } from "./seed";

/** Credentials of a client. */
export interface EmulatorCredentials {
  /** For `Authorization: Bearer …`. */
  accessToken: string;
  /** For `POST /token`. */
  refreshToken: string;
  /** For `x-api-key: …`. */
  apiKey: string;
}

/** The account of the seed. */
export const mainAccount = "main";

/** A token or key. */
export interface IssuedToken {
  value: string;
  account: string;
  /** Expiration in milliseconds since 1970. Only for access tokens. */
  expiresAt?: number;
  /** Number of requests with it. Only for access tokens. */
  uses?: number;
  dead?: boolean;
}

/** `data` of the response to a refresh. With the behaviour `expiresIn`, the integer of the contract can be a string. */
type IssuedTokenPair = Omit<Schemas["TokenPair"], "expires_in"> & { expires_in: number | string };

/** Part of the state file. */
export interface CredentialsState {
  accessTokens: IssuedToken[];
  refreshTokens: IssuedToken[];
  apiKeys: IssuedToken[];
}

/** The tokens that changed after the last save, with their kinds; without a kind, the removed ones. `all`: other tokens have replaced all. */
export type UnsavedTokens = "all" | ReadonlyMap<IssuedToken, keyof CredentialsState | undefined>;

/** What this emulator, or another one, has issued. The journal finds such a value by its form. */
export const mintedForm = /emulator-(?:access|refresh|key)-[0-9a-f]{36}/;

/** The length of the longest one. */
export const mintedLength = 53;

/** Maximum number of stored tokens that no longer work. Older ones are removed. */
const kept = 200;

type TokensByValue = Record<keyof CredentialsState, Map<string, IssuedToken>>;

/** All tokens and keys of the emulated service. */
export class CredentialStore {
  private state: CredentialsState = { accessTokens: [], refreshTokens: [], apiKeys: [] };
  /** The same by their values, because each request looks for its token among all that were issued. */
  private byValue: TokensByValue = emptyIndex();
  /** The time of the lifetimes. */
  clock = new EmulatorClock();
  private readonly atStart: CredentialsState;
  private givenValues: readonly string[] = [];
  /** Absent: nothing saves them. */
  private changes: "all" | Map<IssuedToken, keyof CredentialsState | undefined> | undefined;

  constructor(state?: CredentialsState, seed: SeedCredentials = {}) {
    this.replaceAll(state, seed);
    this.atStart = structuredClone(this.state);
  }

  /** Collects changes from now on. All tokens are changes. */
  collect(): void {
    this.changes = "all";
  }

  get unsaved(): UnsavedTokens {
    return this.changes ?? "all";
  }

  /** Called after a save. */
  saved(): void {
    if (this.changes !== undefined) this.changes = new Map();
  }

  /** Replaces all credentials: by those of a state, or by new ones for the account of a seed. */
  replaceAll(state: CredentialsState | undefined, seed: SeedCredentials = {}): void {
    this.state = state ?? { accessTokens: [], refreshTokens: [], apiKeys: [] };
    if (state === undefined) this.addAccount(mainAccount, seed);
    else this.renewIfOutdated();
    this.replaced();
  }

  /** Replaces all credentials by those of an earlier moment, as they were. */
  restore(state: CredentialsState): void {
    this.state = state;
    this.replaced();
  }

  /** Restores the accounts, tokens and keys of the start. The access token gets a new lifetime. */
  reset(): void {
    this.state = structuredClone(this.atStart);
    this.replaced();
    for (const token of this.state.accessTokens) {
      token.expiresAt = this.clock.now() + 86399 * 1000;
      token.uses = 0;
    }
  }

  /** Replaces credentials of the seed's account for later resets. */
  useAtStart({ accessToken, refreshToken, apiKey }: SeedCredentials): void {
    const replace = (kind: keyof CredentialsState, value: string | undefined) => {
      if (value === undefined) return;
      const others = this.atStart[kind].filter(({ account }) => account !== mainAccount);
      this.atStart[kind] = [...others, { value, account: mainAccount }];
    };
    replace("accessTokens", accessToken);
    replace("refreshTokens", refreshToken);
    replace("apiKeys", apiKey);
  }

  /** Creates the credentials of an account. */
  addAccount(account: string, fixed: SeedCredentials = {}, lifetime = 86399): EmulatorCredentials {
    this.add("apiKeys", { value: fixed.apiKey ?? mint("key"), account });
    this.add("refreshTokens", { value: fixed.refreshToken ?? mint("refresh"), account });
    this.issueAccessToken(account, lifetime, fixed.accessToken);
    this.noteGiven();
    return this.newest(account);
  }

  hasAccount(account: string): boolean {
    return Object.values(this.state).some((tokens: IssuedToken[]) => tokens.some((token) => token.account === account));
  }

  /** The newest credentials of an account. A refresh changes them. */
  newest(account = mainAccount): EmulatorCredentials {
    const last = (tokens: readonly IssuedToken[]) => tokens.findLast((token) => token.account === account)?.value ?? "";
    return {
      accessToken: last(this.state.accessTokens),
      refreshToken: last(this.state.refreshTokens),
      apiKey: last(this.state.apiKeys),
    };
  }

  /**
   * The account of an access token. Counts one use of the token.
   * @throws Refusal Invalid.Token, with the status of the behaviour `expiredToken`.
   */
  accountOfAccessToken(value: string, behaviour: Behaviour): string {
    const token = this.byValue.accessTokens.get(value);
    const status = Number(behaviour.expiredToken.slice("status".length));
    if (token === undefined) throw new Refusal("Invalid.Token", "the access token is not known", status);
    const limit = behaviour.accessTokenRequests;
    const worn = limit > 0 && (token.uses ?? 0) >= limit;
    if (token.dead === true || worn || (token.expiresAt ?? 0) <= this.clock.now()) {
      throw new Refusal("Invalid.Token", "the access token has expired", status);
    }
    // Without a limit, a request must not change the credentials, because a save would write the token.
    if (limit > 0) {
      token.uses = (token.uses ?? 0) + 1;
      this.changed("accessTokens", token);
    }
    return token.account;
  }

  /** The account of an API key. */
  accountOfApiKey(value: string): string {
    const key = this.byValue.apiKeys.get(value);
    if (key === undefined || key.dead === true) throw new Refusal("Invalid.Token", "the API key is not known");
    return key.account;
  }

  /** Whether one of the credentials was issued here, even if it has expired. Counts no use. */
  isKnown({ bearer, apiKey }: { bearer: string | undefined; apiKey: string | undefined }): boolean {
    const { accessTokens, apiKeys } = this.byValue;
    return (bearer !== undefined && accessTokens.has(bearer)) || (apiKey !== undefined && apiKeys.has(apiKey));
  }

  /** Whether a token or key was issued here, even if it has expired. */
  has(value: string): boolean {
    return Object.values(this.byValue).some((tokens) => tokens.has(value));
  }

  /** Every token and key, and those to which a reset returns. */
  values(): string[] {
    return [this.state, this.atStart].flatMap(valuesOf);
  }

  /** Exchanges a refresh token for a new pair. */
  refresh(refreshToken: string, behaviour: Behaviour): IssuedTokenPair {
    const used = this.byValue.refreshTokens.get(refreshToken);
    if (used === undefined || used.dead === true) throw new Refusal("Invalid.Grant", "the refresh token is not valid");
    if (behaviour.refreshRotation === "oldDies") this.end("refreshTokens", used);
    const issued = this.issue(used.account, behaviour, behaviour.refreshRotation !== "same");
    return behaviour.refreshRotation === "same" ? { ...issued, refresh_token: refreshToken } : issued;
  }

  /** Issues a first pair for the account whose API key is the password. */
  logIn(password: string, behaviour: Behaviour): IssuedTokenPair {
    const key = this.byValue.apiKeys.get(password);
    if (key === undefined || key.dead === true) {
      throw new Refusal("Invalid.Grant", "the user name or the password is not valid");
    }
    return this.issue(key.account, behaviour, true);
  }

  private issue(account: string, behaviour: Behaviour, withRefreshToken: boolean): IssuedTokenPair {
    if (withRefreshToken) this.add("refreshTokens", { value: mint("refresh"), account });
    this.issueAccessToken(account, behaviour.tokenLifetime);
    this.trim("accessTokens");
    this.trim("refreshTokens");
    const { accessToken, refreshToken } = this.newest(account);
    return {
      access_token: accessToken,
      expires_in: behaviour.expiresIn === "string" ? String(behaviour.tokenLifetime) : behaviour.tokenLifetime,
      token_type: "Bearer",
      refresh_token: refreshToken,
    };
  }

  /** Expires every access token issued until now. */
  expireAccessTokens(): void {
    for (const token of this.state.accessTokens) this.end("accessTokens", token);
  }

  /** Expires every refresh token issued until now. */
  expireRefreshTokens(): void {
    for (const token of this.state.refreshTokens) this.end("refreshTokens", token);
  }

  /** Every credential that was given by a seed or a document, to remove them from the journal. The others have a form of their own. */
  get given(): readonly string[] {
    return this.givenValues;
  }

  toJSON(): CredentialsState {
    return this.state;
  }

  private add(kind: keyof CredentialsState, token: IssuedToken): void {
    this.state[kind].push(token);
    noteToken(this.byValue[kind], token);
    this.changed(kind, token);
  }

  private end(kind: keyof CredentialsState, token: IssuedToken): void {
    token.dead = true;
    this.changed(kind, token);
  }

  /** @param kind undefined for a removed token. */
  private changed(kind: keyof CredentialsState | undefined, token: IssuedToken): void {
    if (this.changes instanceof Map) this.changes.set(token, kind);
  }

  private replaced(): void {
    if (this.changes !== undefined) this.changes = "all";
    this.byValue = emptyIndex();
    for (const kind of Object.keys(this.byValue) as (keyof CredentialsState)[]) {
      for (const token of this.state[kind]) noteToken(this.byValue[kind], token);
    }
    this.noteGiven();
  }

  private noteGiven(): void {
    this.givenValues = valuesOf(this.state).filter((value) => value.replace(mintedForm, "") !== "");
  }

  /** A state file can have expired access tokens only: by their age, or by a test. */
  private renewIfOutdated(): void {
    const newest = this.state.accessTokens.filter((token) => token.account === mainAccount).at(-1);
    if (newest?.dead === true || (newest?.expiresAt ?? 0) <= this.clock.now())
      this.issueAccessToken(mainAccount, 86399);
  }

  private issueAccessToken(account: string, lifetime: number, value = mint("access")): void {
    this.add("accessTokens", { value, account, expiresAt: this.clock.now() + lifetime * 1000, uses: 0 });
  }

  /** Removes the oldest tokens that no longer work. A token that works is kept, however many there are. */
  private trim(kind: "accessTokens" | "refreshTokens"): void {
    const tokens = this.state[kind];
    const now = this.clock.now();
    const hasEnded = (token: IssuedToken) => token.dead === true || (token.expiresAt ?? Infinity) <= now;
    // Counts them first, because a refresh must not copy thousands of tokens that work.
    let count = 0;
    for (const token of tokens) if (hasEnded(token)) count += 1;
    if (count <= kept) return;
    const ended = tokens.filter(hasEnded);
    const gone = new Set(ended.slice(0, ended.length - kept));
    this.state[kind] = tokens.filter((token) => !gone.has(token));
    for (const token of gone) {
      this.byValue[kind].delete(token.value);
      this.changed(undefined, token);
    }
  }
}

/** The values of all tokens and keys of a state. */
export function valuesOf({ accessTokens, refreshTokens, apiKeys }: CredentialsState): string[] {
  return [...accessTokens, ...refreshTokens, ...apiKeys].map(({ value }) => value);
}

function emptyIndex(): TokensByValue {
  return { accessTokens: new Map(), refreshTokens: new Map(), apiKeys: new Map() };
}

/** The first of those with the same value counts. */
function noteToken(tokens: Map<string, IssuedToken>, token: IssuedToken): void {
  if (!tokens.has(token.value)) tokens.set(token.value, token);
}

function mint(kind: string): string {
  return `emulator-${kind}-${randomBytes(18).toString("hex")}`;
}
