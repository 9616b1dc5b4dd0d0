import ts from "typescript";

/**
 * JavaScript whose generator methods collect in an array what they would yield. Its result is the same for a caller that takes everything, and half of the
 * time of a lexer or parser with a generator for each token goes into the generators.
 * @param entries the methods that callers outside of the class use. They return the array; the others return what `yield*` on them gave
 */
export function eagerMethods(text: string, entries: readonly string[]): string {
  const source = ts.createSourceFile("module.js", text, ts.ScriptTarget.ES2022, true);
  const generators = new Set<string>();
  const edits: Edit[] = [];
  visit(source, (node) => {
    if (isGenerator(node)) {
      generators.add(node.name.getText());
    }
  });
  visit(source, (node) => {
    if (isGenerator(node) && node.body !== undefined) {
      const { asteriskToken, body } = node;
      edits.push({ from: asteriskToken.getStart(), to: asteriskToken.end, text: "" });
      if (entries.includes(node.name.getText())) {
        edits.push(insert(body.getStart() + 1, "this.yielded = [];"), insert(body.end - 1, "return this.yielded;"));
      }
    } else if (ts.isYieldExpression(node) && node.expression !== undefined) {
      const { asteriskToken, expression } = node;
      edits.push({
        from: node.getStart(),
        to: expression.getStart(),
        text: asteriskToken === undefined ? "this.yielded.push(" : "",
      });
      if (asteriskToken === undefined) {
        edits.push(insert(node.end, ")"));
      }
    } else if (isUnusedCall(node, generators)) {
      // A generator that nobody takes from does nothing.
      edits.push({ from: node.getStart(), to: node.end, text: ";" });
    }
  });
  return edited(text, edits);
}

interface Edit {
  from: number;
  to: number;
  text: string;
}

function insert(at: number, text: string): Edit {
  return { from: at, to: at, text };
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

function isGenerator(node: ts.Node): node is ts.MethodDeclaration & { asteriskToken: ts.AsteriskToken } {
  return ts.isMethodDeclaration(node) && node.asteriskToken !== undefined;
}

function isUnusedCall(node: ts.Node, generators: ReadonlySet<string>): boolean {
  return (
    ts.isExpressionStatement(node) &&
    ts.isCallExpression(node.expression) &&
    ts.isPropertyAccessExpression(node.expression.expression) &&
    node.expression.expression.expression.kind === ts.SyntaxKind.ThisKeyword &&
    generators.has(node.expression.expression.name.text)
  );
}

function edited(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const edit of [...edits].sort((one, other) => one.from - other.from || one.to - other.to)) {
    result += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return result + text.slice(at);
}
