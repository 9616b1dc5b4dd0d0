import { createReadStream } from "node:fs";
import type { Format } from "./format";

/** One row on each line, as it came. */
export const ndjson: Format = {
  contentType: "application/x-ndjson",
  extension: ".ndjson",
  write: (from, write) => write(createReadStream(from, { highWaterMark: 128 * 1024 })),
};
