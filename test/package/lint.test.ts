import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { lintTarball } from "../../scripts/packages/lint";
import { slowIt } from "../environment";

const manifest = {
  name: "some-package",
  version: "1.0.0",
  type: "commonjs",
  main: "dist/index.js",
  types: "dist/index.d.ts",
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./data.yaml": "./data.yaml" },
  files: ["dist", "data.yaml"],
  engines: { node: ">=20" },
};

const files = {
  "dist/index.js": "exports.a = 1;",
  "dist/index.d.ts": "export declare const a: number;",
  "dist/part/index.js": "exports.b = 1;",
  "dist/part/index.d.ts": "export declare const b: number;",
  "data.yaml": "a: 1",
};

describe("the lint of a tarball", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "webextract-lint-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Makes a tarball as npm lays it out. */
  function tarball(fields: object): string {
    const all = { ...files, "package.json": JSON.stringify({ ...manifest, ...fields }) };
    for (const [path, content] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, "package", path)), { recursive: true });
      writeFileSync(join(folder, "package", path), content);
    }
    execFileSync("tar", ["-czf", "package.tgz", "package"], { cwd: folder });
    return join(folder, "package.tgz");
  }

  slowIt("accepts a package whose entry points all resolve; a data file needs no types", async () => {
    assert.deepEqual(await lintTarball(tarball({})), []);
  });

  it("refuses an entry point that is not packed", async () => {
    const exports = { ".": { types: "./dist/index.d.ts", default: "./dist/other.js" } };
    const [problem = ""] = await lintTarball(tarball({ exports }));
    assert.match(problem, /FILE_DOES_NOT_EXIST.*other\.js/);
  });

  it("refuses an entry point whose types an older resolution does not find: typesVersions is missing", async () => {
    const part = { types: "./dist/part/index.d.ts", default: "./dist/part/index.js" };
    const fields = { exports: { ...manifest.exports, "./part": part } };
    const [problem = "", ...others] = await lintTarball(tarball(fields));
    assert.match(problem, /NoResolution.*\.\/part.*node10/);
    assert.deepEqual(others, []);
    const typesVersions = { "*": { part: ["dist/part/index.d.ts"] } };
    assert.deepEqual(await lintTarball(tarball({ ...fields, typesVersions })), []);
  });
});
