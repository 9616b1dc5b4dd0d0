import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import fsPromises from "node:fs/promises";
import sinon from "sinon";
import { KillableProcess } from "../killing";
import { failure, World } from "../life";

/** Something that happens elsewhere, just before the n-th request to a path. */
function justBefore(path: string, nth: number, happens: () => void): KillableProcess {
  let seen = 0;
  return new KillableProcess({
    onRequest(asked) {
      if (asked === path && ++seen === nth) {
        happens();
      }
      return "answered";
    },
  });
}

describe("DataExport", () => {
  let world: World;
  beforeEach(async () => {
    world = await World.create();
  });
  afterEach(() => world.remove());

  const files = (folder = "out"): string[] => readdirSync(world.path(folder)).sort();

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

    it("nothing after an answer to the read was lost: a service may hand out each row only once", async () => {
      world.configure({ maxRetries: "1" });
      await world.finishedRun();
      world.emulator.fault({ operation: "getNotExportedData", kind: "reset", when: "after" });
      const message = await failure(world.declare("DataExport").up(marking));
      assert.match(message, /an answer to the read was lost on the way.*Nothing was written/s);
      assert.equal(marked(), 0);
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
      assert.match(
        message,
        /it has 1 rows of other batches that are not exported.*25 rows are in.*export with scope: "all"/,
      );
      assert.deepEqual([marked(), second.state.pending, second.state.marked], [25, ["mark"], false]);
      assert.ok(existsSync(world.path(String(second.state.file))));
    });

    it("no row of another batch that is alike to the letter", async () => {
      world.emulator.change.insertRows("task-1", ['{"a":1}']);
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
      assert.match(message, /one answer held 25 of its 25 rows.*export with scope: "all"/);
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
      assert.deepEqual([each.state.file, marked(), files()], ["out/1.ndjson", 25, ["1.ndjson"]]);
    });

    it("nothing as long as it is refused, and uses its one file again, for the rows that are marked in the end too", async () => {
      for (const scope of ["batch", "all", "notExported"]) {
        const lotNo = await world.finishedRun();
        const args = { ...marking, scope, path: `${scope}/{n}.ndjson`, ...(scope === "batch" ? { lotNo } : {}) };
        const each = world.declare("DataExport");
        for (const attempt of [1, 2, 3]) {
          world.emulator.fault({ operation: "markExported", kind: "error", code: "PermissionDenied" });
          await failure(each.up({ ...args, triggers: [attempt] }));
          assert.deepEqual(
            [each.state.pending, each.state.file, files(scope)],
            [["mark"], `${scope}/1.ndjson`, ["1.ndjson"]],
          );
          await each.refresh();
        }
        assert.equal(await each.up({ ...args, triggers: [3] }), "updated");
        assert.deepEqual([each.state.marked, each.state.pending, files(scope)], [true, undefined, ["1.ndjson"]]);
        await each.up({ ...args, triggers: ["more"] });
        assert.deepEqual(files(scope), ["1.ndjson", "2.ndjson"]);
      }
    });

    it("nothing of a batch beside rows of others, sees so before it writes, and leaves one file however often it is tried", async () => {
      world.configure({ pageSize: "30" });
      world.emulator.change.insertRows("task-1", ['{"other":1}']);
      const lotNo = await world.finishedRun();
      const each = world.declare("DataExport");
      const batch = { ...marking, scope: "batch", lotNo };
      for (const attempt of [1, 2]) {
        await failure(each.up({ ...batch, triggers: [attempt] }));
        assert.deepEqual([each.state.pending, marked(), files()], [["mark"], 0, ["1.ndjson"]]);
      }
      world.emulator.change.insertRows(
        "task-1",
        Array.from({ length: 10 }, (_, n) => `{"other":${n}}`),
      );
      world.operations();
      assert.match(await failure(each.up({ ...batch, triggers: [3] })), /export with scope: "all"/);
      assert.deepEqual(world.operations().includes("getBatchData"), false);
      assert.equal(await each.up({ ...marking, scope: "all" }), "updated");
      assert.deepEqual([each.state.rowCount, marked(), files()], [36, 36, ["1.ndjson"]]);
    });

    it("rows that may have been handed out only once stay in their file, where others come at the next attempt", async () => {
      await world.finishedRun();
      const each = world.declare("DataExport");
      world.emulator.fault({ operation: "markExported", kind: "error", code: "PermissionDenied" });
      await failure(each.up(marking));
      const content = world.content("out/1.ndjson");
      world.emulator.change.insertRows("task-1", ['{"more":1}']);
      await each.up(marking);
      assert.deepEqual([each.state.file, each.state.rowCount, files()], ["out/2.ndjson", 26, ["1.ndjson", "2.ndjson"]]);
      assert.equal(world.content("out/1.ndjson"), content);
    });

    it("and replaces neither a file that was edited since, nor one whose rows may be marked", async () => {
      await world.finishedRun();
      const each = world.declare("DataExport");
      const args = { ...marking, scope: "all" };
      world.emulator.fault({ operation: "markExported", kind: "error", code: "PermissionDenied" });
      await failure(each.up(args));
      world.write("out/1.ndjson", "edited");
      world.emulator.fault({ operation: "markExported", kind: "reset", when: "before" });
      await failure(each.up(args));
      await each.up(args);
      assert.deepEqual([each.state.file, files()], ["out/3.ndjson", ["1.ndjson", "2.ndjson", "3.ndjson"]]);
      assert.equal(world.content("out/1.ndjson"), "edited");
    });

    it("no row that pushed others on while they were read by offset: one came twice, another not at all", async () => {
      world.configure({ pageSize: "10" });
      const first = await world.finishedRun();
      await world.finishedRun();
      const each = world.declare("DataExport");
      const kept = justBefore("/data/all", 2, () =>
        world.emulator.change.insertRows("task-1", ['{"pushes":1}'], first),
      );
      const message = await failure(each.up({ ...marking, scope: "all" }));
      kept.restore();
      assert.match(message, /it has 51 rows now, and had 50 before it was read/);
      assert.equal(marked(), 0);
    });

    it("what is there in the one moment that nobody can see, and says so", async () => {
      for (const scope of ["all", "notExported", "batch"]) {
        const lotNo = await world.finishedRun();
        const each = world.declare("DataExport");
        const args = { ...marking, scope, ...(scope === "batch" ? { lotNo } : {}) };
        const comes = JSON.stringify({ comes: scope });
        const kept = justBefore("/data/markexported", 1, () => world.emulator.change.insertRows("task-1", [comes]));
        const message = await failure(each.up(args));
        kept.restore();
        assert.match(message, /1 rows came while.*may be marked as exported without being in a file/);
        assert.deepEqual([each.state.marked, marked()], [true, world.emulator.inspect.visibleCount("task-1")]);
        await each.refresh();
        assert.equal(await each.up({ ...args, scope: "all", lotNo: undefined }), "updated");
        assert.ok(world.content(String(each.state.file)).includes(comes));
      }
    });

    it("no row of a page that could not be written, whichever it is", async () => {
      world.configure({ pageSize: "10" });
      await world.finishedRun();
      for (const failing of [1, 2, 3]) {
        const { open } = fsPromises;
        let writes = 0;
        const opening = sinon.stub(fsPromises, "open").callsFake(async (...args) => {
          const handle = await open(...args);
          const { writeFile } = handle;
          handle.writeFile = async (data) => {
            writes += 1;
            if (writes === failing) throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
            return writeFile.call(handle, data);
          };
          return handle;
        });
        const message = await failure(world.declare("DataExport").up({ ...marking, scope: "all" }));
        opening.restore();
        assert.match(message, /ENOSPC/);
        assert.deepEqual([marked(), files()], [0, []]);
      }
    });

    it("and says the same where the answer to the mark is lost", async () => {
      for (const scope of ["all", "notExported"]) {
        await world.finishedRun();
        const each = world.declare("DataExport");
        const comes = JSON.stringify({ comes: scope });
        world.emulator.fault({ operation: "markExported", kind: "reset", when: "after" });
        const kept = justBefore("/data/markexported", 1, () => world.emulator.change.insertRows("task-1", [comes]));
        const message = await failure(each.up({ ...marking, scope }));
        kept.restore();
        assert.match(message, /rows are safe in.*1 rows came while.*may be marked as exported without being in a file/);
        assert.match(message, scope === "all" ? /The next up exports all again/ : /Export once with scope: "all"/);
        await each.refresh();
        assert.equal(await each.up({ ...marking, scope: "all" }), "updated");
        assert.ok(world.content(String(each.state.file)).includes(comes));
      }
    });

    it("and keeps the file of marked rows until the export that takes its place is safe, even if it is to be removed", async () => {
      await world.finishedRun();
      const each = world.declare("DataExport");
      const removing = { ...marking, onDelete: "remove" };
      await each.up(removing);
      await failure(each.up({ ...removing, taskId: "task-that-is-not-there" }));
      assert.deepEqual(files(), ["1.ndjson"]);
    });

    it("and fails where it cannot see whether more came at that moment", async () => {
      await world.finishedRun();
      const each = world.declare("DataExport");
      world.emulator.fault({ operation: "getData", kind: "error", code: "InvalidParameter", skip: 2 });
      const message = await failure(each.up({ ...marking, scope: "all" }));
      assert.match(message, /The next up exports all again/);
      assert.match(message, /25 rows in "out\/1.ndjson" are marked.*may be marked as exported without being in a file/);
      assert.deepEqual([each.state.marked, marked()], [true, 25]);
      assert.equal(await each.up({ ...marking, scope: "all" }), "updated");
      assert.deepEqual(files(), ["1.ndjson", "2.ndjson"]);
    });

    it("only after another look, where the service did not take the mark at once", async () => {
      world.configure({ maxRetries: "5" });
      for (const code of ["TooManyRequests", "TaskExecuting"] as const) {
        await world.finishedRun();
        const each = world.declare("DataExport");
        world.emulator.fault({ operation: "markExported", kind: "error", code });
        const kept = justBefore("/data/markexported", 1, () =>
          world.emulator.change.insertRows("task-1", ['{"waited":1}']),
        );
        const message = await failure(each.up({ ...marking, scope: "all" }));
        kept.restore();
        assert.match(message, /not marked as exported: it has \d+ rows now, and had/);
        assert.equal(marked(), 0);
      }
      world.emulator.fault({ operation: "markExported", kind: "error", code: "TaskExecuting" });
      const each = world.declare("DataExport");
      world.operations();
      await each.up({ ...marking, scope: "all" });
      assert.deepEqual(world.operations().slice(-6), [
        "markExported",
        "getSubtasks",
        "getSubtasks",
        "getData",
        "markExported",
        "getData",
      ]);
    });

    it("only once when the answer is lost, and never overwrites the rows", async () => {
      const lotNo = await world.finishedRun();
      const args = { ...marking, scope: "batch", lotNo, path: "out/{lotNo}.ndjson" };
      const each = world.declare("DataExport");
      world.emulator.fault({ operation: "markExported", kind: "reset", when: "after" });
      assert.match(await failure(each.up(args)), /The 25 rows are safe in "out\/\d+.ndjson".*keep this one/);
      assert.equal(world.sent("markExported").length, 1);
      const content = world.content(String(each.state.file));
      assert.match(await failure(each.up({ ...args, format: "json" })), /was not overwritten/);
      assert.equal(await each.up({ ...args, path: "out/{lotNo}-{n}.ndjson" }), "updated");
      assert.equal(world.content(`out/${lotNo}.ndjson`), content);
    });

    it("and never overwrites a file of marked rows, whatever changes later", async () => {
      const lotNo = await world.finishedRun();
      const args = { ...marking, scope: "batch", lotNo, path: "out/{lotNo}.ndjson" };
      const each = world.declare("DataExport");
      await each.up(args);
      const content = world.content(`out/${lotNo}.ndjson`);
      await each.up({ ...args, triggers: [1] });
      assert.match(await failure(each.up({ ...args, markExported: false, maxRows: 5 })), /was not overwritten/);
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

    const parts = (): string[] => files().filter((name) => name.endsWith(".part"));

    it("nothing after an answer was lost to a service that hands out each row once, and asks again before it ever marks", async () => {
      world.configure({ pageSize: "50", maxRetries: "1" });
      world.emulator.setBehaviour({ notExported: "handedOutOnce" });
      world.emulator.fault({ operation: "getNotExportedData", kind: "truncated" });
      const each = world.declare("DataExport");
      assert.match(await failure(each.up(marking)), /lost on the way, so the export broke off.*0 of them are marked/s);
      const [part = ""] = parts();
      world.emulator.change.insertRows("task-1", ['{"late":1}']);
      const message = await failure(each.up(marking));
      assert.ok(message.includes(`an export broke off, or is under way elsewhere, that reads into "out/${part}"`));
      assert.match(message, /Export once with scope: "all"/);
      assert.equal(marked(), 0);
      for (const name of parts()) {
        renameSync(world.path(`out/${name}`), world.path(`out/${name}.read`));
      }
      world.emulator.change.insertRows("task-1", ['{"later":1}']);
      await each.up(marking);
      assert.equal(each.state.marked, true);
    });

    it("all the same after an answer was lost, where the same rows come again and are all there are", async () => {
      world.configure({ pageSize: "50", maxRetries: "1" });
      world.emulator.fault({ operation: "getNotExportedData", kind: "reset", when: "after" });
      const each = world.declare("DataExport");
      await each.up(marking);
      assert.deepEqual([each.state.rowCount, marked(), files()], [25, 25, ["1.ndjson"]]);
    });

    it("what an export that was killed has left, which is named and kept", async () => {
      world.configure({ pageSize: "50" });
      const key = "marking-7afaa346";
      const left = world.declare("DataExport");
      world.emulator.fault({ operation: "getNotExportedData", kind: "reset", when: "after" });
      assert.match(await failure(left.up(marking)), new RegExp(`out/1.ndjson.${key}\\.\\w+\\.part`));
      const [empty = ""] = parts();
      world.write(`out/1.ndjson.${key}.0.part`, '{"read":1}\n{"cu');
      await left.up(marking);
      assert.match(world.warnings.join(), new RegExp(`broke off.*"out/1.ndjson.${key}.0.ndjson".*keep that file`));
      assert.deepEqual(files(), ["1.ndjson", `1.ndjson.${key}.0.ndjson`]);
      assert.equal(files().includes(empty), false);
      assert.equal(marked(), 25);
    });

    it("nothing where a file that was left cannot get its name", async () => {
      world.configure({ pageSize: "50" });
      mkdirSync(world.path("out"));
      world.write("out/1.ndjson.marking-7afaa346.0.part", '{"read":1}\n');
      const { rename } = fsPromises;
      const renaming = sinon.stub(fsPromises, "rename").callsFake(async (from, to) => {
        if (String(from).includes("marking-7afaa346.0"))
          throw Object.assign(new Error("EIO: no rename"), { code: "EIO" });
        return rename(from, to);
      });
      try {
        assert.match(await failure(world.declare("DataExport").up(marking)), /EIO: no rename/);
      } finally {
        renaming.restore();
      }
      assert.deepEqual([marked(), world.sent("markExported").length], [0, 0]);
    });

    it("what it has read when it is interrupted, keeps that file, and goes on at the next up", async () => {
      const hold = world.emulator.hold({ operation: "markExported" });
      const each = world.declare("DataExport");
      const step = failure(each.up(marking));
      await hold.reached;
      world.providers.interruption.abort();
      hold.release();
      assert.match(await step, /interrupted/);
      assert.deepEqual([each.state.file, each.state.rowCount, each.state.marked], ["out/1.ndjson", 10, false]);
      assert.deepEqual([marked(), files()], [10, ["1.ndjson"]]);
      assert.equal(await each.up(marking), "updated");
      assert.deepEqual([each.state.rowCount, marked(), files()], [15, 25, ["1.ndjson", "2.ndjson"]]);
    });

    it("into a file of another name where somebody else takes the name meanwhile, and of several at a time each into its own", async () => {
      const hold = world.emulator.hold({ operation: "markExported" });
      const [one, two] = [world.declare("DataExport"), world.declare("DataExport", "other")] as const;
      const steps = world.command(() => Promise.all([one.up(marking), two.up(marking)]));
      await hold.reached;
      world.write("out/1.ndjson", "theirs");
      hold.release();
      await steps;
      assert.deepEqual(files(), ["1.ndjson", "2.ndjson", "3.ndjson"]);
      assert.equal(world.content("out/1.ndjson"), "theirs");
      assert.deepEqual([one, two].map(({ state }) => state.rowCount).sort(), [0, 25]);
      assert.deepEqual([one.state.marked, two.state.marked], [true, true]);
      assert.deepEqual([one, two].map(({ id }) => id).sort(), ["out/2.ndjson", "out/3.ndjson"]);
      assert.equal(marked(), 25);
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
        assert.deepEqual(files(when), ["1.ndjson"]);
        assert.ok(message.includes(`${when}/1.ndjson`));
        assert.equal(world.content(`${when}/1.ndjson`).split("\n").length, 21);
        assert.deepEqual([each.id, each.state.rowCount, each.state.marked], [`${when}/1.ndjson`, 20, false]);
        assert.ok(marked() - before <= 20);
        await each.refresh();
        assert.equal(await each.up({ ...marking, path: `${when}/{n}.ndjson` }), "updated");
        assert.deepEqual([each.state.file, files(when)], [`${when}/2.ndjson`, ["1.ndjson", "2.ndjson"]]);
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
