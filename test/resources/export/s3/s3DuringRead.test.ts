import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { limits } from "../../../internals/resources";
import type { World } from "../../life";
import { failure } from "../../life";
import type { Fate } from "./faultyProxy";
import { operationOf } from "./faultyProxy";
import { addLargeRows, S3World } from "./s3World";

/** A page has more rows than a part, so that the first part is sent while the second page is requested. */
const pageSize = "6";

describe("DataExport to S3 while it reads", () => {
  let s3: S3World;
  let world: World;
  let content: string;
  before(async function () {
    this.timeout(900_000);
    s3 = await S3World.create();
  });
  after(() => s3.remove());
  beforeEach(async () => {
    world = await s3.begin({ pageSize });
    content = addLargeRows(world)
      .map((row) => `${row}\n`)
      .join("");
  });
  afterEach(() => s3.end());

  const args = { taskId: "task-1", scope: "all", path: "s3://rows-bucket/{n}.ndjson" };
  const nothingIsLeft = (): void => assert.deepEqual([s3.openUploads(), s3.leftovers(), world.warnings], [0, [], []]);
  const parts = (): number => s3.proxy.count("UploadPart");
  /** Resolves when the store gets that request for a part. The requests for parts before it fail, and so does this one. */
  const failedParts = (count: number, fate: Fate = "error"): Promise<void> =>
    new Promise((resolve) => {
      s3.proxy.fate = (request) => {
        if (operationOf(request) !== "UploadPart" || parts() > count) {
          return "pass";
        }
        if (parts() === count) {
          resolve();
        }
        return fate;
      };
    });
  const firstPart = (): Promise<void> => failedParts(1, "pass");

  it("sends the first part before the last row is read, and the object has all rows", async () => {
    const sent = firstPart();
    const hold = world.emulator.hold({ operation: "getData", skip: 1 });
    const each = world.declare("DataExport");
    const up = each.up(args);
    await sent;
    await hold.reached;
    assert.equal(s3.openUploads(), 1);
    hold.release();
    await up;
    assert.equal(s3.content("1.ndjson"), content);
    assert.equal(each.state.sha256, createHash("sha256").update(content).digest("hex"));
    assert.equal(parts(), 3);
    nothingIsLeft();
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

  describe("needs a temporary file only", () => {
    /** The temporary files that are there while the rows are read. */
    const duringRead = async (operation: "getData" | "getNotExportedData", more: object): Promise<number> => {
      const hold = world.emulator.hold({ operation });
      const up = world.declare("DataExport").up({ ...args, ...more });
      await hold.reached;
      const files = s3.leftovers().filter((name) => name.endsWith(".tmp"));
      hold.release();
      await up;
      return files.length;
    };

    for (const [what, more, count] of [
      ["not for rows that can be read again", {}, 0],
      ["not for checks that only warn", { checks: { minRows: 20, onFail: "warn" } }, 0],
      ["for checks that refuse rows", { checks: { minRows: 1 } }, 1],
      ["for another format", { format: "csv" }, 1],
      ["for compression", { compression: "gzip", path: `${args.path}.gz` }, 1],
      ["for a command", { pipe: ["cat"] }, 1],
    ] as const) {
      it(what, async () => {
        assert.equal(await duringRead("getData", more), count);
      });
    }

    it("for rows that the service may return only once", async () => {
      assert.equal(await duringRead("getNotExportedData", { scope: "notExported", maxRows: 6 }), 1);
    });

    it("for an object that exists and may have the same rows", async () => {
      await s3.write("rows.ndjson", content);
      assert.equal(await duringRead("getData", { path: "s3://rows-bucket/rows.ndjson" }), 1);
      assert.equal(parts(), 0);
    });
  });

  /** The rows are read a second time, into a file. */
  const readAgain = (why: RegExp): void => {
    assert.match(world.warnings.splice(0).join(), why);
    assert.equal(world.sent("getData").length, 4);
    nothingIsLeft();
  };

  /** The SDK sends each part three times. */
  const whileSdkTries = 3;

  it("waits for a store that is busy for longer than the SDK repeats a request", async () => {
    failedParts(whileSdkTries * (limits.mostTries - 1));
    await world.declare("DataExport").up(args);
    assert.deepEqual([s3.content("1.ndjson"), world.sent("getData").length], [content, 2]);
    nothingIsLeft();
  });

  it("needs no note of its upload", async () => {
    const hold = world.emulator.hold({ operation: "getData" });
    const up = world.declare("DataExport").up(args);
    await hold.reached;
    s3.removeWorkFolder();
    hold.release();
    await up;
    assert.deepEqual([s3.content("1.ndjson"), world.sent("getData").length], [content, 2]);
    nothingIsLeft();
  });

  it("reads nothing again if the command is interrupted when the upload has failed", async () => {
    const uploads = (): number => s3.proxy.count("CreateMultipartUpload");
    s3.proxy.fate = (request) => {
      if (operationOf(request) === "AbortMultipartUpload" && uploads() === 2) {
        world.providers.interruption.abort();
      }
      return operationOf(request) === "UploadPart" ? "error" : "pass";
    };
    const message = await failure(world.declare("DataExport").up(args));
    assert.match(
      message,
      /^The export was interrupted, and no object was written\. UploadPart of .* Run the same command again\.$/,
    );
    assert.deepEqual([uploads(), world.sent("getData").length], [2, 2]);
    nothingIsLeft();
  });

  it("says that the rows were not read again if the store fails before it", async () => {
    s3.proxy.fate = (request) => (operationOf(request) === "UploadPart" || parts() > 0 ? "error" : "pass");
    const message = await failure(world.declare("DataExport").up(args));
    assert.match(message, /^HeadObject of .* failed: .* The rows were not read again\. Run the same command again\.$/);
    assert.match(world.warnings.at(-1) ?? "", /^UploadPart of .* The rows are read again, into a temporary file\./);
  });

  it("reads the rows again and sends a file if the upload failed during the read", async () => {
    const failed = failedParts(whileSdkTries * limits.mostTries);
    const hold = world.emulator.hold({ operation: "getData", skip: 1 });
    const up = world.declare("DataExport").up(args);
    await failed;
    await hold.reached;
    hold.release();
    await up;
    assert.equal(s3.content("1.ndjson"), content);
    readAgain(/^UploadPart of "s3:.* failed: .* The rows are read again, into a temporary file\.$/);
  });

  it("sends a file in larger parts if S3 does not allow as many parts", async () => {
    s3.box.stub(limits, "mostParts").value(2);
    await world.declare("DataExport").up(args);
    assert.equal(s3.content("1.ndjson"), content);
    assert.equal(parts(), 4);
    readAgain(/^The object "s3:.*" has more parts than S3 allows\. The rows are read again/);
  });

  it("sends a file under the next name if the name is taken during the read", async () => {
    s3.proxy.fate = async (request): Promise<Fate> => {
      if (operationOf(request) === "CompleteMultipartUpload" && request.path.endsWith("/1.ndjson")) {
        await s3.write("1.ndjson", "theirs");
      }
      return "pass";
    };
    const each = world.declare("DataExport");
    await each.up(args);
    assert.deepEqual([s3.content("1.ndjson"), each.state.file], ["theirs", "s3://rows-bucket/2.ndjson"]);
    assert.equal(s3.content("2.ndjson"), content);
    readAgain(
      /^"s3:\/\/rows-bucket\/1\.ndjson" was written by somebody else during the read\. The rows are read again/,
    );
  });

  it("aborts the upload if the read fails", async () => {
    world.emulator.fault({ operation: "getData", kind: "reset", skip: 1 });
    await failure(world.declare("DataExport").up(args));
    const operations = s3.proxy.operations();
    // The first upload of each export shows that the account may begin and abort one.
    for (const operation of ["CreateMultipartUpload", "AbortMultipartUpload"]) {
      assert.equal(operations.filter((each) => each === operation).length, 2);
    }
    assert.deepEqual(s3.keys(), []);
    nothingIsLeft();
  });

  it("aborts the upload if the command is interrupted", async () => {
    const sent = failedParts(1, "stall");
    const hold = world.emulator.hold({ operation: "getData", skip: 1 });
    const message = failure(world.declare("DataExport").up(args));
    await sent;
    await hold.reached;
    world.providers.interruption.abort();
    hold.release();
    assert.match(await message, /interrupted/);
    assert.deepEqual(s3.keys(), []);
    nothingIsLeft();
  });

  it("begins no second upload if the command is interrupted after the read", async () => {
    // So that the other parts have arrived before the last one is sent.
    s3.box.stub(limits, "partsInFlight").value(1);
    s3.proxy.fate = (request): Fate => {
      if (operationOf(request) !== "UploadPart" || parts() < 3) {
        return "pass";
      }
      world.providers.interruption.abort();
      return "stall";
    };
    const message = await failure(world.declare("DataExport").up(args));
    assert.match(message, /The upload of "s3:\/\/rows-bucket\/1\.ndjson" was interrupted\. No object was written\./);
    assert.equal(s3.proxy.count("CreateMultipartUpload"), 2);
    nothingIsLeft();
  });

  it("sends nothing if the name is taken by another object", async () => {
    await s3.write("rows.ndjson", "theirs");
    const each = world.declare("DataExport");
    assert.match(await failure(each.up({ ...args, path: "s3://rows-bucket/rows.ndjson" })), /exists/);
    assert.deepEqual([parts(), s3.content("rows.ndjson")], [0, "theirs"]);
    nothingIsLeft();
  });

  it("aborts the upload if the rows are refused, and keeps them under their own name", async () => {
    const message = await failure(world.declare("DataExport").up({ ...args, checks: { maxRows: 11 } }));
    assert.match(message, /"s3:\/\/rows-bucket\/1\.rejected\.ndjson"/);
    assert.deepEqual([s3.keys(), s3.content("1.rejected.ndjson")], [["1.rejected.ndjson"], content]);
    nothingIsLeft();
  });

  it("sends no row before all are read if they need another format", async () => {
    await world.declare("DataExport").up({ ...args, path: "s3://rows-bucket/rows.csv", format: "csv" });
    const operations = s3.proxy.operations();
    assert.deepEqual(operations.slice(-5), [
      "UploadPart",
      "UploadPart",
      "UploadPart",
      "CompleteMultipartUpload",
      "HeadObject",
    ]);
    nothingIsLeft();
  });

  it("aborts after a day what an earlier process has left, whatever its note says", async () => {
    for (const change of [{ host: "an-old-name" }, { pid: process.pid }]) {
      const end = (operation: string) =>
        ["UploadPart", "AbortMultipartUpload"].includes(operation) ? "error" : "pass";
      let proofs = 0;
      s3.proxy.fate = (request) => {
        const operation = operationOf(request);
        proofs += operation === "AbortMultipartUpload" ? 1 : 0;
        return operation === "AbortMultipartUpload" && proofs === 1 ? "pass" : end(operation);
      };
      await failure(world.declare("DataExport").up(args));
      const [note = ""] = s3.leftovers().map((name) => s3.leftoverPath(name));
      writeFileSync(note, JSON.stringify({ ...JSON.parse(readFileSync(note, "utf8")), ...change }));
      s3.proxy.reset();
      world.warnings.length = 0;
      await world.declare("DataExport").up(args);
      assert.deepEqual([s3.openUploads() > 0, world.warnings], [true, []]);
      s3.ageUploads(48);
      await world.declare("DataExport").up(args);
      assert.deepEqual([s3.openUploads(), world.warnings], [0, []]);
    }
  });
});
