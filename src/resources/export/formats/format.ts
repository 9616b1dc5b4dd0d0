import type { WriteStream } from "node:fs";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ExportFormat } from "../model";
import { CsvColumns, csvOf } from "./csv";
import { rowsOf } from "./jsonRows";

/** Writes a file of one row a line again in another format, in constant memory, and syncs it to the disk. */
type Rewrite = (from: string, to: string) => Promise<void>;

export const rewriteAs: Record<Exclude<ExportFormat, "ndjson">, Rewrite> = {
  json: async (from, to) => {
    await pipeline(Readable.from(asArray(from)), syncedFile(to));
  },
  csv: async (from, to) => {
    const columns = await CsvColumns.ofFirstRows(from);
    let before: number;
    do {
      // A later row had more fields than the first ones: the file is written again with their columns.
      await rm(to, { force: true });
      before = columns.names.size;
      await pipeline(Readable.from(csvOf(from, columns)), syncedFile(to));
    } while (columns.names.size > before);
  },
};

function syncedFile(path: string): WriteStream {
  return createWriteStream(path, { flags: "wx", flush: true });
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
