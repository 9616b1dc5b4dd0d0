import { fsync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { promisify } from "node:util";

/** Writes a file to the disk, so that it survives a power cut. Plug'n'Play of Yarn 4 replaces file handles with its own, whose `sync` always throws. */
export async function syncFile(handle: FileHandle): Promise<void> {
  try {
    await handle.sync();
  } catch (error) {
    if (!(error instanceof Error) || error.message !== "Method not implemented.") {
      throw error;
    }
    await promisify(fsync)(handle.fd);
  }
}
