import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Emulator } from "webextract-emulator";
import { slowIt } from "../../test/environment";
import { call, data, startWith } from "./caller";
import { defaultBehaviour, Runner, Store } from "./internals";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const urls = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `ftp://site/${from + index}`);
const addTask = { taskId: "task", taskGroupId: "group", actions: [] };

/** A runner of a task, and the pages that it has opened. */
function runnerOf(startUrls: string[], read: (url: string, visits: number) => boolean) {
  const store = new Store();
  const task = store.addTask({ ...addTask, startUrls, urlsPerSubtask: 5 });
  const opened: string[] = [];
  let count = 0;
  const runner = new Runner({
    store,
    visitPage: async ({ visit }) => {
      count += 1;
      if (startUrls.length < 1000) opened.push(visit.url);
      if (!read(visit.url, count)) throw new Error("refused");
      return { rows: [], next: [] };
    },
    behaviour: defaultBehaviour,
    changed: () => undefined,
    progressed: () => undefined,
    log: () => undefined,
  });
  return { runner, run: runner.begin(task), opened, task, visits: () => count };
}

describe("failed pages", () => {
  slowIt("take no memory for each of them, also after a retry", async () => {
    const pages = 60_000;
    const { runner, run, visits } = runnerOf(urls(pages), () => false);
    const held = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = held();
    await runner.settled();
    assert.equal(visits(), pages);
    for (const subtask of run.subtasks) runner.startSubtask(run, subtask);
    await runner.settled();
    assert.equal(visits(), 2 * pages);
    const each = (held() - before) / pages;
    // A subtask has up to 100 errors of its own, of 60 pages here.
    for (const subtask of run.subtasks) subtask.errors = [];
    const withoutErrors = (held() - before) / pages;
    assert.ok(withoutErrors < 30, `${withoutErrors.toFixed()} bytes for each page, ${each.toFixed()} with errors`);
  });

  it("are opened again in their order, also if the subtask was stopped between them, and after a change of the task", async () => {
    const { runner, run, opened, task } = runnerOf(urls(12), (url) => url.endsWith("/7"));
    await runner.settled();
    assert.deepEqual(
      run.subtasks.map(({ status }) => status),
      ["failed", "finished", "failed"],
    );
    assert.deepEqual([...opened].sort(), urls(12).sort());
    for (let times = 0; times < 2; times += 1) {
      opened.length = 0;
      task.actions = [];
      for (const subtask of run.subtasks) runner.startSubtask(run, subtask);
      for (const subtask of run.subtasks) runner.stopSubtask(run, subtask);
      for (const subtask of run.subtasks) runner.startSubtask(run, subtask);
      await runner.settled();
      // Subtasks work at the same time, each in its order.
      const ofSubtask = (from: number, count: number) => opened.filter((url) => urls(count, from).includes(url));
      assert.deepEqual([ofSubtask(0, 5), ofSubtask(10, 2)], [urls(5), urls(2, 10)]);
      assert.equal(opened.length, 7);
    }
  });

  describe("of a state file", () => {
    let folder: string;
    let emulator: Emulator;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), "emulator-failed-"));
      emulator = await startWith([], { stateFile: join(folder, "state.db") });
    });
    afterEach(async () => {
      await emulator.close();
      rmSync(folder, { recursive: true });
    });
    const restart = async () => {
      await emulator.close();
      emulator = await startWith([], { stateFile: join(folder, "state.db") });
    };
    const subtasks = () => emulator.inspect.runs("task")[0]?.subtasks ?? [];
    const errors = () => subtasks().map((subtask) => subtask.errors.map(({ url }) => url));
    const expected = [urls(3), urls(2, 3)];
    const failed = async () => {
      emulator.change.addTask({ ...addTask, startUrls: urls(5), urlsPerSubtask: 3 });
      await data(emulator, "startTask", { taskId: "task" });
      await emulator.settled();
      assert.deepEqual(errors(), expected);
    };
    const again = async () => {
      for (const { subTaskId } of subtasks()) {
        await call(emulator, "startSubtasks", { fields: { taskId: "task", subTaskIds: [subTaskId] } });
      }
      await emulator.settled();
    };

    it("are opened again after a restart", async () => {
      await failed();
      await restart();
      await again();
      assert.deepEqual(errors(), expected);
      await restart();
      await again();
      assert.deepEqual(errors(), expected);
    });

    for (const restarts of [false, true]) {
      it(`are those of the start of the run, whatever has happened to the task${restarts ? " after a restart" : ""}`, async () => {
        await failed();
        if (restarts) await restart();
        await call(emulator, "updateTaskUrls", { fields: { taskId: "task" }, file: "ftp://another/\n" });
        await restart();
        await again();
        assert.deepEqual(errors(), expected);
      });
    }

    it("are in a document as pages", async () => {
      await failed();
      await restart();
      const document = emulator.exportState();
      const saved = document.runs[0]?.subtasks ?? [];
      const pages = (list: string[]) => list.map((url) => ({ kind: "list", url }));
      assert.deepEqual(
        saved.map((subtask) => subtask.failed),
        expected.map(pages),
      );
      await emulator.importState(document);
      await again();
      assert.deepEqual(errors(), expected);
    });

    it("of a stopped subtask are opened again with the rest, after a change of the task", async () => {
      emulator.change.addTask({ ...addTask, startUrls: urls(2000), urlsPerSubtask: 2000 });
      await data(emulator, "startTask", { taskId: "task" });
      while ((subtasks()[0]?.errors.length ?? 0) < 10) await new Promise(setImmediate);
      const [{ subTaskId } = { subTaskId: "" }] = subtasks();
      await call(emulator, "stopSubtasks", { fields: { taskId: "task", subTaskIds: [subTaskId] } });
      await call(emulator, "updateTaskUrls", { fields: { taskId: "task" }, file: "ftp://another/\n" });
      await restart();
      await again();
      await again();
      const [{ errors: found = [] } = {}] = subtasks();
      assert.deepEqual([found[0]?.url, found.length + (found.at(-1)?.others ?? 0)], ["ftp://site/0", 2000]);
    });
  });
});
