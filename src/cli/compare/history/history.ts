import { percentOf } from "../conditions";
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
    await database.run("DROP TABLE head");
  }
  return { files, fields: options.fields.names, notes };
}

/** How a file differs from the last earlier file that has rows. A file without rows says nothing about its fields, so it is skipped. */
export interface FileChange {
  rows: number;
  /** Infinite if the one before has no rows. */
  percent: number;
  gone: readonly string[];
  added: readonly string[];
  /** Fields whose share differs by a percentage point, or begins or ends at 0. Largest differences first. */
  filled: readonly { field: string; old: number; now: number }[];
}

/** A change for each file but the first one. */
export function changesOf({ files }: History): (FileChange | undefined)[] {
  let withRows: FileFigures | undefined;
  return files.map((file, index) => {
    const before = files[index - 1];
    const other = file.rows === 0 ? undefined : withRows;
    withRows = file.rows === 0 ? withRows : file;
    if (before === undefined) {
      return undefined;
    }
    const rows = file.rows - before.rows;
    return { rows, percent: percentOf(rows, before.rows), ...fieldChanges(other, file) };
  });
}

const leastDifference = 0.01;

function fieldChanges(before: FileFigures | undefined, file: FileFigures): Omit<FileChange, "rows" | "percent"> {
  if (before === undefined) {
    return { gone: [], added: [], filled: [] };
  }
  const filled = [...file.filled].flatMap(([field, now]) => {
    const old = before.filled.get(field) ?? now;
    const isShown = old !== now && (Math.abs(now - old) >= leastDifference || old === 0 || now === 0);
    return isShown ? [{ field, old, now }] : [];
  });
  return {
    gone: [...before.filled.keys()].filter((field) => !file.filled.has(field)),
    added: [...file.filled.keys()].filter((field) => !before.filled.has(field)),
    filled: filled.sort((one, other) => Math.abs(other.now - other.old) - Math.abs(one.now - one.old)),
  };
}
