import type { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type zlib from "node:zlib";
import type { CompressionName } from "../model";
import { isZstdInstalled, withZstd, zstdCompressor, zstdIsMissing } from "./zstd";

/** Larger pieces than the default of 16 kB: each is a turn of the event loop. */
const pieceBytes = 128 * 1024;

/** How the name of a compressed file ends. */
export const compressedEndings = { gzip: ".gz", zstd: ".zst" } as const;

/** Node.js has zstd since 22.15. */
type Zlib = typeof zlib & {
  createZstdCompress?(options: { chunkSize: number }): Transform;
  zstdCompressSync?(piece: Uint8Array): Uint8Array;
};

/**
 * Compresses pieces into a stream, in constant memory. The same pieces become the same bytes: no name and no time is written.
 * @param folder the program's folder, in which the package for zstd can be
 */
export async function compressInto(
  to: [Transform, Writable],
  pieces: Readable,
  compression: Exclude<CompressionName, "snappy">,
  folder: string,
): Promise<void> {
  if (compression === "none") {
    return pipeline([pieces, ...to]);
  }
  const { createGzip, createZstdCompress }: Zlib = await import("node:zlib");
  if (compression === "gzip") {
    return pipeline([pieces, createGzip({ chunkSize: pieceBytes }), ...to]);
  }
  if (createZstdCompress !== undefined) {
    return pipeline([pieces, createZstdCompress({ chunkSize: pieceBytes }), ...to]);
  }
  return withZstd(folder, (compressed) => pipeline([pieces, compressed, ...to]));
}

/** A function that compresses a piece at once; undefined if there is nothing to do or the format can do it. */
export async function compressorFor(
  compression: CompressionName,
  folder: string,
): Promise<((piece: Uint8Array) => Uint8Array) | undefined> {
  if (compression === "none" || compression === "snappy") {
    return undefined;
  }
  const { gzipSync, zstdCompressSync }: Zlib = await import("node:zlib");
  return compression === "gzip" ? (piece) => gzipSync(piece) : (zstdCompressSync ?? zstdCompressor(folder));
}

/** Why this Node.js cannot compress so; undefined if it can. */
export async function compressionProblem(compression: unknown, folder: string): Promise<string | undefined> {
  if (compression !== "zstd" || ((await import("node:zlib")) as Zlib).createZstdCompress !== undefined) {
    return undefined;
  }
  return isZstdInstalled(folder) ? undefined : zstdIsMissing;
}
