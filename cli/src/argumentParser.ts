import { Command, CommanderError } from "commander";
import { ownPackage } from "../../src/system/ownPackage";
import { describeShellPart, shellPartOf } from "../../src/values/shellPart";
import type { CliCommand, CommandValues } from "./command";
import { commandsFor } from "./commands/index";
import { optionsOf } from "./options";
import type { Terminal } from "./terminal";

export const programName = "webextract";

/** Words that begin several commands. */
export const groups: Readonly<Record<string, string>> = {
  journal: "show what a killed command has left, and answer for it",
  token: "manage the stored tokens",
};

/** What the command line asks for. */
export interface Invocation {
  command: CliCommand;
  values: CommandValues;
}

/**
 * Parses the command line.
 * @returns undefined if the user asked for help or for the version, and the answer was written
 * @throws CommanderError after the error was written
 */
export function parse(argv: readonly string[], terminal: Terminal): Invocation | undefined {
  let found: Invocation | undefined;
  const program = makeProgram(commandsFor(argv), terminal, (invocation) => {
    found = invocation;
  });
  try {
    program.parse(argv, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      return undefined;
    }
    throw error;
  }
  return found;
}

/** The commands as the parser knows them. */
function makeProgram(
  commands: readonly CliCommand[],
  terminal: Terminal,
  invoke: (invocation: Invocation) => void,
): Command {
  const output = {
    writeOut: (text: string) => void terminal.write(text),
    writeErr: (text: string) => terminal.say(text.trimEnd()),
  };
  const configured = (command: Command): Command =>
    command
      .configureOutput(output)
      .exitOverride()
      .showHelpAfterError("Use --help for the arguments and options.")
      .allowExcessArguments(false);
  const program = configured(new Command(programName))
    .description("Work with the tasks of a web data extraction service.")
    .version(ownPackage.version)
    .addHelpText("after", `\nExample:\n  $ ${programName} run shop-1   starts a run and waits for its end\n`);
  const parents = new Map<string, Command>();
  const parentOf = (word: string): Command => {
    const parent = parents.get(word) ?? configured(program.command(word)).description(groups[word] ?? "");
    parents.set(word, parent);
    return parent;
  };
  for (const command of commands) {
    const [first = "", second] = command.name.split(" ");
    const parsed = configured(second === undefined ? program.command(first) : parentOf(first).command(second));
    parsed.summary(command.summary).description(descriptionOf(command)).addHelpText("after", examplesOf(command));
    for (const argument of command.arguments ?? []) {
      parsed.addArgument(argument);
    }
    for (const option of optionsOf(command)) {
      parsed.addOption(option);
    }
    parsed.action((...given: unknown[]) => {
      refuseUnset(parsed);
      // `--out -` is standard output, as without the option: the parser would make "" of a parsed undefined.
      const { out, ...others } = parsed.opts();
      // The last two are the options and the command of the parser.
      invoke({ command, values: { arguments: given.slice(0, -2), options: out === "-" ? others : parsed.opts() } });
    });
  }
  return program;
}

/** The names of arguments, and of the values of options, that are files and folders. */
const takesPath = /^(?:file|folder|paths?|source|base|head|later)$/;

/** What is empty is usually a variable of a script that is not set, or one in quotes that no shell has replaced. */
function refuseUnset(parsed: Command): void {
  const isEmpty = (value: unknown): boolean => typeof value === "string" && value.trim() === "";
  const argument = parsed.registeredArguments.find((_each, index) =>
    [parsed.processedArgs[index]].flat().some(isEmpty),
  );
  const option = parsed.options.find((each) => isEmpty(parsed.getOptionValue(each.attributeName())));
  if (argument !== undefined) {
    parsed.error(`error: argument '${argument.name()}' is invalid. It must not be empty.`);
  }
  if (option !== undefined) {
    parsed.error(`error: option '${option.flags}' argument '' is invalid. It must not be empty.`);
  }
  const refuseShellPart = (title: string, name: string, value: unknown): void => {
    const paths = takesPath.test(name) ? [value].flat().filter((each) => typeof each === "string") : [];
    const part = paths.flatMap((path) => shellPartOf(path) ?? [])[0];
    if (part !== undefined) {
      parsed.error(`error: ${title} is invalid: it is ${describeShellPart(part)}.`);
    }
  };
  parsed.registeredArguments.forEach((each, index) => {
    refuseShellPart(`argument '${each.name()}'`, each.name(), parsed.processedArgs[index]);
  });
  for (const each of parsed.options) {
    const name = /[<[](\w+)/.exec(each.flags)?.[1] ?? "";
    refuseShellPart(`option '${each.flags}'`, name, parsed.getOptionValue(each.attributeName()));
  }
}

function descriptionOf({ summary, details }: CliCommand): string {
  const sentence = `${summary[0]?.toUpperCase()}${summary.slice(1)}.`;
  return details === undefined ? sentence : `${sentence}\n${details}`;
}

function examplesOf({ examples }: CliCommand): string {
  const lines = examples.map(({ line, does }) => `  $ ${programName} ${line}\n      ${does}`);
  return `\n${examples.length === 1 ? "Example" : "Examples"}:\n${lines.join("\n")}\n`;
}
