import { constants, createReadStream, openSync, statSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { CliError } from "./exitCodes";
import type { Terminal } from "./terminal";

/**
 * A file that the user has named, to be read in place of standard input.
 * @throws CliError if it is a folder or a device, or cannot be opened
 */
export function inputFile(file: string, terminal: Terminal): Readable {
  try {
    const found = statSync(file);
    if (found.isFile()) {
      return createReadStream("", { fd: openSync(file, "r") });
    }
    if (found.isFIFO()) {
      terminal.say(`Reading "${file}" until the program that writes to it ends.`);
      // A shell makes one of <(pulumi preview --json). A usual open of one that has no writer would wait, and no signal could end it.
      return new Socket({
        fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK),
        readable: true,
        writable: false,
      });
    }
  } catch (error) {
    throw new CliError(`"${file}" cannot be read (${(error as NodeJS.ErrnoException).code ?? error}).`, "usage");
  }
  throw new CliError(`"${file}" cannot be read: it is not a file.`, "usage");
}
