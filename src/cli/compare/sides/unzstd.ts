import type { Duplex } from "node:stream";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import type { Zstd } from "@hpcc-js/wasm-zstd";
import { loadZstd } from "../../../resources/export/formats/zstd";

/** Node.js has zstd since 22.15. */
const { createZstdDecompress } = zlib as { createZstdDecompress?(): NodeJS.ReadWriteStream & AsyncIterable<Buffer> };

/**
 * The bytes of a file of zstd.
 * @throws an error with a code that begins with `ZSTD_` if the file is cut off or damaged
 */
export async function* unzstd(pieces: AsyncIterable<Uint8Array>, folder: string): AsyncGenerator<Uint8Array> {
  if (createZstdDecompress === undefined) {
    yield* unzstdByBlocks(pieces, folder);
    return;
  }
  const stream = createZstdDecompress();
  const fed = pipeline(Readable.from(pieces), stream).catch(() => undefined);
  try {
    yield* stream;
  } finally {
    (stream as unknown as Duplex).destroy();
    await fed;
  }
}

/** A block has at most so many bytes. */
const mostOfBlock = 128 * 1024;
const magic = 0xfd2fb528;

/**
 * With the library, which loses what does not fit into its output, and does not say whether a frame is complete. So it gets one block at a time, as RFC 8878
 * describes them.
 */
async function* unzstdByBlocks(pieces: AsyncIterable<Uint8Array>, folder: string): AsyncGenerator<Uint8Array> {
  const zstd = await loadZstd(folder);
  const bytes = new Bytes(pieces);
  zstd.reset();
  try {
    yield* blocksOf(bytes, zstd);
  } finally {
    await bytes.close();
  }
}

async function* blocksOf(bytes: Bytes, zstd: Zstd): AsyncGenerator<Uint8Array> {
  while (await bytes.have(4)) {
    const first = bytes.peek(4).readUInt32LE(0);
    if ((first & 0xfffffff0) >>> 0 === 0x184d2a50) {
      await bytes.take(4);
      await bytes.take((await bytes.take(4)).readUInt32LE(0));
      continue;
    }
    if (first !== magic) {
      throw damaged("ZSTD_error_prefix_unknown");
    }
    await bytes.take(4);
    const [descriptor = 0] = await bytes.take(1);
    const header = await bytes.take(lengthOfHeader(descriptor));
    zstd.decompressChunk(Buffer.concat([numberLE(magic), Buffer.of(descriptor), header]), mostOfBlock);
    for (let isLast = false; !isLast; ) {
      const blockHeader = await bytes.take(3);
      const value = blockHeader.readUIntLE(0, 3);
      isLast = (value & 1) === 1;
      const isRepeated = ((value >> 1) & 3) === 1;
      const content = await bytes.take(isRepeated ? 1 : value >> 3);
      const isWithSum = isLast && (descriptor & 4) !== 0;
      const sum = isWithSum ? await bytes.take(4) : Buffer.alloc(0);
      const text = zstd.decompressChunk(Buffer.concat([blockHeader, content, sum]), mostOfBlock + 1);
      // The library reports a failure by returning nothing.
      if (text.length > mostOfBlock || (text.length === 0 && content.length > 0)) {
        throw damaged("ZSTD_error_corruption_detected");
      }
      yield text;
    }
  }
  if (!(await bytes.have(1))) {
    return;
  }
  throw damaged("ZSTD_error_srcSize_wrong");
}

/** The length of a frame's header behind its descriptor: the window, the id of a dictionary, and the size of the content. */
function lengthOfHeader(descriptor: number): number {
  const isSingle = (descriptor & 0x20) !== 0;
  const window = isSingle ? 0 : 1;
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const size = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return window + dictionary + size;
}

function numberLE(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function damaged(code: string): Error {
  return Object.assign(new Error("The file is not complete zstd."), { code });
}

/** Bytes from pieces, some at a time. */
class Bytes {
  private readonly iterator: AsyncIterator<Uint8Array>;
  private rest = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.iterator = pieces[Symbol.asyncIterator]();
  }

  async close(): Promise<void> {
    await this.iterator.return?.();
  }

  async have(length: number): Promise<boolean> {
    const parts: Uint8Array[] = [this.rest];
    let found = this.rest.length;
    while (found < length) {
      const { done, value } = await this.iterator.next();
      if (done === true) {
        break;
      }
      parts.push(value);
      found += value.length;
    }
    this.rest = parts.length === 1 ? this.rest : Buffer.concat(parts);
    return found >= length;
  }

  peek(length: number): Buffer {
    return this.rest.subarray(0, length);
  }

  async take(length: number): Promise<Buffer> {
    if (!(await this.have(length))) {
      throw damaged("ZSTD_error_srcSize_wrong");
    }
    const taken = this.peek(length);
    this.rest = this.rest.subarray(length);
    return taken;
  }
}
