import { readFileSync, statSync } from "node:fs";
import { CliError } from "./exitCodes";

/**
 * The text of a file that the user has named. To read a pipe or a device can take for ever.
 * @throws CliError if it is not a file, or cannot be read
 */
export function inputFile(file: string): string {
  try {
    if (statSync(file).isFile()) {
      return readFileSync(file, "utf8");
    }
  } catch (error) {
    throw new CliError(`"${file}" cannot be read (${(error as NodeJS.ErrnoException).code ?? error}).`, "usage");
  }
  throw new CliError(`"${file}" cannot be read: it is not a file.`, "usage");
}
