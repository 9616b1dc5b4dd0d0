import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type typescript from "typescript";
import { repositoryRoot } from "./harness";

// The SDK's own compiler, for programs without a compiler. It is old, so our declarations must not use newer syntax.
const ts = createRequire(__filename)("@pulumi/pulumi/vendor/typescript@3.8.3/typescript.js") as typeof typescript;

describe(`the declarations under TypeScript ${ts.version}`, () => {
  const dist = join(repositoryRoot, "dist");
  let folder: string;

  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "webextract-types-")));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(repositoryRoot, join(folder, "node_modules", "pulumi-webextract"), "junction");
    symlinkSync(join(repositoryRoot, "node_modules", "@pulumi"), join(folder, "node_modules", "@pulumi"), "junction");
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  /** The errors of the compiler about a program, with the options of ts-node. */
  function diagnosticsOf(text: string): typescript.Diagnostic[] {
    const file = join(folder, "index.ts");
    writeFileSync(file, text);
    const program = ts.createProgram([file], {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      target: ts.ScriptTarget.ES2018,
      module: ts.ModuleKind.CommonJS,
      moduleResolution: ts.ModuleResolutionKind.NodeJs,
    });
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  }

  function complaintsAbout(text: string): string[] {
    return diagnosticsOf(text).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  }

  it("are parsed without an error", () => {
    const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".d.ts"));
    assert.ok(files.length > 0);
    const broken = files.flatMap((file) => {
      const { diagnostics } = ts.transpileModule(readFileSync(join(dist, file), "utf8"), {
        reportDiagnostics: true,
        fileName: file.replace(/\.d\.ts$/, ".ts"),
      });
      return (diagnostics ?? []).map(
        ({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
      );
    });
    assert.deepEqual(broken, []);
  });

  it("give a program its types from each entry of the package", () => {
    const complaints = complaintsAbout(`
      import { TaskCopy } from "pulumi-webextract";
      import { ServiceClient } from "pulumi-webextract/service";
      import * as provider from "pulumi-webextract/provider";
      const copy = new TaskCopy("copy", { sourceTaskId: "a", taskGroupId: "b" });
      copy.taskId.apply((id) => id.toUpperCase());
      export const all = [ServiceClient, provider];
    `);
    assert.deepEqual(complaints, []);
  });

  it("accept and refuse the same forms of arguments as with our compiler", () => {
    const path = join(repositoryRoot, "test", "program", "argumentForms.ts");
    const text = readFileSync(path, "utf8").replace("../../src/index", "pulumi-webextract");
    const expected = text
      .split("\n")
      .flatMap((line, index) => (line.includes("// @ts-expect-error") ? [index + 1] : []));
    const found = diagnosticsOf(text).map(({ file, start }) => file?.getLineAndCharacterOfPosition(start ?? 0).line);
    assert.ok(expected.length > 20);
    assert.deepEqual([...new Set(found)], expected);
  });

  it("are not any: a wrong argument and a wrong output are refused", () => {
    const refused = complaintsAbout(`
      import { TaskCopy } from "pulumi-webextract";
      new TaskCopy("copy", { sourceTaskIds: "a" });
      new TaskCopy("copy", { sourceTaskId: "a", taskGroupId: "b" }).taskId.apply((id) => id.toFixed());
    `);
    assert.equal(refused.length, 2, refused.join("\n"));
    assert.match(refused.join("\n"), /sourceTaskIds[\s\S]*toFixed/);
  });
});
