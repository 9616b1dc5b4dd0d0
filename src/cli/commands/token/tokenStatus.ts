import type { CliCommand } from "../../command";
import type { ConnectionFlags } from "../../connection/connection";
import { serviceOf } from "../../connection/connection";
import { describeSource, storedTokens } from "../../connection/storedTokens";
import { table } from "../../output/table";

export const tokenStatus: CliCommand = {
  name: "token status",
  summary: "show which credentials are in use and what the token store holds, without any token",
  details: "The command makes no request and changes nothing.",
  connects: true,
  examples: [{ line: "token status", does: "shows the source of the access token, and the age of the stored tokens" }],
  async run({ options }, cli) {
    const connection = await cli.connect(options as ConnectionFlags);
    const inUse = connection.client.describeCredentials();
    const { file, tokens } = await storedTokens(connection.options, cli.terminal);
    const service = serviceOf(connection);
    return {
      json: { service, credentials: inUse, tokenStore: file, tokens },
      text() {
        const rows = tokens.map(({ isConfigured, began, refreshed, expires, profiles }) => [
          isConfigured ? "the configured refresh token" : "another refresh token",
          began,
          refreshed,
          expires ?? "not known",
          profiles.join(", "),
        ]);
        const titles = ["began with", "first used", "last refresh", "access token expires", "profiles"];
        return [
          `Service:       ${service}`,
          `Access token:  ${describeSource(inUse)}`,
          `API key:       ${inUse.apiKey ? "configured" : "none"}`,
          `Token store:   ${file}`,
          "",
          tokens.length === 0
            ? "The token store holds no tokens for this service and profile."
            : table(titles, rows, cli.terminal),
        ].join("\n");
      },
    };
  },
};
