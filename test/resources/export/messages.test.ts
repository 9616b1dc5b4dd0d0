import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs, { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import sinon from "sinon";
import { unknownText } from "../../program/inProcess";
import { failure, useWorld } from "../life";
import { justBefore } from "./justBefore";

/** Other tests assert on the state, the files and the marks. The wording of each message is here. */
describe("messages of DataExport", () => {
  const world = useWorld();

  const all = { taskId: "task-1", scope: "all", path: "out/rows.ndjson" };
  const marking = { taskId: "task-1", scope: "notExported", path: "out/{n}.ndjson", markExported: true };
  const up = (args: Record<string, unknown>): Promise<unknown> => world.declare("DataExport").up(args);
  const returned = 'If this service marks only the rows that it returned, set webextract:markScope to "returned".';
  const ends = (text: string, end: string): void => assert.ok(text.endsWith(end), text);

  it("a path", async () => {
    world.write("mine.ndjson", "mine");
    const problems = (args: object): Promise<string[]> => world.providers.problems("DataExport", { ...all, ...args });
    assert.deepEqual(await problems({ path: "{lotNo}" }), ['path contains "{lotNo}", which needs scope "batch"']);
    assert.deepEqual(await problems({ scope: "batch", lotNo: unknownText, path: "mine.ndjson" }), [
      `path names a file that exists, "${world.path("mine.ndjson")}", and that this export did not write: add {n} or {time} to the path, move the file away, or use another path`,
    ]);
  });

  it("no rows in place of a file with rows", async () => {
    world.emulator.change.addTask({ taskId: "empty-1", taskGroupId: "group-1", actions: [] });
    world.emulator.change.insertRows("task-1", ['{"a":1}', '{"a":2}']);
    const each = world.declare("DataExport");
    await each.up(all);
    assert.equal(
      await failure(each.up({ ...all, taskId: "empty-1" })),
      'The rows of task "empty-1" did not pass a check:\n' +
        '  checks.minRows: 0 rows would replace the 2 rows of "out/rows.ndjson"; to allow it, set checks.minRows: 0\n' +
        'No row was read. The file of the last export, "out/rows.ndjson", is unchanged. Correct the task or the checks. The next up exports again.',
    );
  });

  it("a part of the rows in place of a complete file, and more rows than the service reports", async () => {
    world.emulator.change.insertRows("task-1", ['{"a":1}', '{"a":2}']);
    const each = world.declare("DataExport");
    await each.up(all);
    const first = each.state;
    const respondWith = (total: number, rows: object[]) =>
      world.emulator.fault({
        operation: "getData",
        kind: "status",
        status: 200,
        body: { data: { data: rows, total, restTotal: 0, offset: 0 }, requestId: "1" },
      });
    respondWith(5, [{ a: 3 }]);
    assert.match(
      await failure(each.up({ ...all, triggers: [1] })),
      /checks\.minRows: 1 rows, which are not all that the service reports, would replace the 2 rows of "out\/rows\.ndjson"; to allow it, set checks\.minRows: 1\n/,
    );
    assert.equal(readFileSync(world.path("out/rows.ndjson"), "utf8"), '{"a":1}\n{"a":2}\n');
    assert.deepEqual(each.state, first);
    world.warnings.length = 0;
    respondWith(2, [{ a: 3 }, { a: 4 }, { a: 5 }]);
    await each.up({ ...all, triggers: [2] });
    assert.deepEqual(world.warnings, [
      'Task "task-1": the service reports 2 rows, and returned 3. Rows may be there twice.',
    ]);
    // What is cut already is no better than another cut file.
    respondWith(5, [{ a: 6 }]);
    await each.up({ ...all, triggers: [3] });
    assert.equal(readFileSync(world.path("out/rows.ndjson"), "utf8"), '{"a":6}\n');
  });

  it("a FIFO in place of the file of the last export", async () => {
    world.emulator.change.insertRows("task-1", ['{"a":1}', '{"a":2}']);
    const each = world.declare("DataExport");
    await each.up(all);
    rmSync(world.path("out/rows.ndjson"));
    execFileSync("mkfifo", [world.path("out/rows.ndjson")]);
    assert.match(
      await failure(each.up({ ...all, triggers: [1] })),
      /^The file ".*" exists\. This export did not write it, or it was changed/,
    );
  });

  it("an existing file", async () => {
    world.write("mine.ndjson", "mine");
    const message = await failure(up({ ...all, path: "mine.ndjson" }));
    assert.equal(
      message,
      `The file "mine.ndjson" exists. This export did not write it, or it was changed since, so it was not overwritten. ` +
        "Add {n} (the next free number) or {time} to the path, so that each export writes a new file. Or move the file away, or use another path.",
    );
  });

  it("a batch that is running, fewer rows than reported, an edited file", async () => {
    world.emulator.change.holdRuns();
    const lotNo = world.emulator.change.startRun("task-1");
    await up({ ...all, scope: "batch", lotNo });
    world.emulator.change.insertRows("task-1", ['{"a":1}', '{"a":2}']);
    world.configure({ pageSize: "1" });
    const each = world.declare("DataExport");
    await each.up({ ...all, scope: "notExported", path: "out/edited", onDelete: "removeFile" });
    world.write("out/edited", "edited");
    await each.destroy();
    assert.deepEqual(world.warnings, [
      `Task "task-1": 3 subtasks were running (Waiting) when the rows of batch ${lotNo} were read, so there may be more rows now. ` +
        "Export again after the end of the run. If one of these statuses means that a subtask has ended, add it to webextract:statuses.",
      'Task "task-1": the service reports 2 rows, and returned 1. Rows may be missing.',
      'The file "out/edited" has changed since the export, so it was not removed.',
    ]);
  });

  it("a mark that is refused before the read", async () => {
    world.configure({ pageSize: "25" });
    await world.finishedRun();
    assert.equal(
      await failure(up(marking)),
      'The rows of task "task-1" were not marked as exported: one response contained 25 of 25 rows that are not exported, and the mark would reach the others too. ' +
        `No file was written. Run up again when no subtask is running. Use scope: "all", which reads every row of the task. ${returned}`,
    );
    world.configure({ pageSize: "1000", maxRetries: "1" });
    world.emulator.fault({ operation: "getNotExportedData", kind: "reset", when: "after" });
    assert.equal(
      await failure(up({ ...marking, path: "lost/{n}" })),
      'The rows of task "task-1" were not marked as exported: a response to the read was lost, and it may have contained other rows. ' +
        `No file was written. Run up again when no subtask is running. Use scope: "all", which reads every row of the task. ${returned}`,
    );
    world.emulator.change.holdRuns();
    world.emulator.change.startRun("task-1");
    assert.equal(
      await failure(up(marking)),
      'The rows of task "task-1" were not marked as exported: 3 of its subtasks are running, so rows may arrive during the read. ' +
        `No file was written. Run up again when no subtask is running. Use scope: "all", which reads every row of the task. ${returned}`,
    );
  });

  it("a mark that is refused after the write", async () => {
    world.emulator.change.insertRows("task-1", ['{"other":1}']);
    const lotNo = await world.finishedRun();
    assert.equal(
      await failure(up({ ...marking, scope: "batch", lotNo })),
      'The rows of task "task-1" were not marked as exported: 1 rows of other batches are not exported, and the mark would reach them too. ' +
        `The 25 rows are in "out/1.ndjson". The next up exports them again. Run up again when no subtask is running. Use scope: "all", which reads every row of the task. ${returned}`,
    );
    world.configure({ pageSize: "10" });
    const kept = justBefore("/data/all", 2, () => world.emulator.change.insertRows("task-1", ['{"late":1}']));
    const message = await failure(up({ ...marking, scope: "all" }));
    kept.restore();
    assert.equal(
      message,
      'The rows of task "task-1" were not marked as exported: the task has 27 rows, and had 26 before the read, which returned 27. ' +
        `The 27 rows are in "out/2.ndjson". The next up exports them again. Run up again when no subtask is running. ${returned}`,
    );
    world.emulator.fault({ operation: "markExported", kind: "error", code: "PermissionDenied" });
    ends(
      await failure(up({ ...marking, scope: "all" })),
      ' The 27 rows are in "out/3.ndjson". They are not marked. The next up exports them again.',
    );
  });

  it("an export that was killed at its mark, whose file has changed since or cannot be read by this user", async () => {
    await world.finishedRun();
    for (const [nth, change] of [
      () => world.write("out/1.ndjson", "edited"),
      () =>
        sinon.stub(fs, "createReadStream").callsFake(() => {
          const error = Object.assign(new Error("EACCES: permission denied, open"), { code: "EACCES" });
          return new Readable({
            read() {
              this.destroy(error);
            },
          }) as fs.ReadStream;
        }),
    ].entries()) {
      const killed = world.declare("DataExport", `killed-${nth}`);
      const saved = await world.killed(killed, () => killed.up(marking), { operation: "markExported", when: "after" });
      world.emulator.clearFaults();
      change();
      await saved.up(marking);
      sinon.restore();
      const [warning = ""] = world.warnings.splice(0);
      assert.match(
        warning,
        /^The 25 rows of task "task-1" were exported to "out\/\d\.ndjson" .*\. That file is not here any more, or has changed\. Its rows may be marked, so this export does not read them again: keep that file\.$/,
      );
      assert.deepEqual([saved.state.rowCount, world.warnings], [0, []]);
      await world.finishedRun();
    }
  });

  it("a mark whose response is lost, and rows that arrived just before a mark", async () => {
    await world.finishedRun();
    world.emulator.fault({ operation: "markExported", kind: "reset", when: "after" });
    const each = world.declare("DataExport");
    ends(
      await failure(each.up({ ...marking, scope: "all", onDelete: "removeFile" })),
      ' The 25 rows are in "out/1.ndjson". They may be marked, so keep this file. The next up exports into a new file. If the path allows only this name, add {n} to it.',
    );
    await each.destroy();
    assert.deepEqual(world.warnings, ['The file "out/1.ndjson" was not removed: its rows may be marked, so keep it.']);
    for (const [scope, next] of [
      ["all", "The next up exports all rows again."],
      ["notExported", 'Use scope: "all", which reads every row of the task.'],
    ] as const) {
      await world.finishedRun();
      const kept = justBefore("/data/markexported", 1, () =>
        world.emulator.change.insertRows("task-1", ['{"late":1}']),
      );
      const message = await failure(up({ ...marking, scope, path: `${scope}.{n}` }));
      kept.restore();
      assert.match(
        message,
        /^Task "task-1": the \d+ rows in ".*" are marked as exported\. 1 rows arrived just before the mark\. /,
      );
      ends(message, ` They may be marked as exported without being in a file. ${next}`);
    }
  });

  describe("with markScope returned", () => {
    beforeEach(async () => {
      world.configure({ markScope: "returned", pageSize: "10" });
      world.emulator.setBehaviour({ markScope: "returned" });
      await world.finishedRun();
    });
    it("the same rows again, and rows that vanish", async () => {
      const marks = { operation: "markExported", times: 9 } as const;
      world.emulator.fault({ ...marks, kind: "status", status: 200, body: { requestId: "r" } });
      const message = await failure(up(marking));
      assert.equal(
        message,
        'Task "task-1": the same rows came again after they were marked, so the export stopped: ' +
          'the service may mark all rows of the task: then set webextract:markScope to "task". ' +
          '10 rows were read, and they may be marked as exported. All of them are in "out/1.ndjson". Keep that file. The next up exports the rows that are not marked.',
      );
      assert.match(
        await failure(up({ ...marking, maxRows: 15, path: "some/{n}" })),
        /came again.*\. 10 rows were read/,
      );
      world.emulator.clearFaults();
      world.emulator.setBehaviour({ markScope: "task" });
      await up({ ...marking, path: "other/{n}" });
      assert.deepEqual(world.warnings, [
        'Task "task-1": 15 rows were exported by somebody else during this export, or the service may mark all rows of the task: then set webextract:markScope to "task".',
      ]);
    });

    it("a lost response", async () => {
      world.configure({ maxRetries: "1" });
      world.emulator.fault({ operation: "getNotExportedData", kind: "truncated" });
      assert.equal(
        await failure(up(marking)),
        'The rows of task "task-1" were not marked as exported: a response to the read was lost, and it may have contained other rows. Run the same command again.',
      );
    });

    it("the file of a killed export, and an interruption", async () => {
      mkdirSync(world.path("out"));
      world.write("out/1.ndjson.7afaa346.00000000.part", '{"read":1}\n');
      world.configure({ pageSize: "50" });
      await up(marking);
      assert.deepEqual(world.warnings, [
        'Task "task-1": an export was killed. The rows that it had read are in "out/1.ndjson.7afaa346.00000000.ndjson", one a line. The last line may be cut off. ' +
          "Keep that file: rows of it may be marked as exported, and no other file contains them.",
      ]);
      await world.finishedRun();
      world.configure({ pageSize: "10" });
      const hold = world.emulator.hold({ operation: "markExported" });
      const step = failure(up(marking));
      await hold.reached;
      world.providers.interruption.abort();
      hold.release();
      assert.equal(
        await step,
        'The export was interrupted after 10 of 25 rows of task "task-1". 10 rows were read, and they may be marked as exported. All of them are in "out/2.ndjson". Keep that file. ' +
          "The next up exports the rows that are not marked.",
      );
    });
  });

  it("an interruption without marks", async () => {
    world.configure({ pageSize: "10" });
    await world.finishedRun();
    const hold = world.emulator.hold({ operation: "getData", skip: 1 });
    const step = failure(up(all));
    await hold.reached;
    world.providers.interruption.abort();
    hold.release();
    assert.equal(
      await step,
      'The export was interrupted after 20 of 25 rows of task "task-1". No file was written, and nothing was marked. Run the same command again.',
    );
    assert.deepEqual(readdirSync(world.path("out")), []);
  });
});
