import type { BigIntStats } from "node:fs";
import { createWriteStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { CliError } from "../../exitCodes";
import { unzstd } from "./unzstd";

/** A file on the disk. The name is the one for messages. */
export interface DiskFile {
  readonly path: string;
  readonly name: string;
}

/**
 * The bytes of a file.
 * @throws CliError if it cannot be read, or has changed at the end
 */
export async function* piecesOf(file: DiskFile): AsyncGenerator<Buffer> {
  const before = await statsOf(file);
  const handle = await open(file.path, "r").catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error);
  });
  try {
    for await (const piece of handle.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 })) {
      yield piece as Buffer;
    }
  } finally {
    await handle.close();
  }
  await requireUnchanged(file, before);
}

/** @throws CliError if it is no regular file: a device may have no end, and a FIFO is read only once */
export async function statsOf(file: DiskFile): Promise<BigIntStats> {
  const found = await stat(file.path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error);
  });
  if (!found.isFile()) {
    throw new CliError(`"${file.name}" cannot be read: it is not a file. No rows were compared.`, "usage");
  }
  return found;
}

/** @throws CliError if the file is not as it was before it was read */
export async function requireUnchanged(file: DiskFile, before: BigIntStats): Promise<void> {
  const after = await stat(file.path, { bigint: true }).catch(() => undefined);
  const parts = ["size", "mtimeNs", "ino", "dev"] as const;
  if (after === undefined || parts.some((part) => after[part] !== before[part])) {
    throw new CliError(
      `"${file.name}" was changed while it was read, so its rows cannot be compared. Run the same command again when nothing writes to it.`,
    );
  }
}

function unreadable({ name }: DiskFile, error: NodeJS.ErrnoException): CliError {
  return new CliError(`"${name}" cannot be read (${error.code ?? error.message}). No rows were compared.`, "usage");
}

/** The bytes without their compression. */
export async function* decompressed(
  pieces: AsyncIterable<Buffer>,
  compression: "gzip" | "zstd" | undefined,
  name: string,
): AsyncGenerator<Uint8Array> {
  if (compression === undefined) {
    yield* pieces;
    return;
  }
  const full = notEmpty(pieces, compression, name);
  try {
    yield* compression === "gzip" ? gunzip(full) : unzstd(full, process.cwd());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw typeof code === "string" && /^(?:Z_|ZSTD_)/.test(code)
      ? new CliError(`"${name}" is not complete ${compression}: it is cut off or damaged (${code}).`)
      : error;
  }
}

/** Zero bytes are zstd of nothing to some readers. A file that was compressed has a header. */
async function* notEmpty(pieces: AsyncIterable<Buffer>, compression: string, name: string): AsyncGenerator<Buffer> {
  let isEmpty = true;
  for await (const piece of pieces) {
    isEmpty &&= piece.length === 0;
    yield piece;
  }
  if (isEmpty) {
    throw new CliError(`"${name}" is not complete ${compression}: it is empty.`);
  }
}

async function* gunzip(pieces: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  const stream = createGunzip({ chunkSize: 256 * 1024 });
  // A failure of the source becomes one of the stream.
  const fed = pipeline(Readable.from(pieces), stream).catch(() => undefined);
  try {
    yield* stream;
  } finally {
    stream.destroy();
    await fed;
  }
}

/** Writes pieces to a new file that only its owner can read. */
export async function writePieces(pieces: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  await pipeline(Readable.from(pieces), createWriteStream(path, { flags: "wx", mode: 0o600 }));
}
