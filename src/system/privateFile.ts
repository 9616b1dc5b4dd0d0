import type { Stats } from "node:fs";
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pause } from "./clock";
import { makeFolder } from "./folders";
import { replaceFile } from "./replaceFile";

/** Files that only their owner can read. */

/** Folders that exist already keep their mode, because others can share them. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await makeFolder(folder, 0o700);
}

/** Waits between attempts to read, in milliseconds. */
const readWaits = [20, 50, 100, 200, 400];

const notRegular = "not a regular file";
const leadsNowhere = "a link that leads nowhere";

/**
 * The content of a file; undefined if there is no such file.
 * @throws the last error of the file system
 */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  return await unlessAbsent(file, ["ENOENT", "ENOTDIR"], async () => {
    // Reading a FIFO would wait for its writer, and a device has no end.
    if (!(await stat(file)).isFile()) throw Object.assign(new Error(notRegular), { code: notRegular });
    return await readFile(file, "utf8");
  });
}

/** The names in a folder; none if there is no such folder. Otherwise, it throws the last error of the file system. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await unlessAbsent(folder, ["ENOENT"], () => readdir(folder))) ?? [];
}

/** Nobody knows what is behind a link that leads nowhere, such as to a disk that is not mounted: that is an error. */
async function unlessAbsent<T>(path: string, absent: string[], read: () => Promise<T>): Promise<T | undefined> {
  return await patiently(read).catch(async (error) => {
    if (!absent.includes(codeOf(error))) throw error;
    const [part, found] = await visiblePart(path);
    const isLost = found?.isSymbolicLink() && (await stat(part).catch(() => undefined)) === undefined;
    if (isLost) throw Object.assign(new Error(leadsNowhere), { code: leadsNowhere });
    return undefined;
  });
}

/** The longest part of a path that can be seen. A link at its end is not followed. */
async function visiblePart(path: string): Promise<[string, Stats | undefined]> {
  const found = await lstat(path).catch(() => undefined);
  const above = dirname(path);
  return found !== undefined || above === path ? [path, found] : await visiblePart(above);
}

/** What a part of a path is that is in the way, and what to do, by the code of the error. */
const obstacles: Readonly<Record<string, readonly [string, string]>> = {
  ELOOP: ["is a link that leads in a circle", "Correct the link."],
  ENOTDIR: ["is a file, and a folder is expected there", "Move that file."],
  [leadsNowhere]: ["leads to nothing that exists", "Mount that disk, or correct the link."],
};

/** Why a path cannot be used, as the end of a sentence that names what is in the way or whose it is, and what to do. */
export async function obstacleOf(path: string, error: unknown, use: "readable" | "writable") {
  const code = codeOf(error);
  const isForbidden = code === "EACCES" || code === "EPERM";
  // A link belongs to whoever made it.
  const [part, found] = await visiblePart(isForbidden ? await realpath(path).catch(() => path) : path);
  const user = process.geteuid?.() ?? found?.uid;
  const isOfOther = isForbidden && found?.uid !== user;
  const whose = isOfOther ? `belongs to user ${found?.uid}, and this is user ${user}` : "";
  const permit = `Make the folder ${use}${isForbidden ? ", or run the command as its user" : ""}.`;
  const [what, remedy] = obstacles[code] ?? [whose, permit];
  return { reason: `(${code})${what && `: ${part} ${what}`}`, remedy, isOfOther };
}

/**
 * Reads again after a failure that can be temporary: too many open files, or a network drive that is not available for
 * a moment.
 * @throws the last error of the file system
 */
export async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (const wait of readWaits) {
    try {
      return await read();
    } catch (error) {
      if (["ENOENT", "ENOTDIR", notRegular].includes(codeOf(error))) throw error;
      await pause(wait);
    }
  }
  return await read();
}

/** @param durable as in {@link replaceFile} */
export async function writePrivateFile(file: string, content: string, durable: boolean): Promise<void> {
  await replaceFile(file, content, { mode: 0o600, durable });
}

/** The error code of the file system, for a message. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}
