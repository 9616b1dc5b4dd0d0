import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** What stands where a file is to be written. */

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** What is no folder where this folder or one above it would have to be; undefined where the folder is there or can be made. */
export async function inTheWayOf(folder: string): Promise<string | undefined> {
  for (let path = folder; ; path = dirname(path)) {
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined) {
      return found.isDirectory() ? undefined : path;
    }
    if (dirname(path) === path) {
      return undefined;
    }
  }
}
