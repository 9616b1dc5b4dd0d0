import type { Stats } from "node:fs";
import { lstat, readdir, readFile, readlink, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pause } from "../clock";
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
  return await patiently(async () => {
    // Reading a FIFO would wait for its writer, and a device has no end.
    if (!(await stat(file)).isFile()) throw coded(notRegular);
    return await readFile(file, "utf8");
  }).catch(async (error) => {
    if (codeOf(error) === "ENOTDIR" || (await isAbsent(file, error))) return undefined;
    throw error;
  });
}

/**
 * The names in a folder; none if there is no such folder.
 * @throws the last error of the file system
 */
export async function namesIn(folder: string): Promise<string[]> {
  return await patiently(() => readdir(folder)).catch(async (error) => {
    if (await isAbsent(folder, error)) return [];
    throw error;
  });
}

/**
 * Whether an error says that nothing is at the path.
 * @throws Error if a part of the path is a link that leads nowhere, such as to a disk that is not mounted: nobody knows
 * what is behind it
 */
async function isAbsent(path: string, error: unknown): Promise<boolean> {
  if (codeOf(error) !== "ENOENT") {
    return false;
  }
  const [part, found] = await visiblePart(path);
  if (found?.isSymbolicLink() && (await stat(part).catch(() => undefined)) === undefined) {
    throw coded(leadsNowhere);
  }
  return true;
}

/** The longest part of a path that can be seen. A link at its end is not followed. */
async function visiblePart(path: string): Promise<[string, Stats | undefined]> {
  const found = await lstat(path).catch(() => undefined);
  const above = dirname(path);
  return found !== undefined || above === path ? [path, found] : await visiblePart(above);
}

/**
 * Why a path cannot be used, and what to do. `reason` is the end of a sentence: the code of the error, and what the part
 * of the path is that is in the way, or whose it is.
 * @param use what was tried, such as `readable`
 */
export async function describeObstacle(
  path: string,
  error: unknown,
  use: "readable" | "writable",
): Promise<{ reason: string; remedy: string }> {
  const code = codeOf(error);
  const isForbidden = code === "EACCES" || code === "EPERM";
  // A link belongs to whoever made it.
  const [part, found] = await visiblePart(isForbidden ? await realpath(path).catch(() => path) : path);
  const because = (what: string, remedy: string) => ({
    reason: `(${code})${what === "" ? "" : `: ${part} ${what}`}`,
    remedy,
  });
  if (found?.isSymbolicLink() && code === "ELOOP") {
    return because("is a link that leads in a circle", "Correct the link.");
  }
  if (found?.isSymbolicLink() && code === leadsNowhere) {
    return because(`leads to ${await readlink(part)}, and nothing is there`, "Mount that disk, or correct the link.");
  }
  if (found?.isDirectory() === false && code === "ENOTDIR") {
    return because("is a file, and a folder is expected there", "Move that file.");
  }
  if (!isForbidden) {
    return because("", `Make the folder ${use}.`);
  }
  const user = process.geteuid?.();
  const isOfOther = user !== undefined && found !== undefined && found.uid !== user;
  const whose = isOfOther ? `belongs to user ${found.uid}, and this is user ${user}` : "";
  return because(whose, `Make the folder ${use}, or run the command as its user.`);
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

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** The error code of the file system, for a message. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}
