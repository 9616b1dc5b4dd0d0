import type { Diagnostics } from "recheck";
import { check } from "recheck";
import ts from "typescript";
import type { Project, Source } from "./project";
import { under } from "./project";

/** Code that reads input from outside. */
const shipped = ["src", "cli/src", "plugin/src", "emulator/src", "emulator/page"];

/** Refuses regular expressions with quadratic or worse time: a long string would block the process. */
export async function expressionsAreLinear(project: Project): Promise<string[]> {
  const literals = shipped
    .flatMap((folder) => under(project, folder))
    .flatMap((source) => literalsOf(source).map((each) => ({ ...each, path: source.path })));
  const complaints = literals.map(async ({ path, line, literal }) => {
    const complaint = await complaintAbout(literal);
    return complaint === undefined ? [] : [`${path}:${line} ${literal} ${complaint}`];
  });
  return (await Promise.all(complaints)).flat();
}

const complaints = new Map<string, Promise<string | undefined>>();

function complaintAbout(literal: string): Promise<string | undefined> {
  const end = literal.lastIndexOf("/");
  // Limits of time would report safe expressions on a busy machine: the limits of steps decide.
  const noTimes = { timeout: null, incubationTimeout: null, attackTimeout: null };
  const found =
    complaints.get(literal) ?? check(literal.slice(1, end), literal.slice(end + 1), noTimes).then(complaintOf);
  complaints.set(literal, found);
  return found;
}

function complaintOf(verdict: Diagnostics): string | undefined {
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
