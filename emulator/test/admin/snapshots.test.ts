import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, data, refusal, runTemplate, startWith, template, useEmulator } from "../caller";
import { savedState } from "../savedState";
import { admin, refusalOf } from "./adminCaller";

const read = { fields: { taskId: "template", offset: 0, size: 100 } };

describe("a snapshot of the emulator", () => {
  const emulator = useEmulator();

  const everything = () => ({
    state: emulator.exportState(),
    behaviour: emulator.behaviour,
    plan: emulator.plan,
    latency: emulator.latency,
    clock: emulator.clock,
    faults: emulator.faults,
    requests: emulator.requests.map((request) => ({ ...request })),
  });

  /** Changes all that a snapshot holds. */
  async function disturb(times: number): Promise<void> {
    await runTemplate(emulator);
    await call(emulator, "markExported", { fields: { taskId: "template" } });
    emulator.change.setProperty("template", "open", "Timeout", String(times));
    emulator.change.addAccount(`account-${times}`);
    emulator.change.expireAccessTokens();
    await data(emulator, "refreshToken", {
      grant_type: "refresh_token",
      refresh_token: emulator.credentials.refreshToken,
    });
    emulator.setBehaviour({ dataPageMax: 100 + times, statusCase: "lower" });
    emulator.setPlan("professional");
    emulator.setLatency(times);
    emulator.setClock({ mode: "fixed", at: new Date(Date.now() + times * 3_600_000).toISOString() });
    emulator.fault({ operation: "getData", kind: "status", skip: times, status: 500 + times });
    emulator.clearRequests();
    await call(emulator, "getSubtasks", { fields: { taskId: "template", page: 1, size: 10 } });
  }

  it("returns to everything, also twice, and from another state", async () => {
    await disturb(1);
    const saved = everything();
    await emulator.saveSnapshot("ready");
    for (let times = 2; times < 4; times += 1) {
      await disturb(times);
      assert.notDeepEqual(everything(), saved);
      await emulator.restoreSnapshot("ready");
      assert.deepEqual(everything(), saved);
      assert.equal((await call(emulator, "getData", read)).status, 200, "skipped");
      assert.equal((await call(emulator, "getData", read)).status, 501);
    }
    await emulator.reset();
    await emulator.restoreSnapshot("ready");
    assert.deepEqual(everything(), saved);
  });

  it("continues the same random faults, rates and clock", async () => {
    emulator.setBehaviour({ refuseEvery: 3, requestsPerSecond: 0 });
    emulator.fault({ operation: "*", kind: "status", probability: 0.5, seed: 7 });
    emulator.setClock({ mode: "step", ms: 3_600_000 });
    const statuses = async () => {
      const found: number[] = [];
      for (let times = 0; times < 12; times += 1) found.push((await call(emulator, "getData", read)).status);
      return found;
    };
    await statuses();
    await emulator.saveSnapshot("middle");
    const first = await statuses();
    assert.ok(new Set(first).size === 3, String(first));
    await emulator.restoreSnapshot("middle");
    assert.deepEqual(await statuses(), first);
    emulator.setClock({ mode: "real" });
    await emulator.restoreSnapshot("middle");
    assert.ok(Date.parse(emulator.clock.now) > Date.now() + 3_500_000);
    assert.equal(emulator.clock.mode, "real");
  });

  it("continues the runs that had not ended", async () => {
    emulator.change.holdRuns();
    const { lotNo } = await data(emulator, "startTask", { taskId: "template" });
    await emulator.saveSnapshot("running");
    for (let times = 0; times < 2; times += 1) {
      emulator.change.releaseRuns();
      await emulator.settled();
      assert.equal(emulator.inspect.run(lotNo)?.subtasks[0]?.status, "finished");
      await emulator.restoreSnapshot("running");
      await emulator.settled();
      assert.equal(emulator.inspect.run(lotNo)?.subtasks[0]?.status, "waiting");
    }
  });

  it("releases holds and ends waits, whose requests take effect before it", async () => {
    await emulator.saveSnapshot("empty");
    const hold = emulator.hold({ operation: "startTask", when: "before" });
    const started = call(emulator, "startTask", { fields: { taskId: "template" } });
    await hold.reached;
    await emulator.restoreSnapshot("empty");
    assert.equal((await started).status, 200);
    assert.deepEqual([emulator.inspect.runs(), emulator.holds, emulator.requests], [[], [], []]);
  });

  it("of 100 tasks is restored whole, as often as it is asked for", async () => {
    for (let number = 0; number < 100; number += 1) {
      emulator.change.addTask({ ...template, taskId: `task-${number}` });
    }
    await runTemplate(emulator);
    await emulator.saveSnapshot("hundred");
    const whole = [emulator.inspect.tasks(), emulator.inspect.runs()];
    for (let count = 0; count < 3; count += 1) {
      emulator.change.deleteTask(`task-${count}`);
      await runTemplate(emulator);
      await emulator.restoreSnapshot("hundred");
      assert.deepEqual([emulator.inspect.tasks(), emulator.inspect.runs()], whole);
    }
    assert.equal(whole[0]?.length, 101);
  });

  it("is saved, listed, replaced, restored and deleted over HTTP, for each account", async () => {
    const put = (path: string) => admin(emulator, path, { method: "PUT" });
    assert.equal((await put("/snapshots/a%20b")).status, 204);
    await emulator.createAccount("other");
    assert.equal((await put("/accounts/other/snapshots/mine")).status, 204);
    emulator.change.addTask({ ...template, taskId: "second" });
    assert.equal((await put("/snapshots/two")).status, 204);
    const listed = async () =>
      (await admin(emulator, "/snapshots")).json.snapshots.map(
        ({ name, taskCount }: { name: string; taskCount: number }) => [name, taskCount],
      );
    assert.deepEqual(await listed(), [
      ["a b", 1],
      ["two", 2],
    ]);
    assert.equal((await put("/snapshots/a%20b")).status, 204);
    assert.deepEqual(await listed(), [
      ["two", 2],
      ["a b", 2],
    ]);
    await emulator.reset();
    assert.equal((await admin(emulator, "/snapshots/two/restore", { method: "POST" })).status, 204);
    assert.deepEqual(emulator.inspect.taskIds(), ["template", "second"]);
    assert.equal((await admin(emulator, "/snapshots/two", { method: "DELETE" })).status, 204);
    const absent = "404 NotFound: there is no snapshot two";
    assert.equal(await refusalOf(emulator, "/snapshots/two", { method: "DELETE" }), absent);
    assert.equal(await refusalOf(emulator, "/snapshots/two/restore", { method: "POST" }), absent);
    await assert.rejects(emulator.saveSnapshot(""), /the name of a snapshot must not be empty/);
  });

  it("is in the state file after it is restored", async () => {
    const folder = mkdtempSync(join(tmpdir(), "emulator-snapshot-"));
    const stateFile = join(folder, "state.db");
    const other = await startWith([], { stateFile });
    await runTemplate(other);
    await other.saveSnapshot("ready");
    const before = other.exportState();
    await other.reset();
    await other.restoreSnapshot("ready");
    assert.deepEqual(await savedState(stateFile), before);
    assert.equal(await refusal(other, "getData", read), "200 undefined");
    await other.close();
    rmSync(folder, { recursive: true });
  });
});
