import type { Transform } from "node:stream";
import { Duplex } from "node:stream";
import type { Zstd } from "@hpcc-js/wasm-zstd";
import { importOptional, isInstalled, toInstall } from "../../optionalPackage";
import { ResourceError } from "../../resource";

/**
 * zstd for a Node.js without it. The package is WebAssembly: it has no program for each platform, and no dependencies. Those with such programs fetch
 * them from other places than the registry, or are hardly kept.
 */
const packageName = "@hpcc-js/wasm-zstd";

export const zstdIsMissing = `"zstd" needs Node.js 22.15 or later, or the package ${packageName}: ${toInstall(packageName)}`;

export function isZstdInstalled(folder: string): boolean {
  return isInstalled(packageName, folder);
}

/** The library has one state for all streams of the process. */
let last: Promise<unknown> = Promise.resolve();

/** Compresses one stream, after those before it have ended. */
export function withZstd(folder: string, use: (compressed: Transform) => Promise<void>): Promise<void> {
  const mine = last.then(async () => use(streamOf(await loadZstd(folder))));
  last = mine.catch(() => undefined);
  return mine;
}

export async function zstdCompressor(folder: string): Promise<(piece: Uint8Array) => Uint8Array> {
  const zstd = await loadZstd(folder);
  return (piece) => zstd.compress(piece);
}

export async function loadZstd(folder: string): Promise<Zstd> {
  const found = (await importOptional(packageName, folder)) as typeof import("@hpcc-js/wasm-zstd") | undefined;
  if (found === undefined) {
    throw new ResourceError(`The compression ${zstdIsMissing}. No file was written. Then run the same command again.`);
  }
  return found.Zstd.load();
}

function streamOf(zstd: Zstd): Transform {
  zstd.reset();
  return Duplex.from(async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      yield zstd.compressChunk(piece);
    }
    yield zstd.compressEnd();
  }) as Transform;
}
