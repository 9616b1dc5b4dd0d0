import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { moveIfFree } from "../../../src/rows/destinations/diskFile";
import { makeFolder } from "../../../src/system/folders";
import { replaceFile, targetOf } from "../../../src/system/replaceFile";
import { messageOf, ResourceError } from "../../../src/values/errors";
import type { CommandContext } from "../commandContext";
import { CliError } from "../exitCodes";

export interface PlannedFile {
  /** Relative to the program's folder. */
  path: string;
  content: string;
  /** What stands there now: nothing, the same content, or something else. */
  present: "nothing" | "same" | "other";
  /** The digest of something else. Only this is replaced: another program can change the file while a question waits. */
  digest?: string | undefined;
}

/** @throws CliError if something else than a file stands there */
export function planned(path: string, content: string, folder: string): PlannedFile {
  const full = resolve(folder, path);
  if (!existsSync(full)) {
    return { path, content, present: "nothing" };
  }
  requireFile(full, "Nothing was written.");
  const isSame = readFileSync(full, "utf8") === content;
  return isSame ? { path, content, present: "same" } : { path, content, present: "other", digest: digestOf(full) };
}

/** The digest of a file; undefined if there is none that can be read. */
export function digestOf(file: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } catch {
    return undefined;
  }
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
      const before = written.length === 0 ? "No file was written." : `Written before: ${written.join(", ")}.`;
      const isInterrupted = interrupted?.aborted === true;
      const mend = isInterrupted || error instanceof InTheMeantime ? "" : " Mend that, or name another file.";
      const why = `${isInterrupted ? "the command was interrupted" : reasonOf(error)}. ${before}${mend}`;
      throw new ResourceError(`"${file.path}" cannot be written: ${why} Run the same command again.`);
    }
    written.push(file.path);
  }
}

/** @throws an error for `reasonOf`, also if the file is not as it was planned any more */
export async function writeFile({ path, content, present, digest }: PlannedFile, folder: string): Promise<void> {
  const file = await targetOf(resolve(folder, path));
  await makeFolder(dirname(file));
  await replaceFile(file, content, {
    async place(from, to) {
      if (present === "nothing" && !(await moveIfFree(from, to))) {
        throw new InTheMeantime(isTaken);
      }
      if (present !== "nothing") {
        if (digestOf(to) !== digest) {
          throw new InTheMeantime("another program has changed it in the meantime");
        }
        await rename(from, to);
      }
    },
  });
}

const isTaken = "something else stands there now, or a part of the path is not a folder";

/** Nobody was asked about this. */
class InTheMeantime extends Error {}

/** Why a file could not be written, without an end. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  // A part of the path is a file.
  return code === "EEXIST" ? isTaken : (code ?? messageOf(error));
}

/**
 * Asks whether a file that the user has named for a result can be replaced. To be called before any other work.
 * @returns what stands there
 */
export async function confirmedToReplace(
  out: string,
  yes: boolean,
  cli: CommandContext,
): Promise<Pick<PlannedFile, "present" | "digest">> {
  if (!existsSync(out)) {
    return { present: "nothing" };
  }
  requireFile(out, "No request was sent.");
  const digest = digestOf(out);
  await cli.confirm(`Replace the file ${out}?`, yes, "No request was sent, and no file was written.");
  return { present: "other", digest };
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
