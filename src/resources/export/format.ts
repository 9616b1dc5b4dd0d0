import type { WriteStream } from "node:fs";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { linesOfFile } from "../urls/lines";
import { CsvColumns, csvOf } from "./csv";
import type { ExportFormat } from "./model";

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

async function* asArray(from: string): AsyncGenerator<string> {
  let before = "[\n";
  for await (const lines of linesOfFile(from)) {
    if (lines.length > 0) {
      yield before + lines.map(({ text }) => text).join(",\n");
      before = ",\n";
    }
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}
