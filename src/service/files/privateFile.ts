import { readFile, stat } from "node:fs/promises";
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

/**
 * The content of a file; undefined if there is no such file.
 * @throws the last error of the file system
 */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  return await patiently(async () => {
    // Reading a FIFO would wait for its writer, and a device has no end.
    if (!(await stat(file)).isFile()) throw Object.assign(new Error(notRegular), { code: notRegular });
    return await readFile(file, "utf8");
  }).catch((error) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  });
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

/** Whose file or folder it is, or whose folder hides it: the end of a sentence, if it is another user's. */
export async function ofOtherUser(path: string): Promise<string> {
  const user = process.geteuid?.();
  const owner = (await stat(path).catch(() => undefined))?.uid;
  if (owner === undefined && path !== dirname(path)) return await ofOtherUser(dirname(path));
  return owner === user || owner === undefined ? "" : `: ${path} belongs to user ${owner}, and this is user ${user}`;
}

/** The error code of the file system, for a message. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}
