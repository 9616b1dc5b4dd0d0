import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { failure, World } from "./life";

/** Each is changed by what JSON.parse and JSON.stringify would make of it. */
const rows = [
  '{"id":12345678901234567890,"price":1.10,"b":1,"a":2}',
  '{"title":"Grün ☃ \u2028 \\u2028","1":"x","empty":"","none":null}',
  '{"tags":["a, b",{"n":1.0}],"title":"\\"quoted\\"\\nline","on":true}',
];
const sha256Of = (content: string): string => createHash("sha256").update(content).digest("hex");

describe("DataExport", () => {
  let world: World;
  beforeEach(async () => {
    world = await World.create();
  });
  afterEach(() => world.remove());

  const all = { taskId: "task-1", scope: "all", path: "out/rows.ndjson" };
  const files = (folder = "out"): string[] => readdirSync(world.path(folder)).sort();

  describe("writes", () => {
    it("rows byte for byte as they were sent, and says what the file is", async () => {
      world.emulator.change.insertRows("task-1", rows);
      const each = world.declare("DataExport");
      await each.up(all);
      const content = rows.map((row) => `${row}\n`).join("");
      assert.equal(world.content("out/rows.ndjson"), content);
      const { rowCount, file, bytes, sha256, complete, marked } = each.state;
      assert.deepEqual(
        { rowCount, file, bytes, sha256, complete, marked },
        {
          rowCount: 3,
          file: "out/rows.ndjson",
          bytes: Buffer.byteLength(content),
          sha256: sha256Of(content),
          complete: true,
          marked: false,
        },
      );
      assert.deepEqual(files(), ["rows.ndjson"]);
    });

    it("the same bytes as one JSON array", async () => {
      world.emulator.change.insertRows("task-1", rows);
      const each = world.declare("DataExport");
      await each.up({ ...all, path: "out/rows.json", format: "json" });
      const content = `[\n${rows.join(",\n")}\n]\n`;
      assert.equal(world.content("out/rows.json"), content);
      assert.deepEqual([each.state.sha256, each.state.bytes], [sha256Of(content), Buffer.byteLength(content)]);
      assert.equal(JSON.parse(content).length, 3);
      assert.deepEqual(files(), ["rows.json"]);
    });

    it("a CSV of all fields of all rows, each number with the digits it was sent with", async () => {
      world.emulator.change.insertRows("task-1", rows);
      const each = world.declare("DataExport");
      await each.up({ ...all, path: "out/rows.csv", format: "csv" });
      const content = world.content("out/rows.csv");
      assert.equal(
        content,
        [
          "id,price,b,a,1,title,empty,none,tags,on",
          "12345678901234567890,1.10,1,2,,,,,,",
          ",,,,x,Grün ☃ \u2028 \u2028,,,,",
          ',,,,,"""quoted""\nline",,,"[""a, b"",{""n"":1.0}]",true',
          "",
        ].join("\n"),
      );
      assert.deepEqual([each.state.rowCount, each.state.sha256], [3, sha256Of(content)]);
    });

    it("an empty file in each format where there is no row", async () => {
      for (const [format, content] of [
        ["ndjson", ""],
        ["json", "[]\n"],
        ["csv", ""],
      ] as const) {
        const path = `out/rows.${format}`;
        const each = world.declare("DataExport");
        await each.up({ ...all, path, format });
        assert.equal(world.content(path), content);
        assert.deepEqual([each.state.rowCount, each.state.complete], [0, true]);
      }
    });

    it("only the rows of its batch, under a name that holds it", async () => {
      const first = world.emulator.change.insertRows("task-1", ['{"n":1}']);
      await world.finishedRun();
      const each = world.declare("DataExport");
      await each.up({ taskId: "task-1", scope: "batch", lotNo: first, path: "out/rows-{lotNo}.ndjson" });
      assert.equal(each.state.file, `out/rows-${first}.ndjson`);
      assert.equal(world.content(`out/rows-${first}.ndjson`), '{"n":1}\n');
    });

    it("all pages, and fewer with maxRows", async () => {
      world.configure({ pageSize: "10" });
      await world.finishedRun();
      const each = world.declare("DataExport");
      await each.up(all);
      assert.deepEqual([each.state.rowCount, each.state.complete], [25, true]);
      await each.up({ ...all, maxRows: 12 });
      assert.deepEqual([each.state.rowCount, each.state.complete], [12, false]);
      assert.equal(world.content("out/rows.ndjson").split("\n").length, 13);
      assert.deepEqual(world.warnings, []);
    });

    it("a warning where it was not given all that the service says there is, also with maxRows", async () => {
      world.emulator.setBehaviour({ notExported: "untilMarked" });
      world.configure({ pageSize: "10" });
      await world.finishedRun();
      for (const maxRows of [undefined, 100]) {
        const each = world.declare("DataExport");
        await each.up({ taskId: "task-1", scope: "notExported", path: "out/{n}.ndjson", maxRows });
        assert.deepEqual([each.state.rowCount, each.state.complete], [10, false]);
      }
      assert.equal(world.warnings.length, 2);
      assert.match(world.warnings[1] ?? "", /has more rows than the 10 it handed out/);
    });
  });

  describe("names files so that none is lost:", () => {
    beforeEach(() => {
      world.emulator.change.insertRows("task-1", rows);
    });

    it("{n} is the next free number, {time} is UTC", async () => {
      const each = world.declare("DataExport");
      await each.up({ ...all, path: "out/rows-{n}.ndjson" });
      await each.up({ ...all, path: "out/rows-{n}.ndjson", triggers: [2] });
      assert.deepEqual(files(), ["rows-1.ndjson", "rows-2.ndjson"]);
      assert.equal(each.state.file, "out/rows-2.ndjson");
      await each.up({ ...all, path: "times/{time}" });
      assert.match(files("times").join(), /^\d{8}T\d{6}Z$/);
    });

    it("a file that it did not write is not overwritten", async () => {
      world.write("mine.ndjson", "mine");
      const each = world.declare("DataExport");
      const args = { ...all, path: "mine.ndjson" };
      assert.match(await failure(each.up(args)), /not one that this export wrote, so it was not overwritten/);
      assert.equal(each.id, undefined);
      rmSync(world.path("mine.ndjson"));
      await each.up(args);
      world.write("mine.ndjson", "edited");
      assert.match(await failure(each.up({ ...args, triggers: [1] })), /was not overwritten/);
      assert.equal(world.content("mine.ndjson"), "edited");
    });

    it("its own file is replaced when it exports again, and not touched by an option", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      world.emulator.change.insertRows("task-1", ['{"more":1}']);
      world.operations();
      assert.equal(await each.up({ ...all, onDelete: "remove" }), "updated");
      assert.deepEqual([world.operations(), each.state.rowCount], [[], 3]);
      assert.equal(await each.up({ ...all, triggers: ["again"] }), "updated");
      assert.deepEqual([each.state.rowCount, world.content("out/rows.ndjson").split("\n").length], [4, 5]);
    });

    it("a read that breaks off leaves the file of before, and no part of a new one", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      world.emulator.fault({ operation: "getData", kind: "reset" });
      await failure(each.up({ ...all, format: "json" }));
      assert.deepEqual(files(), ["rows.ndjson"]);
      assert.equal(await each.up(all), "nothing");
    });

    it("a format that cannot be written leaves nothing behind", async () => {
      world.emulator.change.insertRows("task-1", ['{"a":1,"a":2}']);
      const each = world.declare("DataExport");
      const message = await failure(each.up({ ...all, path: "out/rows.csv", format: "csv" }));
      assert.match(message, /^Row 4 cannot be written as CSV: Duplicate key 'a'.*Choose format "ndjson" or "json"/);
      assert.deepEqual([each.id, files()], [undefined, []]);
      await each.up(all);
      assert.ok(world.content("out/rows.ndjson").endsWith('{"a":1,"a":2}\n'));
    });
  });

  describe("reads and deletes:", () => {
    beforeEach(() => {
      world.emulator.change.insertRows("task-1", rows);
    });

    it("a missing file is no drift, it may be on another machine", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      rmSync(world.path("out/rows.ndjson"));
      assert.equal(await each.refresh(), true);
      assert.equal(await each.up(all), "nothing");
      await each.destroy();
    });

    it("with verifyFile it is exported again, unless it came back", async () => {
      const each = world.declare("DataExport");
      const args = { ...all, verifyFile: true };
      await each.up(args);
      const content = world.content("out/rows.ndjson");
      rmSync(world.path("out/rows.ndjson"));
      await each.refresh();
      world.write("out/rows.ndjson", content);
      await each.refresh();
      assert.equal(await each.up(args), "nothing");
      rmSync(world.path("out/rows.ndjson"));
      await each.refresh();
      assert.equal(await each.up(args), "updated");
      assert.equal(world.content("out/rows.ndjson"), content);
      world.write("out/rows.ndjson", "edited");
      await each.refresh();
      assert.match(await failure(each.up(args)), /was not overwritten/);
    });

    it("the file stays, or goes if asked and if it is still the one that was written", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      await each.destroy();
      assert.ok(existsSync(world.path("out/rows.ndjson")));
      const removing = world.declare("DataExport");
      await removing.up({ ...all, path: "out/{n}", onDelete: "remove" });
      await removing.destroy();
      assert.deepEqual(files(), ["rows.ndjson"]);
      const edited = world.declare("DataExport");
      await edited.up({ ...all, path: "out/edited", onDelete: "remove" });
      world.write("out/edited", "edited");
      await edited.destroy();
      assert.equal(world.content("out/edited"), "edited");
      assert.match(world.warnings.join(), /"out\/edited" was changed since it was exported, so it stays/);
    });
  });

  describe("marks under scope task", () => {
    const marking = { taskId: "task-1", scope: "notExported", path: "out/{n}.ndjson", markExported: true };
    const marked = (): number => world.emulator.inspect.exportedCount("task-1");

    it("what it wrote, and nothing where nothing was read", async () => {
      await world.finishedRun();
      for (const scope of ["notExported", "all"]) {
        const each = world.declare("DataExport");
        await each.up({ ...marking, scope });
        assert.deepEqual([each.state.marked, marked()], [true, 25]);
      }
      world.operations();
      const none = world.declare("DataExport");
      await none.up(marking);
      assert.deepEqual([none.state.rowCount, none.state.marked], [0, true]);
      assert.equal(world.sent("markExported").length, 0);
    });

    it("the rows of a batch, where these are all that is not exported", async () => {
      const lotNo = await world.finishedRun();
      const args = { ...marking, scope: "batch", lotNo, path: "out/{lotNo}.ndjson" };
      const each = world.declare("DataExport");
      await each.up(args);
      assert.deepEqual([each.state.marked, marked()], [true, 25]);

      const next = await world.finishedRun();
      world.emulator.change.insertRows("task-1", ['{"late":1}'], lotNo);
      const second = world.declare("DataExport");
      const message = await failure(second.up({ ...args, lotNo: next }));
      assert.match(message, /not marked as exported: it has rows of other batches that are not exported/);
      assert.match(message, /The 25 rows are in "out\/\d+.ndjson"/);
      assert.deepEqual([marked(), second.state.pending, second.state.marked], [25, ["mark"], false]);
      assert.ok(existsSync(world.path(String(second.state.file))));
    });

    it("no row of another batch that is alike to the letter", async () => {
      world.emulator.change.insertRows("task-1", ['{"a":1}', '{"b":1}']);
      const lotNo = await world.finishedRun();
      world.emulator.change.insertRows("task-1", ['{"a":1}'], lotNo);
      const args = { ...marking, scope: "batch", lotNo, path: "out/{lotNo}.ndjson" };
      assert.match(await failure(world.declare("DataExport").up(args)), /rows of other batches/);
      assert.equal(marked(), 0);
    });

    it("nothing while subtasks are at work, and writes nothing then", async () => {
      await world.finishedRun();
      world.emulator.change.holdRuns();
      world.emulator.change.startRun("task-1");
      assert.match(
        await failure(world.declare("DataExport").up(marking)),
        /3 of its subtasks are still at work.*Nothing was written/,
      );
      assert.equal(existsSync(world.path("out")), false);
    });

    it("nothing where more rows are not exported than one answer holds", async () => {
      world.configure({ pageSize: "25" });
      await world.finishedRun();
      const message = await failure(world.declare("DataExport").up(marking));
      assert.match(message, /one answer held 25 of its 25 rows.*Export with scope: "all"/);
      assert.deepEqual([marked(), files()], [0, []]);
      const each = world.declare("DataExport");
      await each.up({ ...marking, scope: "all" });
      assert.deepEqual([each.state.rowCount, marked()], [25, 25]);
    });

    it("no row that was not read: rows that arrive late, in each scope", async () => {
      for (const scope of ["notExported", "all", "batch"]) {
        for (const rowsArriveLate of [1, 2, 3]) {
          world.emulator.setBehaviour({ rowsArriveLate });
          const lotNo = await world.finishedRun();
          const before = marked();
          const each = world.declare("DataExport");
          const args = { ...marking, scope, ...(scope === "batch" ? { lotNo } : {}) };
          const message = await failure(each.up(args));
          assert.match(message, /not marked as exported/, `${scope} ${rowsArriveLate}`);
          assert.equal(marked(), before);
          world.emulator.setBehaviour({ rowsArriveLate: 0 });
          const last = world.declare("DataExport");
          await last.up({ ...marking, scope: "all" }).catch(() => last.up({ ...marking, scope: "all" }));
          await last.up({ ...marking, scope: "all", triggers: [1] });
          assert.equal(marked(), world.emulator.inspect.visibleCount("task-1"));
        }
      }
    });

    it("nothing where the look after the write fails, and keeps the rows", async () => {
      await world.finishedRun();
      const each = world.declare("DataExport");
      world.emulator.fault({ operation: "getSubtasks", kind: "reset", skip: 2 });
      const message = await failure(each.up(marking));
      assert.match(message, /were not marked as exported.*The 25 rows are in "out\/1.ndjson"/);
      assert.deepEqual([each.id, each.state.pending, marked()], ["out/1.ndjson", ["mark"], 0]);
      await each.refresh();
      assert.equal(await each.up(marking), "updated");
      assert.deepEqual([each.state.file, marked(), files()], ["out/2.ndjson", 25, ["1.ndjson", "2.ndjson"]]);
    });

    it("only once when the answer is lost, and never overwrites the rows", async () => {
      const lotNo = await world.finishedRun();
      const args = { ...marking, scope: "batch", lotNo, path: "out/{lotNo}.ndjson" };
      const each = world.declare("DataExport");
      world.emulator.fault({ operation: "markExported", kind: "reset", when: "after" });
      assert.match(await failure(each.up(args)), /The 25 rows are safe in "out\/\d+.ndjson".*keep this one/);
      assert.equal(world.sent("markExported").length, 1);
      const content = world.content(String(each.state.file));
      assert.match(await failure(each.up(args)), /was not overwritten/);
      assert.equal(await each.up({ ...args, path: "out/{lotNo}-{n}.ndjson" }), "updated");
      assert.equal(world.content(`out/${lotNo}.ndjson`), content);
    });

    it("and never overwrites a file of marked rows, whatever changes later", async () => {
      const lotNo = await world.finishedRun();
      const args = { ...marking, scope: "batch", lotNo, path: "out/{lotNo}.ndjson" };
      const each = world.declare("DataExport");
      await each.up(args);
      const content = world.content(`out/${lotNo}.ndjson`);
      await failure(each.up({ ...args, triggers: [1] }));
      await failure(each.up({ ...args, markExported: false }));
      assert.equal(world.content(`out/${lotNo}.ndjson`), content);
    });
  });

  describe("marks under scope returned", () => {
    const marking = { taskId: "task-1", scope: "notExported", path: "out/{n}.ndjson", markExported: true };
    const marked = (): number => world.emulator.inspect.exportedCount("task-1");
    beforeEach(async () => {
      world.configure({ markScope: "returned", pageSize: "10" });
      world.emulator.setBehaviour({ markScope: "returned" });
      await world.finishedRun();
    });

    it("page by page, each when it is written, until nothing is left", async () => {
      const each = world.declare("DataExport");
      world.operations();
      await each.up(marking);
      const pair = ["getNotExportedData", "markExported"];
      assert.deepEqual(world.operations(), [...pair, ...pair, ...pair, "getNotExportedData"]);
      assert.deepEqual([each.state.rowCount, each.state.complete, marked()], [25, true, 25]);
      assert.equal(world.content("out/1.ndjson").split("\n").length, 26);
      assert.deepEqual(files(), ["1.ndjson"]);
    });

    it("no more than maxRows", async () => {
      const each = world.declare("DataExport");
      await each.up({ ...marking, maxRows: 12 });
      assert.deepEqual([each.state.rowCount, each.state.complete, marked()], [12, false, 12]);
    });

    it("in each format", async () => {
      const each = world.declare("DataExport");
      await each.up({ ...marking, format: "json" });
      assert.equal(JSON.parse(world.content("out/1.ndjson")).length, 25);
    });

    it("and keeps every row that may be marked when it breaks off", async () => {
      for (const when of ["before", "after"] as const) {
        const before = marked();
        const each = world.declare("DataExport");
        world.emulator.fault({ operation: "markExported", kind: "reset", when, skip: 1 });
        const message = await failure(each.up({ ...marking, path: `${when}/{n}.ndjson` }));
        assert.match(message, /20 rows were read and 10 of them are marked for certain/);
        const [part = ""] = files(when);
        assert.match(part, /\.part$/);
        assert.ok(message.includes(part));
        assert.equal(world.content(`${when}/${part}`).split("\n").length, 21);
        assert.ok(marked() - before <= 20);
        await world.declare("DataExport").up({ ...marking, path: `${when}/{n}.ndjson` });
        assert.equal(marked(), world.emulator.inspect.visibleCount("task-1"));
        await world.finishedRun();
      }
    });

    it("and stops where the service marks nothing", async () => {
      const each = world.declare("DataExport");
      world.emulator.fault({
        operation: "markExported",
        kind: "status",
        status: 200,
        body: { requestId: "r" },
        times: 9,
      });
      assert.match(await failure(each.up(marking)), /hands out the same rows again after they were marked/);
    });

    it("and warns where rows vanish that it was not given: the service marks all of them", async () => {
      world.emulator.setBehaviour({ markScope: "task" });
      const each = world.declare("DataExport");
      await each.up(marking);
      assert.deepEqual([each.state.rowCount, each.state.complete], [10, false]);
      assert.match(world.warnings.join(), /15 rows are no longer unexported although this export was not given them/);
    });
  });
});
