import { Argument, InvalidArgumentError, Option } from "commander";
import type { CliCommand } from "./command";

/** The options of every command. */
export const commonOptions = (): Option[] => [new Option("--json", "write one JSON document to standard output")];

/** The options of every command that uses the service. */
export const connectionOptions = (): Option[] => [
  new Option("--base-url <url>", "base address of the service (default: WEBEXTRACT_BASE_URL)"),
  new Option(
    "--profile <name>",
    "name of an account in webextract:profiles or WEBEXTRACT_PROFILES (default: that of the named task, then WEBEXTRACT_PROFILE)",
  ),
  new Option(
    "--stack <name>",
    "use the configuration of this Pulumi stack (default: the selected one, unless an option or WEBEXTRACT_BASE_URL names a service)",
  ),
];

/** The task of a command. */
export const taskArgument = (): Argument =>
  new Argument(
    "<task>",
    "id of the task, or its name in the state of the stack; an id that the service knows comes first",
  );

/** For a service that shows no action without its type. */
export const adviceOnTypes =
  "Name the types of the actions, with commas between them, such as --types LoopAction,ExtractDataAction: the service's own editor shows the type of each step, and an export of a task contains them as actionType.";

export const typesOption = (): Option =>
  new Option(
    "--types <names>",
    "action types to read, with commas between them (default: all that the service shows)",
  ).argParser(namesIn);

/** The options that a command has, with those of all commands. */
export function optionsOf({ options = [], connects }: Pick<CliCommand, "options" | "connects">): Option[] {
  return [...options, ...(connects ? connectionOptions() : []), ...commonOptions()];
}

export const sheetOption = (): Option =>
  new Option("--sheet <name>", "sheet of .xlsx files (default: the first visible one)");

export const yesOption = (): Option => new Option("-y, --yes", "answer the question with yes");

/** Parses a number, or an integer, of at least `least` and at most `most`. */
export function numberFrom(
  least: number,
  kind: "a number" | "an integer" = "a number",
  most = Number.POSITIVE_INFINITY,
): (text: string) => number {
  return (text) => {
    const value = Number(text);
    const fits = kind === "a number" ? Number.isFinite(value) : Number.isSafeInteger(value);
    if (text.trim() !== "" && fits && value >= least && value <= most) {
      return value;
    }
    throw new InvalidArgumentError(
      `It must be ${kind} ${most === Number.POSITIVE_INFINITY ? `of at least ${least}` : `from ${least} to ${most}`}.`,
    );
  };
}

/** Parses names with commas between them. An option that is given again adds names. */
export function namesIn(text: string, before: readonly string[] = []): string[] {
  const names = [...before, ...text.split(",").map((name) => name.trim())];
  if (names.some((name) => name === "")) {
    throw new InvalidArgumentError("It must be names with commas between them.");
  }
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    throw new InvalidArgumentError(`It names "${twice}" twice.`);
  }
  return names;
}
