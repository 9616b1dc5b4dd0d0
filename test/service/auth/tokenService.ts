import type { FakeServer } from "../fakeServer";
import { json, startFakeServer } from "../fakeServer";

/** A service that only checks and refreshes tokens. Each refresh returns a new pair and, by default, makes the old refresh token invalid. */
export interface TokenService extends FakeServer {
  /** Access tokens that the service accepts. */
  access: Set<string>;
  /** Refresh tokens that the service accepts. */
  refresh: Set<string>;
  refreshes: number;
  /** Refused refresh tokens: those that were sent twice, if a token is used once only. */
  refused: string[];
  /** Whether a refresh token becomes invalid when it is used. Default true. */
  rotates: boolean;
  expiresIn: number | string;
  /** The response that refuses an access token. */
  refusal: { status: number; code?: string; headers?: Record<string, string> };
  /** Runs before the response to every request except a refresh. */
  onCall?: () => void;
  /** Sends the response to a refresh, if it returns true. */
  onRefresh?: (response: import("node:http").ServerResponse) => boolean;
}

export async function startTokenService(): Promise<TokenService> {
  const server = await startFakeServer((seen, response) => {
    const { refusal } = service;
    if (seen.url.startsWith("/token")) {
      if (service.onRefresh?.(response)) return;
      const { refresh_token } = JSON.parse(seen.body) as { refresh_token: string };
      if (!service.refresh.has(refresh_token)) {
        service.refused.push(refresh_token);
        json(response, 400, {
          error: { code: "Invalid.Grant", message: `${refresh_token} is not valid` },
          requestId: "q-t",
        });
        return;
      }
      service.refreshes += 1;
      const pair = { access_token: `access-${service.refreshes}`, refresh_token: `refresh-${service.refreshes}` };
      if (service.rotates) service.refresh.delete(refresh_token);
      service.access.add(pair.access_token);
      service.refresh.add(pair.refresh_token);
      json(response, 200, { data: { ...pair, token_type: "Bearer", expires_in: service.expiresIn }, requestId: "q-t" });
      return;
    }
    service.onCall?.();
    const token = seen.headers.authorization?.replace("Bearer ", "") ?? "";
    if (service.access.has(token)) json(response, 200, { requestId: "q", data: { lotNo: "1", status: "waiting" } });
    else if (refusal.code === undefined) json(response, refusal.status, "", refusal.headers);
    else
      json(response, refusal.status, {
        error: { code: refusal.code, message: `token ${token} refused` },
        requestId: "q",
      });
  });
  const service: TokenService = Object.assign(server, {
    access: new Set<string>(),
    refresh: new Set<string>(["refresh-0"]),
    refreshes: 0,
    refused: [],
    rotates: true,
    expiresIn: 86399,
    refusal: { status: 401, headers: { "www-authenticate": "Bearer" } },
  });
  return service;
}

/** The same service at another address. */
export async function movedTo({ access, refresh }: TokenService): Promise<TokenService> {
  return Object.assign(await startTokenService(), { access, refresh, refreshes: 100 });
}
