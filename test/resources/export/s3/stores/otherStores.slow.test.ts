import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { S3 } from "@aws-sdk/client-s3";
import { owner } from "../../../../../scripts/objectStore/objectStore";
import { setEnvironment } from "../../../../environment";
import { failure, World } from "../../../life";
import type { Fate } from "../faultyProxy";
import { FaultyProxy, operationOf } from "../faultyProxy";
import { addLargeRows } from "../s3World";
import { storeEnvironment } from "../storeKinds";
import { abortOverObject, acceptedBy } from "./conditions";
import { newFolder, otherStores, removeFolder } from "./otherStores";
import type { RunningStore } from "./runningStore";

const bucket = "rows-bucket";
const all = { taskId: "task-1", scope: "all", onDelete: "removeFile" };

for (const { title, isPossible, start, accepts, afterRemoval } of otherStores) {
  if (!isPossible) {
    console.error(`${title} cannot be installed here.`);
    continue;
  }
  describe(`DataExport to ${title}`, function () {
    this.timeout(900_000);
    let folder: string;
    let store: RunningStore;
    let proxy: FaultyProxy;
    let direct: S3;
    let world: World;
    let restore = (): void => undefined;
    before(async () => {
      folder = newFolder();
      store = await start(folder);
      proxy = await FaultyProxy.start(store.port);
      restore = setEnvironment(storeEnvironment(proxy.endpoint, owner, folder));
      const endpoint = `http://127.0.0.1:${store.port}`;
      direct = new S3({ endpoint, region: "us-east-1", credentials: owner, forcePathStyle: true });
      await direct.createBucket({ Bucket: bucket });
    });
    after(async () => {
      restore();
      direct?.destroy();
      await proxy?.stop();
      await store?.stop();
      removeFolder(folder);
    });
    beforeEach(async () => {
      proxy.reset();
      world = await World.create({ config: { s3ForcePathStyle: "true" } });
      world.emulator.change.insertRows("task-1", ['{"id":1}']);
    });
    afterEach(() => world.remove());

    const content = async (key: string): Promise<string | undefined> => {
      const { Body } = await direct.getObject({ Bucket: bucket, Key: key });
      return Body?.transformToString();
    };

    const removesByAbort = accepts.includes(abortOverObject);
    for (const [size, operation] of [
      ["small", "ListObjectsV2"],
      ["large", "UploadPart"],
    ] as const) {
      it(`writes, replaces and removes a ${size} object`, async () => {
        if (size === "large") {
          addLargeRows(world);
        }
        const each = world.declare("DataExport");
        const args = { ...all, path: `s3://${bucket}/life/${size}.ndjson` };
        await each.up(args);
        world.emulator.change.insertRows("task-1", ['{"more":1}']);
        await each.up({ ...args, triggers: [1] });
        const written = await content(`life/${size}.ndjson`);
        assert.match(written ?? "", /^\{"id":1\}\n(.*\n)*\{"more":1\}\n$/);
        assert.equal(
          createHash("sha256")
            .update(written ?? "")
            .digest("hex"),
          each.state.sha256,
        );
        await each.destroy();
        await assert.rejects(direct.headObject({ Bucket: bucket, Key: `life/${size}.ndjson` }), { name: "NotFound" });
        assert.deepEqual(world.warnings, []);
      });

      if (size === "large" && removesByAbort) {
        continue;
      }
      it(`keeps an object that somebody else writes during ${operation} of a ${size} one`, async () => {
        if (size === "large") {
          addLargeRows(world);
        }
        const Key = `theirs/${size}.ndjson`;
        let isWritten = false;
        proxy.fate = async (request): Promise<Fate> => {
          if (operationOf(request) === operation && !isWritten) {
            isWritten = true;
            await direct.putObject({ Bucket: bucket, Key, Body: "theirs" });
          }
          return "pass";
        };
        assert.match(
          await failure(world.declare("DataExport").up({ ...all, path: `s3://${bucket}/${Key}` })),
          /exists/,
        );
        assert.equal(await content(Key), "theirs");
      });
    }

    if (!removesByAbort) {
      it("two exports that overlap mark only rows that are in an object", async () => {
        const other = await World.create({ config: { s3ForcePathStyle: "true" } });
        try {
          addLargeRows(world);
          addLargeRows(other);
          const args = { ...all, path: `s3://${bucket}/marked/{n}.ndjson`, markExported: true };
          const second = other.declare("DataExport");
          let hasBegun = false;
          proxy.fate = async (request): Promise<Fate> => {
            if (operationOf(request) === "UploadPart" && !hasBegun) {
              hasBegun = true;
              await second.up(args);
            }
            return "pass";
          };
          const first = world.declare("DataExport");
          await first.up(args);
          assert.deepEqual([first.state.marked, second.state.marked], [true, true]);
          const { Contents = [] } = await direct.listObjectsV2({ Bucket: bucket, Prefix: "marked/" });
          const files = Contents.map(({ Key }) => `s3://${bucket}/${Key}`);
          assert.deepEqual(files, [second.state.file, first.state.file]);
        } finally {
          await other.remove();
        }
      });
    }

    it("refuses what the page about S3 says", async () => {
      assert.deepEqual(await acceptedBy(direct, bucket), accepts);
    });

    if (afterRemoval !== "has no versions") {
      it("writes an object again that was removed from a bucket with versions, or says that the store refuses it", async () => {
        await direct.createBucket({ Bucket: "with-versions" });
        const VersioningConfiguration = { Status: "Enabled" } as const;
        await direct.putBucketVersioning({ Bucket: "with-versions", VersioningConfiguration });
        const each = world.declare("DataExport");
        const args = { ...all, path: "s3://with-versions/rows.ndjson" };
        await each.up(args);
        await each.destroy();
        const again = each.up(args);
        if (afterRemoval === "writes") {
          await again;
        } else {
          assert.match(
            await failure(again),
            /^The store refused to write .* because of If-None-Match, although there is no/,
          );
        }
        assert.deepEqual(world.warnings, []);
      });
    }
  });
}
