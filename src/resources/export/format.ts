import type { WriteStream } from "node:fs";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { linesOfFile } from "../urls/lines";
import type { ExportFormat } from "./model";

/** Writes a file of one row a line again in another format, in constant memory, and syncs it to the disk. */
type Rewrite = (from: string, to: string) => Promise<void>;

export const rewriteAs: Record<Exclude<ExportFormat, "ndjson">, Rewrite> = {
  json: async (from, to) => {
    await pipeline(Readable.from(asArray(from)), syncedFile(to));
  },
  csv: async (from, to) => {
    // biome-ignore lint/style/noCommonJs: loaded with the first CSV file, for no other format needs its libraries.
    const { csvSteps } = require("./csv") as typeof import("./csv");
    await pipeline(...(await csvSteps(from)), syncedFile(to));
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
