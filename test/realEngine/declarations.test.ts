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
import { packagesIn, repositoryRoot } from "./harness";

// The SDK's own compiler, for programs without a compiler. It is old, so our declarations must not use newer syntax.
const ts = createRequire(__filename)("@pulumi/pulumi/vendor/typescript@3.8.3/typescript.js") as typeof typescript;

describe(`the declarations under TypeScript ${ts.version}`, () => {
  const dist = join(repositoryRoot, "dist");
  let folder: string;

  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "webextract-types-")));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(repositoryRoot, join(folder, "node_modules", "pulumi-webextract"), "junction");
    symlinkSync(packagesIn().sdk, join(folder, "node_modules", "@pulumi"), "junction");
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

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

  /** The programs are compiled together, because most of the time goes into the declarations of the SDK. */
  describe("of the package, in programs", () => {
    const forms = readFileSync(join(repositoryRoot, "test", "program", "argumentForms.ts"), "utf8").replace(
      "../../src/index",
      "pulumi-webextract",
    );
    const programs = {
      entries: `
        import { TaskCopy } from "pulumi-webextract";
        import { ServiceClient } from "pulumi-webextract/service";
        import * as provider from "pulumi-webextract/provider";
        const copy = new TaskCopy("copy", { sourceTaskId: "a", taskGroupId: "b" });
        copy.taskId.apply((id) => id.toUpperCase());
        export const all = [ServiceClient, provider];
      `,
      forms,
      wrong: `
        import { TaskCopy } from "pulumi-webextract";
        new TaskCopy("copy", { sourceTaskIds: "a" });
        new TaskCopy("copy", { sourceTaskId: "a", taskGroupId: "b" }).taskId.apply((id) => id.toFixed());
      `,
    };
    /** The errors of the compiler about each program, with the options of ts-node. */
    let diagnosticsOf: (name: keyof typeof programs) => typescript.Diagnostic[];
    before(() => {
      const fileOf = (name: string) => join(folder, `${name}.ts`);
      for (const [name, text] of Object.entries(programs)) {
        writeFileSync(fileOf(name), text);
      }
      const program = ts.createProgram(Object.keys(programs).map(fileOf), {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: [],
        target: ts.ScriptTarget.ES2018,
        module: ts.ModuleKind.CommonJS,
        moduleResolution: ts.ModuleResolutionKind.NodeJs,
      });
      diagnosticsOf = (name) => {
        const source = program.getSourceFile(fileOf(name));
        assert.ok(source);
        return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      };
    });
    const complaintsAbout = (name: keyof typeof programs): string[] =>
      diagnosticsOf(name).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));

    it("give a program its types from each entry of the package", () => {
      assert.deepEqual(complaintsAbout("entries"), []);
    });

    it("accept and refuse the same forms of arguments as with our compiler", () => {
      const expected = forms
        .split("\n")
        .flatMap((line, index) => (line.includes("// @ts-expect-error") ? [index + 1] : []));
      const found = diagnosticsOf("forms").map(
        ({ file, start }) => file?.getLineAndCharacterOfPosition(start ?? 0).line,
      );
      assert.ok(expected.length > 20);
      assert.deepEqual([...new Set(found)], expected);
    });

    it("are not any: a wrong argument and a wrong output are refused", () => {
      const refused = complaintsAbout("wrong");
      assert.equal(refused.length, 2, refused.join("\n"));
      assert.match(refused.join("\n"), /sourceTaskIds[\s\S]*toFixed/);
    });
  });
});
