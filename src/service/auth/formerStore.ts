import { defaultTokenStore } from "../environment";
import { NoToken } from "./accessToken";
import type { TokenParts } from "./tokenExchange";
import { TokenStore } from "./tokenStore";

/**
 * Refuses to begin with the configured token where this user's own store has newer ones: it is spent there.
 * @throws NoToken
 */
export async function requireNoFormerTokens({ settings, options }: TokenParts): Promise<void> {
  const former = await inOwnStore(settings, options.refreshToken).catch(() => undefined);
  if (former === undefined || former === settings.tokenStore) return;
  const { tokenStore } = settings;
  throw new NoToken(
    "credential",
    `not sent: its newest tokens are in ${former}, and not in ${tokenStore}.`,
    `Without this ${settings.settingName("tokenStore")}, run "webextract token move ${tokenStore}".`,
  );
}

async function inOwnStore(
  settings: TokenParts["settings"],
  startToken: string | undefined,
): Promise<string | undefined> {
  const tokenStore = defaultTokenStore();
  const { own } = await new TokenStore({ ...settings, tokenStore }).families(startToken, false);
  return own && tokenStore;
}
