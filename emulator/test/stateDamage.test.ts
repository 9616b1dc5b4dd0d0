import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { exportStateFile } from "webextract-emulator";
import { admin, refusalOf } from "./admin/adminCaller";
import { call, data, runTemplate, startWith } from "./caller";
import { StateDatabase } from "./internals";
import { startSite } from "./pageSite";
import { savedState } from "./savedState";

describe("a damaged record of the emulator's state file", () => {
  let folder: string;
  let stateFile: string;
  let lines: string[];
  const started: Emulator[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "emulator-damage-"));
    stateFile = join(folder, "state.db");
    lines = [];
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((emulator) => emulator.close()));
    rmSync(folder, { recursive: true });
  });

  const start = async (options: Parameters<typeof startWith>[1] = {}, tasks: Parameters<typeof startWith>[0] = []) => {
    const emulator = await startWith(tasks, { stateFile, log: (line) => lines.push(line), ...options });
    started.push(emulator);
    return emulator;
  };
  const change = (sql: string) => {
    const database = StateDatabase.open(stateFile);
    database.run(sql);
    database.close();
  };
  /** The lines of the log that are not of a request. */
  const failures = () => lines.filter((line) => !/^(GET|POST) \S+ \d+ \d+ ms /.test(line));
  const copy = (emulator: Emulator, taskId: string) =>
    call(emulator, "copyTask", { fields: { taskId, taskGroupId: "group" } });

  it("is named at its first use, stays as it is, and harms no other record", async () => {
    const tasks = Array.from({ length: 100 }, (_, index) => ({
      taskId: `task-${index}`,
      name: `Name ${index}`,
      taskGroupId: "group",
      actions: [{ actionType: "A", actionId: "a", properties: { P: "x".repeat(300) } }],
    }));
    await (await start({}, tasks)).close();
    const bytes = readFileSync(stateFile);
    const pageSize = bytes.readUInt16BE(16);
    const page = Math.floor(bytes.lastIndexOf('"taskId":"task-50"') / pageSize) * pageSize;
    bytes.fill(7, page, page + pageSize);
    writeFileSync(stateFile, bytes);

    const emulator = await start();
    const message = `task task-50 of the state file ${stateFile} cannot be read: database disk image is malformed. Action: stop the emulator, then restore it from a copy or an export, or start with another file`;
    const failed = await copy(emulator, "task-50");
    assert.deepEqual([failed.status, failed.json.error], [500, { code: "ServerError", message }]);
    assert.deepEqual(failures(), [`copyTask failed: ${message}`]);
    assert.equal(await refusalOf(emulator, "/tasks/task-50"), `500 ServerError: ${message}`);
    assert.deepEqual(failures().slice(1), [`the admin API failed: ${message}`]);
    assert.equal((await copy(emulator, "task-1")).status, 200);
    const { tasks: found } = emulator.inspect.taskPage({ offset: 0, limit: 10, search: "name 99" });
    assert.deepEqual(
      found.map(({ taskId }) => taskId),
      ["task-99"],
    );
    await emulator.close();
    assert.deepEqual(readFileSync(stateFile).subarray(page, page + pageSize), bytes.subarray(page, page + pageSize));
    await assert.rejects(
      exportStateFile(stateFile, () => undefined),
      /^StateFileError: task task-\d+ of the state file/,
    );
    assert.equal((await start()).inspect.taskIds().length, 102);
  });

  it("is named whatever it is, and is quoted by no message", async () => {
    const before = await start();
    const lotNo = await runTemplate(before);
    before.change.insertRows("template", [{ a: 1 }, { a: 2 }]);
    await before.close();
    const valid = readFileSync(stateFile);
    const page = { taskId: "template", page: 1, size: 10, offset: 0 };
    const cases: [string, "copyTask" | "getSubtasks" | "getData", RegExp][] = [
      [`update task_contents set content = '{"name":"s3cret'`, "copyTask", /task template of .*missing or incomplete/],
      [
        `update task_contents set content = '{"name":"s3cret"}'`,
        "copyTask",
        /task template of .*missing or incomplete/,
      ],
      ["delete from task_contents", "copyTask", /task template of .*missing or incomplete/],
      ["update run_contents set content = 's3cret'", "getData", new RegExp(`batch ${lotNo} of`)],
      ["delete from run_contents", "getData", new RegExp(`batch ${lotNo} of`)],
      ["update subtasks set content = '{'", "getSubtasks", new RegExp(`the subtasks of batch ${lotNo} of`)],
      [`update row_chunks set content = '["s3cret'`, "getData", new RegExp(`rows 8 to 9 of batch ${lotNo} of`)],
      [`update row_chunks set content = '["s3cret"]'`, "getData", new RegExp(`rows 8 to 9 of batch ${lotNo} of`)],
      ["delete from row_chunks", "getData", new RegExp(`rows 8 to 9 of batch ${lotNo} of`)],
    ];
    for (const [sql, operation, message] of cases) {
      writeFileSync(stateFile, valid);
      change(sql);
      lines = [];
      const emulator = await start();
      const { status, json } = await call(emulator, operation, { fields: { ...page, taskGroupId: "group" } });
      assert.equal(status, 500, sql);
      assert.match(json.error?.message ?? "", message);
      assert.equal(failures().length, 1);
      assert.doesNotMatch(failures().join("\n"), /s3cret|\n/);
      await emulator.close();
    }
  });

  it("is not found by its name, and named by a list that would show it", async () => {
    const tasks = ["a", "b", "c"].map((taskId) => ({
      taskId,
      name: `Shop ${taskId}`,
      taskGroupId: "group",
      actions: [],
    }));
    await (await start({}, tasks)).close();
    const valid = readFileSync(stateFile);
    const search = async (emulator: Emulator, text: string) => (await admin(emulator, `/tasks?search=${text}`)).json;
    for (const content of ['{"name":"Shop b', '{"name":5}']) {
      writeFileSync(stateFile, valid);
      change(`update task_contents set content = '${content}' where content like '%Shop b%'`);
      const emulator = await start();
      const found = await search(emulator, "shop");
      assert.deepEqual(
        found.tasks?.map(({ taskId }: { taskId: string }) => taskId),
        ["a", "c"],
        content,
      );
      for (const path of ["/tasks?search=b", "/tasks"]) {
        assert.match(await refusalOf(emulator, path), /^500 ServerError: task b of the state file .* cannot be read/);
      }
      await emulator.close();
    }
  });

  it("of the account is an error at the start, without its credentials", async () => {
    await (await start()).close();
    change(`update account set content = '{"plan":s3cret}'`);
    await assert.rejects(start(), (error: Error) => {
      assert.match(error.message, /state\.db is damaged: a record is incomplete\. Action: restore it/);
      assert.doesNotMatch(error.message, /s3cret/);
      return true;
    });
  });

  it("does not prevent changes of the rest of its batch", async () => {
    const before = await start();
    await runTemplate(before);
    await before.close();
    change("update subtasks set content = '{'");
    const emulator = await start();
    await data(emulator, "markExported", { taskId: "template" });
    await emulator.close();
    change(`update subtasks set content = '${JSON.stringify({ queue: [] })}'`);
    assert.deepEqual((await savedState(stateFile)).runs[0]?.exported, [[0, 7]]);
  });

  it("of an interrupted run is an error at the start, which leaves the port free", async () => {
    const before = await start();
    before.change.holdRuns();
    await data(before, "startTask", { taskId: "template" });
    await before.close();
    change("update subtasks set content = '{'");
    const damaged = readFileSync(stateFile);
    const port = Number(new URL(before.url).port);
    await assert.rejects(start({ port }), /the subtasks of batch \d+ of the state file .* cannot be read/);
    assert.deepEqual(readFileSync(stateFile), damaged);
    await start({ port, stateFile: join(folder, "other.db") });
  });

  it("harms nobody else when the next step of its run is due", async () => {
    const before = await start({ behaviour: { readsUntilFinished: 3 } });
    const { lotNo } = await data(before, "startTask", { taskId: "template" });
    before.change.setSubtaskStatus(lotNo, "finished");
    await before.close();
    change("update subtasks set content = '{'");
    const emulator = await start();
    const list = await call(emulator, "getSubtasks", { fields: { taskId: "template", page: 1, size: 10 } });
    assert.equal(list.status, 500);
    await emulator.settled();
    assert.equal((await copy(emulator, "template")).status, 200);
  });

  it("makes a subtask fail whose rows cannot be added", async () => {
    const site = await startSite();
    site.pages.set("/1", "<h1>one</h1>");
    const first = await start();
    first.change.addTask({
      taskId: "shop",
      taskGroupId: "group",
      urlsPerSubtask: 1,
      startUrls: [`${site.url}/1`, `${site.url}/2`],
      actions: [{ actionType: "ExtractDataAction", actionId: "extract", properties: { "Field.title": "h1" } }],
    });
    const lotNo = await runTemplate(first, "shop");
    await first.close();
    change("delete from row_chunks");
    site.pages.set("/2", "<h1>two</h1>");
    const second = await start();
    const [, failed] = second.inspect.run(lotNo)?.subtasks ?? [];
    assert.equal(failed?.status, "failed");
    await data(second, "startSubtasks", { taskId: "shop", subTaskIds: [failed.subTaskId] });
    await second.settled();
    const [, again] = second.inspect.run(lotNo)?.subtasks ?? [];
    assert.equal(again?.status, "failed");
    assert.match(again.errors[0]?.message ?? "", /rows 1 to 1 of batch \d+ of the state file .* cannot be read/);
    assert.equal((await admin(second, "/health")).status, 200);
    await site.close();
  });
});
