import assert from "node:assert/strict";
import { guest, owner } from "../../../../scripts/objectStore/objectStore";
import { slowIt } from "../../../environment";
import { limits } from "../../../internals/resources";
import type { World } from "../../life";
import { failure } from "../../life";
import type { Fate } from "./faultyProxy";
import { operationOf } from "./faultyProxy";
import type { S3World } from "./s3World";
import { addLargeRows, eachOnStore } from "./s3World";

const rows = ['{"id":1}', '{"id":2}'];

describe("DataExport to a store with faults", () => {
  let s3: S3World;
  let world: World;
  const messages: string[] = [];
  eachOnStore({}, (...begun) => {
    [s3, world] = begun;
    world.emulator.change.insertRows("task-1", rows);
    world.operations();
  });

  const path = "s3://rows-bucket/out/{n}.ndjson";
  const all = { taskId: "task-1", scope: "all", path };
  const large = { ...all, path: "s3://rows-bucket/large/{n}.ndjson" };
  const failed = async (args: Record<string, unknown> = all): Promise<string> => {
    const message = await failure(world.declare("DataExport").up(args));
    messages.push(message, ...world.warnings);
    return message;
  };
  /** What happens to the requests of an operation. */
  const fateOf = (operation: string, fate: Fate, times = Number.POSITIVE_INFINITY): void => {
    let left = times;
    s3.proxy.fate = (request) => (operationOf(request) === operation && left-- > 0 ? fate : "pass");
  };
  const nothingIsLeft = (): void => assert.deepEqual([s3.keys(), s3.openUploads()], [[], 0]);

  describe("reads no row and says what to do", () => {
    const refused = async (reason: RegExp, args = all): Promise<void> => {
      const message = await failed(args);
      assert.match(message, reason);
      assert.match(message, / Run the same command again\. No rows were read\.$/);
      assert.deepEqual(world.operations(), []);
      nothingIsLeft();
    };

    it("if the credentials are wrong", async () => {
      for (const [account, reason] of [
        [{ ...owner, secretAccessKey: "wrong-secret-77aa11" }, /signature \(\w+: .* A proxy in front of the store/],
        [{ ...owner, accessKeyId: "unknown-key-55bb" }, /credentials \(\w+: /],
      ] as const) {
        s3.setEnvironment(account);
        world.configure({});
        const refusal = 'ListObjectsV2 of "s3://rows-bucket/" failed: the store does not accept the ';
        await refused(new RegExp(`^${refusal}${reason.source}`));
      }
    });

    it("if there are no credentials", async () => {
      s3.setEnvironment(undefined);
      world.configure({});
      await refused(/no usable AWS credentials were found \(CredentialsProviderError: .*AWS_PROFILE/);
    });

    it("if the account is not allowed to write", async () => {
      s3.setEnvironment(guest);
      world.configure({});
      await refused(/the credentials do not allow it \(AccessDenied.*s3:PutObject/);
    });

    it("if the bucket does not exist", async () => {
      const other = { ...all, path: "s3://no-such-bucket/rows.ndjson" };
      await refused(/^ListObjectsV2 of "s3:\/\/no-such-bucket\/" failed: the bucket does not exist/, other);
    });

    it("if there is no store", async () => {
      s3.setEnvironment(owner, { AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1" });
      world.configure({});
      await refused(/there is no connection to the store \(ECONNREFUSED/);
    });

    it("if the store does not respond", async () => {
      s3.box.stub(limits, "idleMs").value(100);
      world.configure({});
      fateOf("ListObjectsV2", "stall");
      await refused(/there is no connection to the store \(TimeoutError/);
    });
  });

  describe("repeats a request that fails for a moment", () => {
    for (const [operation, fate] of [
      ["PutObject", "error"],
      ["PutObject", "cut"],
      ["PutObject", "lost"],
      ["UploadPart", "cut"],
      ["UploadPart", "lost"],
      ["CompleteMultipartUpload", "error"],
      ["CompleteMultipartUpload", "lost"],
    ] as const) {
      const test = fate === "lost" ? it : slowIt;
      test(`${operation} ${fate}: one object, and no second one of another name`, async () => {
        const isLarge = operation !== "PutObject";
        if (isLarge) {
          addLargeRows(world);
        }
        fateOf(operation, fate, 1);
        const each = world.declare("DataExport");
        await each.up(isLarge ? large : all);
        assert.deepEqual(s3.keys(), [isLarge ? "large/1.ndjson" : "out/1.ndjson"]);
        assert.deepEqual([each.state.rowCount, s3.openUploads(), s3.leftovers()], [isLarge ? 14 : 2, 0, []]);
      });
    }

    it("a part that stalls", async () => {
      s3.box.stub(limits, "idleMs").value(1000);
      world.configure({});
      addLargeRows(world);
      fateOf("UploadPart", "stall", 1);
      const each = world.declare("DataExport");
      await each.up(large);
      assert.equal(each.state.rowCount, 14);
    });
  });

  describe("aborts the upload", () => {
    beforeEach(() => addLargeRows(world));

    it("if a part or the end of the upload keeps failing", async () => {
      for (const [operation, fate] of [
        ["UploadPart", "error"],
        ["UploadPart", "cut"],
        ["CompleteMultipartUpload", "error"],
      ] as const) {
        fateOf(operation, fate);
        const message = await failed(large);
        assert.match(message, new RegExp(`^${operation} of "s3://rows-bucket/large/1\\.ndjson" failed: `));
        nothingIsLeft();
      }
    });

    it("or names it", async () => {
      s3.proxy.fate = (request) =>
        ["UploadPart", "AbortMultipartUpload"].includes(operationOf(request)) ? "error" : "pass";
      assert.match(await failed({ ...large, path: "s3://rows-bucket/large rows/1.ndjson" }), /^UploadPart of /);
      assert.match(
        world.warnings.join(),
        /^The multipart upload of "s3:\/\/rows-bucket\/large rows\/1\.ndjson" could not be aborted: AbortMultipartUpload of .* Abort it with "aws s3api abort-multipart-upload --bucket rows-bucket --key 'large rows\/1\.ndjson' --upload-id [\w-]+"/,
      );
      assert.equal(s3.openUploads(), 1);
    });
  });

  it("writes no object with another content than that of the file", async () => {
    addLargeRows(world);
    for (const [operation, args] of [
      ["PutObject", { ...all, maxRows: 2 }],
      ["UploadPart", large],
    ] as const) {
      fateOf(operation, "damaged");
      const each = world.declare("DataExport");
      const message = await failure(each.up({ ...args, markExported: operation === "UploadPart" }));
      assert.match(message, new RegExp(`^${operation} of `));
      assert.equal(world.emulator.inspect.exportedCount("task-1"), 0);
      nothingIsLeft();
    }
  });

  it("fails without the credentials that a response repeats", async () => {
    s3.setEnvironment(owner, { AWS_SESSION_TOKEN: "session-token-33cc" });
    world.configure({});
    fateOf("ListObjectsV2", "error");
    s3.proxy.message = `No key ${owner.accessKeyId}, ${owner.secretAccessKey} or session-token-33cc.`;
    assert.match(await failed(), /^ListObjectsV2 of .* \(InternalError: No key .* or /);
  });

  describe("in all these cases", () => {
    it("shows no credential in a message", () => {
      assert.ok(messages.length > 10, String(messages.length));
      for (const secret of [
        owner.secretAccessKey,
        owner.accessKeyId,
        guest.secretAccessKey,
        "wrong-secret",
        "unknown-key",
        "session-token",
      ]) {
        assert.deepEqual(
          messages.filter((message) => message.includes(secret)),
          [],
        );
      }
      assert.deepEqual(
        messages.filter((message) => /signature=|x-amz-|authorization/i.test(message)),
        [],
      );
    });
  });
});
