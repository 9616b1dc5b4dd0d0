import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { devDependencies } from "../../package.json";
import { consumerProgram } from "../package/consumerProgram";
import { assertWorks, emptyFolder, sdk } from "./consumer";
import { installTarball, repositoryRoot } from "./harness";

const typescript = `typescript@${devDependencies.typescript}`;
const nodeTypes = `@types/node@${devDependencies["@types/node"]}`;

const withoutCompiler = "runtime: {name: nodejs, options: {typescript: false}}";

/** The program as a compiler leaves it. */
function javascript(module: ts.ModuleKind): string {
  return ts.transpileModule(consumerProgram, { compilerOptions: { module, target: ts.ScriptTarget.ES2022 } })
    .outputText;
}

async function install(folder: string, ...packages: string[]): Promise<void> {
  await promisify(execFile)(
    "npm",
    ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", ...packages],
    { cwd: folder },
  );
}

function setType(folder: string, type: "commonjs" | "module"): void {
  const file = join(folder, "package.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), type }));
}

describe("the packed package, installed into an empty folder", () => {
  let folder: string;
  before(async () => {
    folder = emptyFolder();
    await installTarball(folder, [sdk]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("works in a TypeScript program without a compiler of its own", () => assertWorks({ folder }));

  it("works in JavaScript, where main names a file in a subfolder", () =>
    assertWorks({
      folder,
      settings: `${withoutCompiler}\nmain: deep/inside/start.js`,
      files: { "deep/inside/start.js": javascript(ts.ModuleKind.CommonJS) },
      runsIn: "deep/inside",
    }));

  describe("beside a TypeScript of the program's own", () => {
    before(() => install(folder, typescript, nodeTypes));

    it("works in a CommonJS program", () => assertWorks({ folder }));

    it("works in an ECMAScript module that the SDK compiles", async () => {
      await install(folder, "ts-node@10");
      setType(folder, "module");
      await assertWorks({ folder });
    });

    it("works in an ECMAScript module that is JavaScript", async () => {
      setType(folder, "module");
      await assertWorks({
        folder,
        settings: withoutCompiler,
        files: { "index.js": javascript(ts.ModuleKind.ESNext) },
      });
    });
  });
});

describe("the package as a link, which a file: dependency is", () => {
  it("works beside another copy of the SDK", async () => {
    const folder = emptyFolder();
    try {
      writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true }));
      // Without scripts: `prepare` would rebuild dist under the feet of tests that use it.
      await install(folder, "--ignore-scripts", `file:${repositoryRoot}`, sdk);
      assert.equal(realpathSync(join(folder, "node_modules", "pulumi-webextract")), repositoryRoot);
      await assertWorks({ folder });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("a program inside the package's own repository", () => {
  it("works", async () => {
    mkdirSync(join(repositoryRoot, ".webextract"), { recursive: true });
    const folder = mkdtempSync(join(repositoryRoot, ".webextract", "program-"));
    try {
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ extends: "../../tsconfig.json", compilerOptions: { rootDir: "../..", types: ["node"] } }),
      );
      // Without `main` the SDK would run what the nearest package.json exports, which is the library.
      await assertWorks({ folder, settings: "runtime: nodejs\nmain: index.ts" });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
