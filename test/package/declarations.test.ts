import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import type typescript from "typescript";
import { repositoryRoot } from "../realEngine/harness";

// The compiler that the SDK brings for programs without one of their own.
const ts = createRequire(__filename)("@pulumi/pulumi/vendor/typescript@3.8.3/typescript.js") as typeof typescript;

describe(`the declarations, checked by TypeScript ${ts.version} in a project that checks libraries too`, () => {
  const dist = join(repositoryRoot, "dist");

  it("hold nothing that it cannot read or does not know; other packages may", () => {
    const entries = ["index", "service/index", "pulumi/provider", "emulator/index"];
    const program = ts.createProgram(
      entries.map((entry) => join(dist, `${entry}.d.ts`)),
      {
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        types: ["node"],
        typeRoots: [join(repositoryRoot, "node_modules", "@types")],
        lib: ["lib.es2020.d.ts"],
        target: ts.ScriptTarget.ES2018,
        module: ts.ModuleKind.CommonJS,
        moduleResolution: ts.ModuleResolutionKind.NodeJs,
      },
    );
    const ours = program.getSourceFiles().filter(({ fileName }) => !relative(dist, fileName).startsWith(".."));
    assert.ok(ours.length > entries.length, `${ours.length} files`);
    const complaints = ours.flatMap((file) =>
      [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
        ({ messageText }) => `${relative(dist, file.fileName)}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
      ),
    );
    assert.deepEqual(complaints, []);
  });
});
