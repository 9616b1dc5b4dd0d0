import { join } from "node:path";
import type { ProviderConfig } from "../../../src/config/config";
import { isMark } from "../../../src/journal/journalPlace";
import type { ServiceClient } from "../../../src/service/client";
import { defaultTokenStore } from "../../../src/service/environment";
import { isServiceError } from "../../../src/service/errors/errors";
import type { ServiceClientOptions } from "../../../src/service/options";
import { optionProblems } from "../../../src/service/settings";
import { isStoreAddress } from "../../../src/store/storeAddress";
import { messageOf } from "../../../src/values/errors";
import { shellQuoted } from "../../../src/values/words";
import type { CliCommand } from "../command";
import type { CommandContext } from "../commandContext";
import { clientOf, connect } from "../connection/connected";
import type { ConnectionFlags } from "../connection/connection";
import { connectionOf, serviceOf } from "../connection/connection";
import type { Found } from "../connection/journalAt";
import { entriesIn, hasEntries, journalAt, stackFilter, urnsOfStack, wordsOfMark } from "../connection/journalAt";
import { isOnePlace, otherPlace, placeArgument, whatToSet } from "../connection/otherPlace";
import {
  credentialsInUse,
  moveTokens,
  neededStoreOf,
  openTokenStore,
  sources,
  storedTokens,
} from "../connection/storedTokens";
import { CliError, usageError } from "../exitCodes";
import { yesOption } from "../options";
import { table } from "../output/table";

interface Flags extends ConnectionFlags {
  yes?: boolean;
}

export const tokenStatus: CliCommand = {
  name: "token status",
  summary: "show which credentials are in use and what the token store holds, without any token",
  details: "It sends and changes nothing.",
  connects: true,
  examples: [{ line: "token status", does: "shows the source of the access token, and the age of the stored tokens" }],
  async run({ options }, cli) {
    const connection = await connect(options as ConnectionFlags, cli);
    const stored = await storedTokens(connection.options, cli.terminal);
    const { file, tokens } = stored;
    const inUse = credentialsInUse(connection.client, stored);
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
          `Access token:  ${sources[inUse.source]}`,
          `API key:       ${inUse.apiKey ? "configured" : "none"}`,
          `Token store:   ${file}`,
          "",
          tokens.length === 0
            ? isStoreAddress(file) && connection.options.refreshToken === undefined
              ? "In an object store, tokens are found by the refresh token that they began with: set WEBEXTRACT_REFRESH_TOKEN."
              : "The token store holds no tokens for this service and profile."
            : table(titles, rows, cli.terminal),
        ].join("\n");
      },
    };
  },
};

export const tokenRefresh: CliCommand = {
  name: "token refresh",
  summary: "exchange the newest refresh token for new tokens now, and store them",
  details: "On a schedule, this keeps a refresh token that lives for some days only.",
  connects: true,
  options: [yesOption()],
  examples: [{ line: "token refresh --yes", does: "refreshes in a scheduled job" }],
  async run({ options }, cli) {
    const { yes, ...flags } = options as Flags;
    const connection = await connect(flags, cli);
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

export const tokenImport: CliCommand = {
  name: "token import",
  summary: "put a refresh token into the token store",
  details:
    "The token is read from standard input, or asked for without being shown. The command exchanges it for new tokens and stores those.",
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
    const folder = neededStoreOf(connection.options);
    if (isStoreAddress(folder)) {
      throw new CliError(
        `The tokens in ${folder} are found with the refresh token that they began with: set WEBEXTRACT_REFRESH_TOKEN to it on each machine. Nothing was imported.`,
        "usage",
      );
    }
    const before = await importedKey(connection.options, cli);
    const question = `Exchange the refresh token at ${service}, and store the new tokens in ${folder}? The given token may become invalid.`;
    await cli.confirm(question, yes, "Nothing was imported.");
    const refreshToken = await cli.terminal.secret("Refresh token", cli.interrupted);
    if (refreshToken === "") {
      throw new CliError("No refresh token was given. Write it to standard input. Nothing was imported.", "usage");
    }
    if ((await importedKey(connection.options, cli)) !== before) {
      throw new CliError(
        "Another command has imported a refresh token in the meantime. Nothing was sent. Run the same command again to replace it.",
      );
    }
    // Only the given token counts: another credential of the configuration must not hide that the service refuses it.
    const { accessToken, credentialCommand, ...rest } = connection.options;
    const imported = {
      ...rest,
      refreshToken,
      settingName: (option: string) => (option === "refreshToken" ? "the given refresh token" : option),
    };
    const { expires } = await renewed(clientOf(imported, cli));
    const store = openTokenStore(imported, cli.terminal);
    await store.setImported(refreshToken);
    return {
      json: { service, tokenStore: store.file, expires },
      text: () =>
        // Pulumi takes a long path under this name for a secret, and refuses it.
        `The new tokens are in ${store.file}. To use them, set no other credential, and WEBEXTRACT_TOKEN_STORE to that folder, or in a project:\n` +
        `  pulumi config set --plaintext webextract:tokenStore ${shellQuoted(folder)}`,
    };
  },
};

/** What the import replaces. */
async function importedKey(options: ServiceClientOptions, { terminal }: CommandContext): Promise<string | undefined> {
  return (await openTokenStore(options, terminal).families(undefined, false)).imported?.key;
}

/** @throws CliError if the service accepts no refresh token, or the new one is lost */
async function renewed(client: ServiceClient): Promise<{ expires?: string }> {
  const inUse = await client.renewTokens().catch((error: unknown) => {
    throw isServiceError(error) ? error : new CliError(messageOf(error), "credential");
  });
  if (inUse.unstored) {
    throw new CliError("The service issued new tokens, and they were not stored.");
  }
  return inUse;
}

export const tokenMove: CliCommand = {
  name: "token move",
  summary: "move the tokens to another folder or store",
  details: "Nothing is sent to the service.",
  connects: true,
  arguments: [placeArgument()],
  options: [yesOption()],
  examples: [{ line: "token move s3://team-state/webextract/prod", does: "gives the tokens to several machines" }],
  async run(values, cli) {
    const { yes, ...flags } = values.options as Flags;
    const { config, options, profile } = await connectionOf(flags, cli.interrupted);
    const from = neededStoreOf(options);
    const to = otherPlace(String(values.arguments[0]), from);
    const nothingMoved = "Nothing was moved.";
    const problems = optionProblems({ ...options, tokenStore: to });
    if (problems.length > 0) throw usageError(problems.join(" "));
    const { file, tokens } = await storedTokens(options, cli.terminal);
    if (!tokens.some(({ isConfigured }) => isConfigured)) {
      const next = "Set WEBEXTRACT_REFRESH_TOKEN to the token that they began with.";
      throw new CliError(`${file} has no tokens of a configured refresh token. ${nothingMoved} ${next}`, "credential");
    }
    const journalOf = (place: string): string => (isStoreAddress(place) ? place : join(place, "journal"));
    // An up reads the default journal of its user in any case.
    const isAtHome = isOnePlace(from, defaultTokenStore());
    const counts = isAtHome ? stackFilter(flags.stack, []) : () => true;
    // Also if this stack has its journal elsewhere: other stacks have the same tokens.
    const journal = journalOf(from);
    if (await hasEntries(journalAt(journal, config, cli), counts)) {
      throw new CliError(
        `The journal in ${journal} follows the tokens, and has entries. ${nothingMoved} ` +
          `First run "pulumi up" of each stack that uses it, or "webextract journal move ${shellQuoted(journalOf(to))}".`,
      );
    }
    const places = [{ address: journal, place: journalAt(journal, config, cli) }];
    const found = await entriesIn(
      places,
      urnsOfStack(flags.stack).map((urn) => ({ urn })),
    );
    const isAstray = ({ entry }: Found): boolean =>
      isMark(entry) && !isOnePlace(String(entry.detail.to), journalOf(to));
    const astray = config.journal === journal ? found.find(isAstray) : undefined;
    if (astray !== undefined) throw new CliError(`${wordsOfMark(astray)} ${nothingMoved}`);
    const others = profile === undefined ? await othersIn(from, config, options, cli) : [];
    const accounts = others.length === 0 ? "" : `, also those of ${others.map(([name]) => name).join(", ")},`;
    await cli.confirm(`Move the tokens${accounts} from ${from} to ${to}?`, yes, nothingMoved);
    for (const [, each] of others) await moveTokens(each, to, cli.terminal);
    await moveTokens(options, to, cli.terminal);
    const isOfProfile = profile !== undefined && config.clientOptions(undefined).tokenStore !== from;
    const next = isOfProfile
      ? `Before the next command, set tokenStore of profile "${profile}" in webextract:profiles to ${shellQuoted(to)}.`
      : whatToSet("tokenStore", from, to);
    return { json: { from, to }, text: () => `The tokens${accounts} are in ${to}. ${next}` };
  },
};

/** The profiles with tokens of their own in this place, and their options. */
async function othersIn(
  place: string,
  config: ProviderConfig,
  { refreshToken }: ServiceClientOptions,
  { terminal }: CommandContext,
): Promise<[name: string, ServiceClientOptions][]> {
  const found: [string, ServiceClientOptions][] = [];
  for (const name of config.accounts) {
    const options = config.clientOptions(name);
    const isOther = options.refreshToken !== undefined && options.refreshToken !== refreshToken;
    if (name === undefined || !isOther || !isOnePlace(neededStoreOf(options), place)) continue;
    // Those that an earlier try has moved cannot be read.
    const stored = await storedTokens(options, terminal).catch(() => undefined);
    if (stored?.tokens.some(({ isConfigured }) => isConfigured) === true) found.push([name, options]);
  }
  return found;
}
