import { Readable } from "node:stream";
import type { Format } from "./format";
import { rowsOf } from "./jsonRows";

/** One array of all rows. */
export const json: Format = {
  contentType: "application/json",
  extension: ".json",
  write: (from, write) => write(Readable.from(asArray(from))),
};

async function* asArray(from: string): AsyncGenerator<Buffer> {
  let before = "[";
  for await (const rows of rowsOf(from)) {
    // A line break stands only after a row: within a string it is written as an escape.
    yield Buffer.from(`${before}\n${rows.slice(0, -1).replaceAll("\n", ",\n")}`, "latin1");
    before = ",";
  }
  yield Buffer.from(before === "[" ? "[]\n" : "\n]\n");
}
