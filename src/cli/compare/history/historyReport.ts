import type { Part, Report, ReportTable } from "../report";
import { fieldChanges, foreign, rowChange, share } from "../report";
import type { FileFigures } from "./history";

/** One line for each file. */
export function historyReport(files: readonly FileFigures[]): Report {
  return {
    failures: [],
    lines: files.flatMap(({ notes }) => notes).map((note) => [foreign(note)]),
    tables: [
      {
        what: "files",
        titles: ["file", "rows", "change", "fields", "filled shares and fields that changed"],
        rows: files.map((file, index) => {
          // A file without rows says nothing about its fields.
          const before = files.findLast(({ rows }, other) => other < index && rows > 0);
          return [
            ...[foreign(file.name), String(file.rows), rowChange(files[index - 1]?.rows ?? file.rows, file.rows)],
            ...[
              String(file.filled.size),
              before === undefined || file.rows === 0 ? "" : foreign(fieldChanges(before.filled, file.filled)),
            ],
          ];
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
  const rows = { text: "", line: files.map((file) => file.rows / mostRows) };
  const ends = [files[0], files.at(-1)].map((file) => String(file?.rows ?? ""));
  const overTime: ReportTable = {
    what: "over time",
    note: left > 0 ? `${left} more fields, which change less, are left out.` : undefined,
    titles: ["rows, then filled shares of fields", "over time", "first", "last", "empty since"],
    rows: [
      ["rows", rows, ...ends, ""],
      ...lines.slice(0, mostFields).map(({ name, line, first, last }): Part[] => {
        const since = emptySince(line);
        const file = since === undefined ? "" : foreign(files[since]?.name ?? "");
        return [foreign(name), { text: "", line }, share(first), share(last), file];
      }),
    ],
  };
  return { ...report, tables: [overTime, ...report.tables] };
}

/** The first of the last files in which the field is empty, if an earlier one has values. */
function emptySince(values: readonly (number | undefined)[]): number | undefined {
  const last = values.findLastIndex((value) => value !== undefined && value > 0);
  const since = values.findIndex((value, index) => index > last && value === 0);
  return last < 0 || since < 0 ? undefined : since;
}

/** The document of `--json`. */
export function historyDocument(files: readonly FileFigures[]) {
  const notes = files.flatMap((file) => file.notes);
  return {
    files: files.map(({ name, rows, filled }) => ({
      name,
      rows,
      fields: [...filled].map(([field, of]) => ({ name: field, filled: of })),
    })),
    ...(notes.length > 0 && { notes }),
  };
}
