import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { restore, stub } from "sinon";
import type { Emulator, StateDocument } from "webextract-emulator";
import { runTemplate, startWith } from "./caller";
import { LocalEmulator } from "./internals";

describe("the state as a document that is written in parts", () => {
  let emulator: Emulator;
  afterEach(async () => {
    restore();
    await emulator.close();
  });

  it("is the state of one moment, though other work goes on and changes it", async () => {
    const names = Array.from({ length: 800 }, (_, index) => `task-${index}`);
    emulator = await startWith(
      names.map((taskId) => ({
        taskId,
        taskGroupId: "group",
        actions: [{ actionType: "X", actionId: "a", properties: { text: "x".repeat(500) } }],
      })),
    );
    assert.ok(emulator instanceof LocalEmulator);
    const lotNo = await runTemplate(emulator);
    const [first, last] = [String(names[0]), String(names.at(-1))];
    // Time passes with each look at the clock, so the machine does not decide on the number of parts.
    let milliseconds = 0;
    stub(performance, "now").callsFake(() => {
      milliseconds += 1;
      return milliseconds;
    });
    let turns = 0;
    let done = false;
    const text = emulator.stateText().finally(() => {
      done = true;
    });
    while (!done) {
      // In this order, with groups, tasks and batches that come and go.
      emulator.change.setProperty(first, "a", "turn", String(turns));
      emulator.change.insertRows("template", [{ turn: turns }], lotNo);
      emulator.change.addTask({ taskId: `new-${turns}`, taskGroupId: `group-${turns}`, actions: [] });
      if (turns > 0) emulator.change.deleteTask(`new-${turns - 1}`);
      emulator.change.setProperty(last, "a", "turn", String(turns));
      turns += 1;
      await setImmediate();
    }
    restore();
    assert.ok(turns > 10, `${turns} turns`);
    const document: StateDocument = JSON.parse([...(await text)].join(""));
    const turnOf = (taskId: string) =>
      new Map(document.tasks.find((task) => task.taskId === taskId)?.actions[0]?.properties).get("turn");
    const turn = Number(turnOf(first));
    assert.equal(turnOf(last), String(turn));
    assert.equal(document.runs[0]?.rows.texts.length, turn + 1);
    assert.equal(document.runs[0]?.rows.texts.at(-1), JSON.stringify({ turn }));
    assert.deepEqual(
      document.tasks.map(({ taskId }) => taskId),
      ["template", ...names, `new-${turn}`],
    );
    assert.equal(document.groups.length, turn + 2);
    const now: StateDocument = JSON.parse([...(await emulator.stateText())].join(""));
    assert.deepEqual(now, emulator.exportState());
  });
});
