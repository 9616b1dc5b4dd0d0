import assert from "node:assert/strict";
import { mkdirSync, readdirSync, renameSync } from "node:fs";
import fsPromises from "node:fs/promises";
import sinon from "sinon";
import { failure, World } from "../life";

describe("DataExport with markScope returned", () => {
  let world: World;
  beforeEach(async () => {
    world = await World.create({
      config: { markScope: "returned", pageSize: "10" },
      behaviour: { markScope: "returned" },
    });
    await world.finishedRun();
  });
  afterEach(() => world.remove());

  const files = (folder = "out"): string[] => readdirSync(world.path(folder)).sort();
  const marking = { taskId: "task-1", scope: "notExported", path: "out/{n}.ndjson", markExported: true };
  const marked = (): number => world.emulator.inspect.exportedCount("task-1");

  it("marks each page after it is written, until no row is left", async () => {
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

  it("marks nothing after a lost response if the service returns each row once", async () => {
    world.configure({ pageSize: "50", maxRetries: "1" });
    world.emulator.setBehaviour({ notExported: "handedOutOnce" });
    world.emulator.fault({ operation: "getNotExportedData", kind: "truncated" });
    const each = world.declare("DataExport");
    await failure(each.up(marking));
    const [part = ""] = parts();
    assert.deepEqual([each.id, marked(), files()], [undefined, 0, [part]]);
    world.emulator.change.insertRows("task-1", ['{"late":1}']);
    const message = await failure(each.up(marking));
    assert.ok(message.includes(`"out/${part}"`));
    assert.equal(marked(), 0);
    for (const name of parts()) {
      renameSync(world.path(`out/${name}`), world.path(`out/${name}.read`));
    }
    world.emulator.change.insertRows("task-1", ['{"later":1}']);
    await each.up(marking);
    assert.equal(each.state.marked, true);
  });

  it("does not forget a lost response because the service lists no rows", async () => {
    world.configure({ pageSize: "50", maxRetries: "0" });
    world.emulator.setBehaviour({ notExported: "handedOutOnce", notExportedCounts: "notReturned" });
    world.emulator.fault({ operation: "getNotExportedData", kind: "reset", when: "after" });
    await failure(world.declare("DataExport").up(marking));
    const [part = ""] = parts();
    const each = world.declare("DataExport");
    await each.up(marking);
    assert.deepEqual([each.state.rowCount, marked(), parts()], [0, 0, [part]]);
    assert.ok(world.warnings.some((warning) => warning.includes(part)));
    world.emulator.change.insertRows("task-1", ['{"late":1}']);
    assert.match(await failure(each.up({ ...marking, triggers: [1] })), /rows that no file contains/);
    assert.equal(marked(), 0);
  });

  it("marks the rows after a lost response if the service returns the same rows again", async () => {
    world.configure({ pageSize: "50", maxRetries: "1" });
    world.emulator.fault({ operation: "getNotExportedData", kind: "reset", when: "after" });
    const each = world.declare("DataExport");
    await each.up(marking);
    assert.deepEqual([each.state.rowCount, marked(), files()], [25, 25, ["1.ndjson"]]);
  });

  it("keeps and names the file of a killed export", async () => {
    world.configure({ pageSize: "50" });
    const key = "marking-7afaa346";
    const left = world.declare("DataExport");
    world.emulator.fault({ operation: "getNotExportedData", kind: "reset", when: "after" });
    await failure(left.up(marking));
    const [empty = ""] = parts();
    world.write(`out/1.ndjson.${key}.0.part`, '{"read":1}\n{"cu');
    await left.up(marking);
    assert.ok(world.warnings.join().includes(`"out/1.ndjson.${key}.0.ndjson"`));
    assert.deepEqual(files(), ["1.ndjson", `1.ndjson.${key}.0.ndjson`]);
    assert.equal(files().includes(empty), false);
    assert.equal(marked(), 25);
  });

  it("marks nothing if the file of a killed export cannot be renamed", async () => {
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
      await failure(world.declare("DataExport").up(marking));
    } finally {
      renaming.restore();
    }
    assert.deepEqual([marked(), world.sent("markExported").length], [0, 0]);
  });

  it("keeps the marked rows when it is interrupted, and exports the others at the next up", async () => {
    const hold = world.emulator.hold({ operation: "markExported" });
    const each = world.declare("DataExport");
    const step = failure(each.up(marking));
    await hold.reached;
    world.providers.interruption.abort();
    hold.release();
    await step;
    assert.deepEqual([each.state.file, each.state.rowCount, each.state.marked], ["out/1.ndjson", 10, false]);
    assert.deepEqual(each.state.pending, ["mark with an unknown outcome"]);
    assert.deepEqual([marked(), files()], [10, ["1.ndjson"]]);
    assert.equal(await each.up(marking), "updated");
    assert.deepEqual([each.state.rowCount, marked(), files()], [15, 25, ["1.ndjson", "2.ndjson"]]);
  });

  it("takes the next name if somebody else takes the first, and gives each of several exports a name", async () => {
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

  it("marks no more than maxRows", async () => {
    const each = world.declare("DataExport");
    await each.up({ ...marking, maxRows: 12 });
    assert.deepEqual([each.state.rowCount, each.state.complete, marked()], [12, false, 12]);
  });

  it("writes each format", async () => {
    const each = world.declare("DataExport");
    await each.up({ ...marking, format: "json" });
    assert.equal(JSON.parse(world.content("out/1.ndjson")).length, 25);
  });

  it("keeps every row that may be marked when it fails", async () => {
    for (const when of ["before", "after"] as const) {
      const before = marked();
      const each = world.declare("DataExport");
      world.emulator.fault({ operation: "markExported", kind: "reset", when, skip: 1 });
      const message = await failure(each.up({ ...marking, path: `${when}/{n}.ndjson` }));
      assert.deepEqual(each.state.pending, ["mark with an unknown outcome"]);
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

  it("stops if the service marks nothing", async () => {
    const each = world.declare("DataExport");
    world.emulator.fault({
      operation: "markExported",
      kind: "status",
      status: 200,
      body: { requestId: "r" },
      times: 9,
    });
    await failure(each.up(marking));
    assert.deepEqual([each.id, marked(), files().map((name) => name.endsWith(".part"))], [undefined, 0, [true]]);
  });

  it("warns if the service marks rows that it did not return", async () => {
    world.emulator.setBehaviour({ markScope: "task" });
    const each = world.declare("DataExport");
    await each.up(marking);
    assert.deepEqual([each.state.rowCount, each.state.complete], [10, false]);
    assert.match(world.warnings.join(), /\b15 rows\b/);
  });
});
