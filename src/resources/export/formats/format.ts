import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import type { Content } from "../destinations/destination";
import type { CompressionName, DataExportArgs, ExportFormat } from "../model";
import { compressInto } from "./compression";
import { Columns, csvOf } from "./csv";
import { rowsOf } from "./jsonRows";
import { parquetOf } from "./parquet";

export type FormatArgs = Pick<DataExportArgs, "format" | "compression" | "columns" | "csvFormulas" | "checks">;

/** Writes all pieces of the file. A second call begins again. */
type Write = (pieces: Readable) => Promise<void>;

/** Whether the file contains the rows as they come, one on each line. */
export function isAsRead({ format = "ndjson", compression = "none" }: FormatArgs): boolean {
  return format === "ndjson" && compression === "none";
}

/**
 * Writes a file of one row a line again in the format and the compression of an export, in constant memory, and syncs it to the disk.
 * @param folder the program's folder
 */
export async function writeFormat(args: FormatArgs, from: string, to: string, folder: string): Promise<Content> {
  const { format = "ndjson", compression = "none" } = args;
  let written: Content = { bytes: 0, sha256: "" };
  const write: Write = async (pieces) => {
    await rm(to, { force: true });
    const digest = new Digest();
    const file = createWriteStream(to, { flags: "wx", flush: true });
    // Parquet compresses its own parts, and alone has snappy.
    const around = format === "parquet" || compression === "snappy" ? "none" : compression;
    await compressInto([digest, file], pieces, around, folder);
    written = digest.content();
  };
  await formats[format](from, write, { args, compression, folder });
  return written;
}

type Format = (from: string, write: Write, options: FormatOptions) => Promise<void>;

interface FormatOptions {
  args: FormatArgs;
  compression: CompressionName;
  /** The program's folder. */
  folder: string;
}

const formats: Record<ExportFormat, Format> = {
  ndjson: (from, write) => write(createReadStream(from, { highWaterMark: 128 * 1024 })),
  json: (from, write) => write(Readable.from(asArray(from))),
  csv: async (from, write, { args }) => {
    const columns = await Columns.ofFirstRows(from);
    columns.addLast(Object.keys(args.checks?.fields ?? {}));
    await writeWithColumns(columns, () => write(Readable.from(csvOf(from, columns, args.csvFormulas))));
  },
  parquet: async (from, write, { args, ...options }) => {
    const types = args.columns ?? {};
    const columns = await Columns.ofFirstRows(from);
    columns.addLast(Object.keys(types));
    await writeWithColumns(columns, () => write(Readable.from(parquetOf(from, { ...options, types, columns }))));
  },
};

/** If a later row has more fields than the first ones, the file is written again with their columns. */
async function writeWithColumns({ names }: Columns, write: () => Promise<void>): Promise<void> {
  let before: number;
  do {
    before = names.size;
    await write();
  } while (names.size > before);
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

async function* asArray(from: string): AsyncGenerator<Buffer> {
  let before = "[";
  for await (const rows of rowsOf(from)) {
    // A line break stands only after a row: within a string it is written as an escape.
    yield Buffer.from(`${before}\n${rows.slice(0, -1).replaceAll("\n", ",\n")}`, "latin1");
    before = ",";
  }
  yield Buffer.from(before === "[" ? "[]\n" : "\n]\n");
}
