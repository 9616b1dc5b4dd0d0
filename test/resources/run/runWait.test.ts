import assert from "node:assert/strict";
import type { CloudRunState, PartialFailure } from "../../internals/resources";
import { cloudRun } from "../../internals/resources";
import { failure } from "../life";
import { SlowWorld } from "./slowWorld";

describe("waiting for a run", () => {
  let world: SlowWorld;
  afterEach(() => world.close());

  describe("polls for as long as the arguments say", () => {
    it("by default for 3600 seconds, every 10 seconds", async () => {
      world = await SlowWorld.create();
      const { state } = await world.fails(world.create({ pollSeconds: 900 }));
      assert.deepEqual([world.seconds, state.pending], [3600, ["wait"]]);
      assert.deepEqual(world.sleeps, [900, 900, 900, 900]);
      world.finishes(3620);
      await world.update(state);
      assert.deepEqual(world.sleeps.slice(4), [10, 10]);
    });

    it("at most ten times a second", async () => {
      world = await SlowWorld.create();
      await world.fails(world.create({ timeoutSeconds: 1, pollSeconds: 0 }));
      assert.ok(world.sleeps.length <= 11, String(world.sleeps.length));
    });

    it("and a last time at the timeout", async () => {
      world = await SlowWorld.create();
      const { state } = await world.fails(world.create({ timeoutSeconds: 20, pollSeconds: 7 }));
      assert.equal(world.seconds, 20);
      assert.deepEqual(world.sleeps, [7, 7, 6]);
      assert.deepEqual(state.pending, ["wait"]);
      world.finishes(world.seconds + 6);
      const next = await world.update(state, { timeoutSeconds: 6, pollSeconds: 7 });
      assert.deepEqual([next.status, next.pending, world.starts], ["finished", undefined, 1]);
    });
  });

  describe("knows its own subtasks", () => {
    it("from those of an earlier finished run that the list shows for a while", async () => {
      world = await SlowWorld.create({ subtaskListLag: 7 });
      const before = world.runBefore("finished");
      world.emulator.setBehaviour({ subtaskListLag: 7 });
      for (let read = 0; read < 7; read++) {
        await world.context.client.getSubtasks({ taskId: "task-1", page: 1, size: 1 });
      }
      world.finishes(60);
      const state = await world.create();
      assert.deepEqual([state.status, state.lotNo === before, world.seconds], ["finished", false, 60]);
    });

    for (const outcome of ["finished", "extracting"] as const) {
      it(`from those of a run that was running before the start (${outcome} meanwhile), and does not supersede itself`, async () => {
        world = await SlowWorld.create({ startWhileRunning: "newRun" });
        const other = world.runBefore("extracting");
        world.emulator.setBehaviour({ subtaskListLag: 6 });
        world.at(10, () => world.emulator.change.setSubtaskStatus(other, outcome));
        world.finishes(90);
        const state = await world.create();
        assert.deepEqual([state.status, world.seconds], ["finished", 90]);
        const own = world.emulator.inspect.run(state.lotNo)?.subtasks.map(({ subTaskId }) => subTaskId) ?? [];
        assert.deepEqual([...(state.ownList?.sample ?? [])].sort(), own.sort());
      });
    }

    it("from those of a run that was running before the start and whose list grows", async () => {
      world = await SlowWorld.create();
      world.lists(
        [["a", "Extracting"]],
        [
          ["a", "Extracting"],
          ["b", "Extracting"],
        ],
        [
          ["a", "Finished"],
          ["b", "Finished"],
        ],
        [["c", "Extracting"]],
        [["c", "Finished"]],
      );
      const state = await world.create();
      assert.deepEqual([state.status, state.subtasks.total, state.ownList?.sample], ["finished", 1, ["c"]]);
    });

    it("if each run has the same ids, when they run again", async () => {
      world = await SlowWorld.create();
      world.lists([["a", "Finished"]], [["a", "Finished"]], [["a", "Waiting"]], [["a", "Finished"]]);
      const state = await world.create();
      assert.deepEqual([state.status, world.seconds], ["finished", 20]);
    });

    it("if each run has the same ids and one was running before the start, when they have ended and run again", async () => {
      world = await SlowWorld.create();
      world.lists(
        [["a", "Extracting"]],
        [["a", "Extracting"]],
        [["a", "Finished"]],
        [["a", "Waiting"]],
        [["a", "Finished"]],
      );
      const state = await world.create();
      assert.deepEqual([state.status, world.seconds], ["finished", 30]);
    });

    it("if the service responds to the start with a running run, when adoptLotNo names it", async () => {
      world = await SlowWorld.create({ startWhileRunning: "sameRun" });
      const lotNo = world.runBefore("extracting");
      const { message, state } = await world.fails(world.create({ timeoutSeconds: 30 }));
      assert.deepEqual([state.pending, world.seconds], [["wait"], 30]);
      assert.match(message, /none of its subtasks were seen.*troubleshooting\.md#runs$/s);
      world.emulator.change.setSubtaskStatus(lotNo, "finished");
      const next = await world.update(state, { adoptLotNo: lotNo });
      assert.deepEqual([next.status, next.lotNo, world.starts], ["finished", lotNo, 1]);
    });

    it("if the service keeps listing the earlier ones, when adoptLotNo says that they belong to this run", async () => {
      world = await SlowWorld.create();
      world.lists(...Array.from({ length: 9 }, (): [string, string][] => [["a", "Finished"]]));
      const { message, state } = await world.fails(world.create({ timeoutSeconds: 30 }));
      assert.deepEqual([state.pending, world.seconds], [["wait"], 30]);
      assert.match(message, /none of its subtasks were seen.*troubleshooting\.md#runs$/s);
      assert.equal((await world.update(state, { adoptLotNo: state.lotNo })).status, "finished");
    });

    it("and ignores the earlier list when it appears once more", async () => {
      world = await SlowWorld.create();
      world.lists([["a", "Finished"]], [["b", "Waiting"]], [["a", "Finished"]], [["b", "Finished"]]);
      const state = await world.create();
      assert.deepEqual([state.status, state.ownList?.sample], ["finished", ["b"]]);
    });

    it("from those of a later run: it is superseded and stops nothing", async () => {
      world = await SlowWorld.create();
      let other = "";
      world.at(10, () => {
        other = world.emulator.change.startRun("task-1");
      });
      const error = await world.create().then(
        () => assert.fail("it should have failed"),
        (each: PartialFailure) => each,
      );
      const state = error.state as CloudRunState;
      assert.deepEqual([state.status, state.pending], ["superseded", ["wait"]]);
      assert.deepEqual(state.subtasks, { total: 3, byStatus: { Waiting: 3 } });
      assert.notEqual(error.id, other);
      assert.equal(await failure(world.update(state)), error.message);
      assert.equal(world.count("stopSubtasks"), 0);
    });

    it("and is not superseded after it has ended well", async () => {
      world = await SlowWorld.create();
      const state = await world.create({ waitFor: "started" });
      world.emulator.change.setSubtaskStatus(state.lotNo, "failed");
      const ended = await world.update(state, { failOn: "never" });
      world.emulator.change.startRun("task-1");
      const next = await world.update(ended, { failOn: "never", timeoutSeconds: 5 });
      assert.equal(next.status, "failed");
    });
  });

  describe("ends", () => {
    it("by the statuses of the resource rather than those of the configuration", async () => {
      world = await SlowWorld.create({ statusWords: "unknown" }, { statuses: '{"finished": ["done"], "failed": []}' });
      world.at(10, () => world.emulator.change.setSubtaskStatus(world.lotNo, "finished"));
      const { message, state } = await world.fails(world.create({ timeoutSeconds: 30 }));
      assert.deepEqual([state.pending, world.seconds], [["wait"], 30]);
      assert.ok(message.includes("3 Concluded"), message);
      const next = await world.update(state, { statuses: { finished: ["concluded"] } });
      assert.deepEqual([next.status, world.starts], ["finished", 1]);
    });

    it("as failed if the statuses of the resource say that stopped means failed", async () => {
      world = await SlowWorld.create({ statusWords: "noFailed" });
      world.at(10, () => world.emulator.change.setSubtaskStatus(world.lotNo, "failed"));
      const { state } = await world.fails(world.create());
      assert.equal(state.status, "stopped");
      const next = await world.update(state, { failOn: "never", statuses: { failed: ["Stopped"], stopped: [] } });
      assert.equal(next.status, "failed");
    });

    it("badly if subtasks were stopped, even with failOn never, and names only those", async () => {
      world = await SlowWorld.create();
      const state = await world.create({ waitFor: "started" });
      const [one, two, three] =
        world.emulator.inspect.run(state.lotNo)?.subtasks.map(({ subTaskId }) => subTaskId) ?? [];
      world.emulator.change.setSubtaskStatus(state.lotNo, "failed", [one ?? ""]);
      world.emulator.change.setSubtaskStatus(state.lotNo, "stopped", [two ?? ""]);
      world.emulator.change.setSubtaskStatus(state.lotNo, "finished", [three ?? ""]);
      const never = (await world.fails(world.update(state, { failOn: "never" }))).message;
      assert.ok(never.includes(two ?? "-") && !never.includes(one ?? "-") && !never.includes(three ?? "-"), never);
      const both = (await world.fails(world.update(state))).message;
      assert.ok(both.includes(two ?? "-") && both.includes(one ?? "-") && !both.includes(three ?? "-"), both);
    });

    it("badly with at most ten subtasks named, and the request id", async () => {
      world = await SlowWorld.create({}, { subtasks: 25 });
      world.at(10, () => world.emulator.change.setSubtaskStatus(world.lotNo, "failed"));
      const { message, state } = await world.fails(world.create());
      const ids = world.emulator.inspect.run(state.lotNo)?.subtasks.map(({ subTaskId }) => subTaskId) ?? [];
      assert.equal(ids.filter((id) => message.includes(id)).length, 10);
      assert.ok(message.includes(world.emulator.requests.at(-1)?.requestId ?? "-"), message);
      assert.deepEqual([state.status, state.subtasks], ["failed", { total: 25, byStatus: { Failed: 25 } }]);
    });

    it("when rows that arrive after the last subtask have settled", async () => {
      world = await SlowWorld.create({ rowsArriveLate: 3 });
      world.at(10, () => world.emulator.change.releaseRuns());
      const state = await world.create({ finishedWhen: "rowsSettled", settleSeconds: 25 });
      assert.equal(world.emulator.inspect.visibleCount("task-1"), 25);
      // Three looks at the rows bring them all, from 10 s on; the one at 40 s sees them, and they stay so for 25 s.
      assert.deepEqual([state.status, world.seconds], ["finished", 70]);
    });

    it("with rows that did not change, but only after its subtasks have finished", async () => {
      world = await SlowWorld.create();
      world.finishes(200);
      const state = await world.create({ finishedWhen: "rowsSettled", settleSeconds: 30 });
      assert.deepEqual([state.status, world.seconds], ["finished", 230]);
      assert.equal(world.emulator.inspect.visibleCount("task-1"), 0);
    });

    it("by rows that have not changed since subtasks ran again", async () => {
      world = await SlowWorld.create();
      const finished: [string, string] = ["a", "Finished"];
      const waiting: [string, string] = ["a", "Waiting"];
      world.lists([], [finished], [waiting], ...Array.from({ length: 4 }, () => [finished]));
      await world.create({ finishedWhen: "rowsSettled", settleSeconds: 25 });
      assert.equal(world.seconds, 50);
    });
  });

  describe("with rowsSettled, counts the rows", () => {
    const settling = { finishedWhen: "rowsSettled", settleSeconds: 1 } as const;

    /** A row of a run whose subtasks have not even begun, while the list is the one of before. */
    async function withFirstRow(subtaskListLag: number): Promise<void> {
      world = await SlowWorld.create();
      world.runBefore("finished");
      world.emulator.setBehaviour({ subtaskListLag });
      world.at(10, () => world.emulator.change.insertRows("task-1", [{ a: 1 }], world.lotNo));
    }

    it("but not while the list is that of an earlier run", async () => {
      await withFirstRow(12);
      world.finishes(200);
      const state = await world.create(settling);
      assert.deepEqual([state.status, state.subtasks.byStatus, world.seconds], ["finished", { Finished: 3 }, 210]);
    });

    it("and names the reason if the earlier list stays, until adoptLotNo says that it belongs to this run", async () => {
      await withFirstRow(1000);
      const { message, state } = await world.fails(world.create({ ...settling, timeoutSeconds: 60 }));
      assert.deepEqual([state.pending, state.ownList, world.seconds], [["wait"], undefined, 60]);
      assert.match(message, /none of its subtasks were seen.*troubleshooting\.md#runs$/s);
      const next = await world.update(state, { ...settling, adoptLotNo: state.lotNo });
      assert.deepEqual([next.status, next.lotNo, world.starts], ["finished", state.lotNo, 1]);
    });

    it("and names the reason if another run was running before the start", async () => {
      world = await SlowWorld.create({ startWhileRunning: "newRun" });
      world.runBefore("extracting");
      world.emulator.setBehaviour({ subtaskListLag: 1000 });
      const { message, state } = await world.fails(world.create({ ...settling, timeoutSeconds: 20 }));
      assert.deepEqual([state.pending, state.ownList, world.seconds], [["wait"], undefined, 20]);
      assert.match(message, /none of its subtasks were seen.*troubleshooting\.md#runs$/s);
    });

    it("but not when the earlier list appears once more while its own subtasks run", async () => {
      world = await SlowWorld.create();
      world.lists([["a", "Finished"]], [["b", "Waiting"]], [["a", "Finished"]], [["b", "Finished"]]);
      world.at(10, () => world.emulator.change.insertRows("task-1", [{ a: 1 }], world.lotNo));
      const state = await world.create({ ...settling, settleSeconds: 0 });
      assert.deepEqual([state.status, world.seconds], ["finished", 20]);
    });
  });

  describe("shows its progress", () => {
    it("with the status, the subtasks done and the rows so far", async () => {
      world = await SlowWorld.create();
      world.at(10, () => {
        const [first] = world.emulator.inspect.run(world.lotNo)?.subtasks ?? [];
        world.emulator.change.setSubtaskStatus(world.lotNo, "finished", [first?.subTaskId ?? ""]);
        world.emulator.change.insertRows("task-1", [{ a: 1 }, { a: 2 }]);
      });
      world.finishes(20);
      const { lotNo } = await world.create();
      assert.deepEqual(
        world.progress.map((line) => line.match(/\d+/g)),
        [
          ["0", "3", "0", "3", lotNo],
          ["1", "3", "2", "1", "2", lotNo],
          ["3", "3", "3", lotNo],
        ],
      );
      assert.equal(world.count("getBatchData"), 2);
      assert.equal(world.count("getNotExportedData"), 0);
    });

    it("without the rows if the service refuses to list them", async () => {
      world = await SlowWorld.create();
      world.emulator.fault({ operation: "getBatchData", kind: "error", code: "PermissionDenied", times: 100 });
      world.finishes(30);
      await world.create();
      assert.doesNotMatch(world.progress.join(), /rows/);
    });

    it("with the rows again after a read that failed for another reason", async () => {
      world = await SlowWorld.create();
      world.emulator.fault({ operation: "getBatchData", kind: "reset" });
      world.finishes(20);
      await world.create();
      assert.deepEqual(
        world.progress.map((line) => /rows/.test(line)),
        [false, true, false],
      );
    });

    it("and reads no rows if nothing waits", async () => {
      world = await SlowWorld.create();
      await world.create({ waitFor: "started", onDelete: "stop" });
      assert.equal(world.count("getBatchData"), 0);
    });
  });

  describe("when the command is interrupted", () => {
    it("ends and keeps the run, and the next up continues to wait without a start", async () => {
      world = await SlowWorld.create();
      world.at(30, () => world.interruption.abort());
      const { state } = await world.fails(world.create());
      assert.equal(world.count("stopSubtasks"), 0);
      assert.deepEqual([world.seconds, state.pending, state.status], [30, ["wait"], "running"]);
      const later = { ...world.context, interrupted: new AbortController().signal };
      world.finishes(40);
      const next = await cloudRun.update(state.lotNo, state, { taskId: "task-1", waitFor: "finished" }, later);
      assert.deepEqual([next.status, world.starts], ["finished", 1]);
    });

    it("ends during a read that hangs", async () => {
      world = await SlowWorld.create();
      world.emulator.fault({ operation: "getSubtasks", kind: "hang", skip: 2 });
      const create = world.create();
      while (world.count("getSubtasks") < 3) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      world.interruption.abort();
      const { state } = await world.fails(create);
      assert.deepEqual([state.pending, world.seconds], [["wait"], 0]);
    });

    it("starts no run", async () => {
      world = await SlowWorld.create();
      world.interruption.abort();
      await assert.rejects(world.create(), { name: "ResourceError" });
      assert.equal(world.starts, 0);
    });
  });

  describe("for the stop of a deleted run", () => {
    const stopping = { waitFor: "started", onDelete: "stop" } as const;

    it("knows the subtasks from the start, even if the list appears late", async () => {
      world = await SlowWorld.create({ subtaskListLag: 3 });
      const state = await world.create(stopping);
      assert.equal(state.ownList?.sample.length, 3);
      await world.delete(state);
      assert.deepEqual(world.statusesOf(state.lotNo), ["stopped", "stopped", "stopped"]);
      assert.deepEqual(world.warnings, []);
    });

    it("warns if no list contains its subtasks, after more than one empty list", async () => {
      world = await SlowWorld.create();
      const state = await world.create(stopping);
      world.lists([], [], [], []);
      await world.delete(state);
      assert.deepEqual([world.warnings.length, world.count("stopSubtasks")], [1, 0]);
    });

    it("stops no subtasks that were not seen at the start", async () => {
      world = await SlowWorld.create({ subtaskListLag: 1000 });
      const state = await world.create(stopping);
      world.emulator.setBehaviour({ subtaskListLag: 0 });
      const other = world.emulator.change.startRun("task-1");
      await world.delete(state);
      assert.equal(world.warnings.length, 1);
      const read = await world.read(state);
      assert.equal(read.status, "running");
      await world.delete(read);
      assert.deepEqual([world.statusesOf(other), world.count("stopSubtasks")], [["waiting", "waiting", "waiting"], 0]);
    });

    it("stops nothing of a finished run, although a later run has the same ids", async () => {
      world = await SlowWorld.create();
      world.lists([], [["a", "Finished"]]);
      const state = await world.create({ ...stopping, waitFor: "finished" });
      assert.deepEqual(state.ownList?.sample, ["a"]);
      world.lists([["a", "Extracting"]], [["a", "Stopped"]]);
      await world.delete(state);
      assert.deepEqual([world.count("stopSubtasks"), world.warnings], [0, []]);
    });

    it("warns if another run has superseded this one", async () => {
      world = await SlowWorld.create();
      const state = await world.create(stopping);
      world.emulator.change.startRun("task-1");
      await world.delete(state);
      assert.equal(world.warnings.length, 1);
      assert.equal(world.count("stopSubtasks"), 0);
    });

    for (const [timeoutSeconds, most] of [
      [undefined, 300],
      [40, 40],
    ] as const) {
      it(`waits at most ${most} s with timeoutSeconds ${timeoutSeconds}, and stops each subtask once`, async () => {
        world = await SlowWorld.create();
        const state = await world.create({ ...stopping, timeoutSeconds });
        // The service takes the request and does nothing.
        const nothing = { kind: "status", status: 200, body: { requestId: "r" } } as const;
        world.emulator.fault({ operation: "stopSubtasks", ...nothing, times: 100 });
        await assert.rejects(world.delete(state), { name: "ResourceError" });
        assert.deepEqual([world.seconds, world.count("stopSubtasks")], [most, 1]);
      });
    }

    it("ends when interrupted", async () => {
      world = await SlowWorld.create();
      const state = await world.create(stopping);
      const nothing = { kind: "status", status: 200, body: { requestId: "r" } } as const;
      world.emulator.fault({ operation: "stopSubtasks", ...nothing, times: 100 });
      world.at(20, () => world.interruption.abort());
      await assert.rejects(world.delete(state), { name: "ResourceError" });
      assert.equal(world.seconds, 20);
    });

    it("ignores one empty list", async () => {
      world = await SlowWorld.create();
      const state = await world.create(stopping);
      world.lists([]);
      await world.delete(state);
      assert.deepEqual(world.statusesOf(state.lotNo), ["stopped", "stopped", "stopped"]);
      assert.deepEqual(world.warnings, []);
    });
  });

  it("makes no request for a run that has finished", async () => {
    world = await SlowWorld.create();
    world.finishes(10);
    const state = await world.create();
    world.emulator.clearRequests();
    assert.deepEqual(await world.read(state), state);
    assert.deepEqual(world.emulator.requests, []);
  });
});
