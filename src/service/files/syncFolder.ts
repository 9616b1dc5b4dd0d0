import { open } from "node:fs/promises";

/** Writes a folder's entries to the disk. Without it, a power cut can undo a rename. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // Some platforms cannot open or sync a folder; the file itself is on the disk.
  }
}
