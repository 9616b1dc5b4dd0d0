import assert from "node:assert/strict";
import { join } from "node:path";
import ts from "typescript";
import { resources } from "../internals/resources";
import { repositoryRoot } from "../realEngine/harness";

type Shape = NonNullable<(typeof resources)[string]["args"][string]["kind"]>;

/** The names of the arguments, and of the fields within them. */
function namesIn(shape: Shape): string[] {
  if (shape.is === "map") {
    return namesIn(shape.of);
  }
  return shape.is === "object"
    ? Object.entries(shape.fields).flatMap(([name, { kind }]) => (kind === undefined ? [] : [name, ...namesIn(kind)]))
    : [];
}

describe("the types of arguments", () => {
  it("show the doc comment of each argument in an editor", () => {
    const path = join(repositoryRoot, "test", "program", "argumentForms.ts");
    const { options } = ts.parseJsonConfigFileContent({ extends: "./tsconfig.json" }, ts.sys, repositoryRoot);
    const service = ts.createLanguageService({
      ...ts.sys,
      useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
      getScriptFileNames: () => [path],
      getScriptVersion: () => "1",
      getScriptSnapshot: (file) => ts.ScriptSnapshot.fromString(ts.sys.readFile(file) ?? ""),
      getCompilationSettings: () => options,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
    });
    const source = service.getProgram()?.getSourceFile(path);
    assert.ok(source !== undefined);
    const names = new Set(
      namesIn({ is: "object", fields: Object.assign({}, ...Object.values(resources).map(({ args }) => args)) }),
    );
    const seen = new Set<string>();
    const bare: string[] = [];
    const visit = (node: ts.Node, isArgument: boolean): void => {
      if (
        ts.isObjectLiteralElementLike(node) &&
        isArgument &&
        node.name !== undefined &&
        names.has(node.name.getText())
      ) {
        const start = node.name.getStart();
        const { documentation = [] } = service.getQuickInfoAtPosition(path, start) ?? {};
        seen.add(node.name.getText());
        const isGiven = !ts.isPropertyAssignment(node) || node.initializer.getText() !== "undefined";
        if (documentation.length === 0 && isGiven) {
          bare.push(`${node.name.getText()} in line ${source.getLineAndCharacterOfPosition(start).line + 1}`);
        }
      }
      const isWrong = /@ts-expect-error/.test(source.text.slice(node.pos, node.getStart()));
      const isOutput = ts.isCallExpression(node);
      ts.forEachChild(node, (child) => visit(child, !isWrong && !isOutput && (isArgument || ts.isNewExpression(node))));
    };
    visit(source, false);
    assert.deepEqual(bare, []);
    assert.ok(seen.size > 20, [...seen].join());
  });
});
