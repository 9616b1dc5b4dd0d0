import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

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
