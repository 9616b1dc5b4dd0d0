import type { CredentialsInUse } from "../../../src/service/auth/accessToken";
import type { TokenFamily } from "../../../src/service/auth/tokenStore";
import { ownFamily, TokenStore, TokenStoreError } from "../../../src/service/auth/tokenStore";
import type { ServiceClient } from "../../../src/service/client";
import type { ServiceClientOptions } from "../../../src/service/options";
import { settingsOf, tokenStoreOf } from "../../../src/service/settings";
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
 * The tokens that the store holds for this service and profile. Makes no request and changes nothing. `isEnough`: the
 * client uses one of them without another credential.
 * @throws CliError if the store cannot be read
 */
export async function storedTokens(
  options: ServiceClientOptions,
  terminal: Terminal,
): Promise<{ file: string; tokens: StoredTokens[]; isEnough: boolean }> {
  const store = storeOf(options, terminal);
  const families = await store.families(options.refreshToken, true).catch((error: unknown) => {
    if (!(error instanceof TokenStoreError)) throw error;
    const { message, hint } = error;
    throw new CliError(`${message.charAt(0).toUpperCase()}${message.slice(1)}. ${hint}`, "credential");
  });
  const { own, others } = families;
  return {
    file: store.file,
    isEnough: ownFamily(families, options) !== undefined,
    tokens: [...(own ? [described(own, true)] : []), ...others.map((each) => described(each, false))],
  };
}

export function storeOf(options: ServiceClientOptions, terminal: Terminal): TokenStore {
  return new TokenStore({
    ...settingsOf(options),
    tokenStore: neededStoreOf(options),
    warn: (message) => terminal.warn(message),
  });
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

function described(family: TokenFamily, isConfigured: boolean): StoredTokens {
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
