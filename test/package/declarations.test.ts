import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import type typescript from "typescript";
import { repositoryRoot } from "../realEngine/harness";

// The compiler that the SDK brings for programs without one of their own.
const ts = createRequire(__filename)("@pulumi/pulumi/vendor/typescript@3.8.3/typescript.js") as typeof typescript;

const packages = [
  { name: "pulumi-webextract", dist: "dist", entries: ["index", "service/index", "provider/provider"] },
  { name: "webextract-emulator", dist: "emulator/dist", entries: ["index"] },
];

describe(`the declarations, checked by TypeScript ${ts.version} in a project that checks libraries too`, () => {
  for (const { name, dist, entries } of packages) {
    it(`contain nothing that it cannot parse or resolve, in ${name}; other packages may`, () => {
      const folder = join(repositoryRoot, dist);
      const files = entries.map((entry) => join(folder, `${entry}.d.ts`));
      assert.deepEqual(
        files.filter((file) => !existsSync(file)),
        [],
      );
      const program = ts.createProgram(files, {
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        types: ["node"],
        typeRoots: [join(repositoryRoot, "node_modules", "@types")],
        lib: ["lib.es2020.d.ts"],
        target: ts.ScriptTarget.ES2018,
        module: ts.ModuleKind.CommonJS,
        moduleResolution: ts.ModuleResolutionKind.NodeJs,
      });
      const ours = program.getSourceFiles().filter(({ fileName }) => !relative(folder, fileName).startsWith(".."));
      assert.ok(ours.length > entries.length, `${ours.length} files`);
      const complaints = ours.flatMap((file) =>
        [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
          ({ messageText }) =>
            `${relative(folder, file.fileName)}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
        ),
      );
      assert.deepEqual(complaints, []);
    });
  }
});
