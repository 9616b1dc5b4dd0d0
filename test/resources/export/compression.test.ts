import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import Module from "node:module";
import { gunzipSync } from "node:zlib";
import { Zstd } from "@hpcc-js/wasm-zstd";
import sinon from "sinon";
import { failure, World } from "../life";

const rows = ['{"id":12345678901234567890,"name":"Grün ☃"}', '{"id":2,"none":null}'];
const asLines = rows.map((row) => `${row}\n`).join("");

describe("DataExport with compression", () => {
  let world: World;
  let zstd: Zstd;
  before(async () => {
    zstd = await Zstd.load();
  });
  beforeEach(async () => {
    world = await World.create();
    world.emulator.change.insertRows("task-1", rows);
  });
  afterEach(async () => {
    sinon.restore();
    await world.remove();
  });

  const gzip = { taskId: "task-1", scope: "all", path: "out/rows.ndjson.gz", compression: "gzip" };
  const files = (): string[] => readdirSync(world.path("out")).sort();
  const problems = (args: object): Promise<string[]> => world.providers.problems("DataExport", { ...gzip, ...args });
  const unzipped = (name: string): string => gunzipSync(readFileSync(world.path(name))).toString("utf8");
  const unzstd = (name: string): string =>
    Buffer.from(zstd.decompress(readFileSync(world.path(name)))).toString("utf8");

  it("writes each format compressed, and its outputs describe the file as it is", async () => {
    for (const format of ["ndjson", "json", "csv"]) {
      const each = world.declare("DataExport");
      await each.up({ ...gzip, format, path: `out/rows.${format}.gz` });
      const plain = world.declare("DataExport");
      await plain.up({ ...gzip, format, path: `out/rows.${format}`, compression: "none" });
      assert.equal(unzipped(`out/rows.${format}.gz`), world.content(`out/rows.${format}`));
      const content = readFileSync(world.path(`out/rows.${format}.gz`));
      const { bytes, sha256, rowCount } = each.state;
      assert.deepEqual(
        { bytes, sha256, rowCount },
        { bytes: content.length, sha256: createHash("sha256").update(content).digest("hex"), rowCount: 2 },
      );
    }
    assert.equal(files().length, 6);
  });

  it("writes zstd that other programs read, also in exports at the same time, each as one frame", async () => {
    const path = (number: number): string => `out/rows-${number}.ndjson.zst`;
    await world.command(() =>
      Promise.all(
        [1, 2, 3].map((number) =>
          world.declare("DataExport", `rows${number}`).up({ ...gzip, compression: "zstd", path: path(number) }),
        ),
      ),
    );
    for (const number of [1, 2, 3]) {
      assert.equal(unzstd(path(number)), asLines);
    }
    assert.equal(files().length, 3);
  });

  it("writes the same bytes for the same rows, so that a file is known as its own after a kill before the state was saved", async () => {
    for (const [compression, path] of [
      ["gzip", "out/rows.json.gz"],
      ["zstd", "out/rows.json.zst"],
    ]) {
      const args = { ...gzip, compression, path, format: "json" };
      const saved = await world.unsaved(world.declare("DataExport"), () => world.declare("DataExport").up(args));
      const { ino } = statSync(world.path(String(path)));
      await saved.up(args);
      assert.equal(statSync(world.path(String(path))).ino, ino);
    }
    assert.deepEqual(files(), ["rows.json.gz", "rows.json.zst"]);
  });

  it("a missing file is found and written again, and the file is removed with the resource", async () => {
    const each = world.declare("DataExport");
    const args = { ...gzip, verifyFile: true, onDelete: "removeFile" };
    await each.up(args);
    assert.equal(await each.refresh(), true);
    assert.equal(await each.up(args), "nothing");
    rmSync(world.path(gzip.path));
    await each.refresh();
    assert.equal(await each.up(args), "updated");
    assert.equal(unzipped(gzip.path), asLines);
    await each.destroy();
    assert.deepEqual(files(), []);
  });

  it("a change of the compression exports again", async () => {
    const each = world.declare("DataExport");
    await each.up(gzip);
    assert.equal(await each.up({ ...gzip, compression: "none", path: "out/rows.ndjson" }), "updated");
    assert.deepEqual(files(), ["rows.ndjson", "rows.ndjson.gz"]);
  });

  it("rejected rows are compressed too, and their file keeps both endings", async () => {
    const each = world.declare("DataExport");
    const message = await failure(each.up({ ...gzip, checks: { minRows: 3 } }));
    assert.match(message, /"out\/rows\.rejected\.ndjson\.gz"/);
    assert.deepEqual(files(), ["rows.rejected.ndjson.gz"]);
    assert.equal(unzipped("out/rows.rejected.ndjson.gz"), asLines);
    await failure(each.up({ ...gzip, path: "out/rows.gz", checks: { minRows: 3 } }));
    assert.deepEqual(files(), ["rows.rejected.gz", "rows.rejected.ndjson.gz"]);
  });

  it("a path of another ending is refused before anything runs", async () => {
    const refused: [string, string, RegExp][] = [
      ["gzip", "out/rows.ndjson", /^path must end in "\.gz" with format "ndjson" and compression "gzip"$/],
      ["zstd", "out/rows.ndjson", /^path must end in "\.zst" with format "ndjson" and compression "zstd"$/],
      ["none", "out/rows.ndjson.gz", /^path must not end in "\.gz" with format "ndjson" and compression "none"$/],
      ["zstd", "out/rows.gz.zst.gz", /^path must end in "\.zst"/],
    ];
    for (const [compression, path, reason] of refused) {
      assert.match((await problems({ compression, path })).join("\n"), reason);
    }
  });

  it("zstd without its package is a problem in the preview, and gzip needs no package", async () => {
    // A private function of Node.js, which both `require` and `createRequire(…).resolve` call.
    const modules = Module as unknown as { _resolveFilename(name: string, ...rest: unknown[]): string };
    const resolve = modules._resolveFilename;
    sinon.stub(modules, "_resolveFilename").callsFake(function (this: unknown, name, ...rest) {
      if (name === "@hpcc-js/wasm-zstd") {
        throw new Error("not installed");
      }
      return resolve.call(this, name, ...rest);
    });
    assert.deepEqual(await problems({ compression: "zstd", path: "out/rows.zst" }), [
      'compression "zstd" needs the package @hpcc-js/wasm-zstd: run "npm install @hpcc-js/wasm-zstd" in the program\'s folder, or in the one that webextract:packagesFolder names',
    ]);
    assert.deepEqual(await problems({}), []);
  });
});
