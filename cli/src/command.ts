import type { Argument, Option } from "commander";
import type { CommandContext } from "./commandContext";

/** One command of `webextract`, described once: the parser, the help and docs/reference/cli.md are made from it. */
export interface CliCommand {
  /** Its words, such as `token status`. */
  readonly name: string;
  /** What it does, as a short sentence without a full stop. */
  readonly summary: string;
  /** More sentences for the help. */
  readonly details?: string;
  readonly arguments?: readonly Argument[];
  /** Its own options. */
  readonly options?: readonly Option[];
  /** Whether it uses the service, and so has the options of the connection. */
  readonly connects: boolean;
  /** Whether these arguments need neither the service nor a stack. Default: they need one, if the command connects. */
  isLocal?(values: CommandValues): boolean;
  /** Command lines with what they do. At least one. */
  readonly examples: readonly Example[];
  /** Does the work. The values are those of commander: by the long name of the option, in camelCase. */
  run(values: CommandValues, cli: CommandContext): Promise<Result>;
}

export interface Example {
  /** Without the name of the program. */
  readonly line: string;
  readonly does: string;
}

export interface CommandValues {
  /** The arguments, in order. One that takes several values is a list. */
  readonly arguments: readonly unknown[];
  /** The options of the command, and those of all commands. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** What a command has found or done. */
export interface Result {
  /** The document of `--json`. */
  json: unknown;
  /** The same for people. Empty if the command has written its result. */
  text(): string | Promise<string>;
  /** Whether the command found problems. The exit code is then 1. */
  hasProblems?: boolean;
}
