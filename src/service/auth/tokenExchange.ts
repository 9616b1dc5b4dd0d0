import type { NewTokens } from "../contract/responses";
import { isServiceError, withoutHint } from "../errors/errors";
import type { Redactor } from "../errors/hideWords";
import type { ClientSettings, ServiceClientOptions } from "../options";
import type { AccessToken, TokenLookup } from "./accessToken";
import { accessTokenOf, isHeaderValue, NoToken } from "./accessToken";
import { isTime } from "./tokenStore";

export interface TokenParts {
  options: ServiceClientOptions;
  settings: ClientSettings;
  secrets: Redactor;
  /** The operation `refreshToken` of the service. */
  refresh: (refreshToken: string, deadlineSeconds?: number) => Promise<NewTokens>;
}

/** Where the newest tokens are kept, and how one process at a time renews them. */
export interface TokenKeeper {
  /** Its address, for messages. */
  readonly file: string;
  /** Whether the newest refresh token could not be stored, so that it is lost with this process. */
  readonly hasUnstored: boolean;
  /** Whether a refresh token was sent whose successor is not stored yet. */
  readonly isExchanging: boolean;
  /** The stored access token of the configured refresh token. */
  stored(): Promise<TokenLookup>;
  /**
   * A new access token, or one that another process has stored.
   * @param always refreshes although the stored access token is good
   * @throws NoToken if no other source can help
   */
  renewed(always?: boolean): Promise<TokenLookup>;
}

/** What the service has issued. Times are milliseconds since 1970. */
export interface IssuedTokens {
  refreshToken: string;
  accessToken: string;
  /** When the access token expires. Absent: not known. */
  expiresAt?: number;
  updatedAt: number;
}

/**
 * Undefined if the service refuses the refresh token.
 * @param deadlineSeconds absent: that of the client
 * @throws NoToken if there is no such response: the token may be used up
 */
export async function exchanged(
  sent: string,
  { secrets, settings, refresh }: TokenParts,
  deadlineSeconds?: number,
): Promise<IssuedTokens | undefined> {
  try {
    const { accessToken = "", refreshToken = sent, expiresIn } = await refresh(sent, deadlineSeconds);
    for (const word of [accessToken, refreshToken]) secrets.add(word);
    const now = Date.now();
    return { refreshToken, accessToken, expiresAt: expiryOf(expiresIn, now), updatedAt: now };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (isServiceError(error, "credential", "refused") && error.outcome === "notExecuted") return undefined;
    const kind = error.kind === "unreachable" ? "unreachable" : "credential";
    const path = settings.settingName("refreshPath");
    const otherPath = isServiceError(error, "refused", "contract")
      ? ` If each attempt ends like this, the service may refresh tokens at another path: set ${path}, for example to /token/refresh.`
      : "";
    throw new NoToken(
      kind,
      `not sent: no access token, because the refresh failed. ${withoutHint(error)}`,
      error.hint + otherPath,
    );
  }
}

/** The access token of new tokens. @throws NoToken if it cannot be sent */
export function newAccessToken({ accessToken, updatedAt, expiresAt }: IssuedTokens): AccessToken {
  if (isHeaderValue(accessToken)) return accessTokenOf("refreshToken", accessToken, updatedAt, expiresAt);
  throw new NoToken(
    "contract",
    "not sent: the service's new access token is missing, or contains a character that a header cannot contain.",
    "The new refresh token was stored. Ask the operator of the service.",
  );
}

/** A stored access token, if it can be used. */
export function storedAccessToken(
  { accessToken, updatedAt, expiresAt }: Omit<IssuedTokens, "refreshToken">,
  isGood: (token: AccessToken) => boolean,
): AccessToken | undefined {
  if (!isHeaderValue(accessToken)) return undefined;
  const token = accessTokenOf("storedToken", accessToken, updatedAt, expiresAt);
  return isGood(token) ? token : undefined;
}

/** `seconds` can be a string. 0, a missing value or an invalid value means unknown. */
function expiryOf(seconds: unknown, now: number): number | undefined {
  const life = typeof seconds === "number" || typeof seconds === "string" ? Number(seconds) * 1000 : 0;
  return life > 0 && isTime(now + life) ? now + life : undefined;
}
