import { readFileSync, statSync } from "node:fs";
import type { CommandContext } from "./commandContext";
import { CliError } from "./exitCodes";
import { textOf } from "./terminal";

/**
 * The text of a file that the user has named, or of standard input, which is named "-".
 * @throws CliError if it is not a file, or cannot be read
 */
export async function inputText(file: string, { terminal, interrupted }: CommandContext): Promise<string> {
  return file === "-" ? await terminal.readInput(interrupted) : inputFile(file);
}

/** To read a pipe or a device can take for ever. */
function inputFile(file: string): string {
  try {
    if (statSync(file).isFile()) {
      return textOf(readFileSync(file));
    }
  } catch (error) {
    throw new CliError(`"${file}" cannot be read (${(error as NodeJS.ErrnoException).code ?? error}).`, "usage");
  }
  throw new CliError(`"${file}" cannot be read: it is not a file.`, "usage");
}
