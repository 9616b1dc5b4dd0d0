#!/usr/bin/env node
import { writeSync } from "node:fs";
import { CommanderError } from "commander";
import { messageOf } from "../resources/resource";
import { escapeOf, shownText } from "../service/errors/foreignText";
import { Cli } from "./cli";
import type { CommandValues } from "./command";
import { withDefaults } from "./connection/defaults";
import { CliError, describeError, exitCodes, exitOf, isExpected } from "./exitCodes";
import type { Invocation } from "./program";
import { parse } from "./program";
import { Terminal } from "./terminal";

/** The command `webextract`. Returns its exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const terminal = new Terminal();
  const ending = new Ending();
  terminal.watch(() => ending.end());
  const code = await invoke(argv, terminal, ending);
  await terminal.flush();
  if (terminal.outputFailure === undefined) {
    return code;
  }
  terminal.fail(`Standard output cannot be written (${terminal.outputFailure}). The result is not complete.`);
  await terminal.flush();
  return exitCodes.failed.code;
}

async function invoke(argv: readonly string[], terminal: Terminal, ending: Ending): Promise<number> {
  let said = "";
  const output = {
    writeOut: (text: string): void => void process.stdout.write(text),
    writeErr: (text: string): void => {
      said += text;
      process.stderr.write(shownText(text));
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
    terminal.fail(isExpected(error) ? messageOf(error) : unexpected(error));
    if (isJson) {
      await cli.tokensSettled();
      await terminal.write(jsonOf({ error: { ...describeError(error), exit } }));
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
function jsonOf(document: unknown): string {
  const json = JSON.stringify(document, undefined, 2);
  return `${json.replace(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu, escapeOf)}\n`;
}

/** Ends the command early: steps that only wait end, what has begun is completed, and temporary files are removed. */
class Ending {
  private readonly controller = new AbortController();
  /** The exit code of a command that a signal ended. */
  exit: "interrupted" | "terminated" | undefined;

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    this.controller.abort();
  }

  /** @param lastWords what a second signal, which ends the process at once, must say */
  listen({ said, ...end }: { said: () => void; lastWords: () => string | undefined; isJson: boolean }): void {
    for (const [signal, exit] of [
      ["SIGINT", "interrupted"],
      ["SIGTERM", "terminated"],
      // The terminal was closed. Without a listener, the process would end in the middle of a refresh.
      ["SIGHUP", "terminated"],
    ] as const) {
      process.on(signal, () => {
        if (this.exit !== undefined) {
          endAtOnce(end.lastWords(), exit, end.isJson);
        }
        this.exit = exit;
        said();
        this.end();
      });
    }
  }
}

function endAtOnce(lastWords: string | undefined, exit: "interrupted" | "terminated", isJson: boolean): never {
  if (lastWords === undefined) {
    process.exit(exitCodes[exit].code);
  }
  try {
    if (isJson) {
      writeSync(1, jsonOf({ error: { message: lastWords, exit: "outcomeUnknown" } }));
    }
    writeSync(2, `error: ${shownText(lastWords)}\n`);
  } catch {
    // The terminal is gone.
  }
  process.exit(exitCodes.outcomeUnknown.code);
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`error: ${shownText(error instanceof CliError ? error.message : unexpected(error))}\n`);
    process.exit(exitCodes.failed.code);
  },
);
