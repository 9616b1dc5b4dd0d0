import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import type { World } from "../life";
import { failure, World as LifeWorld } from "../life";

const rows = Array.from({ length: 25 }, (_, index) => `{"index":${index},"text":"Grün \\u2028"}`);
const textOf = (some: readonly string[]): string => some.map((row) => `${row}\n`).join("");

/** A service that returns each row only once. A row that was read and is in no file is lost. */
describe("rows that the service may not return again", () => {
  let world: World;
  beforeEach(async () => {
    world = await LifeWorld.create({ config: { pageSize: "10" }, behaviour: { notExported: "handedOutOnce" } });
    world.emulator.change.insertRows("task-1", rows);
  });
  afterEach(() => world.remove());

  const args = { taskId: "task-1", scope: "notExported", path: "out/{n}.ndjson" };
  const files = (): string[] => readdirSync(world.path("out")).sort();
  const kept = (): string[] => files().filter((name) => /\.(part|rows)$/.test(name));
  const contents = (): string =>
    files()
      .map((name) => world.content(`out/${name}`))
      .join("");

  for (const [what, fail] of [
    [
      "an error of the service",
      () => world.emulator.fault({ operation: "getNotExportedData", kind: "status", status: 500, skip: 1 }),
    ],
    [
      "a connection that breaks",
      () => world.emulator.fault({ operation: "getNotExportedData", kind: "reset", skip: 2 }),
    ],
  ] as const) {
    it(`stay in the program's folder after ${what}, and the next export names the file`, async () => {
      fail();
      const each = world.declare("DataExport");
      const message = await failure(each.up(args));
      const [part = ""] = kept();
      assert.match(
        message,
        /The \d0 rows that were read are kept in "out\/1\.ndjson\.reading-\w+\.\w+\.part", one a line/,
      );
      assert.ok(message.includes(part), message);
      await each.up(args);
      assert.ok(world.warnings.join().includes(`"out/${part}"`), world.warnings.join());
      assert.equal([...new Set(contents().split("\n"))].length - 1, rows.length);
    });
  }

  it("stay after an interruption in the middle", async () => {
    const hold = world.emulator.hold({ operation: "getNotExportedData", skip: 1 });
    const each = world.declare("DataExport");
    const step = failure(each.up(args));
    await hold.reached;
    world.providers.interruption.abort();
    hold.release();
    assert.match(await step, /interrupted after 20 of .* The 20 rows that were read are kept in "out\//);
    await each.up(args);
    assert.equal([...new Set(contents().split("\n"))].length - 1, rows.length);
  });

  it("stay after a kill, and no later export removes them", async () => {
    const saved = await world.killed(world.declare("DataExport"), () => world.declare("DataExport").up(args), {
      operation: "getNotExportedData",
      skip: 1,
    });
    assert.equal(kept().length, 1);
    assert.equal(saved.id, undefined);
    // What the process of another export has left.
    writeFileSync(world.path("out/1.ndjson.reading-7afaa346.0.part"), textOf(rows.slice(0, 3)));
    world.emulator.clearFaults();
    await world.declare("DataExport", "other").up(args);
    assert.ok(world.warnings.join().includes('"out/1.ndjson.reading-7afaa346.0.part"'));
    assert.equal(world.content("out/1.ndjson.reading-7afaa346.0.part"), textOf(rows.slice(0, 3)));
  });

  it("are in no file without rows: such a file is not named, and goes after a day", async () => {
    const [young, old] = ["out/1.ndjson.reading-7afaa346.1.part", "out/1.ndjson.reading-7afaa346.2.part"] as const;
    mkdirSync(world.path("out"));
    world.write(young, "");
    world.write(old, "");
    utimesSync(world.path(old), 0, 0);
    await world.declare("DataExport").up(args);
    assert.deepEqual(
      world.warnings.filter((each) => each.includes(".part")),
      [],
    );
    assert.deepEqual([existsSync(world.path(young)), existsSync(world.path(old))], [true, false]);
  });

  it("that were all read, but could not be written, are written by the next export without a read", async () => {
    world.configure({ pageSize: "100" });
    world.emulator.change.insertRows("task-1", ['{"a":1,"a":2}']);
    const each = world.declare("DataExport");
    const csv = { ...args, path: "out/{n}.csv", format: "csv" };
    const message = await failure(each.up(csv));
    assert.match(
      message,
      /The 26 rows that were read are kept in "out\/1\.csv\.reading-\w+\.\w+\.rows".* The next up writes them\.$/,
    );
    // The rows still cannot be written so.
    assert.match(
      await failure(each.up(csv)),
      /The rows are still in "out\/1\.csv\.reading-\w+\.\w+\.rows"\. The next up writes them\.$/,
    );
    world.operations();
    const checks = { minRows: 26, fields: { text: { filled: 0.9 } } };
    await each.up({ ...args, checks });
    assert.deepEqual(world.operations(), []);
    assert.deepEqual([each.state.rowCount, files()], [26, ["1.ndjson"]]);
    assert.equal(world.content("out/1.ndjson"), textOf([...rows, '{"a":1,"a":2}']));
    assert.match(world.warnings.join(), /the rows are those that an earlier export had read, from "out\/1\.csv\./);
  });

  it("are all written, even if the last line break of their file is gone", async () => {
    world.configure({ pageSize: "100" });
    world.emulator.change.insertRows("task-1", ['{"a":1,"a":2}']);
    const each = world.declare("DataExport");
    await failure(each.up({ ...args, path: "out/{n}.csv", format: "csv" }));
    const [name = ""] = kept();
    const path = world.path(`out/${name}`);
    writeFileSync(path, readFileSync(path, "utf8").trimEnd());
    await each.up(args);
    assert.equal(world.content("out/1.ndjson"), textOf([...rows, '{"a":1,"a":2}']));
  });

  it("are not kept twice by exports that fail in the same way", async () => {
    world.emulator.setBehaviour({ notExported: "untilMarked" });
    const marking = { ...args, markExported: true };
    for (let attempt = 0; attempt < 3; attempt++) {
      assert.match(
        await failure(world.declare("DataExport").up(marking)),
        /No file was written\..* The 10 rows that were read are kept in/,
      );
    }
    assert.equal(kept().length, 1);
  });

  it("of an earlier export are not marked: rows may have arrived since", async () => {
    world.configure({ pageSize: "100" });
    world.emulator.change.insertRows("task-1", ['{"a":1,"a":2}']);
    const each = world.declare("DataExport");
    await failure(each.up({ ...args, path: "out/{n}.csv", format: "csv", markExported: true }));
    world.emulator.change.insertRows("task-1", ['{"late":1}']);
    const message = await failure(each.up({ ...args, markExported: true }));
    assert.match(
      message,
      /were not marked as exported: an earlier export has read them\. The 26 rows are in "out\/\d\.ndjson"/,
    );
    assert.equal(world.emulator.inspect.exportedCount("task-1"), 0);
  });
});
