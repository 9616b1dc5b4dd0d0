import { CommanderError } from "commander";
import { messageOf } from "../resources/resource";
import { escapeOf, shownText } from "../service/errors/foreignText";
import { adviceOn } from "./advice";
import { Cli } from "./cli";
import type { CommandValues } from "./command";
import { withDefaults } from "./connection/defaults";
import { CliError, describeError, exitCodes, exitOf, isExpected } from "./exitCodes";
import type { Invocation } from "./program";
import { parse } from "./program";
import type { Streams } from "./terminal";
import { Terminal } from "./terminal";

/** How a command ends early. */
export interface Ending {
  readonly signal: AbortSignal;
  /** Why, if a signal ended the command. */
  readonly exit: "interrupted" | "terminated" | undefined;
  end(): void;
  /** Called once, when the command has begun. */
  listen(command: EndedCommand): void;
}

/** What the end of a command needs of it. */
export interface EndedCommand {
  /** Says that the command ends. */
  said(): void;
  /** What a second signal, which ends the process at once, must say. */
  lastWords(): string | undefined;
  isJson: boolean;
}

/** Runs the command `webextract`. Returns its exit code. */
export async function commandLine(argv: readonly string[], streams: Streams, ending: Ending): Promise<number> {
  try {
    return await runToTheEnd(argv, streams, ending);
  } catch (error) {
    streams.errors.write(`error: ${shownText(error instanceof CliError ? error.message : unexpected(error))}\n`);
    return exitCodes.failed.code;
  }
}

async function runToTheEnd(argv: readonly string[], streams: Streams, ending: Ending): Promise<number> {
  const terminal = new Terminal(streams);
  terminal.watch(() => ending.end());
  const code = await invoke(argv, { terminal, streams, ending });
  await terminal.flush();
  if (terminal.outputFailure === undefined) {
    return code;
  }
  terminal.fail(`Standard output cannot be written (${terminal.outputFailure}). The result is not complete.`);
  await terminal.flush();
  return exitCodes.failed.code;
}

interface Started {
  terminal: Terminal;
  streams: Streams;
  ending: Ending;
}

async function invoke(argv: readonly string[], { terminal, streams, ending }: Started): Promise<number> {
  let said = "";
  const output = {
    writeOut: (text: string): void => void streams.output.write(text),
    writeErr: (text: string): void => {
      said += text;
      streams.errors.write(shownText(text));
    },
  };
  let invocation: Invocation | undefined;
  try {
    invocation = parse(argv, output);
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    if (argv.includes("--json")) {
      await terminal.write(jsonOf({ error: { message: said.trim(), exit: "usage" } }));
    }
    return exitCodes.usage.code;
  }
  if (invocation === undefined) {
    return exitCodes.done.code;
  }
  const cli = new Cli(terminal, ending.signal);
  ending.listen({
    said: () => terminal.say("Interrupted. Ending, press Ctrl-C again to end at once."),
    lastWords: () => cli.lastWords,
    isJson: isJsonWanted(invocation.values),
  });
  const code = await run(invocation, cli, ending);
  const lost = await cli.close();
  for (const message of lost) {
    terminal.fail(message);
  }
  return lost.length > 0 && code === exitCodes.done.code ? exitCodes.failed.code : code;
}

async function run({ command, values }: Invocation, cli: Cli, ending: Ending): Promise<number> {
  const { terminal } = cli;
  const isJson = isJsonWanted(values);
  try {
    const options = command.connects ? withDefaults(values.options, process.cwd(), terminal) : values.options;
    const result = await command.run({ ...values, options }, cli);
    terminal.endProgress();
    if (isJson) {
      // A forced end until then writes another document.
      await cli.tokensSettled();
    }
    const text = isJson ? jsonOf(result.json) : await result.text();
    await terminal.write(text === "" || text.endsWith("\n") ? text : `${text}\n`);
    return result.hasProblems === true ? exitCodes.failed.code : exitCodes.done.code;
  } catch (error) {
    terminal.endProgress();
    // `| head` has read enough: that is no failure.
    if (terminal.isCutOff) {
      return exitCodes.done.code;
    }
    const exit = ending.exit ?? exitOf(error);
    const { stack } = values.options;
    const message = `${messageOf(error)}${adviceOn(error, typeof stack === "string" ? stack : undefined)}`;
    terminal.fail(isExpected(error) ? message : unexpected(error));
    if (isJson) {
      await cli.tokensSettled();
      await terminal.write(jsonOf({ error: { ...describeError(error), message, exit } }));
    }
    return exitCodes[exit].code;
  }
}

function unexpected(error: unknown): string {
  return `${messageOf(error)} If this is not an error of the operating system, report it with the command line, without credentials.`;
}

function isJsonWanted({ options }: CommandValues): boolean {
  return options.json === true;
}

/** The same value, without a character that a terminal could obey: JSON has an escape for each. */
export function jsonOf(document: unknown): string {
  const json = JSON.stringify(document, undefined, 2);
  return `${json.replace(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu, escapeOf)}\n`;
}
