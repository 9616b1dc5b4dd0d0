import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InProcess } from "../../program/inProcess";

describe("the path of an export", () => {
  const folder = mkdtempSync(join(tmpdir(), "webextract-path-"));
  const providers = new InProcess({ baseUrl: "http://127.0.0.1:1" }, folder);
  after(() => rmSync(folder, { recursive: true }));
  const problems = (path: string) => providers.problems("DataExport", { taskId: "t", scope: "all", path });

  it("is no file of this machine if path.join has made one slash of two in it", async () => {
    const joined = join("s3://shop-rows/nightly", "products.csv");
    assert.equal(joined, "s3:/shop-rows/nightly/products.csv");
    for (const path of [joined, "gs:/bucket/rows", "S3:/b/x", "s3:\\b\\x"]) {
      assert.match((await problems(path)).join(), /^path names no object of S3 \(path\.join makes one slash of two\)/);
    }
    assert.deepEqual(await problems("C:/rows/all.ndjson"), []);
    assert.deepEqual(await problems("rows/s3/all.ndjson"), []);
  });

  it("has a hint if it contains a backslash, which separates no folders here", async () => {
    assert.deepEqual(await problems("rows\\all.ndjson"), []);
    assert.deepEqual(providers.warnings, [
      'path contains a backslash, which separates no folders on this system. Write "/".',
    ]);
    const list = { taskId: "t", file: "lists\\urls.txt" };
    assert.match((await providers.problems("TaskStartUrls", list)).join(), /does not exist .*it contains a backslash/);
  });
});
