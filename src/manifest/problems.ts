import { escaped } from "../service/errors/foreignText";
import type { Slip } from "./syntax/slips";
import { LineCounter } from "./yaml";

/** The text of a file, and where its lines begin once it was parsed. */
export class ManifestFile {
  readonly lines = new LineCounter();

  constructor(
    /** As a user names it in an error. */
    readonly name: string,
    readonly text: string,
  ) {}
}

/** Where a manifest has something. */
export interface Place {
  readonly file: ManifestFile;
  readonly offset: number;
  /** The path in the document, such as `tasks.novels.run`. */
  readonly path: string;
}

/** One thing that is wrong with a manifest. */
export interface ManifestProblem {
  /** The file, relative to the program's folder where it is within. */
  file: string;
  /** From 1. Absent if the problem is the file as a whole. */
  line?: number;
  /** From 1. */
  column?: number;
  /** The path within the document, such as `actions.open.properties.Url`. Empty for the document as a whole. */
  path: string;
  /** What is wrong, and what is allowed. */
  reason: string;
  /** The line of the file, with a mark below the column. */
  snippet?: string;
}

/**
 * Collects the problems of all files. The same problem of the same place counts once, because defaults apply to many
 * tasks.
 */
export class Problems {
  private readonly found = new Map<string, ManifestProblem>();
  private readonly slips = new Map<ManifestFile, Map<number, Slip>>();
  private readonly doubts = new Map<string, ManifestProblem>();
  private readonly told = new Set<Slip>();

  /** @param mayBeStored whether to leave out what is a warning if the state has it */
  constructor(readonly mayBeStored = false) {}

  /** In the order of the files, from top to bottom. */
  get all(): ManifestProblem[] {
    return inOrder([...this.found.values()]);
  }

  /** The slips of values that have no problem. */
  get warnings(): ManifestProblem[] {
    const places = [...this.slips].flatMap(([file, slips]) =>
      [...slips.values()].flatMap((slip) =>
        slip.warns && !this.told.has(slip) ? problemAt(file, slip.offset, "", slip.reason) : [],
      ),
    );
    return inOrder(places);
  }

  /** What the checks of the resources warn of: a preview of the resources shows it too. */
  get doubtful(): ManifestProblem[] {
    return inOrder([...this.doubts.values()]);
  }

  addDoubt({ file, offset, path }: Place, reason: string): void {
    this.doubts.set(JSON.stringify([file.name, offset, path, reason]), problemAt(file, offset, path, reason));
  }

  /** Notes what explains the problems of a document. */
  addSlips(file: ManifestFile, slips: ReadonlyMap<number, Slip>): void {
    this.slips.set(file, new Map([...(this.slips.get(file) ?? []), ...slips]));
  }

  /** Where the last value with a slip begins before an offset, in the same line. */
  slipBefore(file: ManifestFile, offset: number): number | undefined {
    const { line } = file.lines.linePos(offset);
    const before = [...(this.slips.get(file)?.keys() ?? [])].filter((at) => at <= offset);
    return before.filter((at) => file.lines.linePos(at).line === line).at(-1);
  }

  add({ file, offset, path }: Place, reason: string): void {
    const slip = this.slips.get(file)?.get(offset);
    if (slip?.isCause && this.told.has(slip)) {
      return;
    }
    slip && this.told.add(slip);
    const explained = slip === undefined ? reason : slip.isCause ? slip.reason : `${reason}. It ${slip.reason}`;
    const at = slip?.isCause === true ? slip.offset : offset;
    this.found.set(JSON.stringify([file.name, at, path, explained]), problemAt(file, at, path, explained));
  }

  /** A problem of a file as a whole. */
  addFile(file: string, reason: string): void {
    this.found.set(JSON.stringify([file, reason]), { file, path: "", reason });
  }
}

function problemAt(file: ManifestFile, offset: number, path: string, reason: string): ManifestProblem {
  const { line, col: column } = file.lines.linePos(offset);
  return { file: file.name, line, column, path, reason, snippet: snippetOf(file, line, column) };
}

function inOrder(found: readonly ManifestProblem[]): ManifestProblem[] {
  const files = [...new Set(found.map(({ file }) => file))];
  const order = new Map(files.map((file, index) => [file, index]));
  const rank = ({ file }: ManifestProblem): number => order.get(file) ?? 0;
  return [...found].sort(
    (a, b) => rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}

/** The line with a mark below the column. Of a long line only the part around the column. */
function snippetOf({ text, lines }: ManifestFile, line: number, column: number): string {
  const start = lines.lineStarts[line - 1] ?? 0;
  const end = text.indexOf("\n", start);
  const from = start + Math.max(0, column - 1 - charactersBefore);
  const to = Math.min(end < 0 ? text.length : end, from + mostCharacters);
  const shown = text.slice(from, to).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, " ");
  const mark = " ".repeat([...text.slice(from, start + column - 1)].length);
  return `  ${line} | ${shown.trimEnd()}\n  ${" ".repeat(`${line}`.length)} | ${mark}^`;
}

const charactersBefore = 60;
const mostCharacters = 110;

const mostShown = 100;

/** All problems, or all warnings, of the manifests of a component as one message. */
export function describeProblems(title: string, problems: readonly ManifestProblem[], what = "problem"): string {
  const shown = problems.slice(0, mostShown).map(describeProblem);
  const more = problems.length > mostShown ? [`… and ${problems.length - mostShown} more ${what}s`] : [];
  const count = problems.length === 1 ? `a ${what}` : `${problems.length} ${what}s`;
  return `${title} has ${count}:\n${[...shown, ...more].join("\n")}`;
}

/** `file:line:column path: reason`, with the snippet below. */
export function describeProblem({ file, line, column, path, reason, snippet }: ManifestProblem): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  const message = escaped(`${place}${path === "" ? "" : ` ${path}`}: ${reason}`);
  return snippet === undefined ? message : `${message}\n${snippet}`;
}
