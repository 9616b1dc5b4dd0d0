import type { Part, Report } from "../report";
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
