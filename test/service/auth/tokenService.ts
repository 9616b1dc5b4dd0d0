import type { FakeServer } from "../fakeServer";
import { json, startFakeServer } from "../fakeServer";

/** A service that knows about nothing but tokens: each refresh gives a new pair and, if asked to, makes the old refresh token worthless. */
export interface TokenService extends FakeServer {
  /** Access tokens that are taken. */
  access: Set<string>;
  /** Refresh tokens that are taken. */
  refresh: Set<string>;
  refreshes: number;
  /** Whether a refresh token dies with its use. Default true. */
  rotates: boolean;
  expiresIn: number | string;
  /** What refuses an access token. */
  refusal: { status: number; code?: string };
  /** Before the answer to anything but a refresh. */
  onCall?: () => void;
  /** In place of the answer to a refresh, where it says so. */
  onRefresh?: (response: import("node:http").ServerResponse) => boolean;
}

export async function startTokenService(): Promise<TokenService> {
  const server = await startFakeServer((seen, response) => {
    const { refusal } = service;
    if (seen.url.startsWith("/token")) {
      if (service.onRefresh?.(response)) return;
      const { refresh_token } = JSON.parse(seen.body) as { refresh_token: string };
      if (!service.refresh.has(refresh_token)) {
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
    else if (refusal.code === undefined) json(response, refusal.status, "");
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
    rotates: true,
    expiresIn: 86399,
    refusal: { status: 401 },
  });
  return service;
}
