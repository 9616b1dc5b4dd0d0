import type { ServiceErrorKind } from "../errors/errors";

/** Where an access token comes from. */
export type CredentialSource = "storedToken" | "accessToken" | "credentialCommand" | "refreshToken" | "none";

/** Which credentials are in use, without their values. */
export interface CredentialsInUse {
  /** Source of the access token in use, or of the one that the next call tries first. */
  source: CredentialSource;
  /** Whether an API key is configured. */
  apiKey: boolean;
  /** When the access token expires, as an ISO date, where that is known. */
  expires?: string;
  /** True while the tokens in use are later ones of the token store, which may belong to another account. */
  standIn: boolean;
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

/** Why there is no access token, and no source can help. */
export class NoToken extends Error {
  constructor(
    readonly kind: ServiceErrorKind,
    readonly problem: string,
    readonly hint: string,
  ) {
    super(`${problem} ${hint}`.trim());
  }
}

/** Why a source has no token, for the error when no other source has one either. */
export interface NothingFound {
  /** Whether the service refused what the source had. */
  refused?: boolean;
  reason: string;
  hint?: string;
}

/** What a source of access tokens has. Undefined if it is not configured. */
export type TokenLookup = AccessToken | NothingFound | undefined;

/** A token is renewed this number of milliseconds before it expires, or after half of its life if that is later. */
const renewBefore = 300_000;

/** A token with its times. */
export function accessTokenOf(
  source: CredentialSource,
  value: string,
  obtainedAt: number,
  expiresAt: number | undefined,
): AccessToken {
  const life = expiresAt === undefined ? Number.NaN : expiresAt - obtainedAt;
  const refreshAt = expiresAt && expiresAt - Math.min(renewBefore, life / 2);
  return { value, source, obtainedAt, expiresAt, refreshAt };
}

/**
 * What is wrong with a credential, by what it looks like and without showing it: a part of a sentence. Most often
 * nothing has replaced a variable, or something has hidden the value.
 */
export function faultOf(credential: string): string | undefined {
  if (/^["'`]|["'`]$/.test(credential)) return "is in quotes. Remove them";
  if (/^(?:\$[A-Z_][A-Z0-9_]*|\$env:\w+|\$?\{.*\}|\$\(.*\)|%\w+%|<.*>)$/s.test(credential)) {
    return "is the name of a variable, which nothing has replaced by its value";
  }
  if (/^(?:\*+|[•●]+|\[secret\]|\[redacted\])$/i.test(credential)) return "is what hides a value, not the value";
  if (/^(?:null|undefined|none|nil)$/i.test(credential)) return "is a word for no value";
  return isHeaderValue(credential)
    ? undefined
    : "contains a space, a line break or another character that a header cannot carry";
}

/** A header takes visible ASCII only; a line break must not become a second header. */
export function isHeaderValue(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value);
}
