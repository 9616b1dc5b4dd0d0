import type { Cli } from "../cli";
import type { ConnectionFlags } from "../connection/connection";
import { inDatabase } from "./database";
import { maps } from "./layout";
import { loadRows } from "./sides/loadSide";
import { sideOf } from "./sides/side";

/** Some rows of a file, as text. */
export interface FileRows {
  /** The text of each value by its field. Empty cells have none. */
  readonly rows: readonly ReadonlyMap<string, string>[];
  /** The fields that the file names beside its rows, in its order. */
  readonly header: readonly string[];
  readonly total: number;
}

/**
 * Reads a whole file, and returns some of its rows.
 * @throws CliError if it cannot be read to its end
 */
export async function readFileRows(
  file: string,
  { offset, limit }: { offset: number; limit: number },
  { cli, flags }: { cli: Cli; flags: ConnectionFlags },
): Promise<FileRows> {
  return await inDatabase(cli, async (database) => {
    const header = await loadRows("base", sideOf(file), { database, cli, flags });
    const [[total] = []] = await database.rows("SELECT count(*) FROM base");
    const found = await database.rows(
      `SELECT ${maps.fields}, ${maps.values} FROM base ORDER BY rowid LIMIT ${limit} OFFSET ${offset}`,
    );
    const rows = found.map(([names, texts]) => rowOf(names as string[], texts as (string | null)[]));
    return { rows, header, total: Number(total) };
  });
}

function rowOf(names: readonly string[], texts: readonly (string | null)[]): ReadonlyMap<string, string> {
  return new Map(names.flatMap((name, at) => (typeof texts[at] === "string" ? [[name, texts[at]]] : [])));
}
