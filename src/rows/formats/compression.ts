import { Duplex } from "node:stream";
import zlib from "node:zlib";
import type { Zstd } from "@hpcc-js/wasm-zstd";
import { loadOptional } from "../../store/optionalPackage";
import { withoutOptions } from "../../store/storeAddress";

/** How the file is compressed. Only Parquet has `snappy`. */
export type CompressionName = "none" | "gzip" | "zstd" | "snappy";

/** A compression of whole files, or of the parts of a file in a format that compresses itself. */
interface Compression {
  /** How the name of a compressed file ends, and its type. */
  readonly extension?: string;
  readonly contentType?: string;
  /** No file is compressed so as a whole. */
  readonly isForParts?: boolean;
  /** A package that users install themselves. */
  readonly package?: string;
  /**
   * Passes pieces on, compressed, in constant memory. The same pieces become the same bytes: no name and no time is
   * written.
   */
  stream?(folder: string): Duplex | Promise<Duplex>;
  /** A function that compresses a piece at once. Absent: the format does it. */
  atOnce?(folder: string): Promise<(piece: Uint8Array) => Uint8Array>;
}

/** Larger pieces than the default of 16 kB: each is a turn of the event loop. */
const options = { chunkSize: 128 * 1024 };

/** Node.js has zstd since 22.15. */
const { createZstdCompress, zstdCompressSync } = zlib as {
  createZstdCompress?(given: typeof options): Duplex;
  zstdCompressSync?(piece: Uint8Array): Uint8Array;
};

/**
 * zstd for a Node.js without it. The package is WebAssembly: it has no program for each platform, and no dependencies.
 * Those with such programs fetch them from other places than the registry, or are hardly kept.
 */
const zstdPackage = "@hpcc-js/wasm-zstd";

/** All compressions by their names. A new one is an entry here. */
export const compressions: Readonly<Record<CompressionName, Compression>> = {
  none: {},
  gzip: {
    extension: ".gz",
    contentType: "application/gzip",
    stream: () => zlib.createGzip(options),
    atOnce: async () => (piece) => zlib.gzipSync(piece),
  },
  zstd: {
    extension: ".zst",
    contentType: "application/zstd",
    package: createZstdCompress === undefined ? zstdPackage : undefined,
    stream: async (folder) => createZstdCompress?.(options) ?? zstdStream(await loadZstd(folder)),
    async atOnce(folder) {
      const zstd = zstdCompressSync === undefined ? await loadZstd(folder) : undefined;
      return zstdCompressSync ?? ((piece) => (zstd as Zstd).compress(piece));
    },
  },
  snappy: { isForParts: true },
};

/** How the names of compressed files end. */
export const compressionEndings = Object.values(compressions).flatMap(({ extension }) => extension ?? []);

/** How the name says that the file is compressed, in lower case. Programs compare endings without regard to case. */
export function compressionEnding(name: string): string | undefined {
  const lower = withoutOptions(name).toLowerCase();
  return compressionEndings.find((each) => lower.endsWith(each));
}

export const compressionNames = Object.keys(compressions) as CompressionName[];

async function loadZstd(folder: string): Promise<Zstd> {
  const library = loadOptional(zstdPackage, folder) as typeof import("@hpcc-js/wasm-zstd");
  return library.Zstd.load();
}

/** The library has one state for all streams of the process, so each begins after the one before it has ended. */
let last: Promise<void> = Promise.resolve();

function zstdStream(zstd: Zstd): Duplex {
  return Duplex.from(async function* (pieces: AsyncIterable<Buffer>) {
    const before = last;
    let end = (): void => undefined;
    last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    try {
      zstd.reset();
      for await (const piece of pieces) {
        yield zstd.compressChunk(piece);
      }
      yield zstd.compressEnd();
    } finally {
      end();
    }
  });
}
