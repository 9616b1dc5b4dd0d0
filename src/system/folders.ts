import { mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFile } from "./syncFile";

/** Creates a folder and those above it. `mkdir` with `recursive` never ends where nothing can be created, such as in /proc. */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  const above = dirname(folder);
  if (exists || above === folder) {
    return;
  }
  await makeFolder(above, mode);
  await mkdir(folder, mode).catch((error: NodeJS.ErrnoException) => {
    // Another process has just created it.
    if (error.code !== "EEXIST") {
      throw error;
    }
  });
}

/** Writes a folder's entries to the disk. Without it, a power cut can undo a rename. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await syncFile(handle).finally(() => handle.close());
  } catch {
    // Some platforms cannot open or sync a folder; the file itself is on the disk.
  }
}
