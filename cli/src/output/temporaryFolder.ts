import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError } from "../exitCodes";

/**
 * Makes a private folder for temporary files with rows.
 * @param prefix how its name begins
 * @throws CliError if there is no place for it
 */
export async function temporaryFolder(prefix: string): Promise<string> {
  return await mkdtemp(join(tmpdir(), prefix)).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(
      `No folder for temporary files can be made in "${tmpdir()}" (${error.code ?? error.message}). Set TMPDIR to another one. No rows were read.`,
    );
  });
}

/** What a user can do where a temporary file cannot be written: it has no name that the user knows. */
export function temporaryFailure({ message }: Error): CliError {
  return new CliError(
    `The rows cannot be written to the folder for temporary files, "${tmpdir()}": ${message}. Make free space there, or set TMPDIR to another folder. Nothing was written to standard output.`,
  );
}
