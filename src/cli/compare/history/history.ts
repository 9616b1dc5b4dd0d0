import type { Database } from "../database";
import { filledCounts } from "../fieldFigures";
import type { LoadOptions } from "../sides/loadSide";
import { loadSide } from "../sides/loadSide";
import type { Side } from "../sides/side";

/** What several files have in common, oldest first. */
export interface History {
  files: readonly FileFigures[];
  /** All fields, in the order of their first appearance. */
  fields: readonly string[];
  notes: readonly string[];
}

export interface FileFigures {
  name: string;
  rows: number;
  /** Shares of filled rows from 0 to 1, by the names of the fields that the file has. */
  filled: ReadonlyMap<string, number>;
}

/** Reads one file after the other. The database has the rows of one at a time. */
export async function readHistory(sides: readonly Side[], database: Database, options: LoadOptions): Promise<History> {
  const files: FileFigures[] = [];
  const notes: string[] = [];
  for (const side of sides) {
    const { table, name, notes: ofSide } = await loadSide("head", side, options);
    const { rows, isFound, fields } = table;
    const counts = await filledCounts(database, "head");
    const filled = new Map(
      fields.names.flatMap((field, column): [string, number][] =>
        isFound[column] === true ? [[field, rows === 0 ? 0 : (counts.get(column) ?? 0) / rows]] : [],
      ),
    );
    files.push({ name, rows, filled });
    notes.push(...ofSide);
    await database.rows("DROP TABLE head");
  }
  return { files, fields: options.fields.names, notes };
}
