import { Tokens } from "./auth/tokens";
import { prepare } from "./contract/requests";
import { readNewTokens } from "./contract/responses";
import { Redactor } from "./errors/redactor";
import { joinLimiter } from "./http/limiter";
import { secretsOf } from "./http/proxyServer";
import { RequestSender } from "./http/requestSender";
import { TransportOnDemand } from "./http/transportOnDemand";
import type { ServiceClientOptions } from "./options";
import type { ClientSettings } from "./settings";
import { settingsOf } from "./settings";

/** The parts of a client, connected. */
export interface ClientParts {
  readonly settings: ClientSettings;
  readonly sender: RequestSender;
  readonly tokens: Tokens;
  readonly secrets: Redactor;
  readonly transport: TransportOnDemand;
  /** See `close` of the client. */
  close(): void;
}

/** Makes no request and reads no file. @throws TypeError that names every invalid option */
export function clientParts(options: ServiceClientOptions): ClientParts {
  const settings = settingsOf(options);
  const { apiKey } = options;
  const secrets = new Redactor();
  secrets.add(apiKey);
  for (const word of secretsOf(settings.proxy)) secrets.add(word);
  const { limiter, leave } = joinLimiter(settings);
  const transport = new TransportOnDemand(settings.maxResponseBytes, settings.proxy);
  const tokens = new Tokens({
    options,
    settings,
    secrets,
    refresh: (token) => {
      const request = { refresh_token: token, grant_type: "refresh_token" };
      return sender.call(prepare("refreshToken", request, settings), readNewTokens);
    },
  });
  let isClosed = false;
  const sender: RequestSender = new RequestSender({ settings, transport, limiter, tokens, secrets, apiKey });
  return {
    settings,
    sender,
    tokens,
    secrets,
    transport,
    close() {
      if (!isClosed) leave();
      isClosed = true;
      sender.close();
      transport.close();
      tokens.checkStored();
    },
  };
}
