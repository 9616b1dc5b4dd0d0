#!/usr/bin/env node
import { writeSync } from "node:fs";
import { shownText } from "../service/errors/foreignText";
import type { EndedCommand, Ending } from "./commandLine";
import { commandLine, jsonOf } from "./commandLine";
import { exitCodes } from "./exitCodes";

/** Ends the command early: steps that only wait end, what has begun is completed, and temporary files are removed. */
class EndingBySignals implements Ending {
  private readonly controller = new AbortController();
  /** The exit code of a command that a signal ended. */
  exit: "interrupted" | "terminated" | undefined;

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    this.controller.abort();
  }

  listen({ said, ...end }: EndedCommand): void {
    for (const [signal, exit] of [
      ["SIGINT", "interrupted"],
      ["SIGTERM", "terminated"],
      // The terminal was closed. Without a listener, the process would end in the middle of a refresh.
      ["SIGHUP", "terminated"],
      ["SIGQUIT", "terminated"],
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

const { stdin: input, stdout: output, stderr: errors } = process;
commandLine(process.argv.slice(2), { input, output, errors }, new EndingBySignals()).then((code) => process.exit(code));
