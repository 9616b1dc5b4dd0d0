import type { Part, Report, ReportTable } from "../report";
import { cut, foreign, share, signed } from "../report";
import type { FileChange, History } from "./history";
import { changesOf } from "./history";

const mostNames = 3;

/** One line for each file. */
export function historyReport(history: History): Report {
  const changes = changesOf(history);
  return {
    failures: [],
    lines: history.notes.map((note) => [foreign(note)]),
    tables: [
      {
        what: "files",
        titles: ["file", "rows", "change", "fields", "filled shares and fields that changed"],
        rows: history.files.map(({ name, rows, filled }, index) => [
          foreign(name),
          String(rows),
          rowChange(changes[index]),
          String(filled.size),
          fieldsCell(changes[index]),
        ]),
      },
    ],
  };
}

/** The most fields that a page has. */
const mostFields = 500;

/** The same for a page, with the rows and the filled share of each field over time: those that differ most come first. */
export function historyPage({ files, fields }: History, report: Report): Report {
  const mostRows = Math.max(1, ...files.map(({ rows }) => rows));
  const lines = fields
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

function rowChange(change: FileChange | undefined): string {
  if (change === undefined || change.rows === 0) {
    return "";
  }
  const percent = Number.isFinite(change.percent) ? ` (${signed(Number(change.percent.toFixed(1)))}%)` : "";
  return `${signed(change.rows)}${percent}`;
}

/** What is gone, then shares, then what is new: some of each. */
function fieldsCell(change: FileChange | undefined): Part {
  const { gone = [], added = [], filled = [] } = change ?? {};
  const all = [
    some(gone, (field) => `${cut(field)} gone`),
    some(filled, ({ field, old, now }) => `${cut(field)} ${share(old)} -> ${share(now)}`),
    some(added, (field) => `${cut(field)} new`),
  ];
  const text = all.filter((each) => each !== "").join(", ");
  return text === "" ? "" : foreign(text);
}

function some<T>(all: readonly T[], describe: (each: T) => string): string {
  const rest = all.length - mostNames;
  return [...all.slice(0, mostNames).map(describe), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

/** The document of `--json`. */
export function historyDocument({ files, notes }: History) {
  return {
    files: files.map(({ name, rows, filled }) => ({
      name,
      rows,
      fields: [...filled].map(([field, of]) => ({ name: field, filled: of })),
    })),
    ...(notes.length > 0 && { notes }),
  };
}
