import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { compressions } from "../../../resources/export/formats/compression";
import { formats } from "../../../resources/export/formats/formats";
import type { FoundRows } from "../../../resources/export/reading/reading";
import { Damaged } from "../../../resources/export/reading/reading";
import { messageOf } from "../../../resources/resource";
import { CliError } from "../../exitCodes";
import type { Database } from "../database";
import { spaceAdvice } from "../database";
import type { SideRows } from "./sideRows";

/** The rows of a side as JSON whose values are text, and what their reader has found. */
export interface StoredRows extends Readonly<FoundRows>, Pick<SideRows, "name" | "format"> {
  readonly path: string;
}

/**
 * Keeps the rows of a side in a file that only its owner can read. DuckDB alone would read a part of a compressed file
 * that is cut off, and guess at a CSV.
 */
export async function storedRows(
  { name, format, compression, pieces, notes }: SideRows,
  path: string,
  database: Database,
): Promise<StoredRows> {
  const found: FoundRows = { header: [], notes: [], isList: false };
  const { reader } = formats[format];
  const whole = compressions[compression].decompressed?.(pieces) ?? pieces;
  const isText = "fromText" in reader;
  const first = isText ? path : `${path}.${format}`;
  await write(first, isText ? reader.fromText(textOf(whole), found) : whole, database).catch(
    (error: Error & { code?: unknown }) => {
      const isDamaged =
        error instanceof Damaged || typeof error.code === "number" || /^(?:Z|ERR_ENCODING)_/.test(String(error.code));
      throw isDamaged ? new CliError(`"${name}" cannot be read as ${format}: ${error.message}.`) : error;
    },
  );
  if (!isText) {
    await write(path, reader.fromFile(first, found, database), database).catch((error: unknown) => {
      database.checkInterrupted();
      throw new CliError(`"${name}" cannot be read as ${format}: ${messageOf(error)}`);
    });
    await rm(first);
  }
  return { ...found, path, name, format, notes: [...notes, ...found.notes.map((note) => `"${name}": ${note}`)] };
}

async function write(path: string, content: AsyncIterable<string | Uint8Array>, database: Database): Promise<void> {
  const file = createWriteStream(path, { mode: 0o600 });
  await pipeline(content, file, { signal: database.interrupted }).catch((error: NodeJS.ErrnoException) => {
    database.checkInterrupted();
    throw error.syscall === "write"
      ? new CliError(`A temporary file cannot be written (${error.code}).${spaceAdvice()}`)
      : error;
  });
}

/** Without a byte order mark. */
async function* textOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const piece of pieces) {
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder.decode();
}
