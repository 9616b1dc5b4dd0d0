import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";

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

/** Length and SHA-256 of a file, read in constant memory. */
export async function digestOfContent(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return { bytes: (await stat(path)).size, sha256: hash.digest("hex") };
}

/** Whether a file is there, and still the one that was written. */
export async function stateOfFile(path: string, sha256: string): Promise<"same" | "missing" | "changed"> {
  if (!(await exists(path))) {
    return "missing";
  }
  return (await digestOfContent(path)).sha256 === sha256 ? "same" : "changed";
}
