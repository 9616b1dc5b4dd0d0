import type { Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { ResourceError } from "../values/errors";
import { limits } from "./limits";

/** The parts of a file, one after the other in the same memory: a part lasts until the next one is requested. */
export async function* partsOfFile(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  const memory = Buffer.allocUnsafe(limits.partBytes);
  try {
    for (let part = await fill(memory, file); part.length > 0; part = await fill(memory, file)) yield part;
  } finally {
    await file.close();
  }
}

/** Reads until the memory is full or the file ends, because one read can return less. */
async function fill(memory: Buffer, file: FileHandle): Promise<Buffer> {
  let length = 0;
  for (let count = -1; count !== 0 && length < memory.length; length += count) {
    ({ bytesRead: count } = await file.read(memory, length));
  }
  return memory.subarray(0, length);
}

export function requireContent({ sha256 }: { sha256: string }, sent: Hash, from: string): void {
  if (sent.digest("hex") !== sha256) {
    throw new ResourceError(`The temporary file "${from}" was changed during the export. Run the same command again.`);
  }
}
