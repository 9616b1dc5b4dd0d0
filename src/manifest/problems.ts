import type { SourceFile } from "./sourceFile";
import type { Node } from "./tree";
import { pathOf } from "./tree";

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

/** Collects the problems of all files. The same problem of the same place counts once, because defaults apply to many tasks. */
export class Problems {
  private readonly found = new Map<string, ManifestProblem>();

  get count(): number {
    return this.found.size;
  }

  /** Whether a value or a part of it has a problem. */
  hasWithin(node: Node): boolean {
    const path = pathOf(node);
    return [...this.found.values()].some((each) => each.file === node.file.name && each.path.startsWith(path));
  }

  /** In the order of the files, from top to bottom. */
  get all(): ManifestProblem[] {
    const files = [...new Set([...this.found.values()].map(({ file }) => file))];
    const order = new Map(files.map((file, index) => [file, index]));
    const rank = ({ file }: ManifestProblem): number => order.get(file) ?? 0;
    return [...this.found.values()].sort(
      (a, b) => rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
    );
  }

  /**
   * A problem of a value.
   * @param within what in the value has the problem, such as a line of the file that it names
   */
  add(node: Node, reason: string, path: string = pathOf(node), within = ""): void {
    this.addAt(node.file, node.offset, path, reason, within);
  }

  addAt(file: SourceFile, offset: number, path: string, reason: string, within = ""): void {
    const key = JSON.stringify([file.name, offset, reason, within]);
    if (!this.found.has(key)) {
      const position = file.positionOf(offset);
      this.found.set(key, { file: file.name, ...position, path, reason, snippet: file.snippetOf(position) });
    }
  }

  /** A problem of a file as a whole. */
  addFile(file: string, reason: string): void {
    this.found.set(JSON.stringify([file, reason]), { file, path: "", reason });
  }
}

/** `file:line:column path: reason`, with the snippet below. */
export function inWords({ file, line, column, path, reason, snippet }: ManifestProblem): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return `${place}${path === "" ? ":" : ` ${path}:`} ${reason}${snippet === undefined ? "" : `\n${snippet}`}`;
}
