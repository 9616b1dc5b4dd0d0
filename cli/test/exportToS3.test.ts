import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { owner } from "../../scripts/objectStore/objectStore";
import { slowIt } from "../../test/environment";
import { operationOf } from "../../test/resources/export/s3/faultyProxy";
import { S3World } from "../../test/resources/export/s3/s3World";
import { storeEnvironment } from "../../test/resources/export/s3/storeKinds";
import { CliWorld } from "./webextract";

describe("webextract export to S3", () => {
  let s3: S3World;
  let world: CliWorld;
  before(async function () {
    this.timeout(900_000);
    s3 = await S3World.create();
  });
  after(() => s3.remove());
  beforeEach(async () => {
    await s3.begin();
    world = await CliWorld.create();
  });
  afterEach(async () => {
    await world.remove();
    await s3.end();
  });
  const environment = (): Record<string, string | undefined> => ({
    ...storeEnvironment(s3.proxy.endpoint, owner, s3.temporary),
    TMPDIR: s3.temporary,
    WEBEXTRACT_S3_FORCE_PATH_STYLE: "true",
  });
  const flags = ["export", "shop-1", "--out", "s3://rows-bucket/rows.ndjson"];

  it("writes an object, leaves nothing else, and refuses an object that exists before any row is read", async () => {
    await world.finishedRun();
    const { stdout: whole } = await world.run("export shop-1");
    const ended = await world.start(flags, environment()).ended;
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(ended.stdout, `25 rows, ${whole.length} bytes in "s3://rows-bucket/rows.ndjson".\n`);
    assert.deepEqual([s3.content("rows.ndjson"), s3.leftovers(world.folder)], [whole, []]);
    world.operations();
    const again = await world.start(flags, environment()).ended;
    assert.equal(again.code, 2);
    assert.match(
      again.stderr,
      /--out names a file that exists, "s3:\/\/rows-bucket\/rows\.ndjson": add \{n\}.* No rows were read\./,
    );
    assert.deepEqual(world.operations(), []);
  });

  slowIt("writes an object that rows shows, with the options of the connection", async () => {
    await world.finishedRun();
    await world.start(flags, environment()).ended;
    world.operations();
    const read = ["rows", "s3://rows-bucket/rows.ndjson", "-n", "1", "--columns", "number,price"];
    const { code, stdout, stderr } = await world.start([...read, "--base-url", "http://127.0.0.1:1"], environment())
      .ended;
    assert.deepEqual([code, stdout], [0, "number    price\n00000001  0.00\n\n1 of 25 rows.\n"], stderr);
    assert.deepEqual([world.operations(), s3.leftovers(world.folder)], [[], []]);
  });

  slowIt("begins again after a kill in the middle of the upload", async () => {
    const text = "x".repeat(1024 * 1024);
    const rows = Array.from({ length: 20 }, (_, index) => JSON.stringify({ index, text }));
    world.emulator.change.insertRows("shop-1", rows);
    let parts = 0;
    const isUploading = new Promise<void>((resolve) => {
      s3.proxy.fate = (request) => {
        if (operationOf(request) !== "UploadPart" || ++parts < 2) {
          return "pass";
        }
        resolve();
        return "stall";
      };
    });
    const pages = { ...environment(), WEBEXTRACT_PAGE_SIZE: "5" };
    const killed = world.start(flags, pages);
    await isUploading;
    killed.process.kill("SIGKILL");
    await killed.ended;
    assert.deepEqual([s3.keys(), s3.openUploads()], [[], 1]);
    s3.proxy.reset();
    const again = await world.start(flags, pages).ended;
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual(s3.keys(), ["rows.ndjson"]);
    assert.equal(s3.content("rows.ndjson"), rows.map((row) => `${row}\n`).join(""));
    assert.match(readdirSync(world.folder).join(), /^\.webextract-[^,]*\.tmp$/);
  });

  it("aborts the upload on Ctrl-C", async () => {
    const text = "x".repeat(1024 * 1024);
    world.emulator.change.insertRows(
      "shop-1",
      Array.from({ length: 20 }, (_, index) => JSON.stringify({ index, text })),
    );
    const isUploading = new Promise<void>((resolve) => {
      s3.proxy.fate = (request) => {
        if (operationOf(request) !== "UploadPart") {
          return "pass";
        }
        resolve();
        return "stall";
      };
    });
    const stopped = world.start(flags, environment());
    await isUploading;
    stopped.process.kill("SIGINT");
    const ended = await stopped.ended;
    assert.notEqual(ended.code, 0);
    assert.match(ended.stderr, /UploadPart of "s3:\/\/rows-bucket\/rows\.ndjson" failed: it was interrupted/);
    assert.deepEqual([s3.keys(), s3.openUploads()], [[], 0]);
  });
});
