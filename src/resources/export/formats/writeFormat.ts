import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import { Transform } from "node:stream";
import type { Content } from "../destinations/destination";
import { compressions } from "./compression";
import type { FormatArgs } from "./format";
import type { ExportFormat } from "./formats";
import { formats } from "./formats";

/** The arguments of an export that say how its file is written. */
export type WrittenAs = FormatArgs & { format?: ExportFormat };

/** Whether the file contains the rows as they come, one on each line. */
export function isAsRead({ format = "ndjson", compression = "none" }: WrittenAs): boolean {
  return format === "ndjson" && compression === "none";
}

interface Options {
  /** Where optional packages are. */
  folder: string;
  /** Of the new file. */
  mode?: number;
}

/** Writes a file of one row a line again in the format and the compression of an export, in constant memory, and syncs it to the disk. */
export async function writeFormat(
  args: WrittenAs,
  from: string,
  to: string,
  { folder, mode }: Options,
): Promise<Content> {
  const { compression = "none" } = args;
  const format = formats[args.format ?? "ndjson"];
  let written: Content = { bytes: 0, sha256: "" };
  const write = async (pieces: Readable): Promise<void> => {
    await rm(to, { force: true });
    const digest = new Digest();
    const file = createWriteStream(to, { flags: "wx", flush: true, mode });
    const around = compressions[format.compressesItself === true ? "none" : compression];
    await around.stream?.(pieces, [digest, file], folder);
    written = digest.content();
  };
  await format.write(from, write, { args, compression, folder });
  return written;
}

/** Passes pieces on, and knows what they are together. */
class Digest extends Transform {
  private readonly hash = createHash("sha256");
  private bytes = 0;

  override _transform(piece: Buffer, _encoding: unknown, done: (error: null, piece: Buffer) => void): void {
    this.hash.update(piece);
    this.bytes += piece.length;
    done(null, piece);
  }

  content(): Content {
    return { bytes: this.bytes, sha256: this.hash.digest("hex") };
  }
}
