import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { globIn } from "../../../src/manifest/manifestFiles";
import { writtenAs } from "../../../src/rows/formats/formats";
import { isStoreAddress, partsOf, withKey } from "../../../src/store/storeAddress";
import { CliError } from "../exitCodes";
import { byName } from "../output/table";
import type { FilledShares, Part, Report, ReportTable } from "./report";
import { fieldChanges, foreign, rowChange, share } from "./report";
import type { LoadOptions } from "./sides/loadSide";
import { loadSides } from "./sides/loadSide";
import type { Side } from "./sides/side";
import { requireWorkbook, sideOf } from "./sides/side";
import { bucketOf } from "./sides/sideRows";

interface FileFigures {
  readonly name: string;
  /** The day in its name, otherwise that of the last change of a file on this machine. */
  readonly date: string;
  readonly rows: number;
  readonly filled: FilledShares;
  readonly notes: readonly string[];
}

/**
 * Reads one file after the other, in the order of the arguments. The files of a glob or of a prefix of a store come in the
 * order of their names, in which `rows-2` stands before `rows-10`. The database has the rows of one at a time.
 * @throws CliError for a glob or a prefix without files
 */
export async function readHistory(given: readonly string[], options: LoadOptions): Promise<FileFigures[]> {
  const sides: Side[] = [];
  for (const each of given) {
    sides.push(...(await namesIn(each, options)).map(sideOf));
  }
  requireWorkbook(options.sheet, sides);
  const files: FileFigures[] = [];
  for (const side of sides) {
    const { name, rows, fields, notes } = (await loadSides({ head: side }, options)).head;
    await options.database.rows("DROP TABLE head");
    const filled = [...fields].map(([field, of]): [string, number] => [field, rows === 0 ? 0 : of.filled / rows]);
    files.push({ name, date: await dateOf(name), rows, filled: new Map(filled), notes });
  }
  return files;
}

async function dateOf(name: string): Promise<string> {
  const [, ...named] = /(?<!\d)(20\d\d)-?([01]\d)-?([0-3]\d)(?!\d)(?!.*[\\/])/.exec(name) ?? [];
  if (named.length > 0) return named.join("-");
  const changed = await stat(name).catch(() => undefined);
  return changed?.mtime.toISOString().slice(0, 10) ?? "";
}

async function namesIn(given: string, options: LoadOptions): Promise<string[]> {
  if (isStoreAddress(given)) {
    return writtenAs(given) !== undefined ? [given] : inOrder(await namesOfPrefix(given, options), given);
  }
  const glob = existsSync(given) ? undefined : globIn(given.split(sep).join("/"));
  if (glob === undefined) {
    return [given];
  }
  const folder = glob.folder === "" ? "." : glob.folder;
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`"${folder}" cannot be read (${error.code}). No rows were read.`, "usage");
  });
  const found = names.filter((name) => glob.matches(name)).map((name) => (folder === "." ? name : join(folder, name)));
  return inOrder(found, given);
}

async function namesOfPrefix(prefix: string, options: LoadOptions): Promise<string[]> {
  // An object of any name checks the name of the bucket.
  const found = await bucketOf(withKey(prefix, "rows"), prefix, options);
  return (await found.keys(partsOf(prefix).key)).map((each) => withKey(prefix, each));
}

function inOrder(names: readonly string[], given: string): string[] {
  const files = names
    .filter((name) => writtenAs(name) !== undefined)
    .sort((one, other) => byName(one, other) || (one < other ? -1 : 1));
  if (files.length === 0) {
    throw new CliError(
      `"${given}" matches no file of rows. A glob has * and ? in the last part of its path, and a prefix with s3://, gs:// or azblob://. No rows were read.`,
      "usage",
    );
  }
  return files;
}

/** One line for each file. */
export function historyReport(files: readonly FileFigures[]): Report {
  return {
    failures: [],
    lines: files.flatMap(({ notes }) => notes).map((note) => [foreign(note)]),
    tables: [
      {
        what: "files",
        titles: ["file", "day", "rows", "change", "fields", "filled shares and fields that changed"],
        rows: files.map((file, index) => {
          // A file without rows says nothing about its fields.
          const before = files.findLast(({ rows }, other) => other < index && rows > 0);
          const change = rowChange(files[index - 1]?.rows ?? file.rows, file.rows);
          const isComparable = before !== undefined && file.rows > 0;
          const changed = isComparable ? foreign(fieldChanges(before.filled, file.filled)) : "";
          return [foreign(file.name), file.date, String(file.rows), change, String(file.filled.size), changed];
        }),
      },
    ],
  };
}

/** The most fields that a page has. */
const mostFields = 500;

/**
 * The same for a page, with the rows and the filled share of each field over time: those that differ most come first.
 */
export function historyPage(files: readonly FileFigures[], report: Report): Report {
  const mostRows = Math.max(1, ...files.map(({ rows }) => rows));
  const lines = [...new Set(files.flatMap(({ filled }) => [...filled.keys()]))]
    .map((name) => {
      const line = files.map(({ rows, filled }) => (rows === 0 ? undefined : (filled.get(name) ?? 0)));
      const known = line.filter((value) => value !== undefined);
      const [first = 0, last = 0] = [known[0], known.at(-1)];
      return { name, line, first, last, range: Math.max(0, ...known) - Math.min(1, ...known) };
    })
    .sort((one, other) => other.range - one.range);
  const left = lines.length - mostFields;
  const days = [...new Set([files[0]?.date, files.at(-1)?.date])].filter(Boolean).join(" to ");
  const rows = { text: days, line: files.map((file) => file.rows / mostRows) };
  const ends = [files[0], files.at(-1)].map((file) => String(file?.rows ?? ""));
  const overTime: ReportTable = {
    what: "over time",
    note: `The number of rows, then the filled share of each field.${left > 0 ? ` ${left} more fields, which change less, are left out.` : ""}`,
    titles: ["field", "fell", "over time", "first", "last"],
    rows: [
      ["rows", fell(rows.line, files), rows, ...ends],
      ...lines
        .slice(0, mostFields)
        .map(({ name, line, first, last }): Part[] => [
          ...[foreign(name), fell(line, files), { text: "", line }, share(first), share(last)],
        ]),
    ],
  };
  // What decides stands where a narrow window shows it.
  const moved = <T>([name, day, rows, change, fields, changed]: readonly T[]) =>
    [name, changed, rows, change, day, fields] as T[];
  const tables = report.tables.map((each) => ({ ...each, titles: moved(each.titles), rows: each.rows.map(moved) }));
  return { ...report, tables: [overTime, ...tables] };
}

/** How much lower a share stays than before, to count as fallen. */
const fallen = 0.1;

/** Since which file a share is lower than it was on average before, or empty: the file with the largest fall. */
function fell(values: readonly (number | undefined)[], files: readonly FileFigures[]): Part {
  const known = values.flatMap((value, index) => (value === undefined ? [] : { value, index }));
  const falls = known.slice(1).map(({ index }, at) => {
    const before = known.slice(0, at + 1).reduce((sum, { value }) => sum + value / (at + 1), 0);
    const after = Math.max(...known.slice(at + 1).map(({ value }) => value));
    return { index, by: before > 0 && after === 0 ? 1 + before : before - after };
  });
  const largest = falls.reduce((most, each) => (each.by > most.by ? each : most), { index: -1, by: 0 });
  const file = largest.by < fallen ? undefined : files[largest.index];
  if (file === undefined) return "";
  const day = file.name.includes(file.date) ? "" : `${file.date} `;
  return foreign(`${largest.by > 1 ? "empty" : "lower"} since ${day}${file.name}`);
}

/** The document of `--json`. */
export function historyDocument(files: readonly FileFigures[]) {
  const notes = files.flatMap((file) => file.notes);
  return {
    files: files.map(({ name, date, rows, filled }) => ({
      ...{ name, date },
      rows,
      fields: [...filled].map(([field, of]) => ({ name: field, filled: of })),
    })),
    ...(notes.length > 0 && { notes }),
  };
}
