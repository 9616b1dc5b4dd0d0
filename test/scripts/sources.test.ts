import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isBuilt, sourcesDigest, stampFile } from "../../scripts/packages/sources";

describe("a build of the packages", () => {
  let root: string;

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "webextract-sources-"));
    const settings = [
      "package.json",
      "package-lock.json",
      "emulator/redocly.yaml",
      "tsconfig.json",
      "tsconfig.build.json",
    ];
    for (const file of [...settings, "emulator/package.json", "emulator/tsconfig.build.json"]) write(file, "{}");
    for (const script of ["build", "bundle", "openapi"]) write(`scripts/${script}.ts`, "export {};");
    for (const contract of ["openapi.yaml", "admin.openapi.yaml"]) write(`emulator/${contract}`, "{}");
    write("src/index.ts", "export {};");
    write("src/service/index.ts", "export {};");
    for (const part of ["cli", "plugin", "emulator"]) write(`${part}/src/index.ts`, "export {};");
    for (const dist of ["dist", "emulator/dist"]) write(join(dist, stampFile), sourcesDigest(root));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("is up to date after a checkout, which changes the times of all files", () => {
    utimesSync(join(root, "src/index.ts"), new Date(), new Date(Date.now() + 60_000));
    assert.equal(isBuilt(root), true);
  });

  it("is up to date after the types of the contracts were generated", () => {
    write("emulator/src/generated/service.ts", "export {};");
    assert.equal(isBuilt(root), true);
  });

  for (const file of [
    "src/service/index.ts",
    "cli/src/index.ts",
    "emulator/src/index.ts",
    "scripts/bundle.ts",
    "emulator/openapi.yaml",
  ]) {
    it(`is stale after a change of ${file}`, () => {
      write(file, "export const a = 1;");
      assert.equal(isBuilt(root), false);
    });
  }

  it("is stale after a source file was deleted, moved or added", () => {
    rmSync(join(root, "src/service/index.ts"));
    assert.equal(isBuilt(root), false);
    write("src/client/index.ts", "export {};");
    assert.equal(isBuilt(root), false);
    write("src/service/index.ts", "export {};");
    assert.equal(isBuilt(root), false);
  });

  it("is stale if one of the two packages was not compiled", () => {
    rmSync(join(root, "emulator/dist"), { recursive: true });
    assert.equal(isBuilt(root), false);
  });
});
