import type { NewTokens } from "../contract/responses";
import { isRecord } from "../isRecord";
import type { AccessToken, CredentialSource } from "./accessToken";
import { isTime, renewalOf } from "./accessToken";

/** The newest tokens that one start token led to. A start token is the refresh token that somebody configured or imported. Times are milliseconds since 1970. */
export interface TokenFamily {
  refreshToken: string;
  accessToken: string;
  /** When the access token expires. Absent: not known. */
  expiresAt?: number;
  /** From then on the access token is renewed. */
  refreshAt?: number;
  /** When the start token was first used. For people only: clocks can be wrong. */
  beganAt: number;
  updatedAt: number;
  /** The profiles that have used it. */
  profiles: string[];
}

/** A family in the token store, with its key there. */
export interface StoredFamily extends TokenFamily {
  key: string;
}

/** The families of one service that a profile can use, each list in the order in which the families began. */
export interface StoredFamilies {
  /** The family that began with the configured refresh token. */
  own?: StoredFamily;
  /** The other families of the profile. */
  others: StoredFamily[];
  /** Those of `others` that began after `own`. */
  later: StoredFamily[];
  /** The family that `token import` stored last for the profile. */
  imported?: StoredFamily;
}

/** Where a renewed family belongs: to the refresh token that it began with, or to its key in the store. */
export type FamilyPlace = { startToken: string } | { key: string };

/**
 * The family after a refresh. `expiresIn` is a number of seconds, as number or as string. 0, a missing value or an invalid value means unknown.
 * @param sent the refresh token that was sent
 */
export function renewedFamily(
  before: TokenFamily | undefined,
  { accessToken = "", refreshToken, expiresIn: seconds }: NewTokens,
  sent: string,
  now: number,
): TokenFamily {
  const lifetime = typeof seconds === "number" || typeof seconds === "string" ? Number(seconds) * 1000 : 0;
  const expiresAt = lifetime > 0 && isTime(now + lifetime) ? now + lifetime : undefined;
  return {
    refreshToken: refreshToken ?? sent,
    accessToken,
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
    [beganAt, updatedAt].every((time) => typeof time === "number" && isTime(time)) &&
    isOptionalTime(expiresAt) &&
    isOptionalTime(refreshAt) &&
    Array.isArray(profiles) &&
    profiles.every((profile) => typeof profile === "string")
  );
}
