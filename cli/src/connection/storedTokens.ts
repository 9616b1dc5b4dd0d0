import type { CredentialsInUse } from "../../../src/service/auth/accessToken";
import type { MovedTokens } from "../../../src/service/auth/sharedTokens";
import { mayBeNewer, SharedTokens } from "../../../src/service/auth/sharedTokens";
import type { TokenFamily } from "../../../src/service/auth/tokenStore";
import { ownFamily, TokenStore, TokenStoreError } from "../../../src/service/auth/tokenStore";
import type { ServiceClient } from "../../../src/service/client";
import { Redactor } from "../../../src/service/errors/hideWords";
import type { ServiceClientOptions } from "../../../src/service/options";
import { settingsOf, tokenStoreOf } from "../../../src/service/settings";
import { isStoreAddress } from "../../../src/store/storeAddress";
import { codeOf } from "../../../src/system/privateFile";
import { messageOf } from "../../../src/values/errors";
import { CliError } from "../exitCodes";
import type { Terminal } from "../terminal";

/** What the token store holds of one family of tokens, without the tokens. */
export interface StoredTokens {
  /** Whether the family began with the configured refresh token. */
  isConfigured: boolean;
  began: string;
  refreshed: string;
  /** When the access token expires. */
  expires?: string;
  profiles: string[];
}

/** @throws CliError if this user has no home folder, and none is given */
export function neededStoreOf(options: ServiceClientOptions): string {
  const folder = tokenStoreOf(options);
  if (folder === undefined) {
    throw new CliError("This user has no home folder. Set WEBEXTRACT_TOKEN_STORE to a folder.", "usage");
  }
  return folder;
}

/**
 * The tokens that the store holds for this service and profile. Sends nothing to the service and changes nothing. `isEnough`: the
 * client uses one of them without another credential.
 * @throws CliError if the store cannot be read
 */
export async function storedTokens(
  options: ServiceClientOptions,
  terminal: Terminal,
): Promise<{ file: string; tokens: StoredTokens[]; isEnough: boolean }> {
  if (isStoreAddress(options.tokenStore)) return sharedTokens(options, terminal);
  const store = openTokenStore(options, terminal);
  const families = await store.families(options.refreshToken, true).catch((error: unknown) => {
    throw error instanceof TokenStoreError ? new CliError(sentencesOf(error), "credential") : error;
  });
  const { own, others } = families;
  return {
    file: store.file,
    isEnough: ownFamily(families, options) !== undefined,
    tokens: [...(own ? [described(own, true)] : []), ...others.map((each) => described(each, false))],
  };
}

export function openTokenStore(options: ServiceClientOptions, terminal: Terminal): TokenStore {
  return new TokenStore({
    ...settingsOf(options),
    tokenStore: neededStoreOf(options),
    warn: (message) => terminal.warn(message),
  });
}

function sentencesOf({ message, hint }: TokenStoreError): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}. ${hint}`;
}

/** Moves the tokens of the configured refresh token, unless another process may send them, or there are newer ones there. */
export async function moveTokens(options: ServiceClientOptions, to: string, terminal: Terminal): Promise<void> {
  const { refreshToken: startToken = "" } = options;
  const there = { ...options, tokenStore: to };
  const from = neededStoreOf(options);
  let isWritten = false;
  const write = async (tokens: MovedTokens): Promise<void> => {
    await (isStoreAddress(to) ? sharedOf(there, terminal).moveIn(tokens) : moveIntoFolder(there, tokens, terminal));
    isWritten = true;
  };
  try {
    if (isStoreAddress(from)) return await sharedOf(options, terminal).moveOut(to, write);
    const store = openTokenStore(options, terminal);
    await store.locked(async () => {
      const { own } = await store.families(startToken, true);
      if (own === undefined) throw new CliError(`${store.file} has no tokens to move.`);
      await write(own);
      await store.remove(own, startToken, to);
    }, true);
  } catch (error) {
    const isLocked = codeOf(error) === "ELOCKED" ? `Another process uses ${from} or ${to}.` : undefined;
    const why = error instanceof TokenStoreError ? sentencesOf(error) : messageOf(error).replace(/\.?$/, ".");
    const now = isWritten ? `The tokens are in ${to} too: remove none, and move them again.` : "Nothing was moved.";
    throw new CliError(`${isLocked ?? why} ${now}`, "credential");
  }
}

async function moveIntoFolder(options: ServiceClientOptions, tokens: MovedTokens, terminal: Terminal): Promise<void> {
  const { refreshToken: startToken = "" } = options;
  const { refreshToken, accessToken, expiresAt, beganAt, updatedAt } = tokens;
  const store = openTokenStore(options, terminal);
  await store.locked(async () => {
    const { own } = await store.families(startToken, true, true);
    if (own !== undefined && own.refreshToken !== refreshToken && mayBeNewer(own.updatedAt, tokens)) {
      throw new CliError(`${store.file} has newer tokens of the configured refresh token.`);
    }
    const key = store.keyOf(startToken);
    const family = { key, refreshToken, accessToken, expiresAt, beganAt, updatedAt, profiles: own?.profiles ?? [] };
    await store.save(family, startToken);
  }, true);
}

function sharedOf(options: ServiceClientOptions, { warn }: Terminal): SharedTokens {
  const settings = settingsOf({ ...options, warn });
  const refresh = (): Promise<never> => Promise.reject(new Error("no refresh"));
  return new SharedTokens({ options, settings, secrets: new Redactor(), refresh }, () => true);
}

/** The same for tokens in an object store: only the configured refresh token finds them. */
async function sharedTokens(options: ServiceClientOptions, terminal: Terminal): ReturnType<typeof storedTokens> {
  const shared = sharedOf(options, terminal);
  const found = await shared.describe().catch((error: unknown) => {
    throw new CliError(messageOf(error), "credential");
  });
  return {
    file: shared.file,
    isEnough: false,
    tokens: found === undefined ? [] : [described({ ...found, profiles: [] }, true)],
  };
}

/** The sources of an access token, in words. */
export const sources: Record<CredentialsInUse["source"], string> = {
  storedToken: "an access token of the token store",
  accessToken: "the configured access token",
  credentialCommand: "the credential command",
  refreshToken: "the configured refresh token",
  none: "none",
};

/** Which credentials are in use, also before the first request has looked into the store. */
export function credentialsInUse(client: ServiceClient, stored?: { isEnough: boolean }): CredentialsInUse {
  const inUse = client.describeCredentials();
  return inUse.source === "none" && stored?.isEnough === true ? { ...inUse, source: "storedToken" } : inUse;
}

type Times = Pick<TokenFamily, "beganAt" | "updatedAt" | "expiresAt" | "profiles">;

function described(family: Times, isConfigured: boolean): StoredTokens {
  const { beganAt, updatedAt, expiresAt, profiles } = family;
  const iso = (time: number): string => new Date(time).toISOString();
  return {
    isConfigured,
    began: iso(beganAt),
    refreshed: iso(updatedAt),
    expires: expiresAt === undefined ? undefined : iso(expiresAt),
    profiles: profiles.map((name) => (name === "" ? "(top level)" : name.replace(/^=/, ""))),
  };
}
