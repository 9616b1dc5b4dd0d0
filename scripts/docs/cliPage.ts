import { programName } from "../../cli/src/argumentParser";
import type { CliCommand } from "../../cli/src/command";
import { allCommands } from "../../cli/src/commands/index";
import { exitCodes } from "../../cli/src/exitCodes";
import { commonOptions, connectionOptions } from "../../cli/src/options";
import type { Parts } from "./parts";
import { list } from "./parts";

export const cliPage = "docs/reference/cli.md";

/** All commands with their arguments and options, as `--help` shows them, and an example of each; and the exit codes. */
export function partsOfCli(): Parts {
  const alone = allCommands().filter(({ connects }) => !connects);
  const codes = Object.entries(exitCodes).map(([name, { code, meaning }]) => `- ${code} \`${name}\`: ${meaning}`);
  return {
    command: "npm run docs",
    required: {
      commands: allCommands().map(sectionOf).join("\n\n"),
      "common options": [
        optionsList([...connectionOptions(), ...commonOptions()]),
        `${alone.map(({ name }) => `\`${name}\``).join(", ")} have only their own options and \`--json\`.`,
      ].join("\n\n"),
      "exit codes": codes.join("\n"),
    },
  };
}

type Options = NonNullable<CliCommand["options"]>;

function sectionOf(command: CliCommand): string {
  const { name, summary, details, arguments: given = [] } = command;
  // The page describes --yes once, for all commands that ask.
  const options = (command.options ?? []).filter(({ long }) => long !== "--yes");
  const words = given.map(
    (argument) =>
      (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`) + (argument.variadic ? "..." : ""),
  );
  return [
    `### ${name}`,
    `\`${[programName, name, ...words].join(" ")}\``,
    `${summary[0]?.toUpperCase()}${summary.slice(1)}. ${details ?? ""}`.trim(),
    ...(options.length === 0 ? [] : [optionsList(options)]),
  ].join("\n\n");
}

function optionsList(options: Options): string {
  return list(
    options.map(({ flags, description, argChoices, defaultValue, negate }) => [
      flags,
      "",
      [
        description,
        argChoices === undefined ? "" : `: ${argChoices.map((choice) => `\`${choice}\``).join(", ")}`,
        negate || defaultValue === undefined ? "" : ` (default: \`${defaultValue}\`)`,
      ].join(""),
    ]),
  );
}
