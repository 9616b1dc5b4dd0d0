import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Emulator, SeedTask } from "webextract-emulator";
import { allTests } from "../../../test/eachTest";
import { admin, refusalOf } from "../admin/adminCaller";
import { call, data, runTemplate } from "../caller";
import { startWithTasks } from "./shop";

const large: SeedTask = {
  taskId: "large",
  taskGroupId: "group",
  name: "A Large One",
  startUrls: Array.from({ length: 2_000 }, (_, index) => `http://127.0.0.1/${index}`),
  syntheticRows: 3_000,
  syntheticSubtasks: 120,
  actions: [
    {
      actionType: "LoopAction",
      actionId: "loop",
      loopType: "TextList",
      loopItems: Array.from({ length: 1_500 }, (_, index) => `item ${index}`),
    },
  ],
};

describe("the reads of the emulator's page", () => {
  let emulator: Emulator;
  let lotNo: string;
  before(async () => {
    const others = Array.from({ length: 150 }, (_, index) => ({
      taskId: `task ${index}`,
      taskGroupId: "group",
      actions: [],
    }));
    emulator = await startWithTasks([large, ...others]);
    lotNo = await runTemplate(emulator, "large");
  });
  after(() => emulator.close());

  it("list tasks in parts, with the numbers of what they have", async () => {
    const { json } = await admin(emulator, "/tasks?offset=0&limit=2");
    assert.equal(json.total, 151);
    assert.equal(json.tasks.length, 2);
    const { latestRun, ...numbers } = json.tasks[0];
    assert.deepEqual(numbers, {
      taskId: "large",
      taskGroupId: "group",
      name: "A Large One",
      actionCount: 1,
      startUrlCount: 2_000,
      runCount: 1,
      rowCount: 3_000,
      exportedCount: 0,
    });
    assert.deepEqual(latestRun.subtasks, { waiting: 0, extracting: 0, stopped: 0, finished: 120, failed: 0 });
    const ids = async (query: string): Promise<string[]> =>
      (await admin(emulator, `/tasks?${query}`)).json.tasks.map(({ taskId }: { taskId: string }) => taskId);
    assert.deepEqual(await ids("offset=149"), ["task 148", "task 149"]);
    assert.deepEqual(await ids("search=large%20o"), ["large"]);
    assert.deepEqual(await ids("search=TASK%2014&limit=3"), ["task 14", "task 140", "task 141"]);
    assert.deepEqual(await ids("offset=1000"), []);
  });

  it("bound the items and start URLs of a task, and count them", async () => {
    const { json } = await admin(emulator, "/tasks/large");
    assert.equal(json.startUrls.length, 100);
    assert.equal(json.startUrlCount, 2_000);
    assert.equal(json.actions[0].loopItems.length, 100);
    assert.equal(json.actions[0].loopItemCount, 1_500);
  });

  it("list runs, the newest first", async () => {
    const [first, second] = [await runTemplate(emulator, "task 1"), await runTemplate(emulator, "task 2")];
    const numbers = async (query: string): Promise<string[]> =>
      (await admin(emulator, `/runs?${query}`)).json.runs.map((run: { lotNo: string }) => run.lotNo);
    assert.deepEqual(await numbers(""), [second, first, lotNo]);
    assert.deepEqual(await numbers("offset=1&limit=1"), [first]);
    assert.deepEqual(await numbers("taskId=large"), [lotNo]);
    assert.deepEqual(await numbers("taskId=none"), []);
  });

  it("find runs by their status, number and task", async () => {
    const numbers = async (query: string): Promise<string[]> =>
      (await admin(emulator, `/runs?${query}`)).json.runs.map((run: { lotNo: string }) => run.lotNo);
    const finished = await runTemplate(emulator, "task 5");
    const [stopped, failed] = [emulator.change.startRun("task 5"), emulator.change.startRun("task 6")];
    emulator.change.setSubtaskStatus(stopped, "stopped");
    emulator.change.setSubtaskStatus(failed, "failed");
    emulator.change.holdRuns();
    const running = emulator.change.startRun("large");
    assert.deepEqual(await numbers("status=running"), [running]);
    assert.deepEqual(await numbers("status=stopped"), [stopped]);
    assert.deepEqual(await numbers("status=failed"), [failed]);
    assert.deepEqual(await numbers("status=finished&taskId=task%205"), [finished]);
    assert.deepEqual(await numbers("taskId=task%205&limit=1&offset=1"), [finished]);
    assert.deepEqual(await numbers("search=A%20LARGE"), [running, lotNo]);
    assert.deepEqual(await numbers(`search=${finished.slice(2)}`), [finished]);
    assert.deepEqual(await numbers("search=a%20large&status=finished"), [lotNo]);
    assert.deepEqual(await numbers("search=nothing"), []);
    assert.match(await refusalOf(emulator, "/runs?status=done"), /^400 InvalidParameter: .*status/);
    emulator.change.releaseRuns();
    await emulator.settled();
  });

  it("give the times of a run", async () => {
    const times = async (lot: string) => {
      const { startedAt, endedAt } = (await admin(emulator, `/runs/${lot}/progress`)).json;
      return [startedAt, endedAt];
    };
    const at = Date.UTC(2030, 0, 1);
    emulator.setClock({ mode: "fixed", at: new Date(at).toISOString() });
    emulator.change.holdRuns();
    const lot = emulator.change.startRun("large");
    emulator.setClock({ mode: "step", ms: 5_000 });
    assert.deepEqual(await times(lot), [at, undefined]);
    emulator.change.stopRun(lot);
    await emulator.settled();
    assert.deepEqual(await times(lot), [at, at + 5_000]);
    const document = emulator.exportState();
    await emulator.importState(document);
    assert.deepEqual(await times(lot), [at, at + 5_000]);
    emulator.change.continueRun(lot);
    assert.deepEqual(await times(lot), [at, undefined], "it works again");
    emulator.setClock({ mode: "step", ms: 5_000 });
    emulator.change.releaseRuns();
    await emulator.settled();
    assert.deepEqual(await times(lot), [at, at + 10_000]);
    emulator.setClock({ mode: "real" });
  });

  it("give the subtasks of a run in parts, and its samples", async () => {
    const { json } = await admin(emulator, `/runs/${lotNo}/subtasks?offset=100&limit=50`);
    assert.equal(json.total, 120);
    assert.equal(json.subtasks.length, 20);
    const { samples, rowCount } = (await admin(emulator, `/runs/${lotNo}/progress`)).json;
    assert.equal(rowCount, 3_000);
    assert.equal(samples.at(-1).rows, 3_000);
    assert.equal(samples.at(-1).subtasks.finished, 120);
  });

  it("give rows exactly as they are stored, with their marks", async () => {
    emulator.change.insertRows("task 3", [`{"a":1.10,"b":12345678901234567890,"\\u0061":"\\ud800","__proto__":null}`]);
    const [run] = emulator.inspect.runs("task 3");
    assert.equal(run?.endedAt, run?.startedAt, "inserted rows take no time");
    await data(emulator, "markExported", { taskId: "task 3" });
    emulator.change.insertRows("task 3", ["{}"]);
    const { text, headers } = await admin(emulator, `/runs/${run?.lotNo}/rows`);
    assert.equal(
      text,
      `{"total":2,"offset":0,"rows":[{"exported":true,"row":{"a":1.10,"b":12345678901234567890,"\\u0061":"\\ud800","__proto__":null}},{"exported":false,"row":{}}]}`,
    );
    assert.match(String(headers["content-type"]), /^application\/json/);
  });

  it("give fewer rows than asked for when they are long, and never none", async () => {
    const long = JSON.stringify({ text: "x".repeat(1_500_000) });
    emulator.change.insertRows("task 4", [long, long, long, JSON.stringify({ text: "x".repeat(9_000_000) })]);
    const [run] = emulator.inspect.runs("task 4");
    const count = async (offset: number): Promise<number> =>
      (await admin(emulator, `/runs/${run?.lotNo}/rows?offset=${offset}`)).json.rows.length;
    assert.deepEqual([await count(0), await count(2), await count(3), await count(4)], [2, 1, 1, 0]);
  });

  it("give the newest requests first, if asked", async () => {
    emulator.clearRequests();
    for (const taskId of ["a", "b", "c"]) await call(emulator, "getActions", { fields: { taskIds: [taskId] } });
    const ids = async (query: string): Promise<string[]> =>
      (await admin(emulator, `/requests?${query}`)).json.requests.map(
        ({ body }: { body: { taskIds: string[] } }) => body.taskIds[0],
      );
    assert.deepEqual(await ids("order=newest&limit=2"), ["c", "b"]);
    assert.deepEqual(await ids("order=newest&offset=2"), ["a"]);
    assert.deepEqual(await ids("offset=1"), ["b", "c"]);
  });

  it("find requests by a string in any of their fields", async () => {
    emulator.clearRequests();
    const headers = { "user-agent": "The Client/1.0" };
    await call(emulator, "getActions", { fields: { taskIds: ["a", "Needle"] }, headers });
    await call(emulator, "getData", { fields: { taskId: "other", offset: 0, size: 7 } });
    const [first, second] = emulator.requests.map(({ number }) => number);
    const numbers = async (search: string): Promise<number[]> =>
      (await admin(emulator, `/requests?search=${encodeURIComponent(search)}`)).json.requests.map(
        (request: { number: number }) => request.number,
      );
    assert.deepEqual(await numbers("nEEdle"), [first]);
    assert.deepEqual(await numbers("the client/1"), [first]);
    assert.deepEqual(await numbers("/DATA/all"), [second]);
    assert.ok((await numbers("other")).includes(second ?? 0));
    assert.deepEqual(await numbers(emulator.requests[1]?.requestId ?? ""), [second]);
    assert.deepEqual(await numbers("no such text"), []);
  });

  it("refuse what does not exist, and sizes without a bound", async () => {
    assert.match(await refusalOf(emulator, "/tasks/none"), /^404 NotFound: there is no task none/);
    for (const part of ["progress", "subtasks", "rows"]) {
      assert.match(await refusalOf(emulator, `/runs/1/${part}`), /^404 NotFound: there is no batch 1/);
    }
    for (const query of ["limit=1001", "limit=0", "offset=-1", "limit=1e9"]) {
      assert.match(await refusalOf(emulator, `/tasks?${query}`), /^400 InvalidParameter/);
    }
  });

  it("look at a bounded number of runs for a status, and say so", async () => {
    for (let count = 0; count < 510; count += 1) emulator.change.insertRows(`task ${20 + (count % 100)}`, []);
    emulator.change.addTask({ taskId: "new", taskGroupId: "group", actions: [] });
    for (let count = 0; count < 500; count += 1) emulator.change.startRun("new");
    await emulator.settled();
    const { json } = await admin(emulator, "/runs?status=finished&limit=1");
    assert.deepEqual([json.total, json.examined], [500, 500]);
    assert.equal((await admin(emulator, "/runs?status=running")).json.examined, undefined);
    assert.equal((await admin(emulator, "/runs?status=finished&taskId=large")).json.examined, undefined);
  });

  it("describe every behaviour", async () => {
    const { behaviours, operations } = (await admin(emulator, "/options")).json;
    assert.deepEqual(
      behaviours.map(({ name }: { name: string }) => name),
      Object.keys(emulator.behaviour),
    );
    assert.equal(operations.length, 16);
  });
});

describe("the files of the emulator's page", () => {
  const emulator = allTests(() => startWithTasks([]));

  it("are served with a policy that allows no inline script, no other site and no frame", async () => {
    const { status, headers, text } = await admin(emulator, "/");
    assert.equal(status, 200);
    const policy = String(headers["content-security-policy"]).split("; ");
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]) {
      assert.ok(policy.includes(part), part);
    }
    assert.ok(!policy.some((part) => part.includes("unsafe") || part.includes("*")));
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/);
  });

  it("are the files of the package, and no others", async () => {
    const folder = join(__dirname, "../../../emulator/page");
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.\w+$/.test(name));
    assert.ok(names.length > 10);
    for (const name of names) assert.equal((await admin(emulator, `/page/${name}`)).status, 200, name);
    for (const path of [
      "../package.json",
      "..%2fpackage.json",
      "%2e%2e/package.json",
      "none.mjs",
      "",
      "views",
      "main.mjs/",
    ]) {
      assert.equal((await admin(emulator, `/page/${path}`)).status, 404, path);
    }
  });

  it("are found without the slash at the end", async () => {
    const { status, headers } = await admin(emulator, "");
    assert.equal(status, 302);
    assert.equal(headers.location, "/__emulator/");
  });
});
