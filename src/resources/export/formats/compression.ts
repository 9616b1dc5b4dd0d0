import type { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import { isZstdInstalled, withZstd, zstdCompressor, zstdIsMissing } from "./zstd";

/** How the file is compressed. Only Parquet has `snappy`. */
export type CompressionName = "none" | "gzip" | "zstd" | "snappy";

/** A compression of whole files, or of the parts of a file in a format that compresses itself. */
interface Compression {
  /** How the name of a compressed file ends, and its type. Absent: no file is compressed so as a whole. */
  readonly extension?: string;
  readonly contentType?: string;
  /** Why this Node.js cannot compress so; undefined if it can. */
  problem?(folder: string): string | undefined;
  /** Passes pieces on, compressed, in constant memory. The same pieces become the same bytes: no name and no time is written. */
  stream?(pieces: Readable, to: [Transform, Writable], folder: string): Promise<void>;
  /** A function that compresses a piece at once. Absent: the format does it. */
  atOnce?(folder: string): Promise<(piece: Uint8Array) => Uint8Array>;
}

/** Larger pieces than the default of 16 kB: each is a turn of the event loop. */
const options = { chunkSize: 128 * 1024 };

/** Node.js has zstd since 22.15. */
const { createZstdCompress, zstdCompressSync } = zlib as {
  createZstdCompress?(given: typeof options): Transform;
  zstdCompressSync?(piece: Uint8Array): Uint8Array;
};

/** All compressions by their names. */
export const compressions: Readonly<Record<CompressionName, Compression>> = {
  none: { stream: (pieces, to) => pipeline([pieces, ...to]) },
  gzip: {
    extension: ".gz",
    contentType: "application/gzip",
    stream: (pieces, to) => pipeline([pieces, zlib.createGzip(options), ...to]),
    atOnce: async () => (piece) => zlib.gzipSync(piece),
  },
  zstd: {
    extension: ".zst",
    contentType: "application/zstd",
    problem: (folder) => (createZstdCompress !== undefined || isZstdInstalled(folder) ? undefined : zstdIsMissing),
    stream: (pieces, to, folder) =>
      createZstdCompress === undefined
        ? withZstd(folder, (compressed) => pipeline([pieces, compressed, ...to]))
        : pipeline([pieces, createZstdCompress(options), ...to]),
    atOnce: async (folder) => zstdCompressSync ?? zstdCompressor(folder),
  },
  snappy: {},
};

export const compressionNames = Object.keys(compressions) as CompressionName[];
