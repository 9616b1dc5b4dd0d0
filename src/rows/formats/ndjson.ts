import type { Format } from "./format";
import { linesOf } from "./rowTable";

/** One row on each line, as it came. */
export const ndjson: Format = {
  contentType: "application/x-ndjson",
  extension: ".ndjson",
  otherExtensions: [".jsonl", ".jl"],
  pieces: linesOf,
};
