import type { Failure } from "../errors/failures";
import { tokenSources } from "../errors/hints";
import { onAbort } from "../http/onAbort";
import type {
  AccessToken,
  CredentialSource,
  CredentialsInUse,
  NoToken,
  NothingFound,
  TokenLookup,
} from "./accessToken";
import { renewalOf } from "./accessToken";
import { runCredentialCommand } from "./credentialCommand";
import type { FamilyParts } from "./tokenFamilies";
import { TokenFamilies } from "./tokenFamilies";

export interface TokenParts extends Omit<FamilyParts, "isGood" | "hasOtherCredential"> {
  accessToken: string | undefined;
  credentialCommand: string | undefined;
  /** Aborted when the command is interrupted. */
  interrupted: AbortSignal;
}

/** The sources that cost a refresh or a process. */
type RestingSource = "credentialCommand" | "refreshToken" | "standIn";

/** Milliseconds before a source with a refused token is tried again, so that a hundred calls do not make a hundred refreshes. */
const restAfterRefusal = 30_000;

/** The access token of a client. The first source with a token provides it. One refresh renews it in time, for all calls that wait for it. */
export class Tokens {
  readonly #parts: TokenParts;
  readonly #families: TokenFamilies;
  readonly #proven = new Set<string>();
  /** Refused, and not accepted since. */
  readonly #refused = new Set<string>();
  /** Whether the warning was written that a stand-in is used. */
  #hasWarned = false;
  readonly #refusedSources = new Set<CredentialSource>();
  readonly #resting = new Map<RestingSource, { until: number; why: NothingFound }>();
  /** The newest token. It stays when it is refused: see {@link #onceMore}. */
  #current: AccessToken | undefined;
  #flight: Promise<AccessToken | NoToken> | undefined;

  /** In the order in which they are tried. */
  readonly #sources: readonly (() => Promise<TokenLookup>)[] = [
    () => this.#families.stored(),
    () => this.#configured(),
    () => this.#unlessResting("credentialCommand", () => this.#command()),
    () => this.#unlessResting("refreshToken", () => this.#families.renewed()),
    () => this.#unlessResting("standIn", () => this.#families.standIn()),
  ];

  constructor(parts: TokenParts) {
    this.#parts = parts;
    this.#families = new TokenFamilies({
      ...parts,
      hasOtherCredential: parts.accessToken !== undefined || parts.credentialCommand !== undefined,
      isGood: (token, refreshAt) => this.#isGood(token, refreshAt),
    });
    for (const word of [parts.accessToken, parts.refreshToken]) parts.secrets.add(word);
  }

  /**
   * An aborted call ends. The refresh continues for other callers, and its result is stored.
   * @param refusedByCall the tokens with which the service refused this very call
   */
  async get(signal: AbortSignal, refusedByCall: readonly string[] = []): Promise<AccessToken | NoToken> {
    const current = this.#current;
    if (current !== undefined && this.#isGood(current.value, current.refreshAt)) return current;
    this.#flight ??= this.#find().finally(() => {
      this.#flight = undefined;
    });
    const found = await orAborted(this.#flight, signal);
    if ("value" in found || found.kind !== "credential") return found;
    return this.#onceMore(refusedByCall) ?? found;
  }

  /** Exchanges the newest refresh token now, also where the access token is good, and stores the result. */
  async renew(): Promise<AccessToken | NoToken> {
    await this.settled();
    const found = await firstOf([() => this.#families.renewed(true), () => this.#families.standIn(true)]);
    if (!Array.isArray(found)) {
      if ("value" in found) this.#current = found;
      return found;
    }
    const { settingName } = this.#parts;
    const reasons = found.map(({ reason }) => reason).join("; ");
    const problem =
      reasons === "" ? "No refresh token is configured, and the token store has none." : `No new token: ${reasons}.`;
    const hints = found.flatMap(({ hint }) => hint ?? []);
    return { kind: "credential", problem, hint: hints.join(" ") || `Set ${settingName("refreshToken")}.` };
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

  /** The service refused this token: the next {@link get} looks for another. */
  #refuse(token: AccessToken): void {
    const { value, source } = token;
    this.#refused.add(value);
    if (source === "accessToken") this.#refusedSources.add(source);
    // The service refused a new token at once, so it would refuse the next token of this source too.
    if (this.#proven.has(value)) return;
    if (source === "credentialCommand") {
      this.#rest(source, { reason: `the token of ${this.#parts.settingName(source)} was refused` });
    }
    if (source === "refreshToken") {
      const why = { reason: "the access token of the last refresh was refused" };
      this.#rest("refreshToken", why);
      this.#rest("standIn", why);
    }
  }

  #accept({ value, source, isStandIn }: AccessToken): void {
    const { store, warn } = this.#parts;
    if (isStandIn === true && !this.#hasWarned) {
      this.#hasWarned = true;
      warn(
        `The configured refresh token was refused. The token store ${store.file} holds tokens of a refresh token that this profile used later; they are used instead.`,
      );
    }
    this.#proven.add(value);
    this.#refused.delete(value);
    this.#refusedSources.delete(source);
  }

  #mayRenew({ obtainedAt }: AccessToken): boolean {
    const { credentialCommand, refreshToken } = this.#parts;
    const isOld = obtainedAt === undefined || Date.now() - obtainedAt > restAfterRefusal;
    return isOld && (credentialCommand !== undefined || refreshToken !== undefined);
  }

  /** Resolves when no refresh is in progress, whether it failed or not. */
  async settled(): Promise<void> {
    await this.#flight?.catch(() => undefined);
  }

  /** Whether the process, if it ended now, could lose the only valid refresh token. */
  get isExchanging(): boolean {
    return this.#families.isExchanging;
  }

  /** A warning was shown before. Without this error at the end, a job would succeed now and fail at its next start. */
  checkStored(): void {
    this.#families.checkStored();
  }

  describe(apiKey: boolean): CredentialsInUse {
    const { accessToken, credentialCommand, refreshToken } = this.#parts;
    const configured: [CredentialSource, string | undefined][] = [
      ["accessToken", accessToken],
      ["credentialCommand", credentialCommand],
      ["refreshToken", refreshToken],
    ];
    const next = configured.find(([source, value]) => value !== undefined && !this.#refusedSources.has(source));
    const current = this.#current !== undefined && !this.#refused.has(this.#current.value) ? this.#current : undefined;
    return {
      source: current?.source ?? next?.[0] ?? "none",
      refused: [...this.#refusedSources],
      apiKey,
      expires: current?.expiresAt === undefined ? undefined : new Date(current.expiresAt).toISOString(),
      unstored: this.#families.hasUnstored,
    };
  }

  #isGood(accessToken: string, refreshAt: number | undefined): boolean {
    return !this.#refused.has(accessToken) && (refreshAt === undefined || Date.now() < refreshAt);
  }

  /**
   * The refused token, once for each call, if no source has another: the refusal can come from a gateway, or from one endpoint only. If the service
   * accepted the token from other calls, a call tries it twice.
   */
  #onceMore(refusedByCall: readonly string[]): AccessToken | undefined {
    const last = this.#current;
    if (last === undefined || !this.#refused.has(last.value) || !isAlive(last)) return undefined;
    const tries = refusedByCall.filter((value) => value === last.value).length;
    return tries < (this.#proven.has(last.value) ? 2 : 1) ? last : undefined;
  }

  #rest(source: RestingSource, why: NothingFound): void {
    if (source !== "standIn") this.#refusedSources.add(source);
    this.#resting.set(source, { until: Date.now() + restAfterRefusal, why });
  }

  async #unlessResting(source: RestingSource, find: () => Promise<TokenLookup>): Promise<TokenLookup> {
    const rest = this.#resting.get(source);
    if (rest !== undefined && Date.now() < rest.until) return rest.why;
    const found = await find();
    if (found !== undefined && "refused" in found) this.#rest(source, found);
    return found;
  }

  async #find(): Promise<AccessToken | NoToken> {
    const first = await firstOf(this.#sources);
    const found = Array.isArray(first) ? this.#nothing(first) : first;
    if ("value" in found) {
      this.#current = found;
      this.#parts.secrets.add(found.value);
      return found;
    }
    const current = this.#current;
    // The renewal failed before the token expired: it is used further, and renewal is tried again a little later.
    if (current?.expiresAt !== undefined && isAlive(current) && !this.#refused.has(current.value)) {
      const refreshAt = Math.min(current.expiresAt, Date.now() + restAfterRefusal);
      this.#current = { ...current, refreshAt };
      return this.#current;
    }
    return found;
  }

  async #configured(): Promise<TokenLookup> {
    const { accessToken: value, settingName } = this.#parts;
    if (value === undefined) return undefined;
    if (this.#refused.has(value)) return { reason: `${settingName("accessToken")} was refused` };
    return { token: { value, source: "accessToken" } };
  }

  async #command(): Promise<TokenLookup> {
    const { credentialCommand, interrupted, secrets, settingName } = this.#parts;
    if (credentialCommand === undefined) return undefined;
    const name = settingName("credentialCommand");
    try {
      const { accessToken: value, expiresAt } = await runCredentialCommand(credentialCommand, interrupted);
      secrets.add(value);
      if (this.#refused.has(value)) return { refused: true, reason: `the token of ${name} was refused` };
      const obtainedAt = Date.now();
      const refreshAt = expiresAt === undefined ? undefined : renewalOf(obtainedAt, expiresAt);
      return { token: { value, source: "credentialCommand", obtainedAt, expiresAt, refreshAt } };
    } catch (error) {
      return { reason: `${name} ${error instanceof Error ? error.message : "failed"}` };
    }
  }

  #nothing(failed: readonly NothingFound[]): NoToken {
    const { accessToken, credentialCommand, refreshToken, settingName } = this.#parts;
    const hints = failed.flatMap(({ hint }) => hint ?? []);
    const isConfigured = [accessToken, credentialCommand, refreshToken].some((value) => value !== undefined);
    if (hints.length === 0 || !isConfigured) {
      hints.unshift(`Set ${isConfigured ? "a valid " : ""}${tokenSources(settingName)}.`);
    }
    const reasons = failed.map(({ reason }) => reason).join("; ");
    const problem = isConfigured
      ? `the service accepts no access token: ${reasons}.`
      : ["not sent: no access token is configured", ...(reasons === "" ? [] : [reasons])].join("; ").concat(".");
    return { kind: "credential", problem, hint: hints.join(" ") };
  }
}

/** The first token, or the first error that no other source can help; otherwise why each configured source has none. */
async function firstOf(
  sources: readonly (() => Promise<TokenLookup>)[],
): Promise<AccessToken | NoToken | NothingFound[]> {
  const failed: NothingFound[] = [];
  for (const find of sources) {
    const found = await find();
    if (found === undefined) continue;
    if ("token" in found) return found.token;
    if ("error" in found) return found.error;
    failed.push(found);
  }
  return failed;
}

function isAlive({ expiresAt }: AccessToken): boolean {
  return expiresAt === undefined || Date.now() < expiresAt;
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
