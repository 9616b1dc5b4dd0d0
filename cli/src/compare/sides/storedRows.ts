import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { quoted } from "../../../../src/service/errors/foreignText";
import { messageOf } from "../../../../src/values/errors";
import { shellWord } from "../../../../src/values/words";
import { CliError } from "../../exitCodes";
import type { Database } from "../database";
import { spaceAdvice } from "../database";
import { decompressed } from "../reading/decompressed";
import { readers } from "../reading/readers";
import type { FoundRows, Rows } from "../reading/reading";
import { Damaged } from "../reading/reading";
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
  side: SideRows,
  path: string,
  { database, sheet }: { database: Database; sheet?: string },
): Promise<StoredRows> {
  const { name, format, notes } = side;
  const found = nothingFound();
  const reader = readers[format];
  const isText = "fromText" in reader;
  const first = isText ? path : `${path}.${format}`;
  await write(first, contentOf(side, found), database).catch((error: unknown) => {
    throw unreadable(side, error);
  });
  if (!isText) {
    await write(path, reader.fromFile(first, found, { name, sheet, database }), database).catch((error: unknown) => {
      database.checkInterrupted();
      throw new CliError(`"${name}" cannot be read as ${format}: ${messageOf(error)}`);
    });
    await rm(first);
  }
  return { ...found, path, name, format, notes: [...notes, ...notesOf(side, found)] };
}

export const nothingFound = (): FoundRows => ({ header: [], notes: [], isList: false });

/** The content of a file: of a format of text as rows, otherwise its bytes. */
export function contentOf({ name, format, compression, pieces }: SideRows, found: FoundRows): Rows {
  const reader = readers[format];
  const whole = decompressed[compression]?.(pieces) ?? pieces;
  return "fromText" in reader ? reader.fromText(textOf(whole), found, { name }) : whole;
}

/** The error of a file that has other content than its name says. */
export function unreadable({ name, format }: SideRows, error: unknown): unknown {
  const { code } = error as { code?: unknown };
  const isDamaged = error instanceof Damaged || typeof code === "number" || /^(?:Z|ERR_ENCODING)_/.test(String(code));
  return isDamaged ? new CliError(`"${name}" cannot be read as ${format}: ${messageOf(error)}.`) : error;
}

export function notesOf({ name }: SideRows, { notes }: FoundRows): string[] {
  return notes.map((note) => `"${name}": ${note}`);
}

/** What to do if the rows are in a list inside of an object. Empty if there is no such list. */
export function adviceOnInside(name: string, { inside }: Pick<FoundRows, "inside">): string {
  if (inside === undefined) {
    return "";
  }
  const path = inside.map((part) => (/^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`)).join("");
  const filter = path.startsWith(".") ? path : `.${path}`;
  return `Its field ${quoted(inside.join("."))} is a list of objects. If they are the rows, write them to a file (jq -c ${shellWord(`${filter}[]`)} ${shellWord(name)} > rows.ndjson)`;
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
