import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { repository } from "./readPage";

/** All strings of the package's code: concatenations as one, with `…` in the place of each expression. */
export function messagesInCode(): string[] {
  const roots = ["src", "cli/src", "plugin/src"].map((part) => join(repository, part));
  return roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => {
        const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true);
        return stringsIn(source);
      }),
  );
}

function stringsIn(node: ts.Node): string[] {
  const text = ts.isExpression(node) ? textOf(node) : undefined;
  const own = text === undefined ? [] : [text];
  const within: string[] = [];
  ts.forEachChild(node, (child) => {
    within.push(...stringsIn(child));
  });
  return [...own, ...within];
}

/** The text of an expression, or `undefined` if it is not a string that the code spells out. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === undefined && right === undefined ? undefined : `${left ?? "…"}${right ?? "…"}`;
  }
  return undefined;
}
