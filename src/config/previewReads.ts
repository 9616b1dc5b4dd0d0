import type { ServiceClientOptions } from "../service/options";

export const noCredential = "In a preview, reads use only accessToken or credentialCommand, and neither is configured.";

/**
 * The options of the client for a read in a preview. It must not use up a refresh token, because it can run on a
 * machine that does not keep the next token. Undefined if there is no other credential.
 */
export function previewReadOptions(options: ServiceClientOptions): ServiceClientOptions | undefined {
  const { accessToken, credentialCommand, credentials } = options;
  const isPossible = accessToken !== undefined || credentialCommand !== undefined || credentials === "apiKey";
  return isPossible ? { ...options, refreshToken: undefined } : undefined;
}
