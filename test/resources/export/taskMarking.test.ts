import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import fsPromises from "node:fs/promises";
import sinon from "sinon";
import { ServiceClient } from "../../../src/service";
import { failure, useWorld } from "../life";
import { justBefore } from "./justBefore";

describe("DataExport with markScope task", () => {
  const world = useWorld();

  const files = (folder = "out"): string[] => readdirSync(world.path(folder)).sort();
  const marking = { taskId: "task-1", scope: "notExported", path: "out/{n}.ndjson", markExported: true };
  const marked = (): number => world.emulator.inspect.exportedCount("task-1");

  it("marks the rows that it wrote, and sends no mark if there are none", async () => {
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

  it("marks nothing if a read came from a cache on the way", async () => {
    await world.finishedRun();
    const age = sinon.stub(ServiceClient.prototype, "cacheAge").get(() => 57);
    try {
      for (const markScope of ["task", "returned"]) {
        world.configure({ markScope });
        const message = await failure(world.declare("DataExport").up(marking));
        assert.match(message, /not marked as exported: a cache on the way sent rows that it had stored before/);
        assert.equal(world.sent("markExported").length, 0);
      }
    } finally {
      age.restore();
    }
  });

  it("marks the rows if the service lists the same subtasks in another order after the read", async () => {
    await world.finishedRun();
    const { allSubtasks } = ServiceClient.prototype;
    let reads = 0;
    const reordered = sinon.stub(ServiceClient.prototype, "allSubtasks").callsFake(async function (
      this: ServiceClient,
      ...args
    ) {
      const list = await allSubtasks.apply(this, args);
      return reads++ === 0 ? list : list.reverse();
    });
    try {
      await world.declare("DataExport").up(marking);
      assert.deepEqual([reads, marked()], [2, 25]);
    } finally {
      reordered.restore();
    }
  });

  it("marks nothing after a response to the read was lost, and all rows at the next up", async () => {
    world.configure({ maxRetries: "1" });
    await world.finishedRun();
    world.emulator.fault({ operation: "getNotExportedData", kind: "reset", when: "after" });
    const each = world.declare("DataExport");
    await failure(each.up(marking));
    assert.deepEqual([each.id, marked(), files()], [undefined, 0, []]);
    await each.up(marking);
    assert.deepEqual([each.state.rowCount, each.state.marked, marked()], [25, true, 25]);
  });

  it("marks a batch only if all rows that are not exported belong to it", async () => {
    const lotNo = await world.finishedRun();
    const args = { ...marking, scope: "batch", lotNo, path: "out/{lotNo}.ndjson" };
    const each = world.declare("DataExport");
    await each.up(args);
    assert.deepEqual([each.state.marked, marked()], [true, 25]);

    const next = await world.finishedRun();
    world.emulator.change.insertRows("task-1", ['{"late":1}'], lotNo);
    const second = world.declare("DataExport");
    await failure(second.up({ ...args, lotNo: next }));
    assert.deepEqual([marked(), second.state.pending, second.state.marked], [25, ["mark"], false]);
    assert.ok(existsSync(world.path(String(second.state.file))));
  });

  it("marks the rows that a batch got after its other rows were marked", async () => {
    const lotNo = await world.finishedRun();
    const args = { ...marking, scope: "batch", lotNo, path: "out/{lotNo}-{n}.ndjson" };
    await world.declare("DataExport").up(args);
    world.emulator.change.insertRows("task-1", ['{"late":1}'], lotNo);
    const second = world.declare("DataExport", "second");
    await second.up(args);
    assert.deepEqual([second.state.rowCount, second.state.marked, marked()], [26, true, 26]);
  });

  it("marks a batch with equal rows, and sends no mark if all of its rows are marked already", async () => {
    const lotNo = await world.finishedRun();
    world.emulator.change.insertRows("task-1", ['{"a":1}', '{"a":1}'], lotNo);
    const args = { ...marking, scope: "batch", lotNo, path: "out/{lotNo}-{n}.ndjson" };
    await world.declare("DataExport").up(args);
    assert.equal(marked(), 27);
    world.operations();
    const again = world.declare("DataExport", "again");
    await again.up(args);
    assert.deepEqual([again.state.rowCount, again.state.marked], [27, true]);
    assert.equal(world.sent("markExported").length, 0);
  });

  it("marks no row of another batch with the same text", async () => {
    world.emulator.change.insertRows("task-1", ['{"a":1}']);
    const lotNo = await world.finishedRun();
    world.emulator.change.insertRows("task-1", ['{"a":1}'], lotNo);
    const args = { ...marking, scope: "batch", lotNo, path: "out/{lotNo}.ndjson" };
    const each = world.declare("DataExport");
    await failure(each.up(args));
    assert.deepEqual([each.state.pending, each.state.marked, marked()], [["mark"], false, 0]);
  });

  it("marks nothing and writes nothing while subtasks are running", async () => {
    await world.finishedRun();
    world.emulator.change.holdRuns();
    world.emulator.change.startRun("task-1");
    const each = world.declare("DataExport");
    await failure(each.up(marking));
    assert.deepEqual([each.id, existsSync(world.path("out"))], [undefined, false]);
  });

  it("marks nothing if one response does not contain all rows that are not exported", async () => {
    world.configure({ pageSize: "25" });
    await world.finishedRun();
    const each = world.declare("DataExport");
    await failure(each.up(marking));
    assert.deepEqual([each.id, marked(), files()], [undefined, 0, []]);
    await each.up({ ...marking, scope: "all" });
    assert.deepEqual([each.state.rowCount, marked()], [25, 25]);
  });

  it("marks nothing if a page is full of which the service counts the rows only, after it refused larger ones", async () => {
    const lotNo = await world.finishedRun();
    world.emulator.setBehaviour({ dataPageMax: 20 });
    const data = Array.from({ length: 20 }, (_, n) => ({ n }));
    const body = { data: { data, total: 20, current: 20 }, requestId: "r" };
    for (const scope of ["notExported", "batch"]) {
      // The service refuses pages of 1000, 500, 200, 100 and 50 rows.
      world.emulator.fault({ operation: "getNotExportedData", kind: "status", status: 200, body, skip: 5 });
      const run = scope === "batch" ? { lotNo } : {};
      const message = await failure(world.declare("DataExport").up({ ...marking, ...run, scope }));
      assert.match(message, /one response contained 20 of 20 rows that are not exported/);
    }
    assert.equal(world.sent("markExported").length, 0);
  });

  it("says that a mark had no effect, if the service marks only the rows that it has returned", async () => {
    world.emulator.setBehaviour({ markScope: "returned" });
    const lotNo = await world.finishedRun();
    const each = world.declare("DataExport");
    for (const _up of [1, 2]) {
      const message = await failure(each.up({ ...marking, scope: "all" }));
      assert.match(
        message,
        /not marked as exported: after the mark, the service still returns rows .* The 25 rows are in/,
      );
      assert.match(message, /set webextract:markScope to "returned"/);
      assert.deepEqual([each.state.marked, each.state.pending, marked() <= 1], [false, ["mark"], true]);
    }
    assert.deepEqual(files(), ["1.ndjson"]);
    const batch = world.declare("DataExport");
    await batch.up({ ...marking, scope: "batch", lotNo, path: "batch/{lotNo}-{n}.ndjson" });
    assert.deepEqual([batch.state.marked, marked()], [true, 25]);
  });

  it("is as good as accepted if the service does not show whether it had an effect", async () => {
    await world.finishedRun();
    world.emulator.fault({ operation: "getNotExportedData", kind: "error", code: "PermissionDenied" });
    const each = world.declare("DataExport");
    await each.up({ ...marking, scope: "all" });
    assert.deepEqual([each.state.marked, marked()], [true, 25]);
  });

  it("marks no row that arrives late, in each scope", async () => {
    for (const scope of ["notExported", "all", "batch"]) {
      for (const rowsArriveLate of [1, 2, 3]) {
        world.emulator.setBehaviour({ rowsArriveLate });
        const lotNo = await world.finishedRun();
        const before = marked();
        const each = world.declare("DataExport");
        const args = { ...marking, scope, ...(scope === "batch" ? { lotNo } : {}) };
        await failure(each.up(args));
        assert.equal(marked(), before, `${scope} ${rowsArriveLate}`);
        world.emulator.setBehaviour({ rowsArriveLate: 0 });
        const last = world.declare("DataExport");
        await last.up({ ...marking, scope: "all" }).catch(() => last.up({ ...marking, scope: "all" }));
        await last.up({ ...marking, scope: "all", triggers: [1] });
        assert.equal(marked(), world.emulator.inspect.visibleCount("task-1"));
      }
    }
  });

  it("marks nothing if the last check fails, and uses the file again at the next up", async () => {
    await world.finishedRun();
    const each = world.declare("DataExport");
    world.emulator.fault({ operation: "getSubtasks", kind: "reset", skip: 2 });
    assert.match(
      await failure(each.up(marking)),
      /the check before the mark failed: .*[^.]\. The 25 rows are in "out\/1\.ndjson"\. The next up exports them again into a new file\. /,
    );
    assert.deepEqual([each.id, each.state.pending, marked()], ["out/1.ndjson", ["mark"], 0]);
    await each.refresh();
    assert.equal(await each.up(marking), "updated");
    assert.deepEqual([each.state.file, marked(), files()], ["out/1.ndjson", 25, ["1.ndjson"]]);
  });

  it("uses one file for all attempts while the mark is refused, and for the attempt that succeeds", async () => {
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

  it("leaves one file of a batch that cannot be marked, and refuses before the read if it can", async () => {
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
    await failure(each.up({ ...batch, triggers: [3] }));
    assert.deepEqual(world.operations().includes("getBatchData"), false);
    assert.equal(await each.up({ ...marking, scope: "all" }), "updated");
    assert.deepEqual([each.state.rowCount, marked(), files()], [36, 36, ["1.ndjson"]]);
  });

  it("replaces the file of an attempt whose mark was refused, also if the next attempt reads more rows", async () => {
    await world.finishedRun();
    const each = world.declare("DataExport");
    world.emulator.fault({ operation: "markExported", kind: "error", code: "PermissionDenied" });
    await failure(each.up(marking));
    world.emulator.change.insertRows("task-1", ['{"more":1}']);
    await each.up(marking);
    assert.deepEqual([each.state.file, each.state.rowCount, files(), marked()], ["out/1.ndjson", 26, ["1.ndjson"], 26]);
  });

  it("replaces neither an edited file nor a file whose rows may be marked", async () => {
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

  it("marks nothing if a row arrived in an earlier batch and moved the others during the read", async () => {
    world.configure({ pageSize: "10" });
    const first = await world.finishedRun();
    await world.finishedRun();
    const each = world.declare("DataExport");
    const kept = justBefore("/data/all", 2, () => world.emulator.change.insertRows("task-1", ['{"pushes":1}'], first));
    await failure(each.up({ ...marking, scope: "all" }));
    kept.restore();
    assert.deepEqual([each.state.pending, each.state.rowCount, marked()], [["mark"], 51, 0]);
  });

  it("marks nothing if a run has started during the read", async () => {
    await world.finishedRun();
    world.emulator.change.holdRuns();
    const each = world.declare("DataExport");
    const kept = justBefore("/data/all", 1, () => void world.emulator.change.startRun("task-1"));
    await failure(each.up({ ...marking, scope: "all" }));
    kept.restore();
    assert.deepEqual([each.state.pending, marked()], [["mark"], 0]);
  });

  it("fails after the mark if rows arrived just before it, in each scope", async () => {
    for (const scope of ["all", "notExported", "batch"]) {
      const lotNo = await world.finishedRun();
      const each = world.declare("DataExport");
      const args = { ...marking, scope, ...(scope === "batch" ? { lotNo } : {}) };
      const comes = JSON.stringify({ comes: scope });
      const kept = justBefore("/data/markexported", 1, () => world.emulator.change.insertRows("task-1", [comes]));
      await failure(each.up(args));
      kept.restore();
      assert.deepEqual(
        [each.state.pending, each.state.marked, marked()],
        [["rows that came with the mark"], true, world.emulator.inspect.visibleCount("task-1")],
      );
      await each.refresh();
      assert.equal(await each.up({ ...args, scope: "all", lotNo: undefined }), "updated");
      assert.ok(world.content(String(each.state.file)).includes(comes));
    }
  });

  it("marks nothing if a page cannot be written, whichever page it is", async () => {
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

  it("counts the rows that arrived just before a mark whose response was lost", async () => {
    for (const scope of ["all", "notExported"]) {
      await world.finishedRun();
      const each = world.declare("DataExport");
      const comes = JSON.stringify({ comes: scope });
      world.emulator.fault({ operation: "markExported", kind: "reset", when: "after" });
      const kept = justBefore("/data/markexported", 1, () => world.emulator.change.insertRows("task-1", [comes]));
      const message = await failure(each.up({ ...marking, scope }));
      kept.restore();
      assert.match(message, /\b1 rows\b/);
      assert.deepEqual([each.state.pending, each.state.marked], [["mark with an unknown outcome"], false]);
      await each.refresh();
      assert.equal(await each.up({ ...marking, scope: "all" }), "updated");
      assert.ok(world.content(String(each.state.file)).includes(comes));
    }
  });

  it("keeps the file of marked rows if the next export fails, also with onDelete removeFile", async () => {
    await world.finishedRun();
    const each = world.declare("DataExport");
    const removing = { ...marking, onDelete: "removeFile" };
    await each.up(removing);
    await failure(each.up({ ...removing, taskId: "task-that-is-not-there" }));
    assert.deepEqual(files(), ["1.ndjson"]);
  });

  it("fails after the mark if the rows that arrived just before it cannot be counted", async () => {
    await world.finishedRun();
    const each = world.declare("DataExport");
    world.emulator.fault({ operation: "getData", kind: "error", code: "InvalidParameter", skip: 2 });
    await failure(each.up({ ...marking, scope: "all" }));
    assert.deepEqual([each.state.pending, each.state.marked, marked()], [["rows that came with the mark"], true, 25]);
    assert.equal(await each.up({ ...marking, scope: "all" }), "updated");
    assert.deepEqual(files(), ["1.ndjson", "2.ndjson"]);
  });

  it("checks again before it repeats a mark that the service did not accept", async () => {
    world.configure({ maxRetries: "5" });
    for (const code of ["TooManyRequests", "TaskExecuting", "Invalid.Token"] as const) {
      await world.finishedRun();
      const each = world.declare("DataExport");
      world.emulator.fault({ operation: "markExported", kind: "error", code });
      const kept = justBefore("/data/markexported", 1, () =>
        world.emulator.change.insertRows("task-1", ['{"waited":1}']),
      );
      await failure(each.up({ ...marking, scope: "all" }));
      kept.restore();
      assert.deepEqual([each.state.pending, each.state.marked, marked()], [["mark"], false, 0]);
    }
    world.emulator.fault({ operation: "markExported", kind: "error", code: "TaskExecuting" });
    const each = world.declare("DataExport");
    world.operations();
    await each.up({ ...marking, scope: "all" });
    assert.deepEqual(world.operations().slice(-7), [
      "markExported",
      "getSubtasks",
      "getSubtasks",
      "getData",
      "markExported",
      "getData",
      "getNotExportedData",
    ]);
  });

  it("ends after five marks that the service did not accept, and says that no row is marked", async () => {
    await world.finishedRun();
    world.emulator.fault({ operation: "markExported", kind: "error", code: "TaskExecuting", times: 5 });
    const each = world.declare("DataExport");
    assert.match(await failure(each.up({ ...marking, scope: "all" })), /They are not marked\./);
    assert.deepEqual([each.state.pending, each.state.marked, marked()], [["mark"], false, 0]);
  });

  it("sends a mark once if its response is lost, and never overwrites the rows", async () => {
    const lotNo = await world.finishedRun();
    const args = { ...marking, scope: "batch", lotNo, path: "out/{lotNo}.ndjson" };
    const each = world.declare("DataExport");
    world.emulator.fault({ operation: "markExported", kind: "reset", when: "after" });
    await failure(each.up(args));
    assert.equal(world.sent("markExported").length, 1);
    assert.deepEqual([each.state.pending, each.state.rowCount], [["mark with an unknown outcome"], 25]);
    const content = world.content(String(each.state.file));
    await failure(each.up({ ...args, format: "json" }));
    assert.equal(world.content(`out/${lotNo}.ndjson`), content);
    assert.equal(await each.up({ ...args, path: "out/{lotNo}-{n}.ndjson" }), "updated");
    assert.equal(world.content(`out/${lotNo}.ndjson`), content);
  });

  it("never overwrites a file of marked rows", async () => {
    const lotNo = await world.finishedRun();
    const args = { ...marking, scope: "batch", lotNo, path: "out/{lotNo}.ndjson" };
    const each = world.declare("DataExport");
    await each.up(args);
    const content = world.content(`out/${lotNo}.ndjson`);
    await each.up({ ...args, triggers: [1] });
    await failure(each.up({ ...args, markExported: false, maxRows: 5 }));
    assert.equal(world.content(`out/${lotNo}.ndjson`), content);
  });
});
