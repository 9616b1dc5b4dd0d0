import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import { loadZstd } from "../../../resources/export/formats/compression";
import { CliError } from "../../exitCodes";

type Pieces = AsyncIterable<Uint8Array>;
type Through = NodeJS.ReadWriteStream & AsyncIterable<Uint8Array> & { destroy(): void };

/** Node.js has zstd since 22.15. */
const { createZstdDecompress } = zlib as { createZstdDecompress?(): Through };

/** The bytes without their compression. */
export async function* decompressed(
  pieces: Pieces,
  compression: "gzip" | "zstd" | undefined,
  name: string,
): AsyncGenerator<Uint8Array> {
  if (compression === undefined) {
    yield* pieces;
    return;
  }
  const damaged = (why: string): CliError => new CliError(`"${name}" is not complete ${compression}: ${why}.`);
  let isEmpty = true;
  async function* looked(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      isEmpty &&= piece.length === 0;
      yield piece;
    }
  }
  try {
    if (compression === "gzip") {
      yield* through(looked(), zlib.createGunzip({ chunkSize: 256 * 1024 }));
    } else if (createZstdDecompress !== undefined) {
      yield* through(looked(), createZstdDecompress());
    } else {
      yield* unzstd(looked());
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw typeof code === "string" && /^(?:Z_|ZSTD_)/.test(code)
      ? damaged(`it is cut off or damaged (${code})`)
      : error;
  }
  // Zero bytes are nothing, compressed, to some readers. A file that was compressed has a header.
  if (isEmpty) {
    throw damaged("it is empty");
  }
}

async function* through(pieces: Pieces, stream: Through): AsyncGenerator<Uint8Array> {
  // A failure of the source becomes one of the stream.
  const fed = pipeline(Readable.from(pieces), stream).catch(() => undefined);
  try {
    yield* stream;
  } finally {
    stream.destroy();
    await fed;
  }
}

const magic = 0xfd2fb528;
/** A block has at most so many bytes. */
const mostOfBlock = 128 * 1024;

/**
 * With the library, which loses what does not fit into its output, and does not say whether a frame is complete. So it gets one block at a time, as RFC 8878
 * describes them.
 */
async function* unzstd(pieces: Pieces): AsyncGenerator<Uint8Array> {
  const file = await buffer(pieces);
  const zstd = await loadZstd(process.cwd());
  zstd.reset();
  for (let at = 0; at < file.length; ) {
    const begin = at;
    const part = (length: number): Buffer => {
      at += length;
      return at <= file.length ? file.subarray(at - length, at) : fail("srcSize_wrong");
    };
    if (part(4).readUInt32LE() !== magic) {
      fail("prefix_unknown");
    }
    const descriptor = part(1).readUInt8();
    part(lengthOfHeader(descriptor));
    zstd.decompressChunk(file.subarray(begin, at), mostOfBlock);
    for (let isLast = false; !isLast; ) {
      const from = at;
      const header = part(3).readUIntLE(0, 3);
      isLast = (header & 1) === 1;
      const isRepeated = ((header >> 1) & 3) === 1;
      const length = isRepeated ? 1 : header >> 3;
      part(length + (isLast && (descriptor & 4) !== 0 ? 4 : 0));
      const text = zstd.decompressChunk(file.subarray(from, at), mostOfBlock + 1);
      // The library reports a failure by returning nothing.
      if (text.length > mostOfBlock || (text.length === 0 && length > 0)) {
        fail("corruption_detected");
      }
      yield text;
    }
  }
}

/** The length of a frame's header behind its descriptor: the window, the id of a dictionary, and the size of the content. */
function lengthOfHeader(descriptor: number): number {
  const isSingle = (descriptor & 0x20) !== 0;
  const window = isSingle ? 0 : 1;
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const size = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return window + dictionary + size;
}

/** @throws an error as that of Node.js */
function fail(code: string): never {
  throw Object.assign(new Error("The file is not complete zstd."), { code: `ZSTD_error_${code}` });
}
