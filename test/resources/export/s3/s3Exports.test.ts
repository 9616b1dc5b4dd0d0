import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, utimesSync } from "node:fs";
import Module from "node:module";
import { gunzipSync } from "node:zlib";
import sinon from "sinon";
import { owner } from "../../../../scripts/objectStore/objectStore";
import { slowIt } from "../../../environment";
import { limits } from "../../../internals/resources";
import { unknownText } from "../../../program/inProcess";
import type { World } from "../../life";
import { failure } from "../../life";
import type { Fate } from "./faultyProxy";
import { makesObject, operationOf } from "./faultyProxy";
import type { S3World } from "./s3World";
import { addLargeRows, eachOnStore } from "./s3World";
import { cloudKinds, s3Kind } from "./storeKinds";

const rows = ['{"id":12345678901234567890,"price":1.10}', '{"title":"Grün ☃ \\u2028"}'];
const content = rows.map((row) => `${row}\n`).join("");
const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex");

for (const kind of [s3Kind, ...cloudKinds])
  describe(`DataExport to ${kind.title}`, () => {
    // The slow tier has all of them on each store.
    const usual = kind === s3Kind ? it : slowIt;
    const ofS3 = kind === s3Kind ? it : (): void => undefined;
    const at = (key: string): string => `${kind.scheme}://rows-bucket/${key}`;
    let s3: S3World;
    let world: World;
    eachOnStore({ kind }, (...begun) => {
      [s3, world] = begun;
      world.emulator.change.insertRows("task-1", rows);
    });

    const path = at("out/rows.ndjson");
    const all = { taskId: "task-1", scope: "all", path };

    it("writes the rows byte for byte and describes the object in its outputs", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      assert.equal(await s3.text("out/rows.ndjson"), content);
      const { rowCount, file, bytes, sha256, complete } = each.state;
      assert.deepEqual(
        { rowCount, file, bytes, sha256, complete },
        { rowCount: 2, file: path, bytes: Buffer.byteLength(content), sha256: sha256Of(content), complete: true },
      );
      assert.deepEqual([await s3.names(), s3.leftovers(), s3.openUploads()], [["out/rows.ndjson"], [], 0]);
    });

    it("is a problem in the preview if the SDK is missing, and reads no row if it went missing since", async () => {
      const inputs = await world.providers.checked("DataExport", all);
      const modules = Module as unknown as { _resolveFilename(name: string, ...rest: unknown[]): string };
      const resolve = modules._resolveFilename;
      const stub = sinon.stub(modules, "_resolveFilename").callsFake(function (this: unknown, name, ...rest) {
        if (name === kind.sdk) {
          throw new Error("not installed");
        }
        return resolve.call(this, name, ...rest);
      });
      try {
        const needs = `needs the package ${kind.sdk}: run "npm install ${kind.sdk}" in the program's folder`;
        const where = `${needs}, or in the one that webextract:packagesFolder names`;
        assert.deepEqual(await world.providers.problems("DataExport", all), [`path "${path}" ${where}`]);
        const message = await failure(world.providers.provider("DataExport").create(inputs));
        const next = "Then run the same command again. No rows were read.";
        assert.equal(message, `A path that begins with "${kind.scheme}://" ${where}. ${next}`);
      } finally {
        stub.restore();
      }
    });

    usual("writes each format and compression, and an empty object if there is no row", async () => {
      const each = world.declare("DataExport");
      await each.up({ ...all, path: at("rows.csv.gz"), format: "csv", compression: "gzip" });
      const compressed = await s3.raw("rows.csv.gz");
      assert.match(gunzipSync(compressed).toString(), /^id,price,title\r?\n12345678901234567890,1.10,/);
      world.emulator.change.addTask({ taskId: "task-2", taskGroupId: "group-1", actions: [] });
      const none = world.declare("DataExport", "none");
      await none.up({ ...all, taskId: "task-2", path: at("none.ndjson") });
      assert.deepEqual([none.state.bytes, await s3.text("none.ndjson")], [0, ""]);
    });

    ofS3("sends a large file in parts, each with its CRC-32, and signs the SHA-256 of each", async () => {
      addLargeRows(world);
      const each = world.declare("DataExport");
      await each.up(all);
      assert.equal(sha256Of(await s3.text("out/rows.ndjson")), each.state.sha256);
      const parts = s3.proxy.requests.filter((request) => operationOf(request) === "UploadPart");
      assert.ok(parts.every(({ headers }) => /^[\da-f]{64}$/.test(String(headers["x-amz-content-sha256"]))));
      assert.ok(parts.every(({ headers }) => headers["x-amz-checksum-crc32"] !== undefined));
      const sent = s3.proxy.operations().filter((name) => /Part|Complete/.test(name));
      assert.deepEqual(sent, ["UploadPart", "UploadPart", "UploadPart", "CompleteMultipartUpload"]);
      assert.deepEqual([s3.leftovers(), s3.openUploads()], [[], 0]);
    });

    usual("makes no request in a preview, and refuses a path that no object can have", async () => {
      s3.proxy.operations();
      const each = world.declare("DataExport");
      const noObject = new RegExp(`names no object of ${kind.title}`);
      const bad = {
        [`${kind.scheme}://`]: noObject,
        [`${kind.scheme}://rows-bucket`]: noObject,
        [at("")]: noObject,
        [at("out/")]: noObject,
        [`${kind.scheme}://Rows/x`]:
          /invalid (?:bucket|container) name: it must have 3 to \d+ characters, which are lower-case letters/,
        [`${kind.scheme}://rows-{n}/x`]: /invalid (?:bucket|container) name: .* no placeholder/,
        [at("a//b")]: noObject,
        [at("../b")]: noObject,
        [at("{day}")]: /"\{day\}"/,
        [at("x").toUpperCase()]: /names no object of S3, Google Cloud Storage or Azure Blob Storage/,
        "ftp://rows-bucket/x": /names no object of S3, Google Cloud Storage or Azure Blob Storage/,
      };
      for (const [given, reason] of Object.entries(bad)) {
        assert.match(await failure(each.up({ ...all, path: given })), reason);
      }
      assert.deepEqual([s3.proxy.requests, world.operations()], [[], []]);
    });

    ofS3(
      "is named in the preview if its bucket does not exist and its run is still to come, with one look",
      async () => {
        const batch = { taskId: "task-1", scope: "batch", lotNo: unknownText };
        const warningsOf = async (args: object): Promise<string[]> => {
          const { warnings } = world.providers;
          const before = warnings.length;
          assert.deepEqual(await world.providers.problems("DataExport", { ...batch, ...args }), []);
          return warnings.slice(before);
        };
        const [warning = "", ...others] = await warningsOf({ path: "s3://no-such-bucket/{lotNo}.ndjson" });
        assert.match(
          warning,
          /^The bucket "no-such-bucket" does not exist\. The export would fail after the run\. Create /,
        );
        assert.deepEqual(others, []);
        await warningsOf({ path: "s3://no-such-bucket/{lotNo}.csv", format: "csv" });
        assert.deepEqual(s3.proxy.operations(), ["ListObjectsV2"]);
        assert.deepEqual(await warningsOf({ path: at("{lotNo}.ndjson") }), []);
        s3.proxy.operations();
        await warningsOf({ path: "s3://never-asked/rows.ndjson", scope: "all", lotNo: undefined });
        assert.deepEqual(s3.proxy.operations(), []);
        for (const settings of [{ AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1" }, { AWS_SECRET_ACCESS_KEY: "wrong" }]) {
          s3.setEnvironment(owner, settings);
          world.configure({});
          assert.deepEqual(await warningsOf({ path: "s3://no-such-bucket/{lotNo}.ndjson" }), []);
        }
        s3.setEnvironment(owner);
        world.configure({});
        s3.box.stub(limits, "lookMs").value(50);
        s3.proxy.fate = () => "stall";
        assert.deepEqual(await warningsOf({ path: "s3://no-such-bucket/{lotNo}.ndjson" }), []);
      },
    );

    usual("has the content type of its ending, whatever its case", async () => {
      for (const [name, compression, type] of [
        ["a.csv", "none", "text/csv"],
        ["a.CSV", "none", "text/csv"],
        ["b.csv.GZ", "gzip", "application/gzip"],
        ["c.other", "none", "application/octet-stream"],
      ] as const) {
        await world.declare("DataExport", name).up({ ...all, path: at(name), format: "csv", compression });
        assert.equal(await s3.any.typeOf("rows-bucket", name), type, name);
      }
    });

    describe("never overwrites", () => {
      it("an object that somebody else wrote, before the read or during it", async () => {
        await s3.write("out/rows.ndjson", "theirs");
        const each = world.declare("DataExport");
        const message = await failure(each.up(all));
        assert.match(
          message,
          /^The file "\w+:\/\/rows-bucket\/out\/rows\.ndjson" exists\. This export did not write it/,
        );
        assert.deepEqual([await s3.text("out/rows.ndjson"), each.id], ["theirs", undefined]);
        for (const isLarge of [false, true]) {
          await s3.delete("out/rows.ndjson");
          if (isLarge) {
            addLargeRows(world);
          }
          s3.proxy.fate = async (request): Promise<Fate> => {
            if (makesObject(request)) {
              await s3.write("out/rows.ndjson", "theirs");
            }
            return "pass";
          };
          // With other arguments, because the file of an export that failed is sent again.
          assert.match(await failure(each.up({ ...all, triggers: [isLarge] })), /exists/);
          // Azure ends each upload so.
          if (kind.scheme !== "azblob") assert.equal(s3.proxy.count("CompleteMultipartUpload"), isLarge ? 1 : 0);
          assert.deepEqual([await s3.text("out/rows.ndjson"), s3.openUploads()], ["theirs", 0]);
        }
      });

      usual("its own object after somebody has changed it", async () => {
        const each = world.declare("DataExport");
        await each.up(all);
        await s3.write("out/rows.ndjson", content.replace("1.10", "9.99"));
        world.emulator.change.insertRows("task-1", ['{"more":1}']);
        assert.match(await failure(each.up({ ...all, triggers: [1] })), /or it was changed since/);
        assert.match(await s3.text("out/rows.ndjson"), /9\.99/);
      });

      usual("an object with rows by one without, unless checks.minRows is 0", async () => {
        world.emulator.change.addTask({ taskId: "empty-1", taskGroupId: "group-1", actions: [] });
        const each = world.declare("DataExport");
        await each.up(all);
        const none = { ...all, taskId: "empty-1" };
        assert.match(
          await failure(each.up(none)),
          /0 rows would replace the 2 rows of "\w+:\/\/rows-bucket\/out\/rows\.ndjson"/,
        );
        assert.equal(await s3.text("out/rows.ndjson"), content);
        await each.up({ ...none, checks: { minRows: 0 } });
        assert.equal(await s3.text("out/rows.ndjson"), "");
      });

      usual("its own object if it is changed during the read", async () => {
        const each = world.declare("DataExport");
        await each.up(all);
        world.emulator.change.insertRows("task-1", ['{"more":1}']);
        s3.proxy.fate = async (request): Promise<Fate> => {
          if (makesObject(request)) {
            await s3.write("out/rows.ndjson", "theirs");
          }
          return "pass";
        };
        assert.match(await failure(each.up({ ...all, triggers: [1] })), /exists/);
        assert.equal(await s3.text("out/rows.ndjson"), "theirs");
      });
    });

    it("replaces its own object, also if somebody has removed it", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      world.emulator.change.insertRows("task-1", ['{"more":1}']);
      assert.equal(await each.up({ ...all, triggers: [1] }), "updated");
      assert.equal(await s3.text("out/rows.ndjson"), `${content}{"more":1}\n`);
      await s3.delete("out/rows.ndjson");
      assert.equal(await each.up({ ...all, triggers: [2] }), "updated");
      assert.equal(await s3.text("out/rows.ndjson"), `${content}{"more":1}\n`);
    });

    usual(
      "uses an object with exactly its rows, as after a kill before the state was saved, also one without its metadata",
      async () => {
        await world.unsaved(world.declare("DataExport"), () => world.declare("DataExport").up(all));
        s3.proxy.operations();
        const each = world.declare("DataExport");
        await each.up(all);
        assert.ok(!s3.proxy.operations().includes("PutObject"));
        await s3.delete("out/rows.ndjson");
        await s3.write("out/rows.ndjson", content);
        const other = world.declare("DataExport", "other");
        await other.up(all);
        assert.equal(other.state.sha256, sha256Of(content));
        assert.ok(!s3.proxy.operations().includes("PutObject"));
      },
    );

    usual("takes the next free name with {n}, also if it is taken during the read", async () => {
      const each = world.declare("DataExport");
      const counting = { ...all, path: at("out/{n}.ndjson") };
      await s3.write("out/1.ndjson", "theirs");
      await each.up(counting);
      assert.equal(each.state.file, at("out/2.ndjson"));
      s3.proxy.fate = async (request): Promise<Fate> => {
        if (makesObject(request) && request.path.endsWith("/3.ndjson")) {
          await s3.write("out/3.ndjson", "theirs");
        }
        return "pass";
      };
      await each.up({ ...counting, triggers: [1] });
      assert.deepEqual([each.state.file, await s3.text("out/3.ndjson")], [at("out/4.ndjson"), "theirs"]);
    });

    usual("gives all exports of one up different names", async () => {
      await world.command(async () => {
        const exports = ["a", "b", "c"].map((name) => world.declare("DataExport", name));
        await Promise.all(exports.map((each) => each.up({ ...all, path: at("{time}.ndjson") })));
        assert.equal(new Set(exports.map(({ state }) => state.file)).size, 3);
      });
      assert.equal((await s3.names()).length, 3);
    });

    usual("keeps rejected rows in an object of their own", async () => {
      const each = world.declare("DataExport");
      const checks = { minRows: 3 };
      const message = await failure(each.up({ ...all, checks }));
      assert.match(message, /\w+:\/\/rows-bucket\/out\/rows\.rejected\.ndjson/);
      await failure(each.up({ ...all, checks }));
      assert.deepEqual([await s3.names(), s3.leftovers()], [["out/rows.rejected.ndjson"], []]);
    });

    usual("marks rows only after the object is complete, for the whole task", async () => {
      const marking = { ...all, path: at("{n}.ndjson"), markExported: true };
      const seen: string[] = [];
      s3.proxy.fate = (request) => {
        seen.push(`${operationOf(request)} ${world.emulator.inspect.exportedCount("task-1")}`);
        return makesObject(request) ? "error" : "pass";
      };
      const each = world.declare("DataExport");
      await failure(each.up(marking));
      assert.equal(world.emulator.inspect.exportedCount("task-1"), 0);
      s3.proxy.fate = () => "pass";
      await each.up(marking);
      assert.equal(world.emulator.inspect.exportedCount("task-1"), 2);
      assert.ok(seen.every((request) => request.endsWith(" 0")));
    });

    describe("with markScope returned", () => {
      beforeEach(() => {
        world.configure({ markScope: "returned", pageSize: "10" });
        world.emulator.setBehaviour({ markScope: "returned" });
      });
      const marking = {
        taskId: "task-1",
        scope: "notExported",
        path: at("{n}.ndjson"),
        markExported: true,
        maxRows: 10,
      };
      const marked = (): number => world.emulator.inspect.exportedCount("task-1");

      usual("marks the rows of one response after the object is complete", async () => {
        const each = world.declare("DataExport");
        s3.proxy.fate = () => (marked() === 0 ? "pass" : "error");
        await each.up(marking);
        assert.deepEqual([marked(), each.state.marked, each.state.rowCount], [2, true, 2]);
      });

      usual("refuses more rows than one response has", async () => {
        for (const maxRows of [undefined, 11]) {
          assert.match(
            await failure(world.declare("DataExport").up({ ...marking, maxRows })),
            /maxRows must be at most 10/,
          );
        }
        assert.deepEqual(world.operations(), []);
      });

      usual("marks nothing if the upload fails, and the next up reads the rows again", async () => {
        s3.proxy.fate = (request) => (makesObject(request) ? "error" : "pass");
        await failure(world.declare("DataExport").up(marking));
        assert.deepEqual([marked(), s3.leftovers()], [0, []]);
        s3.proxy.fate = () => "pass";
        await world.declare("DataExport").up(marking);
        assert.deepEqual([await s3.text("1.ndjson"), marked(), s3.leftovers()], [content, 2, []]);
      });

      usual("is not taken over after a kill before the mark: the rows of the object may be marked", async () => {
        const each = world.declare("DataExport");
        const saved = await world.killed(each, () => each.up(marking), { operation: "markExported" });
        world.emulator.clearFaults();
        world.operations();
        const message = await failure(saved.up(marking));
        assert.match(
          message,
          /^The 2 rows of task "task-1" were exported to "\w+:\/\/rows-bucket\/1\.ndjson" .*may be marked/,
        );
        assert.deepEqual([saved.state.marked, saved.state.pending], [false, ["mark with an unknown outcome"]]);
        assert.deepEqual([world.operations(), await s3.text("1.ndjson")], [[], content]);
        await saved.up(marking);
        assert.deepEqual([saved.state.file, marked()], [at("2.ndjson"), 2]);
      });

      usual("says whether the rows are marked if the mark fails", async () => {
        for (const when of ["before", "after"] as const) {
          world.emulator.fault({ operation: "markExported", kind: "reset", when });
          const each = world.declare("DataExport");
          const message = await failure(each.up(marking));
          assert.match(message, /The 2 rows are in "\w+:\/\/rows-bucket\/\d\.ndjson"\./);
          assert.equal(each.state.marked, false);
        }
      });
    });

    describe("if the upload fails, the complete file", () => {
      const failingPut = (): void => {
        s3.proxy.fate = (request) => (makesObject(request) ? "error" : "pass");
      };
      const csv = { ...all, path: at("{n}.csv.gz"), format: "csv", compression: "gzip" };
      const reads = (): number => world.sent("getData").length;

      usual("stays in the program's folder for its owner only, and the next up sends it without a read", async () => {
        for (const args of [all, csv]) {
          failingPut();
          const each = world.declare("DataExport");
          const message = await failure(each.up(args));
          const [kept = "", ...others] = s3.leftovers();
          assert.deepEqual(others, []);
          assert.ok(
            message.endsWith(
              ` The complete file is "${kept}". The next up sends it, if the export and its checks are the same.`,
            ),
            message,
          );
          assert.equal(statSync(world.path(kept)).mode & 0o077, 0);
          assert.ok((await failure(each.up(args))).includes(`"${kept}"`));
          s3.proxy.reset();
          const before = reads();
          const written = readFileSync(world.path(kept));
          await each.up(args);
          assert.equal(reads(), before);
          assert.deepEqual([each.state.rowCount, each.state.complete, each.state.marked], [2, true, false]);
          assert.equal(each.state.sha256, createHash("sha256").update(written).digest("hex"));
          assert.deepEqual([await s3.raw(String(each.state.file).slice(at("").length)), s3.leftovers()], [written, []]);
        }
      });

      usual("goes without the journal, and the next up reads the rows again", async () => {
        world.configure({ journal: "off" });
        failingPut();
        const each = world.declare("DataExport");
        assert.doesNotMatch(await failure(each.up(all)), /complete file/);
        assert.deepEqual(s3.leftovers(), []);
        s3.proxy.reset();
        const before = reads();
        await each.up(all);
        assert.deepEqual([each.state.rowCount, reads() > before], [2, true]);
      });

      usual("is removed after a day, and no other file", async () => {
        const others = ["rows.0123abcd.tmp", ".webextract-rows.0123abcd.csv"];
        for (const name of [".webextract-rows.0123abcd.tmp", ...others]) {
          world.write(name, "old");
          utimesSync(world.path(name), 0, 0);
        }
        world.write(".webextract-rows.89abcdef.tmp", "of an export that is running");
        await world.declare("DataExport").up(all);
        assert.deepEqual(s3.leftovers().sort(), [".webextract-rows.0123abcd.csv", ".webextract-rows.89abcdef.tmp"]);
        assert.ok(existsSync(world.path("rows.0123abcd.tmp")));
      });

      usual("is not sent for another export, or if somebody has changed it: the rows are read again", async () => {
        failingPut();
        const each = world.declare("DataExport");
        await failure(each.up(all));
        s3.proxy.reset();
        world.emulator.change.insertRows("task-1", ['{"more":1}']);
        await each.up({ ...all, triggers: [1] });
        assert.equal(await s3.text("out/rows.ndjson"), `${content}{"more":1}\n`);
        failingPut();
        const other = world.declare("DataExport", "other");
        const named = /complete file is "([^"]*)"/.exec(await failure(other.up({ ...all, path: at("2") })));
        world.write(named?.[1] ?? "", "changed");
        s3.proxy.reset();
        await other.up({ ...all, path: at("2") });
        assert.equal(await s3.text("2"), `${content}{"more":1}\n`);
      });

      usual("is not sent under other checks than those that its rows have passed", async () => {
        const checks = (minRows: number) => ({ minRows, onFail: "fail" });
        const each = world.declare("DataExport");
        world.emulator.change.insertRows("task-1", Array(8).fill(rows[0]));
        await each.up({ ...all, checks: checks(2) });
        const good = await s3.text("out/rows.ndjson");
        world.emulator.change.deleteTask("task-1");
        world.emulator.change.addTask({ taskId: "task-1", taskGroupId: "group-1", actions: [], syntheticRows: 0 });
        world.emulator.change.insertRows("task-1", ['{"only":1}']);
        failingPut();
        await failure(each.up({ ...all, checks: checks(1), triggers: [1] }));
        s3.proxy.reset();
        const message = await failure(each.up({ ...all, checks: checks(10), triggers: [1] }));
        assert.match(message, /checks\.minRows: there are 1 rows; at least 10 are required/);
        assert.equal(await s3.text("out/rows.ndjson"), good);
      });

      usual("is sent with what its checks have found, and without a warning", async () => {
        const args = { ...all, checks: { minRows: 2, fields: { id: { filled: 0.5 } }, onFail: "warn" } };
        failingPut();
        const each = world.declare("DataExport");
        await failure(each.up(args));
        s3.proxy.reset();
        const before = reads();
        world.warnings.length = 0;
        await each.up(args);
        assert.deepEqual([reads(), world.warnings], [before, []]);
        assert.deepEqual(each.state.checked, { rows: 2, failed: [], fields: { id: { filled: 0.5, empty: 1 } } });
      });

      usual("does not stay if its rows did not pass, and the next up warns again", async () => {
        const args = { ...all, checks: { minRows: 3, onFail: "warn" } };
        failingPut();
        const each = world.declare("DataExport");
        await failure(each.up(args));
        assert.deepEqual(s3.leftovers(), []);
        s3.proxy.reset();
        await each.up(args);
        assert.match(world.warnings.join(), /checks\.minRows: there are 2 rows/);
        assert.deepEqual((each.state.checked as { failed: string[] }).failed, ["minRows"]);
      });

      usual("replaces the object of the last export, and no other", async () => {
        const each = world.declare("DataExport");
        await each.up(all);
        world.emulator.change.insertRows("task-1", ['{"more":1}']);
        failingPut();
        await failure(each.up({ ...all, triggers: [1] }));
        assert.equal(await s3.text("out/rows.ndjson"), content);
        s3.proxy.reset();
        await each.up({ ...all, triggers: [1] });
        assert.equal(await s3.text("out/rows.ndjson"), `${content}{"more":1}\n`);
        failingPut();
        await failure(each.up({ ...all, triggers: [2] }));
        s3.proxy.reset();
        await s3.write("out/rows.ndjson", "theirs");
        assert.match(await failure(each.up({ ...all, triggers: [2] })), /exists\. This export did not write it/);
        assert.equal(await s3.text("out/rows.ndjson"), "theirs");
      });
    });

    describe("after the export", () => {
      it("verifyFile finds a missing or changed object without reading it", async () => {
        const each = world.declare("DataExport");
        await each.up({ ...all, verifyFile: true });
        s3.proxy.operations();
        await each.refresh();
        assert.deepEqual([each.state.pending, s3.proxy.operations()], [undefined, ["HeadObject"]]);
        await s3.write("out/rows.ndjson", "theirs");
        await each.refresh();
        assert.deepEqual(each.state.pending, ["file changed"]);
        await s3.delete("out/rows.ndjson");
        await each.refresh();
        assert.deepEqual(each.state.pending, ["file missing"]);
        assert.equal(await each.up({ ...all, verifyFile: true }), "updated");
        assert.equal(await s3.text("out/rows.ndjson"), content);
      });

      ofS3("a store that shows no ETag is asked for the content", async () => {
        s3.proxy.header = (name, value) => (name === "etag" ? undefined : value);
        const each = world.declare("DataExport");
        await each.up({ ...all, verifyFile: true });
        await each.refresh();
        assert.deepEqual(each.state.pending, undefined);
        await s3.write("out/rows.ndjson", content.replace("Grün", "Grau "));
        await each.refresh();
        assert.deepEqual(each.state.pending, ["file changed"]);
      });

      usual("a refresh without verifyFile makes no request", async () => {
        const each = world.declare("DataExport");
        await each.up(all);
        s3.proxy.operations();
        await each.refresh();
        assert.deepEqual(s3.proxy.operations(), []);
      });

      it("a delete keeps the object, or removes it with onDelete removeFile if it is what was written", async () => {
        const kept = world.declare("DataExport", "kept");
        await kept.up(all);
        await kept.destroy();
        assert.deepEqual(await s3.names(), ["out/rows.ndjson"]);
        const removed = world.declare("DataExport", "removed");
        const removing = { ...all, path: at("removed.ndjson"), onDelete: "removeFile" };
        await removed.up(removing);
        await removed.destroy();
        assert.deepEqual(await s3.names(), ["out/rows.ndjson"]);
        const changed = world.declare("DataExport", "changed");
        await changed.up(removing);
        await s3.write("removed.ndjson", "theirs");
        await changed.destroy();
        assert.equal(await s3.text("removed.ndjson"), "theirs");
        assert.match(world.warnings.join(), /"\w+:\/\/rows-bucket\/removed\.ndjson" has changed/);
      });
    });
  });
