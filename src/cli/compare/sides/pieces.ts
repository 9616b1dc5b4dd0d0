import { open, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { CliError } from "../../exitCodes";
import { noResult } from "../database";

/**
 * The bytes of a file.
 * @throws CliError if it cannot be read, is no regular file (a device may have no end, and a FIFO is read only once),
 * or has changed at the end
 */
export async function* piecesOf(name: string): AsyncGenerator<Buffer> {
  const unreadable = (why: string): CliError => new CliError(`"${name}" cannot be read: ${why}. ${noResult}`, "usage");
  const path = resolve(name);
  const look = () => stat(path, { bigint: true });
  const before = await look().catch((error: NodeJS.ErrnoException) => {
    throw unreadable(error.code ?? error.message);
  });
  if (!before.isFile()) {
    throw unreadable("it is not a file");
  }
  const handle = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    throw unreadable(error.code ?? error.message);
  });
  try {
    for await (const piece of handle.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 })) {
      yield piece as Buffer;
    }
  } finally {
    await handle.close();
  }
  const after = await look().catch(() => undefined);
  if ((["size", "mtimeNs", "ino", "dev"] as const).some((part) => after?.[part] !== before[part])) {
    throw new CliError(
      `"${name}" was changed while it was read. ${noResult} Run the same command again when nothing writes to it.`,
    );
  }
}
