import assert from "node:assert/strict";
import { owner } from "../../../scripts/objectStore/objectStore";
import { operationOf } from "../../resources/export/s3/faultyProxy";
import { bucket, S3World } from "../../resources/export/s3/s3World";
import { storeEnvironment } from "../../resources/export/s3/storeKinds";
import { World } from "../world";

const program = `
new DataExport("rows", { taskId: "template-1", scope: "all", path: "s3://${bucket}/rows.ndjson" });
`;

/** More than three parts, on several pages. */
const rows = Array.from({ length: 30 }, (_, id) => JSON.stringify({ id, text: "x".repeat(1024 * 1024) }));

describe("a kill of an export to S3 while it sends", () => {
  let s3: S3World;
  let world: World;
  before(async function () {
    this.timeout(900_000);
    s3 = await S3World.create();
    s3.store.addBucket(bucket);
    world = await World.create({
      program,
      config: { "webextract:s3ForcePathStyle": "true", "webextract:pageSize": "5" },
      env: { ...storeEnvironment(s3.proxy.endpoint, owner, s3.temporary), TMPDIR: s3.temporary },
    });
    world.emulator.change.insertRows("template-1", rows);
  });
  after(async () => {
    await world.remove();
    await s3.remove();
  });

  it("of the host: there is no object, and the next up writes one with all rows", async () => {
    const sent = new Promise<void>((resolve) => {
      s3.proxy.fate = (request) => {
        if (operationOf(request) !== "UploadPart") {
          return "pass";
        }
        resolve();
        return "stall";
      };
    });
    const run = world.project.start(["up", "--yes", "--skip-preview"]);
    await Promise.race([sent, run.done.then(({ output }) => assert.fail(output))]);
    run.killHosts();
    await run.done;
    assert.deepEqual([s3.keys(), s3.openUploads()], [[], 1]);
    s3.proxy.reset();
    await world.project.up();
    // A lifecycle rule of the bucket ends the upload of the killed process.
    assert.deepEqual([s3.keys(), s3.openUploads()], [["rows.ndjson"], 1]);
    assert.equal(s3.content("rows.ndjson"), rows.map((row) => `${row}\n`).join(""));
  });
});
