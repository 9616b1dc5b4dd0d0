import type { Format } from "./format";
import { linesOf } from "./rowTable";

/** One array of all rows. */
export const json: Format = {
  contentType: "application/json",
  extension: ".json",

  async *pieces(from) {
    let before = "[";
    for await (const lines of linesOf(from)) {
      // A line break stands only after a row: within a string it is written as an escape.
      const rows = lines.toString("latin1", 0, lines.length - 1).replaceAll("\n", ",\n");
      yield Buffer.from(`${before}\n${rows}`, "latin1");
      before = ",";
    }
    yield Buffer.from(before === "[" ? "[]\n" : "\n]\n");
  },
};
