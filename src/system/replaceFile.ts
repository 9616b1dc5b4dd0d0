import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./folders";
import { syncFile } from "./syncFile";
import { temporaryPathFor } from "./temporaryFiles";

export interface Replacing {
  /** Default: the mode of the file that is replaced. */
  mode?: number;
  /** Waits until the file is on the disk, so that it survives a power cut. Otherwise it survives only a killed process. */
  durable?: boolean;
  /** Gives the written file its name. Default: in place of the file that has it. */
  place?(from: string, to: string): Promise<void>;
}

/**
 * Writes a file as a whole or not at all, so that no reader sees half of it. The folder must exist. A symbolic link stays, and its target is replaced.
 *
 * The package write-file-atomic does not fit: it renames a file that a full disk cut off. With it, two containers that share a folder can
 * also choose the same temporary name.
 */
export async function replaceFile(
  file: string,
  content: string,
  { mode, durable = false, place = rename }: Replacing = {},
): Promise<void> {
  const target = await targetOf(file);
  const kept = mode === undefined ? await modeOf(target) : undefined;
  const temporary = temporaryPathFor(target);
  try {
    const handle = await open(temporary, "wx", mode ?? kept);
    try {
      // The umask has no part in a mode that is kept.
      if (kept !== undefined) await handle.chmod(kept);
      await handle.writeFile(content);
      if (durable) await syncFile(handle);
    } finally {
      await handle.close();
    }
    await place(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  if (durable) await syncFolder(dirname(target));
}

async function modeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found === undefined ? undefined : found.mode & 0o777;
}

/** The target of a path after symbolic links; the path itself if there is no file yet. */
export async function targetOf(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}
