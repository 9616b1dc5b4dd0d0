import { createWriteStream } from "node:fs";
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Decompress } from "fzstd";
import { CliError } from "../../exitCodes";
import type { Database } from "../database";
import { spaceAdvice } from "../database";
import { Damaged } from "./damaged";
import type { FoundText } from "./jsonRows";
import { readers } from "./readers";
import type { FileSide } from "./side";

type Pieces = AsyncIterable<Uint8Array>;

/** What is stored: text as JSON whose values are text, other formats as they are. */
export interface TemporaryFile extends Readonly<FoundText> {
  readonly path: string;
}

/**
 * Keeps the rows of a side in a file that only its owner can read. DuckDB alone would read a part of a compressed file
 * that is cut off, and guess at a CSV.
 */
export async function temporaryFile(
  pieces: Pieces,
  { name, format, compression }: Pick<FileSide, "name" | "format" | "compression">,
  { path, database }: { path: string; database: Database },
): Promise<TemporaryFile> {
  const found: FoundText = { header: [], format: "ndjson" };
  const reader = readers[format];
  const whole = compression === undefined ? pieces : decompressed(pieces, compression);
  const rows = "fromText" in reader ? reader.fromText(textOf(whole), found) : whole;
  await writeTemporary(path, rows, database).catch((error: Error & { code?: unknown }) => {
    const isDamaged =
      error instanceof Damaged || typeof error.code === "number" || /^(?:Z|ERR_ENCODING)_/.test(String(error.code));
    throw isDamaged ? new CliError(`"${name}" cannot be read as ${format}: ${error.message}.`) : error;
  });
  return { path, ...found };
}

export async function writeTemporary(
  path: string,
  content: AsyncIterable<string | Uint8Array>,
  database: Database,
): Promise<void> {
  const file = createWriteStream(path, { mode: 0o600 });
  await pipeline(content, file, { signal: database.interrupted }).catch((error: NodeJS.ErrnoException) => {
    database.checkInterrupted();
    throw error.syscall === "write"
      ? new CliError(`A temporary file cannot be written (${error.code}).${spaceAdvice()}`)
      : error;
  });
}

async function* decompressed(pieces: Pieces, compression: "gzip" | "zstd"): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  async function* looked(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      isEmpty = false;
      yield piece;
    }
  }
  yield* compression === "gzip" ? through(looked(), createGunzip()) : unzstd(looked());
  // Zero bytes are nothing, compressed, to both readers. A file that was compressed has a header.
  if (isEmpty) {
    throw new Damaged(`it is empty, and not ${compression}`);
  }
}

async function* through<T>(pieces: AsyncIterable<unknown>, stream: Transform): AsyncGenerator<T> {
  // A failure of the source becomes one of the stream.
  const fed = pipeline(pieces, stream).catch(() => undefined);
  try {
    yield* stream;
  } finally {
    stream.destroy();
    await fed;
  }
}

/** Not with Node.js, which has zstd since 22.15. */
async function* unzstd(pieces: Pieces): AsyncGenerator<Uint8Array> {
  const found: Uint8Array[] = [];
  const stream = new Decompress((piece) => found.push(piece));
  for await (const piece of pieces) {
    stream.push(piece);
    yield* found.splice(0);
  }
  stream.push(new Uint8Array(0), true);
  yield* found.splice(0);
}

/** Without a byte order mark. */
async function* textOf(pieces: Pieces): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const piece of pieces) {
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder.decode();
}
