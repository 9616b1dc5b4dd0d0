import { checkSync } from "recheck";
import ts from "typescript";
import type { Project, Source } from "./project";
import { under } from "./project";

/** Code that reads input from outside. */
const shipped = ["src", "emulator/src", "emulator/page"];

/** Refuses regular expressions with quadratic or worse time: a long string would block the process. */
export function expressionsAreLinear(project: Project): string[] {
  return shipped
    .flatMap((folder) => under(project, folder))
    .flatMap((source) =>
      literalsOf(source).flatMap(({ line, literal }) => {
        const complaint = complaintAbout(literal);
        return complaint === undefined ? [] : [`${source.path}:${line} ${literal} ${complaint}`];
      }),
    );
}

const complaints = new Map<string, string | undefined>();

function complaintAbout(literal: string): string | undefined {
  if (!complaints.has(literal)) {
    const end = literal.lastIndexOf("/");
    // Limits of time would report safe expressions on a busy machine: the limits of steps decide.
    const noTimes = { timeout: null, incubationTimeout: null, attackTimeout: null };
    complaints.set(literal, complaintOf(checkSync(literal.slice(1, end), literal.slice(end + 1), noTimes)));
  }
  return complaints.get(literal);
}

function complaintOf(verdict: ReturnType<typeof checkSync>): string | undefined {
  switch (verdict.status) {
    case "safe":
      return undefined;
    case "vulnerable":
      return `takes ${verdict.complexity.summary} time: write it without backtracking, or parse the string by hand`;
    case "unknown":
      return `cannot be checked (${verdict.error.kind}): write a simpler one`;
  }
}

function literalsOf({ path, text }: Source): { line: number; literal: string }[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found: { line: number; literal: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      found.push({ line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, literal: node.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
