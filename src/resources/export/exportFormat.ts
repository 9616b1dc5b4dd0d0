import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stringify as stringifyCsv } from "csv-stringify";
import { isLosslessNumber, parse, stringify } from "lossless-json";
import { messageOf, ResourceError } from "../resource";
import { linesOfFile } from "../urls/lines";
import { entryOf } from "../values";

/** How rows are written: `ndjson` one row a line, `json` one array, `csv` a header and a line a row. */
export type ExportFormat = "ndjson" | "json" | "csv";

/** Writes a file of one row a line anew in another format, in constant memory, and syncs it to the disk. */
export async function rewrite(from: string, to: string, format: "json" | "csv"): Promise<void> {
  const target = createWriteStream(to, { flags: "wx", flush: true });
  if (format === "json") {
    await pipeline(Readable.from(asArray(from)), target);
  } else {
    const columns = await columnsOf(from);
    await pipeline(
      Readable.from(cellsOf(from, columns)),
      stringifyCsv({ header: columns.length > 0, columns }),
      target,
    );
  }
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

/** All fields of all rows, in the order in which they first appear: a later row may have one that the first has not. */
async function columnsOf(from: string): Promise<string[]> {
  const columns = new Set<string>();
  for await (const row of rowsOf(from)) {
    for (const name of Object.keys(row)) {
      columns.add(name);
    }
  }
  return [...columns];
}

async function* cellsOf(from: string, columns: readonly string[]): AsyncGenerator<string[]> {
  for await (const row of rowsOf(from)) {
    yield columns.map((name) => cellOf(entryOf(row, name)));
  }
}

/** Numbers keep the digits they were sent with; what is a list or a map stays JSON. */
function cellOf(value: unknown): string {
  if (value === undefined || value === null) {
    return "";
  }
  return typeof value === "object" && !isLosslessNumber(value) ? (stringify(value) ?? "") : String(value);
}

async function* rowsOf(from: string): AsyncGenerator<Record<string, unknown>> {
  for await (const lines of linesOfFile(from)) {
    for (const { line, text } of lines) {
      yield cellsByName(line, text);
    }
  }
}

function cellsByName(line: number, text: string): Record<string, unknown> {
  try {
    return parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new ResourceError(
      `Row ${line} cannot be written as CSV: ${messageOf(error)}. Choose format "ndjson" or "json", which keep each row as it was sent.`,
    );
  }
}
