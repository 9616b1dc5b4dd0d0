import assert from "node:assert/strict";
import type { Behaviour } from "webextract-emulator";
import { World } from "../life";

const rows = Array.from({ length: 40 }, (_, n) => ({ n }));

describe("an export of rows that others add and mark", () => {
  let world: World;
  afterEach(() => world.remove());

  const start = async (behaviour: Partial<Behaviour>): Promise<void> => {
    world = await World.create({ behaviour, config: { pageSize: "10" } });
    world.emulator.change.insertRows("task-1", rows);
  };
  const exported = async (args: object): Promise<{ lines: string[]; complete: unknown }> => {
    const declared = world.declare("DataExport");
    await declared.up({ taskId: "task-1", path: "out/{n}.ndjson", ...args });
    const content = world.content(String(declared.state.file));
    return { lines: content === "" ? [] : content.trimEnd().split("\n"), complete: declared.state.complete };
  };

  for (const rowOrder of ["newestFirst", "oldestFirst"] as const) {
    it(`has each row once, and none is missing, if a row arrives for each page (${rowOrder})`, async () => {
      await start({ rowOrder, rowsWhileReading: 1 });
      const { lines, complete } = await exported({ scope: "all" });
      assert.equal(complete, true);
      assert.equal(new Set(lines).size, lines.length);
      assert.ok(lines.length > 40);
      const first = lines.filter((line) => line.startsWith('{"n":')).map((line) => JSON.parse(line).n);
      assert.deepEqual(
        first.sort((a, b) => a - b),
        rows.map(({ n }) => n),
      );
      assert.deepEqual(world.warnings, []);
    });
  }

  it("is not complete, and says why, if the other rows cannot be followed", async () => {
    await start({ rowOrder: "newestFirst" });
    // The same rows again: nothing shows which of them are new.
    world.emulator.change.addTask({ taskId: "equal", taskGroupId: "group-1", actions: [] });
    world.emulator.change.insertRows("equal", Array(40).fill('{"a":1}'));
    const hold = world.emulator.hold({ operation: "getData", skip: 1, when: "before" });
    const done = exported({ taskId: "equal", scope: "all" });
    await hold.reached;
    world.emulator.change.insertRows("equal", ['{"a":1}']);
    hold.release();
    assert.equal((await done).complete, false);
    assert.match(
      world.warnings.join(),
      /^Task "equal": rows arrived or were removed during the read, and the other rows moved, so rows may be missing or there twice: the service reports 41 rows, and returned \d+\. Read them again when nothing adds or removes rows\.$/,
    );
  });

  it("is not complete, and says so, if a page is empty although rows are left", async () => {
    await start({ emptyPageEvery: 3 });
    assert.equal((await exported({ scope: "all" })).complete, false);
    assert.deepEqual(world.warnings, [
      'Task "task-1": the service returned an empty page, although rows are left: the service reports 40 rows, and returned 30. Rows are missing. Read them again.',
    ]);
  });

  for (const markExported of [false, true]) {
    for (const markScope of ["task", "returned"] as const) {
      it(`of 0 rows says that others may have marked them (markExported ${markExported}, markScope ${markScope})`, async () => {
        await start({ otherMarks: "all", markScope });
        world.configure({ markScope, pageSize: "100" });
        const { lines } = await exported({ scope: "notExported", markExported });
        assert.deepEqual(lines, []);
        assert.deepEqual(world.warnings, [
          'Task "task-1": the service returned no rows, because none are left that are not exported. Everybody who uses the task shares the marks, so another export may have marked its rows. scope "all" exports every row of the task.',
        ]);
        assert.equal((await exported({ scope: "all" })).lines.length, 40);
      });
    }
  }

  it("has the rows that somebody else has not marked, and marks only these", async () => {
    for (const markScope of ["task", "returned"] as const) {
      await start({ otherMarks: "half", markScope });
      world.configure({ markScope, pageSize: "100" });
      const { lines } = await exported({ scope: "notExported", markExported: true });
      assert.deepEqual(
        lines,
        rows.slice(20).map((each) => JSON.stringify(each)),
      );
      assert.equal(world.emulator.inspect.exportedCount("task-1"), 40);
      await world.remove();
    }
    await start({});
  });

  it("compares no count of a run with the rows of its batch, which can be fewer", async () => {
    await start({ batchRows: "distinct" });
    const lotNo = world.emulator.change.insertRows("task-1", rows.slice(0, 5));
    const { lines, complete } = await exported({ scope: "batch", lotNo, path: "out/{lotNo}.ndjson" });
    assert.deepEqual([lines.length, complete, world.warnings], [40, true, []]);
  });
});
