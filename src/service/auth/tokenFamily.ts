import type { NewTokens } from "../contract/responses";
import { isRecord } from "../isRecord";
import type { AccessToken, CredentialSource } from "./accessToken";
import { isTime, renewalOf } from "./accessToken";

/**
 * All tokens that one configured refresh token led to, of which the newest are kept: each refresh replaces them. Times are milliseconds since
 * 1970.
 */
export interface TokenFamily {
  refreshToken: string;
  accessToken: string;
  /** When the access token expires. Absent: not known. */
  expiresAt?: number;
  /** From then on the access token is renewed. */
  refreshAt?: number;
  /** When the configured refresh token was first used. */
  beganAt: number;
  updatedAt: number;
  /** The profiles that have used it. */
  profiles: string[];
}

/** The families of one service and profile. */
export interface StoredFamilies {
  /** The family that began with the configured refresh token. */
  own?: TokenFamily;
  others: TokenFamily[];
}

/** What the configuration says about credentials, as far as {@link standInFor} needs it. */
export type Configured = "refreshToken" | "otherCredential" | "tokenStoreAlone" | "nothing";

/**
 * The family that can be used although it began with another refresh token than the configured one. Such a family can belong to another
 * account, and a write with its token would go there. So it can be used only in two cases:
 *
 * - The configured refresh token has a family too, and the other one began later. That happens in `pulumi refresh` and `pulumi destroy`:
 *   they run with the configuration of the last `up`, even if the refresh token was replaced since then. The newest such family is used.
 * - No credential is configured, `tokenStore` is, and the store holds exactly one family: then the store was configured to be used.
 */
export function standInFor(configured: Configured, { own, others }: StoredFamilies): TokenFamily | undefined {
  switch (configured) {
    case "refreshToken":
      return others
        .filter(({ beganAt }) => own !== undefined && beganAt > own.beganAt)
        .sort((a, b) => b.beganAt - a.beganAt)[0];
    case "tokenStoreAlone":
      return others.length === 1 ? others[0] : undefined;
    case "otherCredential":
    case "nothing":
      return undefined;
  }
}

/** The family after a refresh. `expires_in` is a number of seconds, as number or as string. 0, a missing value or an invalid value means unknown. */
export function renewedFamily(before: TokenFamily | undefined, pair: NewTokens, now: number): TokenFamily {
  const seconds = pair.expires_in;
  const lifetime = typeof seconds === "number" || typeof seconds === "string" ? Number(seconds) * 1000 : 0;
  const expiresAt = lifetime > 0 && isTime(now + lifetime) ? now + lifetime : undefined;
  return {
    refreshToken: pair.refresh_token,
    accessToken: pair.access_token,
    expiresAt,
    refreshAt: expiresAt === undefined ? undefined : renewalOf(now, expiresAt),
    beganAt: before?.beganAt ?? now,
    updatedAt: now,
    profiles: before?.profiles ?? [],
  };
}

export function tokenOf(family: TokenFamily, source: CredentialSource): AccessToken {
  const { accessToken: value, updatedAt: obtainedAt, expiresAt, refreshAt } = family;
  return { value, source, obtainedAt, expiresAt, refreshAt };
}

export function isTokenFamily(value: unknown): value is TokenFamily {
  if (!isRecord(value)) return false;
  const { refreshToken, accessToken, expiresAt, refreshAt, beganAt, updatedAt, profiles } = value;
  const isOptionalTime = (time: unknown) => time === undefined || (typeof time === "number" && isTime(time));
  return (
    typeof refreshToken === "string" &&
    typeof accessToken === "string" &&
    typeof beganAt === "number" &&
    typeof updatedAt === "number" &&
    isOptionalTime(expiresAt) &&
    isOptionalTime(refreshAt) &&
    Array.isArray(profiles) &&
    profiles.every((profile) => typeof profile === "string")
  );
}
