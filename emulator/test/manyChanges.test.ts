import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import sinon from "sinon";
import type { Emulator } from "webextract-emulator";
import { slowIt } from "../../test/environment";
import { call, startWith } from "./caller";
import { StateDatabase } from "./internals";
import { savedState } from "./savedState";

const count = 3000;

describe("a save of many changes", () => {
  let folder: string;
  let file: string;
  let emulator: Emulator;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "emulator-many-"));
    file = join(folder, "state.db");
    const actions = [{ actionType: "X", actionId: "a", properties: { text: "x".repeat(300) } }];
    const tasks = Array.from({ length: count }, (_, index) => ({
      taskId: `task-${index}`,
      taskGroupId: "group",
      actions,
    }));
    emulator = await startWith(tasks, { stateFile: file });
  });
  afterEach(async () => {
    sinon.restore();
    await emulator.close();
    rmSync(folder, { recursive: true });
  });

  slowIt("lets requests have their turns, and has the state of one moment", async () => {
    await emulator.saveSnapshot("all");
    const groups = emulator.inspect.groups().length;
    const run = sinon.spy(StateDatabase.prototype, "run");
    let mostInTurn = 0;
    let turns = 0;
    let over = false;
    const restored = emulator.restoreSnapshot("all").finally(() => {
      over = true;
    });
    while (!over) {
      emulator.change.setProperty("task-0", "a", "turn", String(turns));
      emulator.change.setProperty(`task-${count - 1}`, "a", "turn", String(turns));
      emulator.change.addTask({ taskId: `new-${turns}`, taskGroupId: `group-${turns}`, actions: [] });
      // The snapshot does not have it.
      const earlier = `new-${turns - 1}`;
      if (emulator.inspect.task(earlier) !== undefined) emulator.change.deleteTask(earlier);
      turns += 1;
      const before = run.callCount;
      await setImmediate();
      mostInTurn = Math.max(mostInTurn, run.callCount - before);
    }
    await restored;
    // How many depends on the machine.
    assert.ok(mostInTurn < run.callCount / 2, `${mostInTurn} of ${run.callCount} statements in one turn`);
    const saved = await savedState(file);
    const turnOf = (taskId: string) =>
      new Map(saved.tasks.find((task) => task.taskId === taskId)?.actions[0]?.properties).get("turn");
    assert.equal(turnOf("task-0"), turnOf(`task-${count - 1}`));
    const added = saved.tasks.filter(({ taskId }) => taskId.startsWith("new-"));
    assert.ok(added.length <= 1 && saved.groups.length >= groups);
    assert.equal(saved.tasks.length - added.length, count + 1);
    assert.equal((await call(emulator, "startTask", { fields: { taskId: "template" } })).status, 200);
    await emulator.settled();
    await emulator.close();
    assert.deepEqual(await savedState(file), emulator.exportState());
  });

  it("changes nothing if it fails, and the next one has all changes", async () => {
    await emulator.saveSnapshot("all");
    const before = await savedState(file);
    const run = sinon.stub(StateDatabase.prototype, "run").callThrough();
    for (const failing of [900, 9000]) {
      run.resetHistory();
      run.onCall(failing).throws(new Error("the disk is full"));
      await assert.rejects(emulator.restoreSnapshot("all"), /could not be written: the disk is full/);
      assert.deepEqual(await savedState(file), before, `call ${failing}`);
    }
    sinon.restore();
    assert.equal((await call(emulator, "startTask", { fields: { taskId: "template" } })).status, 200);
    await emulator.settled();
    await emulator.close();
    const saved = await savedState(file);
    assert.equal(saved.tasks.length, count + 1);
    assert.deepEqual(saved, emulator.exportState());
  });
});
