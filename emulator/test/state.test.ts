import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { call, data, runTemplate, startWith } from "./caller";
import { startSite } from "./pageSite";
import { savedState } from "./savedState";

describe("the emulator's state file", () => {
  let folder: string;
  let stateFile: string;
  const started: Emulator[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "emulator-state-"));
    stateFile = join(folder, "deep", "state.db");
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((emulator) => emulator.close()));
    rmSync(folder, { recursive: true });
  });

  const start = async () => {
    const emulator = await startWith([], { stateFile, journalLimit: 50 });
    started.push(emulator);
    return emulator;
  };
  const everything = (emulator: Emulator) => ({
    credentials: emulator.credentials,
    groups: emulator.inspect.groups(),
    tasks: emulator.inspect.tasks(),
    runs: emulator.inspect.runs(),
    urls: emulator.inspect.startUrls("template"),
    rows: emulator.inspect.tasks().map(({ taskId }) => emulator.inspect.rowsWithMarks(taskId)),
  });

  it("lets a second start continue where the first ended", async () => {
    const first = await start();
    await data(first, "copyTask", { taskId: "template", taskGroupId: "group" });
    await call(first, "updateTaskUrls", { fields: { taskId: "template" }, file: "http://a/ä\nhttp://b/" });
    await data(first, "refreshToken", { grant_type: "refresh_token", refresh_token: first.credentials.refreshToken });
    const lotNo = await runTemplate(first);
    first.change.insertRows("template", ['{"n":1.10,"n":12345678901234567890}']);
    await data(first, "getNotExportedData", { taskId: "template", size: 3 });
    first.setBehaviour({ markScope: "returned" });
    await call(first, "markExported", { fields: { taskId: "template" } });
    const before = everything(first);
    await first.close();

    const second = await start();
    assert.deepEqual(everything(second), before);
    const page = await call(second, "getBatchData", {
      fields: { taskId: "template", lotno: lotNo, offset: 7, size: 1 },
    });
    assert.match(page.text, /\{"n":1\.10,"n":12345678901234567890\}/);
    assert.equal((await data(second, "getNotExportedData", { taskId: "template", size: 1 })).total, 5);
  });

  it("holds a change before the response to it", async () => {
    const emulator = await start();
    const { taskId } = await data(emulator, "copyTask", { taskId: "template", taskGroupId: "group" });
    assert.ok((await savedState(stateFile)).tasks.some((task) => task.taskId === taskId));
    for (const name of ["state.db", "state.db-wal"]) {
      assert.equal(statSync(join(folder, "deep", name)).mode & 0o777, 0o600, name);
    }
    await emulator.close();
    assert.deepEqual(readdirSync(join(folder, "deep")), ["state.db"]);
    assert.equal(statSync(stateFile).mode & 0o777, 0o600);
  });

  it("takes many simultaneous changes", async () => {
    const emulator = await start();
    const copies = await Promise.all(
      Array.from({ length: 20 }, () => data(emulator, "copyTask", { taskId: "template", taskGroupId: "group" })),
    );
    const saved = new Set((await savedState(stateFile)).tasks.map(({ taskId }) => taskId));
    for (const { taskId } of copies) assert.ok(saved.has(taskId));
  });

  it("lets an interrupted run continue", async () => {
    const site = await startSite();
    site.pages.set("/1", () => undefined);
    const first = await start();
    first.change.addTask({
      taskId: "task",
      taskGroupId: "group",
      startUrls: [`${site.url}/1`],
      actions: [{ actionType: "ExtractDataAction", actionId: "extract", properties: { "Field.title": "title" } }],
    });
    await data(first, "startTask", { taskId: "task" });
    while (site.asked.length === 0) await new Promise(setImmediate);
    await first.close();
    site.pages.set("/1", "<title>there</title>");
    const second = await start();
    await second.settled();
    assert.deepEqual(second.inspect.rows("task"), [{ title: "there" }]);
    assert.equal(second.inspect.runs("task")[0]?.subtasks[0]?.status, "finished");
    await site.close();
  });

  it("of an earlier version is converted once, and kept under another name", async () => {
    const first = await start();
    await runTemplate(first);
    const before = everything(first);
    const document = first.exportState();
    await first.close();
    rmSync(stateFile);
    const text = `${JSON.stringify(document)}\n`;
    writeFileSync(stateFile, text);
    // Left by an interrupted conversion.
    writeFileSync(`${stateFile}.v1.json`, text);

    const lines: string[] = [];
    const second = await startEmulator({ stateFile, log: (line) => lines.push(line) });
    assert.deepEqual(everything(second), before);
    await second.close();
    assert.match(
      lines.join("\n"),
      /^converted the state file .*state\.db to .*; the earlier file is kept as .*\.v1\.json$/,
    );
    assert.equal(readFileSync(`${stateFile}.v1.json`, "utf8"), text);
    const third = await startEmulator({ stateFile, log: (line) => lines.push(line) });
    assert.deepEqual(everything(third), before);
    await third.close();
    assert.equal(lines.length, 1);
    assert.deepEqual(readdirSync(join(folder, "deep")).sort(), ["state.db", "state.db.v1.json"]);
  });

  it("is not changed if it is not a valid state file", async () => {
    const foreign: [string, RegExp][] = [
      ["{", /is neither a database nor JSON/],
      ['{"version":1}', /is not a state of the emulator/],
      ["null", /is not a state of the emulator/],
      ['{"format":"webextract-emulator","version":99}', /has version 99/],
      ['{"format":"webextract-emulator","version":1}', /is damaged: \/ must have/],
    ];
    for (const [text, message] of foreign) {
      const file = join(folder, "foreign.json");
      writeFileSync(file, text);
      await assert.rejects(startEmulator({ stateFile: file }), message);
      assert.equal(readFileSync(file, "utf8"), text);
    }
  });
});

describe("a seed", () => {
  it("is refused with every problem but without values", async () => {
    const task = { taskId: "a", taskGroupId: "none", actions: [] };
    await assert.rejects(
      startEmulator({ seed: { taskGroups: [{ taskGroupId: "g" }, { taskGroupId: "g" }], tasks: [task, task] } }),
      /task group g is there twice\n- task a is there twice\n- task a is in the unknown group none/,
    );
    const wrong = JSON.parse('{"taskGroups":[],"tasks":[{"taskId":7}],"plan":"s3cret","colour":"s3cret"}');
    await assert.rejects(startEmulator({ seed: wrong }), (error: Error) => {
      assert.match(error.message, /\/tasks\/0 must have required property 'taskGroupId'/);
      assert.match(error.message, /additional properties \(colour\)/);
      assert.match(error.message, /\/plan must be equal to one of the allowed values \(free,professional,enterprise\)/);
      assert.doesNotMatch(error.message, /s3cret/);
      return true;
    });
  });

  it("is optional: the default seed has a template that can be copied and run", async () => {
    const emulator = await startEmulator();
    const { taskId } = await data(emulator, "copyTask", { taskId: "demo-template", taskGroupId: "demo-group" });
    await data(emulator, "startTask", { taskId });
    await emulator.settled();
    assert.equal(emulator.inspect.runs(taskId).length, 1);
    await emulator.close();
  });
});
