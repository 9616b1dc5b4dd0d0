import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, lstat, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
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

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The path of a file that is in the way of this folder or of a folder above it; undefined if the folder exists or can be created. */
export async function fileInPlaceOf(folder: string): Promise<string | undefined> {
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
async function digestOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return { bytes: (await stat(path)).size, sha256: hash.digest("hex") };
}

/** Compares the content of a file with what was written. */
export async function compareContent(path: string, sha256: string): Promise<"same" | "missing" | "changed"> {
  if (!(await exists(path))) {
    return "missing";
  }
  return (await isFile(path)) && (await digestOf(path)).sha256 === sha256 ? "same" : "changed";
}

/** Gives a file another name, unless that name is taken. Returns whether it was free. A rename alone would overwrite the other file. */
export async function moveIfFree(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") {
      return false;
    }
    if (!noLinks.includes(code)) {
      throw error;
    }
    return moveWithoutLink(from, to);
  }
  await rm(from, { force: true });
  return true;
}

/** Error codes of file systems that have no links, such as some network shares and memory cards. */
const noLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** An empty file reserves the name until the rename. */
async function moveWithoutLink(from: string, to: string): Promise<boolean> {
  try {
    await (await open(to, "wx")).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      return false;
    }
    throw error;
  }
  try {
    await rename(from, to);
  } catch (error) {
    // The empty file would block the next export.
    await rm(to, { force: true });
    throw error;
  }
  return true;
}
