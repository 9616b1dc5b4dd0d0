import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { moveIfFree } from "../../resources/export/destinations/diskFile";
import { ResourceError } from "../../resources/resource";
import { makeFolder } from "../../service/files/folders";
import { replaceFile, targetOf } from "../../service/files/replaceFile";
import type { Cli } from "../cli";
import { CliError } from "../exitCodes";

export interface PlannedFile {
  /** Relative to the program's folder. */
  path: string;
  content: string;
  /** What stands there now: nothing, the same content, or something else. */
  present: "nothing" | "same" | "other";
}

/** @throws CliError if something else than a file stands there */
export function planned(path: string, content: string, folder: string): PlannedFile {
  const full = resolve(folder, path);
  if (!existsSync(full)) {
    return { path, content, present: "nothing" };
  }
  requireFile(full, "Nothing was written.");
  return { path, content, present: readFileSync(full, "utf8") === content ? "same" : "other" };
}

/**
 * Writes the planned files, each as a whole or not at all. Files that have their content already are left alone. The
 * caller has asked before files with other content are replaced.
 * @param interrupted ends the work between two files
 * @throws ResourceError that names the file and what was written before
 */
export async function writeFiles(
  files: readonly PlannedFile[],
  folder: string,
  interrupted?: AbortSignal,
): Promise<void> {
  const written: string[] = [];
  for (const file of files.filter(({ present }) => present !== "same")) {
    try {
      interrupted?.throwIfAborted();
      await writeFile(file, folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const before = written.length === 0 ? "No file was written." : `Written before: ${written.join(", ")}.`;
      let why = `${code ?? error}. ${before} Mend that, or name another file.`;
      if (interrupted?.aborted === true) {
        why = `the command was interrupted. ${before}`;
      } else if (code === "EEXIST") {
        why = `it has appeared in the meantime, or is not a folder. ${before}`;
      }
      throw new ResourceError(`"${file.path}" cannot be written: ${why} Run the same command again.`);
    }
    written.push(file.path);
  }
}

async function writeFile({ path, content, present }: PlannedFile, folder: string): Promise<void> {
  const file = await targetOf(resolve(folder, path));
  await makeFolder(dirname(file));
  await replaceFile(file, content, present === "other" ? {} : { place: placeIfFree });
}

/** Nobody was asked about a file that has appeared since the plan. */
async function placeIfFree(from: string, to: string): Promise<void> {
  if (!(await moveIfFree(from, to))) {
    throw Object.assign(new Error("the file exists"), { code: "EEXIST" });
  }
}

/**
 * Asks whether a file that the user has named for a result can be replaced. To be called before any other work.
 * @returns whether there is one
 */
export async function confirmedToReplace(out: string, yes: boolean, cli: Cli): Promise<boolean> {
  if (!existsSync(out)) {
    return false;
  }
  requireFile(out, "No request was sent.");
  await cli.confirm(`Replace the file ${out}?`, yes, "No request was sent, and no file was written.");
  return true;
}

/**
 * Requires that a path which is to be replaced is a file. A read of a pipe or a device can take for ever, and a rename
 * would put a file in its place.
 * @throws CliError if it is no file
 */
function requireFile(path: string, soFar: string): void {
  if (!statSync(path).isFile()) {
    throw new CliError(`"${path}" cannot be written: it is not a file. ${soFar}`, "usage");
  }
}
