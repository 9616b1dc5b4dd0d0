import { createWriteStream } from "node:fs";
import { join } from "node:path";
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { parse } from "csv-parse";
import { Decompress } from "fzstd";
import { CliError } from "../../exitCodes";
import type { Database } from "../database";
import { spaceAdvice } from "../database";
import type { FileSide } from "./side";

/** A row that is longer is refused: DuckDB has a buffer of twice this size for each thread. */
export const longestRow = 32 * 1024 * 1024;

type Pieces = AsyncIterable<Uint8Array>;

/** What is stored: Parquet, or JSON without what DuckDB refuses. */
export interface TemporaryFile {
  readonly path: string;
  readonly format: "json" | "ndjson" | "parquet";
  /** The header of a CSV. */
  readonly header: readonly string[];
}

/** Keeps the rows of a side in a file that only its owner can read. DuckDB alone would read a part of a compressed file that is cut off, and guess at a CSV. */
export async function temporaryFile(
  pieces: Pieces,
  { name, format, compression }: Pick<FileSide, "name" | "format" | "compression">,
  database: Database,
): Promise<TemporaryFile> {
  const path = join(database.folder, "rows");
  const header: string[] = [];
  const whole = compression === undefined ? pieces : decompressed(pieces, compression);
  const rows =
    format === "parquet" ? whole : format === "csv" ? csvRows(textOf(whole), header) : jsonRows(textOf(whole), format);
  const file = createWriteStream(path, { mode: 0o600 });
  await pipeline(rows, file, { signal: database.interrupted }).catch(
    (error: Error & { code?: unknown; lines?: number }) => {
      database.checkInterrupted();
      if ("syscall" in error && error.syscall === "write") {
        throw new CliError(`A temporary file cannot be written (${error.code}).${spaceAdvice()}`);
      }
      if (/^(?:CSV_)?INVALID_(?:OPENING|CLOSING)_QUOTE$/.test(String(error.code))) {
        // The message of the parser shows the value.
        throw new CliError(`"${name}" cannot be read as csv: a quotation mark is out of place on line ${error.lines}.`);
      }
      const isDamaged =
        error instanceof Damaged ||
        typeof error.code === "number" ||
        /^(?:Z|CSV|ERR_ENCODING)_/.test(String(error.code));
      throw isDamaged ? new CliError(`"${name}" cannot be read as ${format}: ${error.message}.`) : error;
    },
  );
  return { path, format: format === "csv" ? "ndjson" : format, header };
}

class Damaged extends Error {}

async function* decompressed(pieces: Pieces, compression: "gzip" | "zstd"): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  async function* looked(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      isEmpty = false;
      yield piece;
    }
  }
  yield* compression === "gzip" ? through(looked(), createGunzip()) : unzstd(looked());
  // Zero bytes are nothing, compressed, to both readers. A file that was compressed has a header.
  if (isEmpty) {
    throw new Damaged(`it is empty, and not ${compression}`);
  }
}

async function* through<T>(pieces: AsyncIterable<unknown>, stream: Transform): AsyncGenerator<T> {
  // A failure of the source becomes one of the stream.
  const fed = pipeline(pieces, stream).catch(() => undefined);
  try {
    yield* stream;
  } finally {
    stream.destroy();
    await fed;
  }
}

/** Not with Node.js, which has zstd since 22.15. */
async function* unzstd(pieces: Pieces): AsyncGenerator<Uint8Array> {
  const found: Uint8Array[] = [];
  const stream = new Decompress((piece) => found.push(piece));
  for await (const piece of pieces) {
    stream.push(piece);
    yield* found.splice(0);
  }
  stream.push(new Uint8Array(0), true);
  yield* found.splice(0);
}

/** Without a byte order mark. */
async function* textOf(pieces: Pieces): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const piece of pieces) {
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder.decode();
}

/** What can stand between two cells. */
const delimiters = [",", ";", "\t", "|"];

/**
 * The rows of a CSV (RFC 4180) as JSON, one a line. The delimiter is the one that divides the header into the most cells. Blank lines are no rows.
 * @param header gets the names
 */
async function* csvRows(texts: AsyncGenerator<string>, header: string[]): AsyncGenerator<string> {
  const { value: begin = "" } = await texts.next();
  async function* all(): AsyncGenerator<string> {
    try {
      yield begin;
      yield* texts;
    } finally {
      // After a failure in the first part, nothing has begun to read the others.
      await texts.return(undefined);
    }
  }
  const [line = ""] = begin
    .replace(/"[^"]*"?/g, "")
    .trimStart()
    .split(/[\r\n]/, 1);
  const counts = delimiters.map((each) => ({ each, count: line.split(each).length }));
  const [most] = counts.sort((one, other) => other.count - one.count);
  const parser = parse({
    delimiter: most?.each,
    record_delimiter: ["\r\n", "\n", "\r"],
    skip_empty_lines: true,
    max_record_size: longestRow,
  });
  let text = "";
  for await (const cells of through<string[]>(all(), parser)) {
    if (header.length === 0) {
      header.push(...cells);
      continue;
    }
    text += `{${cells.map((cell, index) => `${JSON.stringify(header[index])}:${JSON.stringify(cell)}`).join(",")}}\n`;
    if (text.length > 64 * 1024) {
      yield text;
      text = "";
    }
  }
  yield text;
}

/** All escapes of a string, so that a backslash after a backslash begins none. */
const escapes = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|[\s\S])/g;

/**
 * JSON with U+FFFD for half of a surrogate pair, as other formats have it.
 * @throws Damaged for a list without an end, which DuckDB accepts after a comma
 */
async function* jsonRows(texts: AsyncIterable<string>, format: "json" | "ndjson"): AsyncGenerator<string> {
  const mended = (text: string): string =>
    /\\u[dD]/.test(text) ? text.replace(escapes, (found, half) => (half ? "\\ufffd" : found)) : text;
  let rest = "";
  let last: string | undefined;
  for await (const text of texts) {
    last = text.trimEnd().at(-1) ?? last;
    // No comma is part of an escape.
    const end = text.lastIndexOf(",") + 1;
    if (end > 0) {
      yield mended(rest + text.slice(0, end));
      rest = "";
    }
    rest += text.slice(end);
    if (rest.length > longestRow) {
      throw new Damaged(`a row has more than ${longestRow} bytes`);
    }
  }
  if (format === "json" && last !== undefined && last !== "]") {
    throw new Damaged("it is cut off, or no list of rows");
  }
  // Without an end of line, DuckDB takes a file of one character as empty.
  yield `${mended(rest)}\n`;
}
