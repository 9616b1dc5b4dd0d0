import { randomBytes } from "node:crypto";
import { chmod, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./syncFolder";

/** Files that only their owner can read, replaced as a whole, so that a reader never sees half of one. */

export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (process.platform !== "win32") await chmod(folder, 0o700).catch(() => undefined);
}

/** The folder must be there. When this returns, the file is on the disk, and a loss of power does not take it. */
export async function writePrivateFile(file: string, content: string): Promise<void> {
  await replace(file, content, true);
  await syncFolder(dirname(file));
}

/** The same without a wait for the disk, for what a killed process must leave behind, but a loss of power may take. */
export async function writePrivateFileSoon(file: string, content: string): Promise<void> {
  await replace(file, content, false);
}

async function replace(file: string, content: string, onDisk: boolean): Promise<void> {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString("hex")}.tmp`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(content);
      if (onDisk) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Answers the new name of a file that is not what it should be; it may still hold something that somebody needs. */
export async function setAside(file: string): Promise<string> {
  const aside = `${file}.corrupt-${Date.now()}`;
  await rename(file, aside).catch(() => undefined);
  return aside;
}
