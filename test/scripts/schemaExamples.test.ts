import assert from "node:assert/strict";
import { join } from "node:path";
import ts from "typescript";
import { repositoryRoot } from "../realEngine/harness";
import { schemaExamples } from "./schemaExamples";

describe("the examples in schema.json", () => {
  const examples = schemaExamples();

  it("show each resource in each language, with the type that it is about", () => {
    for (const { type, code } of examples) {
      assert.deepEqual(Object.keys(code), ["typescript", "python", "go", "yaml"], type);
      for (const [language, text] of Object.entries(code)) {
        const declared = language === "yaml" ? `type: webextract:${type}\n` : `${type}(`;
        assert.ok(text.includes(declared), `${type} in ${language}`);
      }
    }
  });

  it("compile in TypeScript", () => {
    const files = new Map(
      examples.map(({ type, code }) => [join(repositoryRoot, "test", `${type}.example.ts`), code.typescript ?? ""]),
    );
    const { options } = ts.parseJsonConfigFileContent({ extends: "./tsconfig.json" }, ts.sys, repositoryRoot);
    const host = ts.createCompilerHost(options);
    const { readFile, fileExists, getSourceFile } = host;
    host.fileExists = (path) => files.has(path) || fileExists(path);
    host.readFile = (path) => files.get(path) ?? readFile(path);
    host.getSourceFile = (path, ...rest) => {
      const text = files.get(path);
      return text === undefined ? getSourceFile(path, ...rest) : ts.createSourceFile(path, text, rest[0]);
    };
    const program = ts.createProgram([...files.keys()], { ...options, noUnusedLocals: false }, host);
    const complaints = [...files.keys()].flatMap((path) => {
      const source = program.getSourceFile(path);
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      return found.map(({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
    });
    assert.deepEqual(complaints, []);
  });
});
