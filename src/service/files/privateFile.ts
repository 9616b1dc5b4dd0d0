import { open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pause } from "../http/clock";
import { makeFolder, syncFolder } from "./folders";
import { temporaryPathFor } from "./temporaryFiles";

/**
 * Files that only their owner can read. A write replaces the whole file, so that no reader sees half of it.
 *
 * The package write-file-atomic does not fit: it renames a file that a full disk cut off. With it, two containers that share a folder can
 * also choose the same temporary name.
 */

/** Folders that exist already keep their mode, because others can share them. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await makeFolder(folder, 0o700);
}

/** Waits between attempts to read, in milliseconds. */
const readWaits = [20, 50, 100, 200, 400];

const notRegular = "not a regular file";

/**
 * The content of a file; undefined if there is no such file. Other failures are retried, because they can be temporary: too many open
 * files, or a network drive that is not available for a moment.
 * @throws the last error of the file system
 */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      // Reading a FIFO would wait for its writer, and a device has no end.
      if (!(await stat(file)).isFile()) throw Object.assign(new Error(notRegular), { code: notRegular });
      return await readFile(file, "utf8");
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      const wait = readWaits[attempt];
      if (wait === undefined || code === notRegular) throw error;
      await pause(wait);
    }
  }
}

/**
 * The folder must exist. A symbolic link stays, and its target is replaced.
 * @param durable waits until the file is on the disk, so that it survives a power cut. Otherwise it survives only a killed process.
 */
export async function writePrivateFile(file: string, content: string, durable: boolean): Promise<void> {
  const target = await targetOf(file);
  const temporary = temporaryPathFor(target);
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(content);
      if (durable) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  if (durable) await syncFolder(dirname(target));
}

/**
 * Renames a file whose content is not valid. The file is kept, because it can contain something that is needed.
 * @returns the new path
 */
export async function setAside(file: string): Promise<string> {
  const target = await targetOf(file);
  const aside = `${target}.corrupt-${Date.now()}`;
  await rename(target, aside);
  return aside;
}

/** The target of a path after symbolic links; the path itself if there is no file yet. */
export async function targetOf(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}

/** The error code of the file system, for a message. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}
