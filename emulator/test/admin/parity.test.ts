import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import sinon from "sinon";
import type { ClockSetting, Emulator, Fault, Plan, RemoteEmulator } from "webextract-emulator";
import { connectEmulator } from "webextract-emulator";
import { parse } from "yaml";
import { call, refusal, startWith, useEmulator } from "../caller";

/** What a test can do with the emulator of its own process and with another one: `await` works on values and on promises. */
type Either = Emulator | RemoteEmulator;

/** The member of the emulator and of the client for each operation of the admin API. */
const members: Record<string, string> = {
  getHealth: "health",
  reset: "reset",
  seed: "seed",
  getState: "exportState",
  setState: "importState",
  getCredentials: "credentials",
  expireTokens: "change.expireRefreshTokens",
  getBehaviour: "behaviour",
  setBehaviour: "setBehaviour",
  getSettings: "plan",
  setSettings: "setPlan",
  getClock: "clock",
  setClock: "setClock",
  getFaults: "faults",
  fault: "fault",
  setFaults: "setFaults",
  clearFaults: "clearFaults",
  removeFault: "removeFault",
  getHolds: "holds",
  hold: "hold",
  getHold: "holds",
  releaseHold: "releaseHold",
  getRequests: "requests",
  clearRequests: "clearRequests",
  getTasks: "inspect.taskPage",
  getTask: "inspect.taskSummary",
  getRuns: "inspect.runPage",
  getRun: "inspect.run",
  getRunProgress: "inspect.progress",
  getRunSubtasks: "inspect.subtaskPage",
  getRunRows: "inspect.rowsWithMarks",
  getSettled: "settled",
  change: "change",
  getSnapshots: "snapshots",
  saveSnapshot: "saveSnapshot",
  restoreSnapshot: "restoreSnapshot",
  deleteSnapshot: "deleteSnapshot",
  getAccounts: "accounts",
  createAccount: "createAccount",
  deleteAccount: "deleteAccount",
};

/** Operations that only serve the page and readers of the description. */
const ofThePage = ["getDescription", "getEvents", "getOptions"];

describe("the emulator of this process and the client of the admin API", () => {
  const root = join(__dirname, "../../..");
  const { paths, components } = parse(readFileSync(join(root, "emulator/admin.openapi.yaml"), "utf8"));
  const operations: string[] = Object.values(paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    (methods) => Object.values(methods).map(({ operationId }) => operationId),
  );
  const local = useEmulator();
  let remote: RemoteEmulator;
  beforeEach(() => {
    remote = connectEmulator(local.url);
  });

  it("both have a member for each operation", () => {
    assert.deepEqual(operations.filter((name) => !ofThePage.includes(name)).sort(), Object.keys(members).sort());
    for (const path of Object.values(members)) {
      for (const emulator of [local, remote]) {
        const member = path
          .split(".")
          .reduce((value, name) => (value as Record<string, unknown>)[name], emulator as unknown);
        assert.notEqual(member, undefined, path);
        if (member instanceof Promise) member.catch(() => undefined);
      }
    }
  });

  it("both have a member for each change", () => {
    const changes = Object.keys(components.schemas.Change.discriminator.mapping);
    const ofTokens = ["expireAccessTokens", "expireRefreshTokens"];
    assert.deepEqual([...changes, ...ofTokens].sort(), Object.keys(remote.change).sort());
    for (const name of changes) assert.equal(typeof local.change[name as keyof Emulator["change"]], "function", name);
  });

  it("both have the members of inspect, except for those that the page names", () => {
    const page = readFileSync(join(root, "emulator/docs/admin-api.md"), "utf8");
    const named = /its `inspect` does not have\s+([^.]*)\./.exec(page)?.[1]?.match(/\w+(?=`)/g);
    const all = Object.getOwnPropertyNames(Object.getPrototypeOf(local.inspect));
    const absent = all.filter(
      (name) => !["constructor", "summarizeTask", ...Object.keys(remote.inspect)].includes(name),
    );
    assert.deepEqual(absent, named);
  });

  it("knows the operations and error codes of the service", () => {
    const service = parse(readFileSync(join(root, "emulator/openapi.yaml"), "utf8"));
    const names = Object.values(service.paths as typeof paths).flatMap((methods) =>
      Object.values(methods as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
    );
    assert.deepEqual([...components.schemas.FaultOperation.enum].sort(), ["*", "page", ...names].sort());
  });

  for (const [name, choose] of [
    ["the emulator of this process", () => local],
    ["the client", () => remote],
  ] as const) {
    describe(name, () => {
      let emulator: Either;
      beforeEach(() => {
        emulator = choose();
      });
      const start = (taskId = "template") => call(local, "startTask", { fields: { taskId } });

      it("changes a task and its rows", async () => {
        const { change } = emulator;
        await change.addTask({ taskId: "other", taskGroupId: "new", actions: [], syntheticRows: 3 });
        await change.addAction("other", { actionType: "LoopAction", actionId: "a", properties: { P: "1" } });
        await change.setProperty("other", "a", "P", "2");
        await change.setProperty("other", "a", "Q", "");
        await change.deleteProperty("other", "a", "Q");
        await change.setLoopItems("other", "a", ["x"], "TextList");
        await change.addAction("other", { actionType: "x", actionId: "b" });
        await change.deleteAction("other", "b");
        await change.setStartUrls("other", ["http://127.0.0.1/1"]);
        assert.deepEqual(local.inspect.task("other")?.actions, [
          {
            actionType: "LoopAction",
            actionId: "a",
            name: undefined,
            properties: { P: "2" },
            loopType: "TextList",
            loopItems: ["x"],
          },
        ]);
        assert.deepEqual(local.inspect.startUrls("other"), ["http://127.0.0.1/1"]);
        const lotNo = await change.startRun("other");
        await emulator.settled();
        assert.equal(await change.insertRows("other", [{ a: 1 }, '{"b":1.10}']), lotNo);
        const run = await emulator.inspect.run(lotNo);
        assert.deepEqual([run?.rowCount, run?.subtasks[0]?.status], [5, "finished"]);
        await change.setSubtaskStatus(lotNo, "stopped");
        assert.equal((await emulator.inspect.run(lotNo))?.subtasks[0]?.status, "stopped");
        await change.continueRun(lotNo);
        await emulator.settled();
        assert.equal((await emulator.inspect.run(lotNo))?.subtasks[0]?.status, "finished");
        await change.stopRun(lotNo);
        assert.equal((await emulator.inspect.run(lotNo))?.subtasks[0]?.status, "finished", "it had ended");
        await change.holdRuns();
        const held = await change.startRun("other");
        await change.stopRun(held);
        await change.releaseRuns();
        assert.equal((await emulator.inspect.run(held))?.subtasks[0]?.status, "stopped");
        await change.deleteTask("other");
        assert.equal(local.inspect.task("other"), undefined);
        const account = await change.addAccount("second");
        const headers = { authorization: `Bearer ${account.accessToken}` };
        assert.equal(
          await refusal(local, "startTask", { fields: { taskId: "template" }, headers }),
          "400 InvalidTaskId",
        );
      });

      it("refuses a wrong change by its reason", async () => {
        const { change } = emulator;
        await assert.rejects(async () => change.deleteTask("nope"), /there is no task nope/);
        await assert.rejects(
          async () => change.setProperty("template", "nope", "P", ""),
          /task template has no action nope/,
        );
        await assert.rejects(async () => change.insertRows("template", [{}, "[1]"]), /rows\.1 must be an object/);
        await assert.rejects(async () => emulator.setBehaviour({ refuseEvery: -1 }), /refuseEvery/);
      });

      it("holds runs, and says when none can continue", async () => {
        await emulator.change.holdRuns();
        await start();
        await emulator.settled();
        assert.equal(local.inspect.runs()[0]?.rowCount, 0);
        await emulator.change.releaseRuns();
        await emulator.settled();
        assert.equal(local.inspect.runs()[0]?.rowCount, 7);
      });

      it("makes the nth request fail", async () => {
        const { id, skip } = await emulator.fault({
          operation: "startTask",
          kind: "error",
          code: "ServerError",
          skip: 1,
          times: 2,
        });
        assert.equal(skip, 1);
        const statuses: number[] = [];
        for (let count = 0; count < 4; count += 1) statuses.push((await start("nope")).status);
        assert.deepEqual(statuses, [400, 500, 500, 400]);
        assert.deepEqual(await emulator.faults, []);
        await assert.rejects(async () => emulator.removeFault(id), /there is no fault/);
      });

      it("makes the same requests fail with the same seed of a probability", async () => {
        const sequence = async (seed?: number) => {
          const { id } = await emulator.fault({ operation: "*", kind: "error", probability: 0.5, seed });
          const failed: boolean[] = [];
          for (let count = 0; count < 24; count += 1) failed.push((await start("nope")).status === 500);
          const [fault] = await emulator.faults;
          assert.deepEqual([fault?.id, fault?.happened], [id, failed.filter(Boolean).length]);
          await emulator.removeFault(id);
          assert.equal((await start("nope")).status, 400);
          return failed.map(Number).join("");
        };
        const first = await sequence(1);
        assert.equal(await sequence(1), first);
        assert.notEqual(await sequence(2), first);
        assert.ok(first.includes("1") && first.includes("0"));
        assert.equal(await sequence(), await sequence(0));
      });

      it("lets a spared request have another fault", async () => {
        await emulator.fault({ operation: "startTask", kind: "error", probability: 1e-9 });
        await emulator.fault({ operation: "startTask", kind: "status", status: 418 });
        assert.equal((await start()).status, 418);
        await emulator.clearFaults();
        assert.deepEqual(await emulator.faults, []);
      });

      it("holds requests until they are released", async () => {
        const hold = await emulator.hold({ operation: "startTask", times: 2 });
        assert.deepEqual(
          (await emulator.holds).map(({ id, reached }) => [id, reached]),
          [[hold.id, false]],
        );
        const waiting = [start(), start()];
        await hold.reached;
        assert.equal(local.inspect.runs().length > 0, true, "after the effect");
        await emulator.clearFaults();
        assert.equal((await emulator.holds).length, 1, "requests still wait");
        await hold.release();
        await Promise.all(waiting);
        assert.deepEqual(await emulator.holds, []);
        const other = await emulator.hold({ operation: "startTask", when: "before" });
        await emulator.releaseHold(other.id);
        assert.equal((await start("nope")).status, 400, "a released hold holds nothing");
        await assert.rejects(async () => emulator.releaseHold(other.id), /there is no hold/);
      });

      it("refuses a fault or hold with headers that no response can have", async () => {
        const fault = { operation: "*", kind: "status" } as const;
        const refused: [Partial<Fault>, RegExp][] = [
          [{ headers: { "x proxy": "1" } }, /headers/],
          [{ headers: { "": "1" } }, /headers/],
          [{ headers: { "x-proxy": "1\r\nx-other: 2" } }, /headers/],
          [{ headers: { "x-proxy": "caf\u00e9" } }, /headers/],
          [{ location: "/a b" }, /location/],
        ];
        for (const [wrong, path] of refused) {
          await assert.rejects(async () => emulator.fault({ ...fault, ...wrong }), path);
          await assert.rejects(async () => emulator.hold({ operation: "*", ...wrong }), path);
        }
        assert.deepEqual([await emulator.faults, await emulator.holds], [[], []]);
        await emulator.fault({ ...fault, headers: { "x_proxy!": "1", empty: "" } });
        const { headers } = await start();
        assert.deepEqual([headers.get("x_proxy!"), headers.get("empty")], ["1", ""]);
      });

      it("names the wrong property of a fault, hold, clock, plan or latency", async () => {
        const wrongForBoth: [object, RegExp][] = [
          [{ operation: "start" }, /operation must be one of \*, refreshToken, /],
          [{ operation: undefined }, /operation is required/],
          [{ when: "later" }, /when must be one of before, after/],
          [{ times: 0 }, /times must be >= 1/],
          [{ times: 1.5 }, /times must be integer/],
          [{ skip: -1 }, /skip must be >= 0/],
          [{ probability: 0 }, /probability must be > 0/],
          [{ seed: 2 ** 32 }, /seed must be <= 4294967295/],
          [{ taskId: 7 }, /taskId must be string/],
          [{ task: "task" }, /task is not known/],
        ];
        const wrongFaults: [object, RegExp][] = [
          ...wrongForBoth,
          [{ kind: "explode" }, /kind must be one of reset, hang, /],
          [{ kind: undefined }, /kind is required/],
          [{ status: 99 }, /status must be >= 200/],
          [{ delayMs: 2 ** 31 }, /delayMs must be <= 600000/],
          [{ code: "Oops" }, /code must be one of Invalid\.Grant, /],
          [{ body: 1n }, /body must be a value that JSON can hold|BigInt/],
        ];
        const wrongHolds: [object, RegExp][] = [...wrongForBoth, [{ status: 500 }, /status is not known/]];
        for (const [wrong, message] of wrongFaults) {
          const fault = { operation: "*", kind: "status", ...wrong } as Fault;
          await assert.rejects(async () => emulator.fault(fault), message);
        }
        for (const [wrong, message] of wrongHolds) {
          const hold = { operation: "*", ...wrong } as Fault;
          await assert.rejects(async () => emulator.hold(hold), message);
        }
        const clocks: [object, RegExp][] = [
          [{ mode: "stop" }, /mode must be one of fixed, step, real/],
          [{ mode: "step" }, /ms is required/],
          [{ mode: "step", ms: "1" }, /ms must be integer/],
          [{ mode: "fixed", at: "yesterday" }, /at must match pattern/],
        ];
        const before = await emulator.clock;
        for (const [wrong, message] of clocks) {
          await assert.rejects(async () => emulator.setClock(wrong as ClockSetting), message);
        }
        assert.equal((await emulator.clock).mode, before.mode);
        await assert.rejects(async () => emulator.setPlan("gold" as Plan), /plan must be (one of|equal to one of)/);
        for (const ms of [-1, 0.5, 2 ** 31])
          await assert.rejects(async () => emulator.setLatency(ms), /latencyMs must be/);
        assert.deepEqual([await emulator.faults, await emulator.holds], [[], []]);
      });

      it("knows after the release that a request has reached a hold", async () => {
        const hold = await emulator.hold({ operation: "startTask" });
        const started = start();
        await local.waitForRequests(1);
        await hold.release();
        await hold.reached;
        await started;
      });

      it("finds requests and waits for them", async () => {
        await start();
        await start("nope");
        assert.deepEqual(
          (await emulator.requests).map(({ number }) => number),
          [1, 2],
        );
        assert.equal((await emulator.findRequests({ taskId: "nope" })).length, 1);
        const waiting = emulator.waitForRequests(3, { operation: "startTask" });
        await start();
        assert.equal((await waiting).length, 3);
        await assert.rejects(
          emulator.waitForRequests(2, { taskId: "nope" }, 1),
          /^Error: 1 of 2 requests have arrived within 1 ms$/,
        );
        await emulator.clearRequests();
        assert.deepEqual(await emulator.requests, []);
      });

      it("sets the time of tokens, batch numbers, rates and the journal", async () => {
        await emulator.setClock({ mode: "fixed", at: "2030-01-02T03:04:05Z" });
        assert.deepEqual(await emulator.clock, { now: "2030-01-02T03:04:05.000Z", mode: "fixed" });
        assert.equal(await refusal(local, "startTask", { fields: { taskId: "template" } }), "401 Invalid.Token");
        assert.equal(local.requests[0]?.receivedAt, Date.UTC(2030, 0, 2, 3, 4, 5));
        const lotNo = await emulator.change.startRun("template");
        assert.equal((BigInt(lotNo) - 621_355_968_000_000_000n) / 10_000n, BigInt(Date.UTC(2030, 0, 2, 3, 4, 5)));
        await emulator.setBehaviour({ requestsPerSecond: 1 });
        const headers = { "x-api-key": "nope" };
        const code = () => refusal(local, "getData", { headers });
        await emulator.setClock({ mode: "step", ms: 1000 });
        assert.deepEqual([await code(), await code()], ["401 Invalid.Token", "429 TooManyRequests"]);
        await emulator.setClock({ mode: "step", ms: 1000 });
        assert.equal(await code(), "401 Invalid.Token");
        assert.equal((await emulator.clock).now, "2030-01-02T03:04:07.000Z");
        await emulator.setClock({ mode: "real" });
        assert.equal((await emulator.clock).mode, "real");
        await assert.rejects(
          async () => emulator.setClock({ mode: "fixed", at: "3100-01-01T00:00:00Z" }),
          /1970 to 2999/,
        );
      });

      it("shows tasks, batches, subtasks and rows", async () => {
        const { inspect, change } = emulator;
        for (const rows of [[{ a: 1 }], [{ a: 2 }, { a: 3 }]]) {
          await change.insertRows("template", rows, await change.startRun("template"));
          await emulator.settled();
        }
        const [first, second] = local.inspect.runs();
        assert.ok(first !== undefined && second !== undefined);
        assert.equal((await inspect.taskPage({ offset: 0, limit: 5 })).tasks[0]?.taskId, "template");
        assert.equal((await inspect.taskSummary("template"))?.rowCount, first.rowCount + second.rowCount);
        assert.equal((await inspect.runPage({ offset: 0, limit: 1 })).runs[0]?.lotNo, second.lotNo);
        assert.equal((await inspect.runSummary(first.lotNo))?.rowCount, first.rowCount);
        assert.ok(((await inspect.progress(first.lotNo))?.length ?? 0) > 0);
        assert.equal((await inspect.subtaskPage(first.lotNo, { offset: 0, limit: 5 }))?.total, 1);
        assert.deepEqual(await inspect.rows("template"), local.inspect.rows("template"));
        assert.deepEqual(
          await inspect.rowsWithMarks("template", second.lotNo),
          local.inspect.rowsWithMarks("template", second.lotNo),
        );
        assert.equal(await inspect.exportedCount("template"), 0);
        for (const nothing of [
          inspect.run("1"),
          inspect.taskSummary("nope"),
          inspect.runSummary("1"),
          inspect.progress("1"),
        ]) {
          assert.equal(await nothing, undefined);
        }
      });

      it("expires tokens, and reads plan, latency, behaviour and credentials", async () => {
        assert.deepEqual(await emulator.credentials, local.credentials);
        await emulator.change.expireAccessTokens();
        assert.equal(await refusal(local, "startTask", { fields: { taskId: "template" } }), "401 Invalid.Token");
        await emulator.change.expireRefreshTokens();
        const fields = { refresh_token: local.credentials.refreshToken, grant_type: "refresh_token" };
        assert.equal(await refusal(local, "refreshToken", { fields }), "400 Invalid.Grant");
        await emulator.setPlan("free");
        await emulator.setLatency(1);
        await emulator.setBehaviour({ errorBody: "legacy" });
        assert.deepEqual([await emulator.plan, await emulator.latency], ["free", 1]);
        assert.equal((await emulator.behaviour).errorBody, "legacy");
        assert.equal((await emulator.health()).status, "ok");
      });

      it("moves the whole state to another emulator", async () => {
        await start();
        await emulator.settled();
        const state = await emulator.exportState();
        await emulator.reset();
        assert.deepEqual(local.inspect.runs(), []);
        await emulator.importState(state);
        assert.deepEqual(await emulator.exportState(), state);
      });

      it("starts with another seed, to which a reset returns", async () => {
        const { credentials } = local;
        await emulator.seed({
          taskGroups: [{ taskGroupId: "g" }],
          tasks: [],
          plan: "professional",
          credentials: { apiKey: "key" },
        });
        await emulator.change.addTask({ taskId: "later", taskGroupId: "g", actions: [] });
        await emulator.reset();
        assert.deepEqual([local.inspect.groups(), local.inspect.tasks()], [["g"], []]);
        assert.deepEqual(local.credentials, { ...credentials, apiKey: "key" });
        assert.equal(local.plan, "professional");
        const wrong = { taskGroups: [], tasks: [{ taskId: "t", taskGroupId: "nope", actions: [] }] };
        await assert.rejects(async () => emulator.seed(wrong), /task t is in the unknown group nope/);
        assert.deepEqual(local.inspect.groups(), ["g"]);
      });
    });
  }

  it("waits for requests in parts that are shorter than the timeouts of fetch", async () => {
    const waits: (string | null)[] = [];
    const fetched = sinon.stub(globalThis, "fetch").callsFake(async (target) => {
      waits.push(new URL(String(target)).searchParams.get("timeoutMs"));
      return Response.json({ requests: [], total: 0, complete: false });
    });
    const waiting = remote.waitForRequests(1, {}, 130_000).finally(() => fetched.restore());
    await assert.rejects(waiting, /^Error: 0 of 1 requests have arrived within 130000 ms$/);
    assert.deepEqual(waits, ["60000", "60000", "10000"]);
  });

  it("reports an emulator that cannot be reached, and a wrong token", async () => {
    const gone = await startWith();
    await gone.close();
    await assert.rejects(connectEmulator(gone.url).health(), /127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED/);
    const other = await startWith([], { adminToken: "secret" });
    await assert.rejects(connectEmulator(other.url).reset(), /Authorization: Bearer/);
    await connectEmulator(`${other.url}/`, { token: "secret" }).reset();
    await other.close();
  });
});
