import { contentOf as textIn } from "../../../src/rows/formats/rowTable";
import { ContractBreach } from "../../../src/service/contract/contractBreach";
import { JsonScanner, openObject } from "../../../src/service/contract/jsonScanner";
import { quoted } from "../../../src/service/errors/foreignText";
import { inDatabase, noResult } from "./database";
import { maps } from "./layout";
import { readers } from "./reading/readers";
import type { FoundRows, Rows } from "./reading/reading";
import { Damaged } from "./reading/reading";
import { loadRows, onlyRowNotes } from "./sides/loadSide";
import type { FileSide } from "./sides/side";
import type { ReadOptions } from "./sides/sideRows";
import { sideRows } from "./sides/sideRows";
import { adviceOnInside, contentOf, notesOf, nothingFound, unreadable } from "./sides/storedRows";

/** Some rows of a file, as text. */
export interface FileRows {
  /** The text of each value by its field. Empty cells have none. */
  readonly rows: readonly Cells[];
  /** The fields that the file names beside its rows, in its order. */
  readonly header: readonly string[];
  readonly total: number;
}

type Cells = ReadonlyMap<string, string>;

interface Window {
  offset: number;
  limit: number;
}

/**
 * Reads a whole file, and returns some of its rows. A file of text needs no database.
 * @throws CliError if it cannot be read to its end
 */
export async function readFileRows(side: FileSide, window: Window, options: ReadOptions): Promise<FileRows> {
  return "fromText" in readers[side.format]
    ? await rowsOfText(side, window, options)
    : await rowsInDatabase(side, window, options);
}

async function rowsOfText(side: FileSide, { offset, limit }: Window, options: ReadOptions): Promise<FileRows> {
  const { terminal } = options.cli;
  const source = await sideRows(side, options);
  const found = nothingFound();
  const rows: Cells[] = [];
  let total = 0;
  terminal.progress(`Reading ${side.name}`);
  try {
    for await (const cells of rowsIn(contentOf(source, found), found)) {
      options.cli.checkInterrupted(noResult);
      if (total >= offset && rows.length < limit) {
        rows.push(cells);
      }
      total++;
    }
  } catch (error) {
    const advice = error instanceof Damaged ? adviceOnInside(side.name, found) : "";
    throw unreadable(source, advice === "" ? error : new Damaged(`${(error as Damaged).message}. ${advice}`));
  }
  terminal.endProgress();
  for (const note of [...notesOf(source, found), ...onlyRowNotes({ name: side.name, ...found }, total)]) {
    terminal.warn(note);
  }
  return { rows, header: found.header, total };
}

/**
 * The rows in pieces that end between two rows.
 * @throws Damaged for what is no row, and for what stands between two rows and does not belong there
 */
async function* rowsIn(pieces: Rows, found: FoundRows): AsyncGenerator<Cells> {
  let number = 1;
  let between = "";
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece);
    const scanner = new JsonScanner(bytes);
    const { isList } = found;
    for (;;) {
      let from = scanner.at;
      let next = scanner.next();
      for (; isList && next !== undefined && "[,]".includes(String.fromCharCode(next)); next = scanner.next()) {
        scanner.at += 1;
      }
      between += bytes.toString("latin1", from, scanner.at);
      if (next === undefined) {
        break;
      }
      from = scanner.at;
      const isSeparate = isList
        ? marksIn(between) === (number === 1 ? "[" : ",")
        : number === 1 || between.includes("\n");
      const cells = next === openObject ? cellsAt(scanner, number) : undefined;
      if (cells === undefined || (!isList && (!isSeparate || bytes.subarray(from, scanner.at).includes("\n")))) {
        throw new Damaged(`row ${number} is not an object${isList ? "" : " on a line of its own"}`);
      }
      if (!isSeparate) {
        throw new Damaged(`before row ${number} there must be one ${number === 1 ? "bracket" : "comma"}`);
      }
      yield cells;
      number++;
      between = "";
    }
  }
  if (found.isList && !(number === 1 ? ["", "[]"] : ["]"]).includes(marksIn(between))) {
    throw new Damaged("it is no list of rows");
  }
}

const marksIn = (between: string): string => between.replace(/\s/g, "");

/** Undefined for what is cut off or no JSON. */
function cellsAt(scanner: JsonScanner, number: number): Cells | undefined {
  const cells = new Map<string, string | undefined>();
  try {
    scanner.object((from, to) => {
      const name = textIn(scanner.text(from, to)) ?? "";
      if (cells.has(name)) {
        throw new Damaged(`row ${number} has the field ${quoted(name)} twice`);
      }
      cells.set(name, textIn(scanner.value()));
    });
  } catch (error) {
    if (error instanceof ContractBreach) {
      return undefined;
    }
    throw error;
  }
  return new Map([...cells].filter((cell): cell is [string, string] => cell[1] !== undefined));
}

async function rowsInDatabase(side: FileSide, { offset, limit }: Window, options: ReadOptions): Promise<FileRows> {
  return await inDatabase(options.cli, async (database) => {
    const header = await loadRows("base", side, { ...options, database });
    const [[total] = []] = await database.rows("SELECT count(*) FROM base");
    const found = await database.rows(
      `SELECT ${maps.fields}, ${maps.values} FROM base ORDER BY rowid LIMIT ${limit} OFFSET ${offset}`,
    );
    const rows = found.map(([names, texts]) => rowOf(names as string[], texts as (string | null)[]));
    return { rows, header, total: Number(total) };
  });
}

function rowOf(names: readonly string[], texts: readonly (string | null)[]): Cells {
  return new Map(names.flatMap((name, at) => (typeof texts[at] === "string" ? [[name, texts[at]]] : [])));
}
