import { Readable } from "node:stream";
import type { Stringifier } from "csv-stringify";
import { stringify as stringifyCsv } from "csv-stringify";
import { isLosslessNumber, parse, stringify } from "lossless-json";
import { messageOf, ResourceError } from "../resource";
import { linesOfFile } from "../urls/lines";
import { entryOf } from "../values";

/** The steps of a pipeline that turns a file of one row a line into CSV: its rows, and the writer of CSV. */
export async function csvSteps(from: string): Promise<[Readable, Stringifier]> {
  const columns = await columnsOf(from);
  return [Readable.from(cellsOf(from, columns)), stringifyCsv({ header: columns.length > 0, columns })];
}

/** All fields of all rows, in the order of their first appearance. A later row may have more fields than the first. */
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

/** Numbers keep the digits that the service sent. Lists and maps stay JSON. */
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
      `Row ${line} cannot be written as CSV: ${messageOf(error)}. No file was written. Use format "ndjson" or "json", which keep each row as it was sent.`,
    );
  }
}
