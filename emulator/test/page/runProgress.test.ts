import assert from "node:assert/strict";
import type { StoredRun } from "../internals";
import { newRun, newSubtask, RunProgress, VisitQueue } from "../internals";

function runOf(lotNo: string, subtasks = 2): StoredRun {
  return { ...newRun("task"), lotNo, subtasks: Array.from({ length: subtasks }, () => newSubtask(new VisitQueue())) };
}

describe("the samples of a run", () => {
  let now: number;
  let progress: RunProgress;
  beforeEach(() => {
    now = 1_000;
    progress = new RunProgress(() => now);
  });

  it("have the rows and the subtasks by status, and end with the present state", () => {
    const run = runOf("1");
    progress.record(run);
    now += 500;
    const [first] = run.subtasks;
    assert.ok(first);
    first.status = "finished";
    run.rows.append(["{}", "{}"]);
    assert.deepEqual(
      progress.of(run).map(({ at, rows, subtasks }) => [at, rows, subtasks.waiting, subtasks.finished]),
      [
        [1_000, 0, 2, 0],
        [1_500, 2, 1, 1],
      ],
    );
  });

  it("are few, and cover the whole run, however long it works", () => {
    const run = runOf("1");
    for (let index = 0; index < 100_000; index += 1) {
      now += 70;
      run.rows.append(["{}"]);
      progress.record(run);
    }
    const samples = progress.of(run);
    assert.ok(samples.length <= 241 && samples.length >= 100, `${samples.length} samples`);
    assert.ok(Number(samples[0]?.rows) <= 2);
    assert.equal(samples.at(-1)?.rows, 100_000);
    const gaps = samples.slice(1, -1).map(({ at }, index) => at - (samples[index]?.at ?? 0));
    assert.ok(Math.max(...gaps) <= 3 * Math.min(...gaps), "the samples are evenly spread");
  });

  it("contain the end of a run, even shortly after another sample, and do not go on after it", () => {
    const run = runOf("1");
    progress.record(run);
    now += 1;
    for (const subtask of run.subtasks) subtask.status = "finished";
    progress.record(run);
    progress.record(run);
    now += 100_000;
    assert.deepEqual(
      progress.of(run).map(({ at }) => at),
      [1_000, 1_001],
    );
  });

  it("are the present state alone for a run that was not measured", () => {
    assert.deepEqual(
      progress.of(runOf("1")).map(({ at }) => at),
      [1_000],
    );
  });

  it("are kept for the latest 100 runs", () => {
    const runs = Array.from({ length: 150 }, (_, index) => runOf(String(index)));
    for (const run of runs) progress.record(run);
    now += 1_000;
    const [oldest] = runs;
    const newest = runs.at(-1);
    assert.ok(oldest && newest);
    assert.equal(progress.of(oldest).length, 1);
    assert.equal(progress.of(newest).length, 2);
  });
});
