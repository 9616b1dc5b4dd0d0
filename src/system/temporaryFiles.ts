import { randomBytes } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Temporary files: content is written to such a file, which then gets its final name. A killed process leaves its
 * temporary files behind. So a temporary file that was not written to for a day is removed when its folder is next
 * used.
 */

/**
 * Milliseconds without a write after which a temporary file counts as abandoned. No write takes that long, even in an
 * export that waits.
 */
const abandonedAfter = 24 * 3600 * 1000;

/** A new name beside the file. It is random, because two machines can share the folder. */
export function temporaryPathFor(file: string): string {
  return `${file}.${randomBytes(4).toString("hex")}.tmp`;
}

/** Whether a file has a name of {@link temporaryPathFor}. */
export function isTemporary(name: string): boolean {
  return /\.[0-9a-f]{8}\.tmp$/.test(name);
}

/**
 * Removes the abandoned files of a folder whose names `isOurs` accepts. Never fails: a file that cannot be removed
 * stays.
 */
export async function removeAbandonedFiles(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  await removeAbandoned(folder, (each) => !each.isDirectory() && isOurs(each.name));
}

/** The same for folders of temporary files, whose names begin so. */
export async function removeAbandonedFolders(parent: string, prefix: string): Promise<void> {
  await removeAbandoned(parent, (each) => each.isDirectory() && each.name.startsWith(prefix));
}

async function removeAbandoned(folder: string, isOurs: (entry: Dirent) => boolean): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  await Promise.all(
    entries.filter(isOurs).map(async ({ name }) => {
      const path = join(folder, name);
      // A file contains no others.
      const names = await readdir(path).catch(() => []);
      const writes = await Promise.all([path, ...names.map((each) => join(path, each))].map(lastWrite));
      if (Date.now() - Math.max(...writes) < abandonedAfter) return;
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }),
  );
}

/** In milliseconds. What cannot be read counts as written to now. */
async function lastWrite(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}
