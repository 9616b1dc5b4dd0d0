import assert from "node:assert/strict";
import callbacks, { readdirSync, rmSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import fs from "node:fs/promises";
import sinon from "sinon";
import { endsAtTurn } from "../../turns";
import { failure, useWorld, World } from "../life";

/** What the tests of kills cannot see: rows that are written, and would be lost in a power cut. */
describe("an export that writes a file", () => {
  let world: World;
  let box: sinon.SinonSandbox;
  /** What happened to the file, its folder and the marks, in order. */
  let seen: string[];
  beforeEach(async () => {
    world = await World.create({ config: { pageSize: "10" } });
    await world.finishedRun();
    box = sinon.createSandbox();
    seen = [];
    const { open, link } = fs;
    box.stub(fs, "open").callsFake(async (name, ...rest) => {
      const handle: FileHandle = await open(name, ...rest);
      const { sync, writeFile } = handle;
      const what = String(name).endsWith("out") ? "folder" : "file";
      if (String(name).startsWith(world.path("out"))) {
        handle.writeFile = async (data, ...more) => {
          await writeFile.call(handle, data, ...more);
          seen.push("write");
        };
        handle.sync = async () => {
          await sync.call(handle);
          seen.push(`sync ${what}`);
        };
      }
      return handle;
    });
    box.stub(fs, "link").callsFake(async (from, to) => {
      await link(from, to);
      seen.push("name");
    });
  });
  afterEach(async () => {
    box.restore();
    await world.remove();
  });
  const args = { taskId: "task-1", scope: "all", path: "out/{n}.ndjson" };

  it("syncs the rows before they get their name, and the folder after it", async () => {
    await world.declare("DataExport").up(args);
    assert.deepEqual(seen, ["write", "write", "write", "sync file", "name", "sync folder"]);
  });

  it("ends with the error of a write that failed before the next page came", async () => {
    box.restore();
    const { open } = fs;
    box.stub(fs, "open").callsFake(async (...opened) => {
      const handle: FileHandle = await open(...opened);
      handle.writeFile = () => {
        seen.push("write");
        return Promise.reject(new Error("the disk is full"));
      };
      return handle;
    });
    const hold = world.emulator.hold({ operation: "getData", skip: 1 });
    const message = failure(world.declare("DataExport").up(args));
    const unhandled = box.spy();
    process.on("unhandledRejection", unhandled);
    while (seen.length === 0) await endsAtTurn(1, undefined);
    // Nobody waits for the write now, so its error would end the process.
    await endsAtTurn(5, undefined);
    hold.release();
    assert.match(await message, /the disk is full/);
    process.off("unhandledRejection", unhandled);
    assert.equal(unhandled.callCount, 0);
  });

  it("tells the first failure, and leaves no file, if the file cannot be closed either", async () => {
    box.restore();
    const { open } = fs;
    box.stub(fs, "open").callsFake(async (...opened) => {
      const handle: FileHandle = await open(...opened);
      const { close } = handle;
      handle.writeFile = () => Promise.reject(new Error("the disk is full"));
      handle.close = async () => {
        await close.call(handle);
        throw new Error("the disk is gone");
      };
      return handle;
    });
    assert.match(await failure(world.declare("DataExport").up(args)), /the disk is full/);
    assert.deepEqual(readdirSync(world.path("out")), []);
  });

  it("syncs the rows too where Yarn's Plug'n'Play has replaced the file handles", async () => {
    box.restore();
    const { open } = fs;
    const synced = box.spy(callbacks, "fsync");
    box.stub(fs, "open").callsFake(async (name, ...rest) => {
      const handle: FileHandle = await open(name, ...rest);
      handle.sync = () => {
        throw new Error("Method not implemented.");
      };
      return handle;
    });
    await world.declare("DataExport").up(args);
    assert.equal(synced.callCount, 2);
  });

  it("syncs a file in another format before it gets its name", async () => {
    await world.declare("DataExport").up({ ...args, path: "out/{n}.csv", format: "csv" });
    assert.deepEqual(seen.slice(-3), ["sync file", "name", "sync folder"]);
  });

  it("syncs each page before its rows are marked", async () => {
    world.configure({ markScope: "returned" });
    world.emulator.setBehaviour({ markScope: "returned" });
    for (const skip of [0, 1, 2]) {
      seen.length = 0;
      const hold = world.emulator.hold({ operation: "markExported", skip });
      const up = world.declare("DataExport").up({ ...args, scope: "notExported", markExported: true });
      await hold.reached;
      assert.equal(seen.at(-1), "sync file");
      hold.release();
      await up;
      await world.finishedRun();
    }
  });

  it("syncs the rows and their name before they are marked for the whole task", async () => {
    const hold = world.emulator.hold({ operation: "markExported" });
    const up = world.declare("DataExport").up({ ...args, markExported: true });
    await hold.reached;
    assert.deepEqual(seen.slice(-3), ["sync file", "name", "sync folder"]);
    hold.release();
    await up;
  });
});

describe("an export that is repeated", () => {
  const world = useWorld();
  const args = { taskId: "task-1", scope: "all", path: "out/{n}.ndjson" };

  for (const [option, value] of Object.entries({
    verifyFile: true,
    onDelete: "removeFile",
    pipeTimeoutSeconds: 5,
    checks: { minRows: 1 },
  })) {
    it(`after a kill is taken over also with another ${option}`, async () => {
      await world.finishedRun();
      const saved = await world.unsaved(world.declare("DataExport"), () => world.declare("DataExport").up(args));
      world.operations();
      await saved.up({ ...args, [option]: value });
      assert.deepEqual([saved.state.file, world.operations()], ["out/1.ndjson", []]);
    });
  }

  it("after a kill names a file of marked rows that is not there, as in another folder of the program", async () => {
    await world.finishedRun();
    const marking = { ...args, scope: "notExported", markExported: true };
    const saved = await world.unsaved(world.declare("DataExport"), () => world.declare("DataExport").up(marking));
    rmSync(world.path("out"), { recursive: true });
    await saved.up(marking);
    assert.match(
      world.warnings.join("\n"),
      /^The 25 rows .*"out\/1\.ndjson" .* not here any more, .* Its rows are marked/,
    );
  });

  it("after a kill names the rows that an export had marked page by page, and that are not there", async () => {
    await world.finishedRun();
    world.configure({ markScope: "returned" });
    const marking = { ...args, scope: "notExported", markExported: true };
    const rows = world.declare("DataExport");
    const saved = await world.killed(rows, () => rows.up(marking), { operation: "markExported", when: "after" });
    world.emulator.clearFaults();
    rmSync(world.path("out"), { recursive: true });
    await saved.up(marking);
    const named =
      /Rows of task "task-1" may have been marked as exported at .* They are in "out\/\S+\.part" on \S+, one a line/;
    assert.match(world.warnings.join("\n"), named);
  });

  it("after a kill knows what was still to do: the run of its batch was not over", async () => {
    world.emulator.change.holdRuns();
    const lotNo = world.emulator.change.startRun("task-1");
    world.emulator.change.insertRows("task-1", ['{"a":1}'], lotNo);
    const batch = { ...args, scope: "batch", lotNo };
    const saved = await world.unsaved(world.declare("DataExport"), () => world.declare("DataExport").up(batch));
    await saved.up(batch);
    assert.deepEqual(saved.state.pending, ["run at work"]);
    world.emulator.change.insertRows("task-1", ['{"a":2}'], lotNo);
    await saved.up(batch);
    assert.deepEqual([saved.state.rowCount, saved.state.file], [2, "out/1.ndjson"]);
  });

  it("replaces a marked file that has no rows, and none that has rows", async () => {
    world.emulator.change.holdRuns();
    const lotNo = world.emulator.change.startRun("task-1");
    world.emulator.change.setSubtaskStatus(lotNo, "finished");
    const batch = { ...args, path: "out/{lotNo}.ndjson", scope: "batch", lotNo, markExported: true };
    const each = world.declare("DataExport");
    await each.up(batch);
    assert.deepEqual([each.state.rowCount, each.state.marked], [0, true]);
    world.emulator.change.insertRows("task-1", ['{"a":1}'], lotNo);
    await each.up({ ...batch, triggers: [1] });
    assert.deepEqual([each.state.rowCount, each.state.marked, each.state.file], [1, true, `out/${lotNo}.ndjson`]);
    world.emulator.change.insertRows("task-1", ['{"a":2}'], lotNo);
    assert.match(await failure(each.up({ ...batch, triggers: [2] })), /exists/);
    assert.equal(world.content(`out/${lotNo}.ndjson`), '{"a":1}\n');
  });

  it("uses the file of a run that was not over only for the same task", async () => {
    world.emulator.change.holdRuns();
    const lotNo = world.emulator.change.startRun("task-1");
    world.emulator.change.insertRows("task-1", ['{"a":1}'], lotNo);
    const batch = { ...args, scope: "batch", lotNo };
    const each = world.declare("DataExport");
    await each.up(batch);
    assert.deepEqual(each.state.pending, ["run at work"]);
    // Another task, whose batch has the same lotNo.
    each.state.taskId = "task-2";
    await each.up({ ...batch, triggers: [1] });
    assert.deepEqual([each.state.file, world.content("out/1.ndjson")], ["out/2.ndjson", '{"a":1}\n']);
  });

  it("starts no run of its task between the last check and the mark", async () => {
    await world.finishedRun();
    const hold = world.emulator.hold({ operation: "markExported" });
    await world.command(async () => {
      const marking = world.declare("DataExport").up({ ...args, markExported: true });
      await hold.reached;
      world.operations();
      const run = world.declare("CloudRun").up({ taskId: "task-1", waitFor: "started" });
      // The response to another request shows that a start would have arrived.
      await world.declare("DataExport", "other").up({ ...args, path: "other/{n}" });
      assert.ok(!world.operations().includes("startTask"));
      hold.release();
      await Promise.all([marking, run]);
    });
  });
});
