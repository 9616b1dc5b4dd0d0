import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, renameSync, utimesSync } from "node:fs";
import fsPromises from "node:fs/promises";
import Module from "node:module";
import sinon from "sinon";
import { systemProcesses } from "../../internals/provider";
import { failure, useWorld } from "../life";

/** As the name of a file has it. Empty on systems without /proc. */
function startOf(pid = 0): string {
  const { start } = systemProcesses().own;
  const ticks = (): string | undefined => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19];
  return start === undefined ? "" : `${start.split(" ")[0]}_${ticks()}`;
}

describe("DataExport with markScope returned", () => {
  const world = useWorld({
    config: { markScope: "returned", pageSize: "10" },
    behaviour: { markScope: "returned" },
  });
  beforeEach(async () => {
    await world.finishedRun();
  });

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

  it("marks nothing after a response to the read was lost, and all rows at the next up", async () => {
    world.configure({ maxRetries: "1" });
    for (const maxRows of [undefined, 10]) {
      world.emulator.fault({ operation: "getNotExportedData", kind: "reset", when: "after" });
      const each = world.declare("DataExport");
      await failure(each.up({ ...marking, maxRows }));
      assert.deepEqual([each.id, marked(), files()], [undefined, 0, []]);
    }
    const each = world.declare("DataExport");
    await each.up(marking);
    assert.deepEqual([each.state.rowCount, marked(), files()], [25, 25, ["1.ndjson"]]);
  });

  it("keeps the rows of a killed export, which the next one names", async () => {
    const each = world.declare("DataExport");
    const saved = await world.killed(each, () => each.up(marking), { operation: "markExported", skip: 1 });
    world.emulator.clearFaults();
    const [part = ""] = files();
    assert.match(part, /^1\.ndjson\.webextract\.[0-9a-f]{8}\.\d+_[\w-]*\.[0-9a-f]{8}\.part$/);
    const content = world.content(`out/${part}`);
    assert.equal(content.split("\n").length, 21);
    const old = new Date(Date.now() - 48 * 3600 * 1000);
    utimesSync(world.path(`out/${part}`), old, old);
    await saved.up(marking);
    const kept = part.replace(".part", ".ndjson");
    assert.deepEqual([files(), marked()], [["1.ndjson", kept], 25]);
    assert.equal(world.content(`out/${kept}`), content);
    assert.ok(world.warnings.join().includes(`"out/${kept}"`), world.warnings.join());
  });

  it("refuses to mark rows while another process exports the task to that folder, and leaves its file alone", async () => {
    const other = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "inherit"] });
    await once(other, "spawn");
    const { own } = systemProcesses();
    const each = world.declare("DataExport");
    await world.killed(each, () => each.up(marking), { operation: "markExported" });
    world.emulator.clearFaults();
    const [ours = ""] = files();
    const theirs = ours.replace(
      `.${own.pid}_${own.start?.replace(" ", "_") ?? ""}.`,
      `.${other.pid}_${startOf(other.pid)}.`,
    );
    renameSync(world.path(`out/${ours}`), world.path(`out/${theirs}`));
    const before = world.content(`out/${theirs}`);
    world.operations();
    const message = await failure(world.declare("DataExport").up(marking));
    assert.ok(message.includes(`"out/${theirs}"`) && message.includes(String(other.pid)), message);
    assert.deepEqual([world.operations(), files(), world.content(`out/${theirs}`)], [[], [theirs], before]);
    other.kill();
    await once(other, "exit");
    await world.declare("DataExport").up(marking);
    assert.deepEqual(files(), ["1.ndjson", theirs.replace(".part", ".ndjson")]);
  });

  it("leaves the rows of another task's export alone", async () => {
    mkdirSync(world.path("out"));
    world.write("out/1.ndjson.00000000.00000000.part", "theirs");
    await world.declare("DataExport").up(marking);
    assert.deepEqual(files(), ["1.ndjson", "1.ndjson.00000000.00000000.part"]);
  });

  it("keeps a size that the service accepts, so that no read after a lost response is smaller", async () => {
    world.emulator.setBehaviour({ dataPageMax: 2, pageTooLarge: "refused" });
    world.emulator.clearRequests();
    await world.declare("DataExport").up({ ...marking, maxRows: 12 });
    const reads = world.emulator.requests.filter(({ operation }) => operation === "getNotExportedData");
    const sizes = reads.map(({ query }) => Number(query.size));
    assert.deepEqual([sizes, marked()], [[10, ...Array<number>(12).fill(1)], 12]);
  });

  it("marks all rows of one response at the end, if maxRows allows no more", async () => {
    const each = world.declare("DataExport");
    world.operations();
    await each.up({ ...marking, maxRows: 10, checks: { minRows: 10 } });
    assert.deepEqual(world.operations(), ["getNotExportedData", "markExported"]);
    assert.deepEqual([each.state.rowCount, each.state.marked, marked()], [10, true, 10]);
    world.emulator.fault({ operation: "markExported", kind: "error", code: "PermissionDenied" });
    await failure(each.up({ ...marking, maxRows: 10, triggers: [1] }));
    assert.deepEqual([each.state.file, each.state.marked, marked()], ["out/2.ndjson", false, 10]);
    // The next mark reaches the rows of that file too, so it stays.
    await each.up({ ...marking, maxRows: 5, triggers: [2] });
    assert.deepEqual(files(), ["1.ndjson", "2.ndjson", "3.ndjson"]);
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

  it("on a full disk keeps the rows of whole pages, names no more, and exports the others at the next up", async () => {
    const { open } = fsPromises;
    let writes = 0;
    const opening = sinon.stub(fsPromises, "open").callsFake(async (...args) => {
      const handle = await open(...args);
      if (!String(args[0]).endsWith(".part")) return handle;
      const { writeFile } = handle;
      handle.writeFile = async (data) => {
        writes += 1;
        if (writes === 2) {
          await writeFile.call(handle, (data as Buffer).subarray(0, 100));
          throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC", syscall: "write" });
        }
        return writeFile.call(handle, data);
      };
      return handle;
    });
    const each = world.declare("DataExport");
    const message = await failure(each.up(marking));
    opening.restore();
    assert.match(
      message,
      /ENOSPC.* 10 rows were read, and they may be marked as exported\. All of them are in "out\/1\.ndjson"\./,
    );
    assert.deepEqual([each.state.rowCount, marked(), files()], [10, 10, ["1.ndjson"]]);
    assert.equal(
      world
        .content("out/1.ndjson")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)).length,
      10,
    );
    await each.up(marking);
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

  it("stops if the service marks nothing, and keeps the rows", async () => {
    const each = world.declare("DataExport");
    world.emulator.fault({
      operation: "markExported",
      kind: "status",
      status: 200,
      body: { requestId: "r" },
      times: 9,
    });
    await failure(each.up(marking));
    assert.deepEqual([each.id, each.state.rowCount, each.state.marked, marked()], ["out/1.ndjson", 10, false, 0]);
    assert.deepEqual([each.state.pending, files()], [["mark with an unknown outcome"], ["1.ndjson"]]);
  });

  it("keeps the rows where they are if they may be marked and their file cannot be written", async () => {
    const hold = world.emulator.hold({ operation: "markExported" });
    const each = world.declare("DataExport");
    const step = failure(each.up({ ...marking, format: "parquet" }));
    await hold.reached;
    // The package for the format goes missing. A private function of Node.js, which `createRequire(…).resolve` calls.
    const modules = Module as unknown as { _resolveFilename(name: string): string };
    const resolve = sinon.stub(modules, "_resolveFilename").callThrough();
    resolve.withArgs("hyparquet-writer").throws();
    hold.release();
    const message = await step;
    resolve.restore();
    const [part = ""] = files();
    assert.ok(part.endsWith(".part") && message.includes(`"out/${part}"`), message);
    assert.deepEqual([world.content(`out/${part}`).split("\n").length, marked()], [26, 25]);
  });

  it("warns if the service marks rows that it did not return", async () => {
    world.emulator.setBehaviour({ markScope: "task" });
    const each = world.declare("DataExport");
    await each.up(marking);
    assert.deepEqual([each.state.rowCount, each.state.complete], [10, false]);
    assert.match(world.warnings.join(), /\b15 rows\b/);
  });
});
