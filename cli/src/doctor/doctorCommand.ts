import { isServiceError } from "../../../src/service/errors/errors";
import type { ServiceClientOptions } from "../../../src/service/options";
import { serviceAddress } from "../../../src/service/serviceAddress";
import { settingsOf, tokenStoreOf } from "../../../src/service/settings";
import { messageOf } from "../../../src/values/errors";
import { counted } from "../../../src/values/words";
import type { CliCommand } from "../command";
import type { CommandContext } from "../commandContext";
import { clientOf } from "../connection/connected";
import type { ConnectionFlags } from "../connection/connection";
import { findConnection } from "../connection/connection";
import { credentialsInUse, storedTokens } from "../connection/storedTokens";
import { CliError } from "../exitCodes";
import { isProbed } from "../probe/probed";
import type { Finding } from "./findings";
import {
  clockFinding,
  credentialFindings,
  folderFinding,
  good,
  problem,
  proxyFinding,
  readFinding,
  versionFindings,
  warning,
} from "./findings";
import { journalFindings } from "./journalFindings";

export const doctorCommand: CliCommand = {
  name: "doctor",
  summary: "look for problems of the installation, the configuration and the connection, each with its remedy",
  details: "The command shows no credential. It reads a task that does not exist.",
  connects: true,
  examples: [
    { line: "doctor", does: "looks at the configuration of the environment" },
    { line: "doctor --stack dev --json", does: "looks at the configuration of a Pulumi stack, for a script" },
  ],
  async run({ options }, cli) {
    const found = [
      ...(await versionFindings(process.cwd(), cli.interrupted)),
      ...(await connectionFindings(options, cli)),
    ];
    cli.checkInterrupted("Not everything was looked at.");
    const findings = (["problem", "warning", "good"] as const).flatMap((kind) => found.filter(({ is }) => is === kind));
    const problems = findings.filter(({ is }) => is === "problem").length;
    return {
      json: { problems, findings },
      text: () =>
        `${findings.map(lineOf).join("\n")}\n\n${problems === 0 ? "No problem was found." : `${counted(problems, "problem")}.`}`,
      hasProblems: problems > 0,
    };
  },
};

async function connectionFindings(flags: ConnectionFlags, cli: CommandContext): Promise<Finding[]> {
  const connection = await findConnection(flags, cli.interrupted).catch(messageOfRefusal);
  if (typeof connection === "string" || connection.options === undefined || connection.problems.length > 0) {
    const problems = typeof connection === "string" ? [connection] : connection.problems;
    return problems.map((found) => problem("configuration", found, "Correct this, then run doctor again."));
  }
  const { config, options, warning: ofEnvironment } = connection;
  const client = clientOf(options, cli);
  const folder = tokenStoreOf(options);
  const store =
    folder === undefined
      ? warning("token store", "this user has no home folder", "For a refresh token, set WEBEXTRACT_TOKEN_STORE.")
      : await folderFinding("token store", folder, "tokenStore", config.settings);
  const tokens = store.is === "good" ? await storedTokens(options, cli.terminal).catch(messageOf) : undefined;
  const ofMachine = [
    good("configuration", `service ${serviceAddress(options.baseUrl)}`),
    ...(ofEnvironment === undefined
      ? []
      : [warning("environment", ofEnvironment, "Correct these names, or remove the variables.")]),
    ...credentialFindings(credentialsInUse(client, typeof tokens === "string" ? undefined : tokens)),
    store,
    ...(typeof tokens === "string" ? [problem("token store", tokens, "Do this, then run doctor again.")] : []),
    ...(config.noJournal === undefined
      ? await journalFindings(config.journal, config.skipsCheckpoints, config.settings)
      : [problem("journal", config.noJournal, "Do this, then run doctor again.")]),
    proxyFinding(options),
  ];
  const read = await readFinding(client, settingsOf(options).settingName);
  if (read.is !== "problem") return [...ofMachine, read, clockFinding(client), probeFinding(options)];
  // Without a response, the clock would only repeat what the read says.
  return [...ofMachine, read, ...(client.clockAhead === undefined ? [] : [clockFinding(client)])];
}

/** The contract leaves much open, and the defaults are only what most services do. */
function probeFinding(options: ServiceClientOptions): Finding {
  const check = "probe";
  return isProbed(options)
    ? good(check, "this service was probed from this machine")
    : warning(
        check,
        "this service has not been probed from this machine",
        'Run "webextract probe --write --from TASK --group GROUP": it names the settings that fit.',
      );
}

function messageOfRefusal(error: unknown): string {
  if (error instanceof CliError || isServiceError(error)) {
    return error.message;
  }
  throw error;
}

const marks = { good: "✔", warning: "!", problem: "✖" } as const;

function lineOf({ check, is, found, remedy }: Finding): string {
  const line = `${marks[is]} ${check}: ${found}`;
  return remedy === undefined ? line : `${line}\n    ${remedy}`;
}
