import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Emulator } from "webextract-emulator";
import { connectEmulator } from "webextract-emulator";
import { slowIt } from "../../../test/environment";
import { call, data, refusal, runTemplate, template, useEmulator } from "../caller";
import { admin, refusalOf } from "./adminCaller";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const seedOf = (taskId: string) => ({
  taskGroups: [{ taskGroupId: "group" }],
  tasks: [{ ...template, taskId, name: `Task of ${taskId}` }],
});

describe("an account of the emulator", () => {
  const emulator = useEmulator();
  let one: Emulator;
  let two: Emulator;
  beforeEach(async () => {
    one = await emulator.createAccount("one");
    two = await emulator.createAccount("two", { behaviour: { taskGone: "notFound" } });
  });
  const all = () => [emulator, one, two];
  const operations = () => all().map(({ requests }) => requests.map(({ operation }) => operation));

  it("has the content of the emulator's start, and credentials of its own", async () => {
    assert.deepEqual(one.inspect.tasks(), emulator.inspect.tasks());
    assert.equal(new Set(all().flatMap(({ credentials }) => Object.values(credentials))).size, 9);
    assert.deepEqual(emulator.accounts, ["one", "two"]);
    assert.equal(emulator.account("one"), one);
    assert.equal(one.account("main"), emulator.account("main"));
  });

  it("shares no tasks, runs, rows and requests with others", async () => {
    const { taskId } = await data(one, "copyTask", { taskId: "template", taskGroupId: "group" });
    assert.equal(await refusal(emulator, "startTask", { fields: { taskId } }), "400 InvalidTaskId");
    assert.equal(await refusal(two, "startTask", { fields: { taskId } }), "404 InvalidTaskId");
    const lotNo = await runTemplate(one, taskId);
    assert.equal((await data(one, "getBatchData", { taskId, lotno: lotNo, offset: 0, size: 9 })).total, 7);
    await call(one, "markExported", { fields: { taskId } });
    assert.equal(emulator.inspect.run(lotNo), undefined);
    assert.deepEqual(operations(), [
      ["startTask"],
      ["copyTask", "startTask", "getBatchData", "markExported"],
      ["startTask"],
    ]);
  });

  it("has faults, holds, behaviours, plan, latency, rates and clock of its own", async () => {
    one.fault({ operation: "*", kind: "status", status: 599 });
    one.setBehaviour({ refuseEvery: 2 });
    one.setPlan("free");
    one.setLatency(1);
    one.setClock({ mode: "step", ms: 3_600_000 });
    const inAnHour = Date.now() + 3_500_000;
    const hold = one.hold({ operation: "getData", when: "before" });
    const read = { fields: { taskId: "template", offset: 0, size: 1 } };
    for (const other of [emulator, two]) {
      for (let times = 0; times < 3; times += 1) assert.equal((await call(other, "getData", read)).status, 200);
      assert.equal((await call(other, "startTask", { fields: { taskId: "template" } })).status, 200);
      assert.deepEqual([other.faults, other.holds, other.plan, other.latency], [[], [], "enterprise", 0]);
      assert.ok((other.requests[0]?.receivedAt ?? 0) < inAnHour);
    }
    hold.release();
    assert.equal((await call(one, "getData", read)).status, 599);
    assert.equal(await refusal(one, "getData", read), "200 undefined");
    assert.equal(await refusal(one, "startTask", { fields: { taskId: "template" } }), "429 TooManyRequests");
    assert.equal(await refusal(one, "startTask", { fields: { taskId: "template" } }), "403 PermissionDenied");
    assert.ok((one.requests[0]?.receivedAt ?? 0) > inAnHour);
  });

  it("is reset alone, to its own seed", async () => {
    await one.seed(seedOf("mine"));
    for (const each of all()) await call(each, "getActions", { fields: { taskIds: ["x"], actionTypes: ["a"] } });
    one.setBehaviour({ errorBody: "empty" });
    one.change.deleteTask("mine");
    await one.reset();
    assert.deepEqual([one.inspect.taskIds(), one.behaviour.errorBody], [["mine"], "envelope"]);
    assert.deepEqual(operations(), [["getActions"], [], ["getActions"]]);
    await emulator.reset();
    assert.deepEqual(one.inspect.taskIds(), ["mine"]);
    assert.deepEqual(operations(), [[], [], ["getActions"]]);
  });

  it("is the one whose refresh token a refresh uses, also before the new tokens are used", async () => {
    for (const each of [one, two]) {
      const refresh_token = each.credentials.refreshToken;
      const pair = await data(each, "refreshToken", { grant_type: "refresh_token", refresh_token });
      assert.equal(each.credentials.accessToken, pair.access_token);
      const headers = { authorization: `Bearer ${pair.access_token}` };
      assert.equal((await call(each, "startTask", { fields: { taskId: "template" }, headers })).status, 200);
    }
    one.change.expireAccessTokens();
    assert.equal(await refusal(one, "startTask", { fields: { taskId: "template" } }), "401 Invalid.Token");
    const unknown = { grant_type: "refresh_token", refresh_token: "unknown" };
    assert.equal(await refusal(one, "refreshToken", { fields: unknown }), "400 Invalid.Grant");
    assert.deepEqual(operations(), [
      ["refreshToken"],
      ["refreshToken", "startTask", "startTask"],
      ["refreshToken", "startTask"],
    ]);
  });

  it("is made anew by its name, with runs and requests ended that were there", async () => {
    const hold = one.hold({ operation: "getData", when: "before" });
    const held = call(one, "getData", { fields: { taskId: "template", offset: 0, size: 1 } });
    await hold.reached;
    const headers = { authorization: `Bearer ${one.credentials.accessToken}` };
    const again = await emulator.createAccount("one", { seed: seedOf("again") });
    assert.equal((await held).status, 200);
    assert.deepEqual(again.inspect.taskIds(), ["again"]);
    assert.equal(await refusal(again, "startTask", { fields: { taskId: "again" }, headers }), "401 Invalid.Token");
    assert.equal(await refusal(again, "startTask", { fields: { taskId: "again" } }), "200 undefined");
    await again.close();
    assert.deepEqual(emulator.accounts, ["two"]);
    assert.throws(() => emulator.account("one"), /there is no account one/);
    await emulator.deleteAccount("two");
    await assert.rejects(emulator.deleteAccount("two"), /there is no account two/);
    assert.equal((await call(emulator, "startTask", { fields: { taskId: "template" } })).status, 200);
  });

  it("is the one whose API key an upload has, whatever other credential it has", async () => {
    const headers = {
      "x-api-key": one.credentials.apiKey,
      authorization: `Bearer ${two.credentials.accessToken}`,
    };
    const upload = { fields: { taskId: "template" }, file: "http://127.0.0.1/9", headers };
    assert.equal((await call(emulator, "updateTaskUrls", upload)).status, 200);
    assert.deepEqual(one.inspect.startUrls("template"), ["http://127.0.0.1/9"]);
    assert.equal((await call(emulator, "startTask", { fields: { taskId: "template" }, headers })).status, 200);
    assert.deepEqual(operations(), [[], ["updateTaskUrls"], ["startTask"]]);
  });

  it("ends its streams of events and the requests that wait for its journal when it is deleted", async () => {
    const { port } = new URL(emulator.url);
    const streams = Array.from({ length: 20 }, () => {
      const socket = connect(Number(port), "127.0.0.1").setEncoding("utf8");
      socket.write("GET /__emulator/accounts/one/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      return socket;
    });
    await Promise.all(streams.map((socket) => once(socket, "data")));
    const warnings: string[] = [];
    const warn = (warning: Error) => void warnings.push(warning.message);
    process.on("warning", warn);
    const waiting = admin(emulator, "/accounts/one/requests?wait=1&timeoutMs=600000");
    const others = admin(emulator, "/accounts/two/requests?wait=1&timeoutMs=100");
    await admin(emulator, "/health");
    await one.close();
    await Promise.all(streams.map((socket) => text(socket)));
    assert.equal((await waiting).json.complete, false);
    assert.ok(!(await others).json.complete);
    process.off("warning", warn);
    assert.deepEqual(warnings, []);
  });

  it("is refused with a wrong name, seed, behaviour or credential of another account, and nothing changes", async () => {
    const { accessToken } = two.credentials;
    const seed = seedOf("mine");
    const before = one.credentials;
    const wrong: [string, object, RegExp][] = [
      ["main", {}, /^the name of an account must have 1 to 100 letters.*must not be \. or \.\. or main$/],
      [".", {}, /^the name of an account.*must not be \. or/],
      ["..", {}, /^the name of an account.*must not be \. or/],
      ["a/b", {}, /^the name of an account/],
      ["", {}, /^the name of an account/],
      ["one", { seed: { tasks: [] } }, /seed\.taskGroups is required/],
      ["one", { seed: { ...seed, tasks: [...seed.tasks, ...seed.tasks] } }, /task mine is there twice/],
      ["one", { behaviour: { taskGone: "no" } }, /behaviour\.taskGone must be one of invalidTaskId/],
      ["one", { plan: "free" }, /plan is not known/],
      ["one", { seed: { ...seed, credentials: { accessToken } } }, /^the seed has a credential of account two$/],
    ];
    for (const [name, options, message] of wrong)
      await assert.rejects(emulator.createAccount(name, options), { message });
    assert.deepEqual([emulator.accounts, one.credentials], [["one", "two"], before]);
    assert.equal((await call(one, "startTask", { fields: { taskId: "template" } })).status, 200);
  });

  it("refuses a credential of another account in a seed, a state and a snapshot, and nothing changes", async () => {
    const { credentials } = two;
    await one.saveSnapshot("before");
    await one.seed({ ...seedOf("mine"), credentials: { apiKey: "own" } });
    await emulator.createAccount("three", { seed: { ...seedOf("other"), credentials: { apiKey: "third" } } });
    const three = emulator.account("three");
    await three.saveSnapshot("third");
    await three.seed({ ...seedOf("other"), credentials: { apiKey: "fourth" } });
    await emulator.createAccount("four", { seed: { ...seedOf("other"), credentials: { apiKey: "third" } } });
    const before = all().map((each) => [each.credentials, each.inspect.taskIds()]);
    for (const path of ["", "/accounts/one"]) {
      const seed = { body: { ...seedOf("new"), credentials: { refreshToken: credentials.accessToken } } };
      const message = (source: string) => `400 InvalidParameter: ${source} has a credential of account two`;
      assert.equal(await refusalOf(emulator, `${path}/seed`, seed), message("the seed"));
      const state = { method: "PUT", body: two.exportState() };
      assert.equal(await refusalOf(emulator, `${path}/state`, state), message("the state"));
    }
    const restored = await refusalOf(emulator, "/accounts/three/snapshots/third/restore", { method: "POST" });
    assert.equal(restored, "400 InvalidParameter: the snapshot has a credential of account four");
    await one.restoreSnapshot("before");
    await one.reset();
    assert.equal(one.credentials.apiKey, "own");
    assert.deepEqual(
      all().map((each) => [each.credentials, each.inspect.taskIds()]),
      before,
    );
  });

  it("has each operation of the admin API below its path", async () => {
    const made = await admin(emulator, "/accounts/gw-1.2", {
      method: "PUT",
      body: { seed: seedOf("mine"), behaviour: { statusCase: "lower" } },
    });
    assert.deepEqual([made.status, made.json.name], [200, "gw-1.2"]);
    const worker = emulator.account("gw-1.2");
    assert.deepEqual(made.json.credentials, worker.credentials);
    assert.deepEqual((await admin(emulator, "/accounts/gw-1.2/credentials")).json, worker.credentials);
    const { json } = await admin(emulator, "/accounts/gw-1.2/tasks?limit=1");
    assert.deepEqual([json.total, json.tasks[0].taskId], [1, "mine"]);
    await admin(emulator, "/accounts/gw-1.2/faults", { body: { operation: "*", kind: "hang" } });
    assert.deepEqual([worker.faults.length, emulator.faults.length], [1, 0]);
    assert.equal((await admin(emulator, "/accounts/gw-1.2/reset", { method: "POST" })).status, 204);
    assert.equal(worker.behaviour.statusCase, "lower");
    assert.deepEqual((await admin(emulator, "/accounts")).json, { accounts: ["one", "two", "gw-1.2"] });
    assert.equal((await admin(emulator, "/accounts/gw-1.2/")).status, 200, "the page");
    assert.equal((await admin(emulator, "/accounts/gw-1.2", { method: "DELETE" })).status, 204);
    assert.equal(await refusalOf(emulator, "/accounts/gw-1.2/tasks"), "404 NotFound: there is no account gw-1.2");
    assert.equal(await refusalOf(emulator, "/accounts/%00/tasks"), "404 NotFound: there is no account %00");
    assert.match(await refusalOf(emulator, "/accounts/one"), /^405 MethodNotAllowed: this path takes PUT or DELETE/);
  });

  it("is an emulator for the client of the admin API", async () => {
    const remote = connectEmulator(emulator.url);
    const worker = await remote.createAccount("worker", { seed: seedOf("mine") });
    assert.deepEqual(await worker.credentials, emulator.account("worker").credentials);
    await worker.setBehaviour({ statusCase: "upper" });
    assert.equal(emulator.behaviour.statusCase, "capital");
    assert.equal((await connectEmulator(emulator.url, { account: "worker" }).behaviour).statusCase, "upper");
    assert.deepEqual((await remote.account("worker").inspect.taskPage({ offset: 0, limit: 9 })).total, 1);
    for (const name of [".", ".."]) {
      const message = `the name or id of something in the emulator must not be ${name}`;
      assert.throws(() => remote.account(name), { message });
      for (const refused of [remote.createAccount(name), remote.deleteAccount(name), worker.saveSnapshot(name)])
        await assert.rejects(refused, { message });
      await assert.rejects(emulator.saveSnapshot(name), { message: "the name of a snapshot must not be . or .." });
    }
    await remote.deleteAccount("worker");
    assert.deepEqual(await remote.accounts, ["one", "two"]);
  });

  slowIt("costs less than 100 KB", async () => {
    collectGarbage();
    const before = process.memoryUsage().rss;
    for (let number = 0; number < 300; number += 1) await emulator.createAccount(`worker-${number}`);
    const last = emulator.account("worker-299");
    assert.equal((await call(last, "startTask", { fields: { taskId: "template" } })).status, 200);
    collectGarbage();
    const each = (process.memoryUsage().rss - before) / 300;
    assert.ok(each < 100_000, `${each.toFixed()} bytes for each account`);
  });
});
