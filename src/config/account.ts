import type { ServiceClientOptions } from "../service/options";
import { originOf } from "./config";

/** The account behind the options of a client: profiles with the same credentials at one service are one account. */
export function accountOf(options: ServiceClientOptions): string {
  const { baseUrl, accessToken, refreshToken, credentialCommand, apiKey, credentials } = options;
  const tokens = { accessToken, refreshToken, credentialCommand };
  const isKnownByKey = credentials === "apiKey" || Object.values(tokens).every((token) => token === undefined);
  return JSON.stringify([baseUrl && originOf(baseUrl), isKnownByKey ? { apiKey } : tokens]);
}
