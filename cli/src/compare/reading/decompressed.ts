import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import type * as Fzstd from "fzstd";
import type { CompressionName } from "../../../../src/rows/formats/compression";
import { Damaged } from "./reading";

type Pieces = AsyncIterable<Uint8Array>;

/** The content of a compressed file. */
export const decompressed: Partial<Record<CompressionName, (pieces: Pieces) => Pieces>> = {
  gzip: gunzip,
  zstd: unzstd,
};

async function* gunzip(pieces: Pieces): AsyncGenerator<Uint8Array> {
  const stream = zlib.createGunzip();
  // A failure of the source becomes one of the stream.
  const fed = pipeline(pieces, stream).catch(() => undefined);
  try {
    yield* stream;
  } finally {
    stream.destroy();
    await fed;
  }
}

/** Not with Node.js, which has zstd since 22.15, and not with the package for exports, which few have. */
async function* unzstd(pieces: Pieces): AsyncGenerator<Uint8Array> {
  // biome-ignore lint/style/noCommonJs: few commands need it
  const { Decompress } = require("fzstd") as typeof Fzstd;
  const found: Uint8Array[] = [];
  const stream = new Decompress((piece) => found.push(piece));
  let isEmpty = true;
  for await (const piece of pieces) {
    isEmpty = false;
    stream.push(piece);
    yield* found.splice(0);
  }
  // Zero bytes are nothing, compressed, to the library. A file that was compressed has a header.
  if (isEmpty) {
    throw new Damaged("it is empty, and not zstd");
  }
  stream.push(new Uint8Array(0), true);
  yield* found.splice(0);
}
