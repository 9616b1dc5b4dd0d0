import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sinon from "sinon";
import { behaviourNames, behaviours } from "webextract-emulator";
import { parse } from "yaml";
import { slowIt } from "../../../test/environment";
import { call, data, runTemplate, startWith } from "../caller";
import type { Store } from "../internals";
import { admin, refusalOf } from "./adminCaller";

describe("the admin API", () => {
  it("describes itself", async () => {
    const emulator = await startWith();
    const { text } = await admin(emulator, "/openapi.yaml");
    const { components } = parse(text);
    const described = Object.fromEntries(
      Object.entries(components.schemas.Behaviour.properties).map(([name, property]) => {
        const { enum: values, minimum, default: standard, description } = property as Record<string, unknown>;
        return [name, { values, minimum, standard, description }];
      }),
    );
    const expected = behaviourNames.map((name) => {
      const { default: standard, meaning: description, ...row } = behaviours[name];
      return [
        name,
        {
          values: row.kind === "choice" ? row.values : undefined,
          minimum: row.kind === "amount" ? row.minimum : undefined,
          standard,
          description,
        },
      ];
    });
    assert.deepEqual(described, Object.fromEntries(expected), "the schema Behaviour is out of date");
    await emulator.close();
  });

  it("names every wrong field of a request", async () => {
    const emulator = await startWith();
    const wrong = { errorBody: "jsn", refuseEvery: -1, retryafter: "none" };
    assert.equal(
      await refusalOf(emulator, "/behaviour", { method: "PUT", body: wrong }),
      "400 InvalidParameter: retryafter is not known; errorBody must be one of envelope, legacy, html, empty; refuseEvery must be >= 0",
    );
    assert.equal(await refusalOf(emulator, "/requests?limit=0x10"), "400 InvalidParameter: limit must be integer");
    assert.match(await refusalOf(emulator, "/requests?task=a&wait=0"), /task is not known; wait must be >= 1/);
    assert.equal(
      await refusalOf(emulator, "/behaviour", { method: "PUT" }),
      "400 RequestModelNull: the request has no body",
    );
    const yaml = { method: "PUT", headers: { "content-type": "application/yaml" }, body: "a: 1\nb: [" };
    assert.equal(await refusalOf(emulator, "/behaviour", yaml), "400 InvalidParameter: the body is not YAML (line 2)");
    assert.match(
      await refusalOf(emulator, "/clock", { body: { mode: "stop" } }),
      /^400 InvalidParameter: mode must be one of fixed, step, real$/,
    );
    assert.match(
      await refusalOf(emulator, "/changes", { body: { change: "setProperty", taskId: "", value: 1 } }),
      /InvalidParameter.Required: actionId is required; name is required; taskId is required; value must be string/,
    );
    assert.equal(await refusalOf(emulator, "/reset", { body: {} }), "400 InvalidParameter: reset takes no body");
    assert.match(await refusalOf(emulator, "/runs/1"), /^404 NotFound: there is no batch 1$/);
    assert.match(await refusalOf(emulator, "/nothing"), /^404 NotFound: the admin API has no \/__emulator\/nothing/);
    assert.match(await refusalOf(emulator, "/runs/%zz"), /^400 InvalidParameter/);
    const { status, headers } = await admin(emulator, "/behaviour", { method: "DELETE" });
    assert.deepEqual([status, headers.allow], [405, "GET, PUT"]);
    for (const path of ["/changes", "/clock"]) {
      assert.match(
        await refusalOf(emulator, path, { body: [null] }),
        /^400 InvalidParameter: the body must be object/,
        path,
      );
    }
    const unusual = await admin(emulator, "/behaviour", {
      method: "PROPFIND",
      headers: { "content-type": "text/plain" },
      body: "x",
    });
    assert.deepEqual([unusual.status, unusual.headers.allow], [405, "GET, PUT"]);
    assert.equal(emulator.behaviour.errorBody, "envelope", "no refused request has an effect");
    await emulator.close();
  });

  it("changes the behaviours that the body names, in JSON or YAML", async () => {
    const emulator = await startWith([], { behaviour: { markScope: "returned" } });
    const headers = { "content-type": "application/yaml" };
    const { json } = await admin(emulator, "/behaviour", { method: "PUT", headers, body: "dataPageMax: 5\n" });
    assert.deepEqual(json, emulator.behaviour);
    assert.deepEqual([emulator.behaviour.markScope, emulator.behaviour.dataPageMax], ["returned", 5]);
    await emulator.close();
  });

  it("finds requests by operation, task, status and number", async () => {
    const emulator = await startWith();
    await call(emulator, "startTask", { fields: { taskId: "nope" } });
    await call(emulator, "startTask", { fields: { taskId: "template" } });
    await call(emulator, "getActions", { fields: { taskIds: ["template", "nope"] } });
    const found = async (query: string) =>
      (await admin(emulator, `/requests?${query}`)).json.requests.map((entry: { number: number }) => entry.number);
    assert.deepEqual(await found(""), [1, 2, 3]);
    assert.deepEqual(await found("operation=startTask"), [1, 2]);
    assert.deepEqual(await found("taskId=nope"), [1, 3]);
    assert.deepEqual(await found("status=200"), [2]);
    assert.deepEqual(await found("after=2"), [3]);
    assert.deepEqual(await found("limit=1"), [1]);
    assert.equal((await admin(emulator, "/requests?limit=1")).json.total, 3);
    assert.equal((await admin(emulator, "/requests", { method: "DELETE" })).status, 204);
    await call(emulator, "startTask", { fields: { taskId: "nope" } });
    assert.deepEqual(await found(""), [4]);
    await emulator.close();
  });

  it("waits for requests, until they have been responded to", async () => {
    const emulator = await startWith();
    const hold = emulator.hold({ operation: "startTask", when: "before" });
    const waiting = admin(emulator, "/requests?operation=startTask&wait=1&timeoutMs=60000");
    const started = call(emulator, "startTask", { fields: { taskId: "template" } });
    await hold.reached;
    const early = await admin(emulator, "/requests?operation=startTask&wait=1&timeoutMs=1");
    assert.deepEqual([early.json.complete, early.json.total], [false, 1]);
    hold.release();
    await started;
    const waited = await waiting;
    assert.deepEqual([waited.json.complete, waited.json.requests[0].status], [true, 200]);
    await emulator.close();
  });

  it("ends a wait when the emulator closes", async () => {
    const emulator = await startWith();
    await admin(emulator, "/health");
    const waiting = admin(emulator, "/requests?wait=1&timeoutMs=600000");
    const ended = waiting.then(
      ({ json }) => json.complete,
      () => false,
    );
    await emulator.close();
    assert.equal(await ended, false);
  });

  it("shows a batch with the pages that could not be read", async () => {
    const open = { actionType: "NavigateAction", actionId: "open", properties: { Url: "http://127.0.0.1:1/" } };
    const emulator = await startWith([{ taskId: "t", taskGroupId: "group", actions: [open] }]);
    const lotNo = await runTemplate(emulator, "t");
    const run = await admin(emulator, `/runs/${lotNo}`);
    const [subtask] = run.json.subtasks;
    assert.deepEqual([subtask.status, subtask.errors[0].url], ["failed", "http://127.0.0.1:1/"]);
    assert.deepEqual(run.json, emulator.inspect.run(lotNo));
    await emulator.close();
  });

  it("returns to the start", async () => {
    const emulator = await startWith([], { behaviour: { markScope: "returned" } });
    const { credentials } = emulator;
    await data(emulator, "copyTask", { taskId: "template", taskGroupId: "group" });
    emulator.change.setProperty("template", "open", "Url", "http://127.0.0.1/other");
    await runTemplate(emulator);
    emulator.change.holdRuns();
    emulator.change.expireAccessTokens();
    emulator.setBehaviour({ markScope: "task", errorBody: "html" });
    emulator.setPlan("free");
    emulator.fault({ operation: "*", kind: "reset" });
    assert.equal((await admin(emulator, "/reset", { method: "POST" })).status, 204);
    assert.deepEqual(emulator.requests, []);
    assert.deepEqual(
      emulator.inspect.tasks().map(({ taskId }) => taskId),
      ["template"],
    );
    assert.equal(emulator.inspect.task("template")?.actions[0]?.properties.Url, "http://127.0.0.1/");
    assert.deepEqual(emulator.inspect.runs(), []);
    assert.deepEqual(emulator.credentials, credentials);
    assert.deepEqual([emulator.behaviour.markScope, emulator.behaviour.errorBody], ["returned", "envelope"]);
    await runTemplate(emulator);
    assert.equal(emulator.inspect.rows("template").length, 7, "tokens and plan are valid, and runs work");
    await emulator.close();
  });

  it("releases a held request at a reset", async () => {
    const emulator = await startWith();
    const hold = emulator.hold({ operation: "startTask" });
    const started = call(emulator, "startTask", { fields: { taskId: "template" } });
    await hold.reached;
    await emulator.reset();
    assert.equal((await started).status, 200);
    await emulator.close();
  });

  it("forgets at a reset what a request does that is held before its effect", async () => {
    const emulator = await startWith();
    const hold = emulator.hold({ operation: "copyTask", when: "before" });
    const copied = call(emulator, "copyTask", { fields: { taskId: "template", taskGroupId: "group" } });
    await hold.reached;
    await emulator.reset();
    await copied;
    assert.deepEqual(emulator.inspect.taskIds(), ["template"]);
    await emulator.close();
  });

  for (const wait of ["the latency", "a late fault"]) {
    it(`forgets at a reset what a request does that waits for ${wait}`, async () => {
      const emulator = await startWith([], { latencyMs: wait === "the latency" ? 600_000 : 0 });
      emulator.fault({ operation: "copyTask", kind: "late", when: "before", delayMs: 600_000 });
      const copied = call(emulator, "copyTask", { fields: { taskId: "template", taskGroupId: "group" } });
      while (emulator.requests.length === 0) await new Promise(setImmediate);
      await emulator.reset();
      assert.equal((await copied).status, 200);
      assert.deepEqual(emulator.inspect.taskIds(), ["template"]);
      await emulator.close();
    });
  }

  it("has a valid token after a reset, whatever the clock showed", async () => {
    const emulator = await startWith();
    emulator.setClock({ mode: "fixed", at: "2001-01-01T00:00:00Z" });
    await emulator.reset();
    assert.equal((await call(emulator, "startTask", { fields: { taskId: "template" } })).status, 200);
    await emulator.close();
  });

  slowIt("reads only the batches of the part that it lists from the state file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "emulator-admin-"));
    const options = { stateFile: join(folder, "state.db") };
    const first = await startWith([], options);
    const lots = [await runTemplate(first), await runTemplate(first), await runTemplate(first)];
    await first.close();
    const second = await startWith([], options);
    const { json } = await admin(second, "/runs?offset=1&limit=1");
    assert.deepEqual([json.total, json.runs.length, json.runs[0].lotNo], [3, 1, lots[1]]);
    const { store } = second.inspect as unknown as { store: Store };
    assert.deepEqual(
      lots.map((lotNo) => store.runs.isRead(lotNo)),
      [false, true, false],
    );
    await second.close();
    rmSync(folder, { recursive: true });
  });

  it("reads only the tasks that it lists from the state file, also for a search", async () => {
    const folder = mkdtempSync(join(tmpdir(), "emulator-admin-"));
    const options = { stateFile: join(folder, "state.db") };
    const names = ["Überfluß", 'a, "b"\u0000 🧭', undefined, "Ubuntu"];
    const tasks = names.map((name, index) => ({ taskId: `task-${index}`, taskGroupId: "group", name, actions: [] }));
    const first = await startWith(tasks, options);
    first.change.deleteTask("task-3");
    await first.close();
    const second = await startWith([], options);
    const found = async (search: string) => {
      const { json } = await admin(second, `/tasks?search=${encodeURIComponent(search)}&limit=1`);
      return [json.total, json.tasks[0]?.taskId];
    };
    assert.deepEqual(await found("ÜBER"), [1, "task-0"]);
    assert.deepEqual(await found('B"\u0000 🧭'), [1, "task-1"]);
    assert.deepEqual(await found("null"), [0, undefined]);
    const { store } = second.inspect as unknown as { store: Store };
    const read = () => second.inspect.taskIds().filter((taskId) => store.tasks.isRead(taskId));
    assert.deepEqual(read(), ["task-0", "task-1"]);
    second.change.deleteTask("task-0");
    second.change.addTask({ taskId: "task-0", taskGroupId: "group", name: "Übung", actions: [] });
    assert.deepEqual(await found("über"), [0, undefined]);
    assert.deepEqual(await found("übung"), [1, "task-0"]);
    await second.close();
    rmSync(folder, { recursive: true });
  });

  it("says that a state is too long for one document", async () => {
    const emulator = await startWith();
    const headers = { "content-length": String(600 * 1024 * 1024) };
    assert.match(
      await refusalOf(emulator, "/state", { method: "PUT", headers }),
      /^413 InvalidParameter: the body is longer than 536870888 bytes$/,
    );
    sinon.stub(JSON, "stringify").throws(new RangeError("Invalid string length"));
    assert.throws(() => emulator.exportState(), /more than 512 MB as one document.*copy its state file/);
    sinon.restore();
    await emulator.close();
  });

  it("refuses a wrong state with all its problems and changes nothing", async () => {
    const emulator = await startWith();
    const before = emulator.exportState();
    const body = { ...before, tasks: {}, runs: [{ lotNo: "x" }] };
    const refusal = await refusalOf(emulator, "/state", { method: "PUT", body });
    assert.match(refusal, /^400 InvalidParameter: the document is damaged: /);
    assert.match(refusal, /\/tasks must be array.*\/runs\/0/);
    assert.deepEqual(emulator.exportState(), before);
    await emulator.close();
  });
});
