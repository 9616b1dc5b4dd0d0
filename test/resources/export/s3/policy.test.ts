import assert from "node:assert/strict";
import { guest } from "../../../../scripts/objectStore/objectStore";
import { readPage } from "../../../pages/readPage";
import type { World } from "../../life";
import { failure } from "../../life";
import { addLargeRows, bucket, S3World } from "./s3World";

interface Statement {
  Action: string[];
  Principal?: string;
}

describe("the policy of the page about S3", function () {
  this.timeout(60_000);
  let s3: S3World;
  let world: World;
  before(async () => {
    s3 = await S3World.create();
  });
  after(() => s3.remove());
  beforeEach(async () => {
    world = await s3.begin();
    s3.setEnvironment(guest);
    world.configure({});
    addLargeRows(world);
  });
  afterEach(() => s3.end());

  /** Gives the guest what the page says, without one action. */
  const allow = async (without?: string): Promise<void> => {
    const text = readPage("examples/s3/policy.json").replaceAll("shop-rows", bucket);
    const policy = JSON.parse(text) as { Statement: Statement[] };
    for (const statement of policy.Statement) {
      statement.Principal = guest.accessKeyId;
      statement.Action = statement.Action.filter((action) => action !== without);
    }
    await s3.direct.putBucketPolicy({ Bucket: bucket, Policy: JSON.stringify(policy) });
  };
  const args = { taskId: "task-1", scope: "all", path: `s3://${bucket}/nightly/rows.ndjson`, verifyFile: true };

  it("allows an export in parts, a second one to the same object, and a look at the object", async () => {
    await allow();
    const each = world.declare("DataExport");
    await each.up(args);
    await each.up({ ...args, triggers: "again" });
    await each.refresh();
    assert.deepEqual([each.state.pending, each.state.rowCount, world.warnings], [undefined, 12, []]);
    assert.deepEqual([s3.keys(), s3.openUploads()], [["nightly/rows.ndjson"], 0]);
  });

  it("has no action that is not needed to write", async () => {
    await allow("s3:PutObject");
    assert.match(await failure(world.declare("DataExport").up(args)), /AccessDenied|403|not allow/);
  });
});
