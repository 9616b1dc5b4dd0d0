import assert from "node:assert/strict";
import type { Declared } from "../life";
import { failure, useWorld, World } from "../life";

const waiting = { taskId: "task-1", pollSeconds: 0, waitFor: "finished", timeoutSeconds: 20 };

describe("CloudRun at a service whose starts have no lotNo, with startsWithoutLotNo", () => {
  const world = useWorld({ config: { startsWithoutLotNo: "true" }, behaviour: { startResponse: "null" } });
  let run: Declared;
  beforeEach(() => {
    run = world.declare("CloudRun");
  });

  const starts = (): number => world.emulator.inspect.runs("task-1").length;

  for (const startResponse of ["null", "true"] as const) {
    it(`has an id of its own after ${startResponse}, waits by the list, and starts once`, async () => {
      world.emulator.setBehaviour({ startResponse });
      await run.up(waiting);
      assert.match(run.id ?? "", /^without-lotno-[0-9a-f-]{36}$/);
      assert.deepEqual([run.state.status, run.state.lotNo, starts()], ["finished", run.id, 1]);
      assert.equal(await run.up(waiting), "nothing");
      const first = run.id;
      assert.equal(await run.up({ ...waiting, triggers: ["b"] }), "replaced");
      assert.notEqual(run.id, first);
      assert.equal(starts(), 2);
    });
  }

  it("keeps a lotNo that a response has", async () => {
    world.emulator.setBehaviour({ startResponse: "data" });
    await run.up(waiting);
    assert.equal(run.id, world.emulator.inspect.runs("task-1")[0]?.lotNo);
  });

  it("is taken over after a kill, with its id and without a second start", async () => {
    const saved = await world.unsaved(run, () => run.up(waiting));
    await saved.up(waiting);
    assert.deepEqual([saved.id, starts()], [run.id, 1]);
  });

  it("stops its own subtasks", async () => {
    world.emulator.change.holdRuns();
    await run.up({ taskId: "task-1", pollSeconds: 0, onDelete: "stop" });
    await run.destroy();
    const [started] = world.emulator.inspect.runs("task-1");
    assert.ok(started?.subtasks.every(({ status }) => status === "stopped"));
  });

  it("does not take the rows of earlier runs for those of a run without a list", async () => {
    await run.up(waiting);
    world.emulator.setBehaviour({ splitting: "never" });
    const settling = { ...waiting, triggers: ["b"], finishedWhen: "rowsSettled", settleSeconds: 0, timeoutSeconds: 0 };
    assert.match(await failure(run.up(settling)), /was not seen to finish within 0 s/);
  });

  for (const [what, body] of [
    ["a page without a requestId", '{"data":null}'],
    ["an empty object", "{}"],
    ["a page of a proxy", "<html>ok</html>"],
  ] as const) {
    it(`takes ${what} for no start, and starts no second run`, async () => {
      world.emulator.fault({ operation: "startTask", kind: "status", status: 200, body, when: "after" });
      assert.match(await failure(run.up(waiting)), /may have started/);
      assert.match(await failure(run.up(waiting)), /may have started|adoptLotNo/);
      assert.equal(starts(), 1);
    });
  }

  it("exports the rows of all runs, and refuses a batch before the start", async () => {
    await run.up(waiting);
    const rows = world.declare("DataExport");
    const args = { taskId: "task-1", scope: "all", path: "rows.ndjson" };
    await rows.up(args);
    assert.equal(rows.state.rowCount, world.emulator.inspect.rows("task-1").length);
    const batch = world.declare("DataExport");
    world.emulator.clearRequests();
    const refused = await failure(batch.up({ ...args, scope: "batch", lotNo: run.id, path: "batch.ndjson" }));
    assert.match(
      refused,
      /scope must be "notExported", or "all" with checks, because webextract:startsWithoutLotNo is set/,
    );
    assert.deepEqual(world.operations(), []);
  });
});

it("A start without a lotNo is an error that says that a run may exist, without startsWithoutLotNo", async () => {
  const world = await World.create({ behaviour: { startResponse: "null" } });
  try {
    const run = world.declare("CloudRun");
    assert.match(await failure(run.up(waiting)), /may have started/);
    assert.equal(world.emulator.inspect.runs("task-1").length, 1);
  } finally {
    await world.remove();
  }
});
