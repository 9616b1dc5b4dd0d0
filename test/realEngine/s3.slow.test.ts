import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ObjectStore, owner } from "../../scripts/objectStore/objectStore";
import { World } from "./world";

const program = (more = ""): string => `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1", onDelete: "retain" });
const run = new CloudRun("run", { taskId: copy.id, waitFor: "finished", pollSeconds: 0 });
const rows = new DataExport("rows", {
  taskId: copy.id, scope: "batch", lotNo: run.id, path: "s3://rows-bucket/nightly/books-{lotNo}.ndjson",
  verifyFile: true, onDelete: "removeFile", ${more}
});
exports.file = rows.file;
`;

describe("an export to S3 on the engine", () => {
  let store: ObjectStore;
  let world: World;
  before(async function () {
    this.timeout(900_000);
    store = await ObjectStore.start();
    store.addBucket("rows-bucket");
    world = await World.create({
      program: program(),
      config: { "webextract:s3ForcePathStyle": "true" },
      env: {
        AWS_ACCESS_KEY_ID: owner.accessKeyId,
        AWS_SECRET_ACCESS_KEY: owner.secretAccessKey,
        AWS_REGION: "us-east-1",
        AWS_ENDPOINT_URL_S3: store.endpoint,
      },
    });
  });
  after(async () => {
    await world.remove();
    await store.stop();
  });
  /** The store removes an empty folder. */
  const objects = (): string[] => {
    const folder = join(store.buckets, "rows-bucket", "nightly");
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  };

  it("has a preview without a store, writes and removes the object, and keeps the credentials to itself", async () => {
    const without = { AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1", AWS_SECRET_ACCESS_KEY: "" };
    const { output } = await world.project.preview({ env: without });
    assert.match(output, /4 to create/);
    await world.project.up();
    const { lotNo, file } = world.project.resource("rows").outputs ?? {};
    assert.equal(file, `s3://rows-bucket/nightly/books-${lotNo}.ndjson`);
    assert.deepEqual(objects(), [`books-${lotNo}.ndjson`]);
    await world.project.refresh({ args: ["--expect-no-changes"] });
    world.program(program('format: "csv",'));
    const wrong = { AWS_SECRET_ACCESS_KEY: "wrong-secret-91fe" };
    const refused = await world.project.up({ expect: "failure", env: wrong });
    assert.match(refused.output, /the store does not accept the signature/);
    await world.project.destroy();
    assert.deepEqual(objects(), []);
    assert.deepEqual(world.project.findWritten([owner.secretAccessKey, owner.accessKeyId, "wrong-secret-91fe"]), []);
  });
});
