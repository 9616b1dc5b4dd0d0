import { rmSync } from "node:fs";
import ts from "typescript";
import { assertWorks, emptyFolder, javascript, sdk, setType, withoutCompiler } from "./consumer";
import { installTarball } from "./harness";

// packaging.slow.test.ts has the other ways to install the package and to write the program, with previews.
describe("the packed package in an empty folder", () => {
  let folder: string;
  before(async () => {
    folder = emptyFolder();
    await installTarball(folder, [sdk]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("works in a TypeScript program without its own compiler", () => assertWorks({ folder, preview: false }));

  it("works in an ECMAScript module written in JavaScript", async () => {
    setType(folder, "module");
    await assertWorks({
      folder,
      settings: withoutCompiler,
      files: { "index.js": javascript(ts.ModuleKind.ESNext) },
      preview: false,
    });
  });
});
