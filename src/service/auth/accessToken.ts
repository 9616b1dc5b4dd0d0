import type { NewTokens } from "../contract/answers";
import type { ServiceErrorKind } from "../errors/errors";
import type { Chain } from "./tokenStore";

/** Where an access token comes from, in the order in which they are tried. */
export type CredentialSource = "storedToken" | "accessToken" | "credentialCommand" | "refreshToken" | "none";

/** Which credentials are in use, without their values. */
export interface CredentialsInUse {
  /** Source of the access token in use, or of the one that the next call tries first. */
  source: CredentialSource;
  /** The sources that were refused so far. */
  refused: CredentialSource[];
  /** Whether an API key is configured. */
  apiKey: boolean;
  /** End of the access token's life as an ISO date, where it is known. */
  expires?: string;
  /** True when a rotated refresh token could not be stored: it is lost with this process. */
  unstored: boolean;
}

export interface AccessToken {
  readonly value: string;
  readonly source: CredentialSource;
  /** Milliseconds since 1970; absent where nobody knows. */
  readonly obtainedAt?: number;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Milliseconds since 1970: from here on a newer one is looked for. */
  refreshAt?: number;
  /** Whether the service has taken it at least once. */
  proven: boolean;
}

/** Why there is no access token. */
export interface NoToken {
  kind: ServiceErrorKind;
  problem: string;
  hint: string;
}

/** Milliseconds before its end that a token is renewed; half of its life where that is shorter. */
const renewBefore = 300_000;

/** When a token that was obtained now and ends then is to be renewed. */
export function renewalOf(obtainedAt: number, expiresAt: number): number {
  return expiresAt - Math.min(renewBefore, (expiresAt - obtainedAt) / 2);
}

/** The access token of a chain. */
export function tokenOf(chain: Chain, source: CredentialSource): AccessToken {
  const { accessToken: value, updatedAt: obtainedAt, expiresAt, refreshAt } = chain;
  return { value, source, obtainedAt, expiresAt, refreshAt, proven: false };
}

/** What is kept of the answer to a refresh. `expires_in` counts seconds, as number or as text; 0, nothing or nonsense: nobody knows. */
export function chainOf(pair: NewTokens, now: number): Chain {
  const seconds = pair.expires_in;
  const lifetime = typeof seconds === "number" || typeof seconds === "string" ? Number(seconds) * 1000 : 0;
  const expiresAt = Number.isFinite(lifetime) && lifetime > 0 ? now + lifetime : undefined;
  return {
    refreshToken: pair.refresh_token,
    accessToken: pair.access_token,
    expiresAt,
    refreshAt: expiresAt === undefined ? undefined : renewalOf(now, expiresAt),
    updatedAt: now,
  };
}
