import { messageOf } from "../../../resources/resource";
import { isServiceError } from "../../../service/errors/errors";
import type { CliCommand } from "../../command";
import type { ConnectionFlags } from "../../connection/connection";
import { serviceOf } from "../../connection/connection";
import { storedTokens } from "../../connection/storedTokens";
import { CliError } from "../../exitCodes";
import { yesOption } from "../../options";

interface Flags extends ConnectionFlags {
  yes?: boolean;
}

export const tokenRefresh: CliCommand = {
  name: "token refresh",
  summary: "exchange the newest refresh token for new tokens now, and store them",
  details:
    "A refresh token may live for some days only. A scheduled refresh keeps an account usable that is used rarely. " +
    "Processes that share the token store take turns. Nothing is exchanged if the store cannot be written.",
  connects: true,
  options: [yesOption()],
  examples: [{ line: "token refresh --yes", does: "refreshes in a scheduled job" }],
  async run({ options }, cli) {
    const { yes, ...flags } = options as Flags;
    const connection = await cli.connect(flags);
    const service = serviceOf(connection);
    const question = `Exchange the refresh token at ${service}? The present one may become invalid.`;
    await cli.confirm(question, yes, "Nothing was refreshed.");
    const { expires } = await renewed(connection.client);
    const { file } = await storedTokens(connection.options, cli.terminal);
    return {
      json: { service, tokenStore: file, expires },
      text: () =>
        `The new tokens are in ${file}. The access token expires ${expires ?? "at a time that the service does not tell"}.`,
    };
  },
};

/** @throws CliError if the service accepts no refresh token, or the new one is lost */
export async function renewed(client: {
  renewTokens(): Promise<{ expires?: string; unstored: boolean }>;
}): Promise<{ expires?: string }> {
  const inUse = await client.renewTokens().catch((error: unknown) => {
    throw isServiceError(error) ? error : new CliError(messageOf(error), "credential");
  });
  if (inUse.unstored) {
    throw new CliError("The service issued new tokens, and they were not stored.");
  }
  return inUse;
}
