import { writeSync } from "node:fs";
import { shownText } from "../../src/service/errors/foreignText";
import type { CommandContext } from "./commandContext";
import type { Ending } from "./commandLine";
import { commandLine, jsonOf } from "./commandLine";
import { exitCodes } from "./exitCodes";

const signals = {
  SIGINT: "interrupted",
  SIGTERM: "terminated",
  // The terminal was closed. Without a listener, the process would end in the middle of a refresh.
  SIGHUP: "terminated",
  SIGQUIT: "terminated",
} as const;

/** The first signal ends the command in order, the second one at once. */
const ending: Ending = {
  controller: new AbortController(),
  listen(cli, isJson) {
    for (const [signal, exit] of Object.entries(signals)) {
      process.on(signal, () => {
        if (ending.exit !== undefined) {
          endAtOnce(cli, exit, isJson);
        }
        ending.exit = exit;
        // A command whose work is as good as done completes it, and then ends with 0.
        cli.terminal.say("Ending. Press Ctrl-C again to end at once.");
        ending.controller.abort();
      });
    }
  },
};

function endAtOnce(
  { lastWords, leftWords }: CommandContext,
  signal: "interrupted" | "terminated",
  isJson: boolean,
): never {
  const exit = lastWords === undefined ? signal : "outcomeUnknown";
  const message = [lastWords, leftWords].filter((words) => words !== undefined).join(" ");
  try {
    if (isJson && message !== "") {
      writeSync(1, jsonOf({ error: { message, exit } }));
    }
    if (message !== "") {
      writeSync(2, `error: ${shownText(message)}\n`);
    }
  } catch {
    // The terminal is gone.
  }
  process.exit(exitCodes[exit].code);
}

const { stdin: input, stdout: output, stderr: errors } = process;
commandLine(process.argv.slice(2), { input, output, errors }, ending).then((code) => process.exit(code));
