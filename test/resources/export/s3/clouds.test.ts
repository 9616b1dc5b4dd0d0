import assert from "node:assert/strict";
import { azuriteKey } from "../../../../scripts/objectStore/cloudServers";
import { setEnvironment, slowIt } from "../../../environment";
import { fileIdentity } from "../../../internals/resources";
import { unknownText } from "../../../program/inProcess";
import type { World } from "../../life";
import { failure } from "../../life";
import type { Fate } from "./faultyProxy";
import { makesObject, operationOf } from "./faultyProxy";
import type { S3World } from "./s3World";
import { addLargeRows, eachOnStore } from "./s3World";
import { cloudKinds } from "./storeKinds";

for (const kind of cloudKinds) {
  const isGcs = kind.scheme === "gs";

  describe(`DataExport to ${kind.title} with faults`, () => {
    let s3: S3World;
    let world: World;
    eachOnStore({ kind }, (...begun) => {
      [s3, world] = begun;
      world.emulator.change.insertRows("task-1", ['{"id":1}', '{"id":2}']);
      world.operations();
    });
    const path = `${kind.scheme}://rows-bucket/out/{n}.ndjson`;
    const all = { taskId: "task-1", scope: "all", path };
    const failed = (args: object = {}): Promise<string> => failure(world.declare("DataExport").up({ ...all, ...args }));
    const refusal = (status: number, code: string): Fate => ({
      status,
      body: isGcs
        ? JSON.stringify({ error: { code: status, message: `No, ${code}.` } })
        : `<Error><Code>${code}</Code><Message>No, ${azuriteKey}.</Message></Error>`,
    });

    it("says what to allow, to correct or to make, reads no row and shows no key", async () => {
      const rights = isGcs
        ? /do not allow it .*Allow storage\.objects\.create, .*get, .*list, .*delete on the bucket "rows-bucket", as the role Storage Object User does/
        : /do not allow it .*Give the role Storage Blob Data Contributor on the container "rows-bucket", or a shared access signature with the permissions rcwdl/;
      const cases = [
        [refusal(403, "AuthorizationPermissionMismatch"), rights],
        [refusal(isGcs ? 401 : 403, "AuthenticationFailed"), /does not accept the credentials .*(?:Log in|log in)/],
        [refusal(404, "ContainerNotFound"), /the (?:bucket|container) does not exist .*Create the/],
      ] as const;
      for (const [fate, reason] of cases) {
        s3.proxy.fate = () => fate;
        const message = await failed();
        assert.match(message, reason);
        assert.match(message, /^(?:objects\.list|List Blobs) of .* No rows were read\.$/);
        assert.ok(!message.includes(azuriteKey), message);
      }
      assert.deepEqual(world.operations(), []);
    });

    it("says which credentials it needs, if there are none", async () => {
      if (!isGcs) return;
      const restore = setEnvironment({
        STORAGE_EMULATOR_HOST: undefined,
        GOOGLE_APPLICATION_CREDENTIALS: world.path("missing.json"),
      });
      world.configure({});
      assert.match(await failed(), /^objects\.list of .* no usable Google credentials were found .*missing\.json/);
      restore();
    });

    it("is named in the preview if its bucket does not exist", async () => {
      const args = {
        taskId: "task-1",
        scope: "batch",
        lotNo: unknownText,
        path: `${kind.scheme}://no-such/{lotNo}.csv`,
      };
      assert.deepEqual(await world.providers.problems("DataExport", { ...args, format: "csv" }), []);
      assert.match(
        world.providers.warnings.join(),
        /^The (?:bucket|container) "no-such" does not exist\. The export would/,
      );
    });

    for (const [operation, fate] of [
      ["whole", "lost"],
      ["whole", "error"],
      ["UploadPart", "cut"],
      ["CompleteMultipartUpload", "lost"],
      ["CompleteMultipartUpload", "error"],
    ] as const) {
      const test = fate === "lost" ? it : slowIt;
      test(`repeats ${operation} ${fate}: one object, and no second one of another name`, async () => {
        const isWhole = operation === "whole";
        if (!isWhole) addLargeRows(world);
        let left = 1;
        s3.proxy.fate = (request) =>
          (isWhole ? makesObject(request) : operationOf(request) === operation) && left-- > 0 ? fate : "pass";
        const each = world.declare("DataExport");
        await each.up(all);
        assert.deepEqual([await s3.names(), s3.leftovers()], [["out/1.ndjson"], []]);
        assert.equal((await s3.raw("out/1.ndjson")).length, each.state.bytes);
      });
    }

    it("is sent in parts, and leaves no object if it is interrupted or if another content arrives", async () => {
      addLargeRows(world);
      const each = world.declare("DataExport");
      await each.up(all);
      assert.deepEqual([s3.proxy.count("UploadPart"), s3.proxy.count("CompleteMultipartUpload")], [isGcs ? 2 : 3, 1]);
      assert.equal((await s3.raw("out/1.ndjson")).length, each.state.bytes);
      // fake-gcs-server forgets the checksum of an upload in parts.
      s3.proxy.fate = (request) => (makesObject(request) || operationOf(request) === "UploadPart" ? "damaged" : "pass");
      assert.match(await failed({ ...(isGcs && { maxRows: 2 }) }), /^(?:objects\.insert|Put Block) of /);
      s3.proxy.fate = (request): Fate => {
        if (operationOf(request) !== "UploadPart") return "pass";
        world.providers.interruption.abort();
        return "stall";
      };
      assert.match(await failed({ triggers: [2] }), /^(?:objects\.insert|Put Block) of .* it was interrupted/);
      assert.equal(s3.proxy.count("AbortMultipartUpload"), isGcs ? 1 : 0);
      assert.deepEqual(await s3.names(), ["out/1.ndjson"]);
    });
  });
}

describe("the address of a container of Azure", () => {
  let world: World;
  eachOnStore({}, (_, begun) => {
    world = begun;
  });

  it("needs an account, and takes the options of Pulumi's backend", async () => {
    const restore = setEnvironment({ AZURE_STORAGE_ACCOUNT: undefined, AZURE_STORAGE_CONNECTION_STRING: undefined });
    const problemOf = async (path: string): Promise<string> =>
      (await world.providers.problems("DataExport", { taskId: "task-1", scope: "all", path })).join();
    const wrong = {
      "azblob://rows/a.ndjson":
        /^path names no storage account: add \?storage_account=NAME, or set AZURE_STORAGE_ACCOUNT$/,
      "azblob://rows/a.ndjson?account=team":
        /^path has the unknown option "account": known are storage_account, domain/,
      "azblob://rows/a.ndjson?storage_account={n}": /^path has a value of "storage_account" that is not possible$/,
      "azblob://ro--ws/a.ndjson?storage_account=team": /^path has an invalid container name/,
      "azblob://rows/../a.ndjson?storage_account=team": /^path names no object of Azure Blob Storage/,
      "azblob://rows/a.ndjson.gz?storage_account=team": /^path must not end in "\.gz" with format "ndjson"/,
    };
    for (const [path, reason] of Object.entries(wrong)) assert.match((await problemOf(path)) || path, reason, path);
    assert.equal(await problemOf("azblob://rows/a.ndjson?storage_account=team&domain=blob.core.chinacloudapi.cn"), "");
    restore();
  });

  it("is one, however its account is named", () => {
    const restore = setEnvironment({ AZURE_STORAGE_ACCOUNT: "team1" });
    const [one, other] = ["azblob://rows/a?storage_account=team1", "azblob://rows/a?storage_account=team2"];
    assert.equal(fileIdentity(".", one), fileIdentity(".", "azblob://rows/a"));
    assert.notEqual(fileIdentity(".", other), fileIdentity(".", one));
    restore();
  });
});
