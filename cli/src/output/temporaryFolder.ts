import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeAbandonedFolders } from "../../../src/system/temporaryFiles";
import { CliError } from "../exitCodes";

/**
 * A private folder for temporary files with rows. It is removed in any case but a kill; what killed commands have left
 * is removed after a day.
 */
export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

/**
 * @param prefix how its name begins
 * @throws CliError if there is no place for it
 */
export async function temporaryFolder(prefix: string): Promise<TemporaryFolder> {
  await removeAbandonedFolders(tmpdir(), prefix);
  const path = await mkdtemp(join(tmpdir(), prefix)).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(
      `No folder for temporary files can be made in "${tmpdir()}" (${error.code ?? error.message}). Set TMPDIR to another one. No rows were read.`,
    );
  });
  const remove = (): void => {
    rmSync(path, { recursive: true, force: true });
    process.off("exit", remove);
  };
  // A second signal ends the process at once.
  process.once("exit", remove);
  return { path, remove };
}

/** What a user can do where a temporary file cannot be written: it has no name that the user knows. */
export function temporaryFailure({ message }: Error): CliError {
  return new CliError(
    `The rows cannot be written to the folder for temporary files, "${tmpdir()}": ${message}. Make free space there, or set TMPDIR to another folder. Nothing was written to standard output.`,
  );
}
