import assert from "node:assert/strict";
import dns from "node:dns";
import { owner } from "../../../../scripts/objectStore/objectStore";
import { setEnvironment, slowIt } from "../../../environment";
import { limits } from "../../../internals/resources";
import { failure, useWorld, World } from "../../life";
import type { Fate } from "./faultyProxy";
import { operationOf, refusal } from "./faultyProxy";
import type { S3World } from "./s3World";
import { addLargeRows, bucket, eachOnStore } from "./s3World";

/** Each store that does something else than Amazon S3 is the real one behind a proxy that changes that. */
describe("DataExport to a store that differs", () => {
  let s3: S3World;
  let world: World;
  eachOnStore({}, (...begun) => {
    [s3, world] = begun;
    world.emulator.change.insertRows("task-1", ['{"id":1}']);
    world.operations();
  });

  const path = `s3://${bucket}/rows.ndjson`;
  const all = { taskId: "task-1", scope: "all", path };
  const counting = { ...all, path: `s3://${bucket}/{n}.ndjson` };
  const fateOf = (operation: string, fate: Fate): void => {
    s3.proxy.fate = (request) => (operationOf(request) === operation ? fate : "pass");
  };

  describe("in the condition of the last request of an upload, which it ignores:", () => {
    const other = useWorld({ config: { s3ForcePathStyle: "true" } });
    beforeEach(() => {
      addLargeRows(world);
      addLargeRows(other);
    });

    /** During the first upload, and not during those in it. */
    const during = (operation: string, work: () => Promise<unknown>): void => {
      let hasBegun = false;
      s3.proxy.fate = async (request): Promise<Fate> => {
        if (operationOf(request) === "CompleteMultipartUpload") {
          await s3.delete(request.path.slice(bucket.length + 2));
        }
        if (operationOf(request) === operation && !hasBegun) {
          hasBegun = true;
          await work();
        }
        return "pass";
      };
    };

    it("two exports that overlap mark only rows that are in an object", async () => {
      const args = { ...counting, markExported: true };
      const second = other.declare("DataExport");
      during("UploadPart", () => second.up(args));
      const first = world.declare("DataExport");
      await first.up(args);
      assert.deepEqual([first.state.marked, second.state.marked], [true, true]);
      assert.deepEqual([s3.keys(), s3.openUploads()], [["1.ndjson", "2.ndjson"], 0]);
      assert.deepEqual([second.state.file, first.state.file], [`s3://${bucket}/1.ndjson`, `s3://${bucket}/2.ndjson`]);
    });

    it("an object that somebody else writes during the upload stays", async () => {
      during("UploadPart", () => s3.write("rows.ndjson", "theirs"));
      assert.match(await failure(world.declare("DataExport").up(all)), /exists\. This export did not write it/);
      assert.deepEqual([s3.content("rows.ndjson"), s3.openUploads()], ["theirs", 0]);
    });

    slowIt("its own object stays if somebody else changes it during the upload", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      world.emulator.change.insertRows("task-1", ['{"more":1}']);
      during("UploadPart", () => s3.write("rows.ndjson", "theirs"));
      assert.match(await failure(each.up({ ...all, triggers: [1] })), /or it was changed since/);
      assert.equal(s3.content("rows.ndjson"), "theirs");
    });
  });

  describe("in If-Match and If-None-Match:", () => {
    for (const [form, refused] of [
      ["in", refusal(412, "PreconditionFailed")],
      ["without", refusal(400, "InvalidArgument")],
      ["without", refusal(412, "PreconditionFailed")],
    ] as const) {
      const test = form === "in" ? it : slowIt;
      test(`an ETag ${form} quotes is refused with ${refused.status}`, async () => {
        s3.proxy.fate = ({ method, headers }) =>
          method !== "GET" && headers["if-match"]?.includes('"') === (form === "in") ? refused : "pass";
        const each = world.declare("DataExport");
        const removing = { ...all, onDelete: "removeFile" };
        await each.up(removing);
        world.emulator.change.insertRows("task-1", ['{"more":1}']);
        await each.up({ ...removing, triggers: [1] });
        assert.equal(s3.content("rows.ndjson"), '{"id":1}\n{"more":1}\n');
        addLargeRows(world);
        await each.up({ ...removing, triggers: [2] });
        assert.equal(each.state.rowCount, 14);
        await each.destroy();
        assert.deepEqual([s3.keys(), s3.openUploads(), world.warnings], [[], 0, []]);
      });
    }

    it("If-Match is refused though the object has not changed, which does not count as another object", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      fateOf("PutObject", refusal(412, "PreconditionFailed"));
      // The object has the same rows.
      await each.up({ ...all, triggers: [0] });
      world.emulator.change.insertRows("task-1", ['{"more":1}']);
      const message = await failure(each.up({ ...all, triggers: [1] }));
      assert.match(
        message,
        /^The store refused to replace "s3:\/\/rows-bucket\/rows\.ndjson" because of If-Match, although the object has not changed\. .* Nothing was written\. Add \{time\}/,
      );
    });

    it("the object has no ETag, and is not replaced without a condition", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      s3.proxy.header = (name, value) => (name === "etag" ? undefined : value);
      world.emulator.change.insertRows("task-1", ['{"more":1}']);
      assert.match(await failure(each.up({ ...all, triggers: [1] })), /^The store refused to replace /);
      assert.equal(s3.content("rows.ndjson"), '{"id":1}\n');
    });

    slowIt("a bucket with versions refuses the name of an object that was removed", async () => {
      await s3.direct.createBucket({ Bucket: "with-versions" });
      const VersioningConfiguration = { Status: "Enabled" } as const;
      await s3.direct.putBucketVersioning({ Bucket: "with-versions", VersioningConfiguration });
      for (const isLarge of [false, true]) {
        if (isLarge) {
          addLargeRows(world);
        }
        const args = { ...all, path: `s3://with-versions/${isLarge}.ndjson`, onDelete: "removeFile" };
        const each = world.declare("DataExport", `${isLarge}`);
        await each.up(args);
        await each.destroy();
        const message = await failure(each.up(args));
        assert.match(
          message,
          /^The store refused to write "s3:\/\/with-versions\/\w+\.ndjson" because of If-None-Match, although there is no such object\. .* versions/,
        );
        assert.doesNotMatch(message, /exists/);
      }
      assert.deepEqual(world.warnings, []);
    });
  });

  describe("in where it looks for the bucket:", () => {
    const isRefused = async (args: typeof all, about: string): Promise<void> => {
      const message = await failure(world.declare("DataExport").up(args));
      assert.match(
        message,
        new RegExp(`^ListObjectsV2 of "s3://rows-bucket/" failed: the response is about ${about}\\.`),
      );
      assert.match(
        message,
        /set webextract:s3ForcePathStyle to true.* Run the same command again\. No rows were read\.$/,
      );
      assert.deepEqual(world.operations(), []);
    };

    it("the host has the bucket, and the store looks for it in the path", async () => {
      const lookup = dns.lookup as unknown as (host: string, ...rest: unknown[]) => void;
      s3.box
        .stub(dns, "lookup")
        .callsFake(((host: string, ...rest: unknown[]) =>
          lookup(host.endsWith(".store.test") ? "127.0.0.1" : host, ...rest)) as never);
      const { port } = new URL(s3.proxy.endpoint);
      s3.setEnvironment(owner, { AWS_ENDPOINT_URL_S3: `http://store.test:${port}` });
      world.configure({ s3ForcePathStyle: "false" });
      await isRefused({ ...all, path: "s3://rows-bucket/nightly/rows.ndjson" }, "no bucket");
      assert.deepEqual((await s3.direct.listBuckets({})).Buckets?.map(({ Name }) => Name).includes("nightly"), false);
    });

    it("the listing names another bucket", async () => {
      fateOf("ListObjectsV2", { status: 200, body: "<ListBucketResult><Name>nightly</Name></ListBucketResult>" });
      await isRefused(all, 'the bucket "nightly"');
    });

    it("a complete file that could not be sent is not sent to another bucket", async () => {
      fateOf("PutObject", "error");
      await failure(world.declare("DataExport").up(all));
      fateOf("ListObjectsV2", { status: 200, body: "<ListAllMyBucketsResult/>" });
      assert.match(await failure(world.declare("DataExport").up(all)), /the response is about no bucket/);
      assert.deepEqual(s3.keys(), []);
    });

    slowIt("an alias of an access point of AWS can have another name in the listing", async () => {
      s3.store.addBucket("rows-abc-s3alias");
      s3.proxy.fate = (request) =>
        operationOf(request) === "ListObjectsV2"
          ? { status: 200, body: "<ListBucketResult><Name>rows-bucket</Name></ListBucketResult>" }
          : "pass";
      await world.declare("DataExport").up({ ...all, path: "s3://rows-abc-s3alias/rows.ndjson" });
    });
  });

  it("in the checksum of a part: the response has none", async () => {
    addLargeRows(world);
    s3.proxy.header = (name, value) => (name.startsWith("x-amz-checksum-") ? undefined : value);
    const each = world.declare("DataExport");
    await each.up(all);
    assert.equal(each.state.rowCount, 13);
    const parts = s3.proxy.requests.filter((request) => operationOf(request) === "UploadPart");
    assert.ok(parts.length > 1 && parts.every(({ headers }) => headers["x-amz-checksum-crc32"] !== undefined));
  });

  slowIt("in the checksums that it takes: of a part no SHA-256, or none at all", async () => {
    const refusing = (name: RegExp): void => {
      s3.proxy.fate = ({ method, headers }) => {
        const found = Object.keys(headers).find((each) => name.test(each));
        const body = `<Error><Code>InvalidArgument</Code><Message>Unsupported header '${found}'</Message></Error>`;
        return method !== "PUT" || found === undefined ? "pass" : { status: 400, body };
      };
    };
    addLargeRows(world);
    // As Cloudflare R2.
    refusing(/^x-amz-checksum-sha/);
    await world.declare("DataExport").up(all);
    refusing(/checksum/);
    const other = { ...all, path: `s3://${bucket}/other.ndjson` };
    const message = await failure(world.declare("DataExport", "other").up(other));
    assert.match(
      message,
      /^UploadPart .* failed: the store does not take the checksum .* Set AWS_REQUEST_CHECKSUM_CALCULATION and /,
    );
    const restore = setEnvironment({ AWS_REQUEST_CHECKSUM_CALCULATION: "WHEN_REQUIRED" });
    const without = await World.create({ config: { s3ForcePathStyle: "true" } });
    try {
      addLargeRows(without);
      await without.declare("DataExport").up(other);
      await without.declare("DataExport", "small").up({ ...other, path: `s3://${bucket}/small.ndjson`, maxRows: 1 });
    } finally {
      restore();
      await without.remove();
    }
    assert.deepEqual(s3.keys(), ["other.ndjson", "rows.ndjson", "small.ndjson"]);
  });

  slowIt("in what it says of an upload that is complete: nothing is warned of after a lost response", async () => {
    addLargeRows(world);
    s3.proxy.fate = (request): Fate => {
      const operation = operationOf(request);
      const isFirst = s3.proxy.count("CompleteMultipartUpload") === 1;
      if (operation === "CompleteMultipartUpload") {
        return isFirst ? "lost" : refusal(404, "NoSuchUpload");
      }
      return operation === "AbortMultipartUpload" ? refusal(500, "InternalError") : "pass";
    };
    const each = world.declare("DataExport");
    await each.up(all);
    assert.deepEqual([each.state.rowCount, world.warnings, s3.proxy.count("AbortMultipartUpload")], [13, [], 0]);
  });

  it("in waiting for the body: no request expects a response before its body is sent", async () => {
    addLargeRows(world);
    await world.declare("DataExport").up(all);
    assert.deepEqual(
      s3.proxy.requests.filter(({ headers }) => headers.expect !== undefined),
      [],
    );
  });

  describe("in the removal of an object:", () => {
    const removing = { ...all, onDelete: "removeFile" };

    it("a condition is not implemented", async () => {
      const each = world.declare("DataExport");
      await each.up(removing);
      fateOf("DeleteObject", refusal(501, "NotImplemented"));
      assert.match(
        await failure(each.destroy()),
        /^DeleteObject of .* failed: the store cannot remove an object only if it is unchanged \(If-Match of DeleteObject\) \(NotImplemented: No\)\. Remove the object with another program\. Run/,
      );
      await s3.delete("rows.ndjson");
      await each.destroy();
      assert.deepEqual(world.warnings, []);
    });

    it("the repeated request meets no object after a lost response", async () => {
      const each = world.declare("DataExport");
      await each.up(removing);
      s3.proxy.fate = (request): Fate => {
        if (operationOf(request) !== "DeleteObject") {
          return "pass";
        }
        return s3.proxy.count("DeleteObject") === 1 ? "lost" : refusal(412, "PreconditionFailed");
      };
      await each.destroy();
      assert.deepEqual([s3.keys(), world.warnings], [[], []]);
    });

    it("it is refused, or does nothing, though the object has not changed", async () => {
      const each = world.declare("DataExport");
      await each.up(removing);
      for (const fate of [refusal(412, "PreconditionFailed"), { status: 204 }]) {
        fateOf("DeleteObject", fate);
        assert.match(
          await failure(each.destroy()),
          /^The store did not remove ".*", although the object has not changed/,
        );
      }
      assert.deepEqual(s3.keys(), ["rows.ndjson"]);
    });
  });

  describe("says what is wrong", () => {
    const says = async (expected: RegExp): Promise<void> => {
      assert.match(await failure(world.declare("DataExport").up(all)), expected);
    };

    it("if the host of the bucket does not exist or has another certificate", async () => {
      s3.box.stub(limits, "mostTries").value(1);
      for (const code of ["ENOTFOUND", "EAI_AGAIN"]) {
        const stub = s3.box
          .stub(dns, "lookup")
          .callsFake(((host: string, _: unknown, done: (error: Error) => void) =>
            done(Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code, hostname: host }))) as never);
        s3.setEnvironment(owner, { AWS_ENDPOINT_URL_S3: "http://store.test" });
        world.configure({ s3ForcePathStyle: "false" });
        await says(
          /the host of the bucket cannot be used \(\w+: getaddrinfo \w+ rows-bucket\.store\.test\)\. .*webextract:s3ForcePathStyle/,
        );
        world.configure({ s3ForcePathStyle: "true" });
        await says(/there is no connection to the store/);
        stub.restore();
      }
    });

    it("if the certificate of the store is from a private CA", async () => {
      s3.box.stub(limits, "mostTries").value(1);
      const code = "SELF_SIGNED_CERT_IN_CHAIN";
      const error = Object.assign(new Error("self-signed certificate in certificate chain"), { code });
      const lookup = (_: string, __: unknown, done: (error: Error) => void): void => done(error);
      s3.box.stub(dns, "lookup").callsFake(lookup as never);
      s3.setEnvironment(owner, { AWS_ENDPOINT_URL_S3: "https://store.test" });
      world.configure({});
      await says(/failed: Node\.js does not know who signed the certificate .*NODE_EXTRA_CA_CERTS/);
    });

    it("if no region is set", async () => {
      s3.setEnvironment(owner, { AWS_REGION: undefined });
      world.configure({});
      await says(/failed: no region is set \(Region is missing\)\. Set AWS_REGION/);
    });

    it("if the store does not say anything", async () => {
      for (const body of ["", "<Error><Code>constructor</Code></Error>", "<html><body>Forbidden</body></html>", "no"]) {
        fateOf("ListObjectsV2", { status: 403, body });
        const message = await failure(world.declare("DataExport").up(all));
        assert.doesNotMatch(message, /UnknownError/);
        assert.match(message, /failed: the store refused it \(.*\)\. Run the same/);
      }
    });
  });
});
