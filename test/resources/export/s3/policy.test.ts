import assert from "node:assert/strict";
import { guest } from "../../../../scripts/objectStore/objectStore";
import { slowIt } from "../../../environment";
import { readPage } from "../../../pages/readPage";
import type { World } from "../../life";
import { failure } from "../../life";
import { operationOf } from "./faultyProxy";
import type { S3World } from "./s3World";
import { addLargeRows, bucket, eachOnStore } from "./s3World";

interface Statement {
  Action: string[];
  Principal?: string;
}

const policy = readPage("examples/s3/policy.json").replaceAll("shop-rows", bucket);

describe("the policy of the page about S3", () => {
  let s3: S3World;
  let world: World;
  eachOnStore({}, (...begun) => {
    [s3, world] = begun;
    s3.setEnvironment(guest);
    world.configure({});
    addLargeRows(world);
  });

  /** Gives the guest what the page says, without one action. */
  const allow = async (without?: string): Promise<void> => {
    const { Statement: all, ...others } = JSON.parse(policy) as { Statement: Statement[] };
    const statements = all
      .map((each) => ({
        ...each,
        Principal: guest.accessKeyId,
        Action: each.Action.filter((name) => name !== without),
      }))
      .filter(({ Action }) => Action.length > 0);
    const text = JSON.stringify({ ...others, Statement: statements });
    await s3.direct.putBucketPolicy({ Bucket: bucket, Policy: text });
  };
  const args = { taskId: "task-1", scope: "all", path: `s3://${bucket}/nightly/rows.ndjson`, verifyFile: true };

  const countUp = async (): Promise<void> => {
    await s3.write("nightly/rows-1.ndjson", "{}");
    const each = world.declare("DataExport");
    const path = `s3://${bucket}/nightly/rows-{n}.ndjson`;
    await each.up({ ...args, path });
    assert.equal(each.state.file, path.replace("{n}", "2"));
  };

  it("allows an export in parts, a second one to the same object, and a look at the object", async () => {
    await allow();
    const each = world.declare("DataExport");
    await each.up(args);
    await each.up({ ...args, triggers: "again" });
    await each.refresh();
    assert.deepEqual([each.state.pending, each.state.rowCount, world.warnings], [undefined, 12, []]);
    assert.deepEqual([s3.keys(), s3.openUploads()], [["nightly/rows.ndjson"], 0]);
  });

  it("allows to count names up", async () => {
    await allow();
    await countUp();
  });

  const refusedWithout: Record<string, string> = {
    "s3:GetObject": "HeadObject",
    "s3:PutObject": "CreateMultipartUpload",
    "s3:ListBucket": "ListObjectsV2",
  };
  for (const [action, operation] of Object.entries(refusedWithout)) {
    slowIt(`needs ${action} for ${operation}`, async () => {
      await allow(action);
      const message = await failure(countUp());
      assert.match(message, new RegExp(`^${operation} of .* failed: the credentials do not allow it`));
    });
  }

  slowIt("needs s3:AbortMultipartUpload to remove the parts of an upload that failed", async () => {
    const failing = async (): Promise<string> => {
      s3.proxy.fate = (request) => (operationOf(request) === "UploadPart" ? "error" : "pass");
      return failure(world.declare("DataExport").up(args));
    };
    await allow("s3:AbortMultipartUpload");
    assert.match(await failing(), /^UploadPart of /);
    assert.match(
      world.warnings.join(),
      /could not be aborted: AbortMultipartUpload of .* failed: the credentials do not allow it/,
    );
    assert.equal(s3.openUploads(), 1);
    await allow();
    await failing();
    assert.equal(s3.openUploads(), 1);
  });

  it("has no other action", () => {
    const { Statement: statements } = JSON.parse(policy) as { Statement: Statement[] };
    const actions = statements.flatMap(({ Action }) => Action);
    assert.deepEqual(actions.sort(), [...Object.keys(refusedWithout), "s3:AbortMultipartUpload"].sort());
  });
});
