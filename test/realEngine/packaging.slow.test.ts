import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { devDependencies } from "../../package.json";
import { assertWorks, emptyFolder, javascript, sdk, setType, withoutCompiler } from "./consumer";
import { installPackages, installTarball, repositoryRoot } from "./harness";

const typescript = `typescript@${devDependencies.typescript}`;
const nodeTypes = `@types/node@${devDependencies["@types/node"]}`;

// Slow, because each variant compiles the program several times. The test of the templates installs the package, too.
describe("the packed package in an empty folder", () => {
  let folder: string;
  before(async () => {
    folder = emptyFolder();
    await installTarball(folder, [sdk]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("works in a TypeScript program without its own compiler", () => assertWorks({ folder, preview: false }));

  it("works in a JavaScript program if main names a file in a subfolder", () =>
    assertWorks({
      folder,
      settings: `${withoutCompiler}\nmain: deep/inside/start.js`,
      files: { "deep/inside/start.js": javascript(ts.ModuleKind.CommonJS) },
      runsIn: "deep/inside",
    }));

  it("works in an ECMAScript module written in JavaScript", async () => {
    setType(folder, "module");
    const files = { "index.js": javascript(ts.ModuleKind.ESNext) };
    await assertWorks({ folder, settings: withoutCompiler, files });
    setType(folder, "commonjs");
  });

  describe("beside the program's own TypeScript", () => {
    before(() => installPackages(folder, [typescript, nodeTypes]));

    it("works in a CommonJS program", () => assertWorks({ folder }));

    it("works in an ECMAScript module that the SDK compiles", async () => {
      await installPackages(folder, ["ts-node@10"]);
      setType(folder, "module");
      await assertWorks({ folder });
    });
  });
});

describe("the package as a file: dependency, which is a link", () => {
  it("works beside another copy of the SDK", async () => {
    const folder = emptyFolder();
    try {
      // Without scripts, because `prepare` would rebuild dist while other tests use it.
      await installPackages(folder, ["--ignore-scripts", `file:${repositoryRoot}`, sdk]);
      assert.equal(realpathSync(join(folder, "node_modules", "pulumi-webextract")), repositoryRoot);
      await assertWorks({ folder });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("a program inside the repository of the package", () => {
  it("works", async () => {
    mkdirSync(join(repositoryRoot, ".webextract"), { recursive: true });
    const folder = mkdtempSync(join(repositoryRoot, ".webextract", "program-"));
    try {
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ extends: "../../tsconfig.json", compilerOptions: { rootDir: "../..", types: ["node"] } }),
      );
      // Without `main`, the SDK would run the export of the nearest package.json, which is the library.
      await assertWorks({ folder, settings: "runtime: nodejs\nmain: index.ts" });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
