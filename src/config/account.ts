import type { ServiceClientOptions } from "../service/options";
import { serviceAddress } from "../service/serviceAddress";

/**
 * The account behind the options of a client: profiles with the same credentials are one account. Those without any
 * have the tokens that the token store keeps by their name.
 */
export function accountOf(options: ServiceClientOptions): string {
  const { baseUrl } = options;
  return JSON.stringify([baseUrl && serviceAddress(baseUrl), credentialsOf(options)]);
}

/** The same across providers: without credentials, each token store has an account of its own. */
export function accountInAnyProvider(options: ServiceClientOptions): string {
  const { tokenStore = "" } = storeNameOf(options) === undefined ? {} : options;
  return JSON.stringify([accountOf(options), tokenStore]);
}

/** What tells the accounts of one service apart. Contains credentials. */
export function credentialsOf(options: ServiceClientOptions): string {
  const { accessToken, refreshToken, credentialCommand, apiKey, credentials } = options;
  const tokens = { accessToken, refreshToken, credentialCommand };
  const isKnownByKey = credentials === "apiKey" || Object.values(tokens).every((token) => token === undefined);
  return JSON.stringify([isKnownByKey ? { apiKey } : tokens, storeNameOf(options)]);
}

/** The profile, if only the token store has its tokens. */
export function storeNameOf(options: ServiceClientOptions): string | undefined {
  const { accessToken, refreshToken, credentialCommand, tokenStore, profile } = options;
  const isConfigured = [accessToken, refreshToken, credentialCommand].some((each) => each !== undefined);
  return isConfigured || tokenStore === undefined ? undefined : profile;
}
