import { CommanderError } from "commander";
import { escapeOf } from "../../src/service/errors/foreignText";
import { codeOf } from "../../src/system/privateFile";
import { messageOf } from "../../src/values/errors";
import { adviceOn } from "./advice";
import type { Invocation } from "./argumentParser";
import { parse } from "./argumentParser";
import { CommandContext } from "./commandContext";
import { withSelectedStack } from "./connection/pulumi";
import { CliError, describeError, exitCodes, exitOf, isExpected, usageError } from "./exitCodes";
import type { Streams } from "./terminal";
import { Terminal } from "./terminal";

/** How a command ends early. */
export interface Ending {
  /** Ends the command: steps that only wait end, what has begun is completed, and temporary files are removed. */
  readonly controller: AbortController;
  /** Why, if a signal ended the command. */
  exit?: "interrupted" | "terminated";
  /** Called once, when the command has begun. */
  listen(cli: CommandContext, isJson: boolean): void;
}

/** Runs the command `webextract`. Returns its exit code. */
export async function commandLine(argv: readonly string[], streams: Streams, ending: Ending): Promise<number> {
  const terminal = new Terminal(streams);
  terminal.watch(() => ending.controller.abort());
  const code = await invoke(argv, terminal, ending).catch((error: unknown) => {
    terminal.fail(error instanceof CliError ? error.message : unexpected(error));
    return exitCodes.failed.code;
  });
  await terminal.flush();
  if (terminal.outputFailure === undefined) {
    return code;
  }
  terminal.fail(`Standard output cannot be written (${terminal.outputFailure}). The result is not complete.`);
  await terminal.flush();
  return exitCodes.failed.code;
}

async function invoke(argv: readonly string[], terminal: Terminal, ending: Ending): Promise<number> {
  let invocation: Invocation | undefined;
  try {
    invocation = parse(argv, terminal);
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    if (argv.includes("--json")) {
      await terminal.write(jsonOf({ error: { message: error.message, exit: "usage" } }));
    }
    return exitCodes.usage.code;
  }
  if (invocation === undefined) {
    return exitCodes.done.code;
  }
  const cli = new CommandContext(terminal, ending.controller.signal);
  const isJson = invocation.values.options.json === true;
  ending.listen(cli, isJson);
  const code = await run(invocation, { cli, isJson, ending });
  const lost = await cli.close();
  for (const message of lost) {
    terminal.fail(message);
  }
  return lost.length > 0 && code === exitCodes.done.code ? exitCodes.failed.code : code;
}

async function run(
  { command, values }: Invocation,
  { cli, isJson, ending }: { cli: CommandContext; isJson: boolean; ending: Ending },
): Promise<number> {
  const { terminal } = cli;
  const writeJson = async (document: unknown): Promise<void> => {
    // A forced end until then writes another document.
    await cli.tokensSettled();
    await terminal.write(jsonOf(document));
  };
  try {
    requirePresentFolder();
    const asksStack = command.connects && command.isLocal?.(values) !== true;
    const options = asksStack ? await withSelectedStack(values.options, cli) : values.options;
    const result = await command.run({ ...values, options }, cli);
    terminal.endProgress();
    if (isJson) {
      await writeJson(result.json);
    } else {
      const text = await result.text();
      await terminal.write(text === "" || text.endsWith("\n") ? text : `${text}\n`);
    }
    return result.hasProblems === true ? exitCodes.failed.code : exitCodes.done.code;
  } catch (error) {
    // `| head` has read enough: that is no failure.
    if (terminal.isCutOff) {
      return exitCodes.done.code;
    }
    const exit = ending.exit ?? exitOf(error);
    const { stack } = values.options;
    const message = `${messageOf(error)}${adviceOn(error, typeof stack === "string" ? stack : undefined)}`;
    terminal.fail(isExpected(error) ? message : unexpected(error));
    if (isJson) {
      await writeJson({ error: { ...describeError(error), message, exit } });
    }
    return exitCodes[exit].code;
  }
}

/** @throws CliError if the folder in which the command runs was removed */
function requirePresentFolder(): void {
  try {
    process.cwd();
  } catch (error) {
    throw usageError(`The current folder is gone or cannot be read (${codeOf(error)}). Change to another folder.`);
  }
}

function unexpected(error: unknown): string {
  return `${messageOf(error)} If this is not an error of the operating system, report it with the command line, without credentials.`;
}

/** The same value, without a character that a terminal could obey: JSON has an escape for each. */
export function jsonOf(document: unknown): string {
  const json = JSON.stringify(document, undefined, 2);
  return `${json.replace(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu, escapeOf)}\n`;
}
