import type { CliCommand } from "../../command";
import type { ConnectionFlags } from "../../connection/connection";
import { connectionOf, serviceOf } from "../../connection/connection";
import { storeOf, tokenStoreOf } from "../../connection/storedTokens";
import { CliError } from "../../exitCodes";
import { yesOption } from "../../options";
import { renewed } from "./tokenRefresh";

interface Flags extends ConnectionFlags {
  yes?: boolean;
}

export const tokenImport: CliCommand = {
  name: "token import",
  summary: "put a refresh token into the token store",
  details:
    "The token is read from standard input, or asked for on a terminal without being shown. The command exchanges it for new tokens and stores those. " +
    "With WEBEXTRACT_TOKEN_STORE set to the folder, and no other credential, the tokens that were imported last are used. Other tokens in the store stay.",
  connects: true,
  options: [yesOption()],
  examples: [
    { line: "token import", does: "asks for the token" },
    { line: "token import --yes < token.txt", does: "reads it from a file" },
  ],
  async run({ options }, cli) {
    const { yes, ...flags } = options as Flags;
    const connection = await connectionOf(flags, cli.interrupted);
    const service = serviceOf(connection);
    const folder = tokenStoreOf(connection.options);
    const question = `Exchange the refresh token at ${service}, and store the new tokens in ${folder}? The given token may become invalid.`;
    await cli.confirm(question, yes, "Nothing was imported.");
    const refreshToken = await cli.terminal.secret("Refresh token", cli.interrupted);
    if (refreshToken === "") {
      throw new CliError("No refresh token was given. Write it to standard input. Nothing was imported.", "usage");
    }
    // Only the given token counts: another credential of the configuration must not hide that the service refuses it.
    const { accessToken, credentialCommand, ...rest } = connection.options;
    const imported = { ...rest, refreshToken, settingName: nameOf };
    const { expires } = await renewed(cli.client(imported));
    const store = storeOf(imported, cli.terminal);
    const { file } = store;
    await store.setImported(refreshToken);
    return {
      json: { service, tokenStore: file, expires },
      text: () =>
        `The new tokens are in ${file}. To use them, set webextract:tokenStore or WEBEXTRACT_TOKEN_STORE to ${folder}, and no other credential.`,
    };
  },
};

function nameOf(option: string): string {
  return option === "refreshToken" ? "the given refresh token" : option;
}
