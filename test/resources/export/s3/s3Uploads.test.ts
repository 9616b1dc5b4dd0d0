import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { statSync, writeFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import fs from "node:fs/promises";
import type { World } from "../../life";
import { failure } from "../../life";
import type { Fate } from "./faultyProxy";
import { operationOf } from "./faultyProxy";
import type { S3World } from "./s3World";
import { addLargeRows, eachOnStore } from "./s3World";

/** The rows come in two pages. */
const pageSize = "6";

describe("an upload of DataExport to S3", () => {
  let s3: S3World;
  let world: World;
  let content: string;
  eachOnStore({ config: { pageSize } }, (...begun) => {
    [s3, world] = begun;
    content = addLargeRows(world)
      .map((row) => `${row}\n`)
      .join("");
  });

  const args = { taskId: "task-1", scope: "all", path: "s3://rows-bucket/{n}.ndjson" };
  const nothingIsLeft = (): void => assert.deepEqual([s3.openUploads(), s3.leftovers(), world.warnings], [0, [], []]);
  const parts = (): number => s3.proxy.count("UploadPart");
  const path = (name: string): string => world.path(name);

  it("begins when all rows are in a private file in the program's folder", async () => {
    const hold = world.emulator.hold({ operation: "getData", skip: 1 });
    const each = world.declare("DataExport");
    const up = each.up(args);
    await hold.reached;
    const [file = ""] = s3.leftovers();
    assert.match(file, /^\.webextract-rows\.[0-9a-f]{8}\.tmp$/);
    assert.equal(statSync(path(file)).mode & 0o077, 0);
    assert.deepEqual([s3.openUploads(), parts()], [0, 0]);
    hold.release();
    await up;
    assert.equal(s3.content("1.ndjson"), content);
    assert.equal(each.state.sha256, createHash("sha256").update(content).digest("hex"));
    assert.equal(parts(), 3);
    const shown = world.providers.progress.filter((line) => line.endsWith(" MB uploaded"));
    assert.deepEqual(shown, ["5 of 13 MB uploaded", "10 of 13 MB uploaded", "13 of 13 MB uploaded"]);
    nothingIsLeft();
  });

  it("begins after the file was synced to the disk", async () => {
    const seen: string[] = [];
    const { open } = fs;
    s3.box.stub(fs, "open").callsFake(async (name, ...rest) => {
      const handle: FileHandle = await open(name, ...rest);
      const { sync } = handle;
      handle.sync = async () => {
        seen.push("sync");
        return sync.call(handle);
      };
      return handle;
    });
    s3.proxy.fate = (request) => {
      seen.push(operationOf(request));
      return "pass";
    };
    await world.declare("DataExport").up(args);
    assert.ok(seen.includes("sync") && seen.indexOf("sync") < seen.indexOf("CreateMultipartUpload"), seen.join());
  });

  it("keeps the ETag, by which a refresh and the next export find out without a download that nobody has changed the object", async () => {
    const each = world.declare("DataExport");
    const fixed = { ...args, path: "s3://rows-bucket/rows.ndjson", verifyFile: true };
    await each.up(fixed);
    const { ETag } = await s3.direct.headObject({ Bucket: "rows-bucket", Key: "rows.ndjson" });
    assert.equal(each.state.etag, ETag);
    s3.proxy.operations();
    await each.refresh();
    assert.deepEqual(each.state.pending, undefined);
    world.emulator.change.insertRows("task-1", ['{"more":1}']);
    await each.up({ ...fixed, triggers: [1] });
    assert.equal(s3.content("rows.ndjson"), `${content}{"more":1}\n`);
    assert.ok(!s3.proxy.operations().includes("GetObject"));
    const { etag } = each.state;
    assert.notEqual(etag, ETag);
    await each.up({ ...fixed, triggers: [1], verifyFile: false });
    assert.equal(each.state.etag, etag);
    // The store gives a copy in one part another ETag.
    await s3.delete("rows.ndjson");
    await s3.write("rows.ndjson", `${content}{"more":1}\n`);
    await each.refresh();
    assert.deepEqual(each.state.pending, undefined);
    await s3.write("rows.ndjson", `${content}{"more":2}\n`);
    await each.up({ ...fixed, triggers: [1] });
    await each.refresh();
    assert.deepEqual(each.state.pending, ["file changed"]);
  });

  it("is refused if somebody has changed the temporary file", async () => {
    s3.proxy.fate = (request) => {
      if (operationOf(request) === "CreateMultipartUpload") {
        const [file = ""] = s3.leftovers();
        writeFileSync(path(file), content.replace('"index":11', '"index":99'));
      }
      return "pass";
    };
    const message = await failure(world.declare("DataExport").up(args));
    assert.match(message, /^The temporary file ".*" was changed during the export\. Run/);
    assert.deepEqual(s3.keys(), []);
    assert.deepEqual([s3.openUploads(), world.warnings], [0, []]);
  });

  it("is aborted if the command is interrupted, and ends the requests in flight", async () => {
    for (const operation of ["UploadPart", "CompleteMultipartUpload"]) {
      s3.proxy.fate = (request): Fate => {
        if (operationOf(request) !== operation) {
          return "pass";
        }
        world.providers.interruption.abort();
        return "stall";
      };
      const message = await failure(world.declare("DataExport").up(args));
      assert.match(
        message,
        /^\w+ of "s3:\/\/rows-bucket\/1\.ndjson" failed: it was interrupted .* Run the same command again\. The complete file is "/,
      );
      assert.ok(message.startsWith(operation), message);
      assert.deepEqual(s3.keys(), []);
      assert.equal(s3.openUploads(), 0);
    }
  });

  it("does not begin if the command is interrupted before it", async () => {
    s3.proxy.fate = (request) => {
      if (operationOf(request) === "ListObjectsV2") {
        // After it, the rows are read to their end: they are on one page.
        world.providers.interruption.abort();
      }
      return "pass";
    };
    world.configure({ pageSize: "1000" });
    const message = await failure(world.declare("DataExport").up(args));
    assert.match(message, /^CreateMultipartUpload of .* it was interrupted/);
    assert.equal(s3.proxy.count("CreateMultipartUpload"), 0);
    assert.deepEqual([s3.openUploads(), world.warnings], [0, []]);
  });

  it("fails if a store ignores conditions", async () => {
    let isWritten = false;
    s3.proxy.fate = async (request): Promise<Fate> => {
      if (operationOf(request) === "HeadObject" && s3.proxy.count("CompleteMultipartUpload") > 0 && !isWritten) {
        isWritten = true;
        const Metadata = { "webextract-write": "of-another-export" };
        await s3.direct.putObject({ Bucket: "rows-bucket", Key: "1.ndjson", Body: "theirs", Metadata });
      }
      return "pass";
    };
    const message = await failure(world.declare("DataExport").up(args));
    assert.match(
      message,
      /^The store wrote "s3:\/\/rows-bucket\/1\.ndjson", and somebody else has .* ignore If-None-Match/,
    );
    assert.equal(s3.content("1.ndjson"), "theirs");
  });
});
