import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, lstat, open, rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";

/** Whether the name is taken, also by a symbolic link that leads nowhere. */
export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
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

/** Compares the content of a file with what was written, in constant memory. */
export async function compareContent(path: string, sha256: string): Promise<"same" | "missing" | "changed"> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) return (await exists(path)) ? "changed" : "missing";
  const hash = createHash("sha256");
  const refused = await pipeline(createReadStream(path), hash).catch((error: NodeJS.ErrnoException) => error);
  // A file of another user that cannot be read is not known to be the same.
  if (refused?.code === "EACCES") return "changed";
  if (refused !== undefined) throw refused;
  return hash.digest("hex") === sha256 ? "same" : "changed";
}

/** Error codes of file systems that have no links, such as some network shares and memory cards. */
const noLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/**
 * Gives a file another name, unless that name is taken. Returns whether it was free. A rename alone would overwrite the
 * other file.
 */
export async function moveIfFree(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
      if (!noLinks.includes(error.code ?? "")) {
        throw error;
      }
      // An empty file reserves the name until the rename.
      await (await open(to, "wx")).close();
      await rename(from, to);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      return false;
    }
    throw error;
  }
  await rm(from, { force: true });
  return true;
}
