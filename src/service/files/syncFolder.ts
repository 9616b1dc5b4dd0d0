import { open } from "node:fs/promises";

/** Puts a folder's names on the disk: without it a rename may be lost with the power. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // Some platforms cannot open or sync a folder; the file itself is on the disk.
  }
}
