import type { ServiceErrorKind } from "../errors/errors";

/** Where an access token comes from. */
export type CredentialSource = "storedToken" | "accessToken" | "credentialCommand" | "refreshToken" | "none";

/** Which credentials are in use, without their values. */
export interface CredentialsInUse {
  /** Source of the access token in use, or of the one that the next call tries first. */
  source: CredentialSource;
  /** The sources whose tokens were refused, and not accepted since. */
  refused: CredentialSource[];
  /** Whether an API key is configured. */
  apiKey: boolean;
  /** When the access token expires, as an ISO date, where that is known. */
  expires?: string;
  /** True when a rotated refresh token could not be stored: it is lost when this process ends. */
  unstored: boolean;
}

/** Times are milliseconds since 1970, and absent where they are not known. */
export interface AccessToken {
  readonly value: string;
  readonly source: CredentialSource;
  readonly obtainedAt?: number;
  readonly expiresAt?: number;
  /** From this time on, the client looks for a newer token. */
  readonly refreshAt?: number;
  /** Whether the token belongs to a later refresh token than the configured one, which was refused. */
  readonly isStandIn?: boolean;
}

/** Why there is no access token. */
export interface NoToken {
  kind: ServiceErrorKind;
  problem: string;
  hint: string;
}

/** Why a source has no token, for the error when no other source has one either. */
export interface NothingFound {
  /** Whether the service refused what the source had. */
  refused?: boolean;
  reason: string;
  hint?: string;
}

/**
 * The result of a source of access tokens: a token; the reason why it has none, and the next source is tried; or an error, and no other source is
 * tried. Undefined if the source is not configured.
 */
export type TokenLookup = { token: AccessToken } | { error: NoToken } | NothingFound | undefined;

/** A header takes visible ASCII only; a line break must not become a second header. */
export function isHeaderValue(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value);
}

/** A token is renewed this number of milliseconds before it expires, or after half of its life if that is later. */
const renewBefore = 300_000;

/** When to renew a token that was obtained and that expires at these times. */
export function renewalOf(obtainedAt: number, expiresAt: number): number {
  return expiresAt - Math.min(renewBefore, (expiresAt - obtainedAt) / 2);
}

/** Whether a number is a time that a `Date` can hold. */
export function isTime(milliseconds: number): boolean {
  return !Number.isNaN(new Date(milliseconds).getTime());
}
