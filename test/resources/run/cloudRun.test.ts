import assert from "node:assert/strict";
import type { Declared } from "../life";
import { failure, task, useWorld, World } from "../life";

const fast = { taskId: "task-1", pollSeconds: 0 };
const waiting = { ...fast, waitFor: "finished", timeoutSeconds: 20 };

describe("CloudRun", () => {
  const world = useWorld();
  let run: Declared;
  beforeEach(() => {
    run = world.declare("CloudRun");
  });

  const starts = (): number => world.emulator.inspect.runs("task-1").length;
  const statuses = (lotNo: unknown): string[] | undefined =>
    world.emulator.inspect.run(String(lotNo))?.subtasks.map(({ status }) => status);

  describe("starts", () => {
    it("once, and again only when a trigger changes", async () => {
      await run.up({ ...fast, triggers: ["a"] });
      assert.deepEqual(world.operations(), ["getSubtasks", "startTask"]);
      assert.equal(run.id, world.emulator.inspect.runs("task-1")[0]?.lotNo);
      assert.match(run.id ?? "", /^\d{18}$/);
      await world.emulator.settled();
      assert.equal(await run.up({ ...fast, triggers: ["a"] }), "nothing");
      assert.equal(await run.up({ ...fast, triggers: ["a"], waitFor: "finished", timeoutSeconds: 9 }), "updated");
      assert.equal(starts(), 1);
      const first = run.id;
      assert.equal(await run.up({ ...fast, triggers: ["b"] }), "replaced");
      assert.equal(starts(), 2);
      assert.notEqual(run.id, first);
    });

    describe("at a service that responds with the run in progress,", () => {
      const isNoNewRun = (message: string, lotNo: unknown): void =>
        assert.match(
          message,
          new RegExp(`^The service started no new run of task "task-1": it responded with run ${lotNo}, .* Wait until`),
        );
      beforeEach(() => {
        world.emulator.setBehaviour({ startWhileRunning: "sameRun" });
        world.emulator.change.holdRuns();
      });

      for (const [what, again] of [
        ["trigger", { triggers: [2] }],
        ["label", { runLabel: "b" }],
      ] as const) {
        it(`fails under another ${what} until that run has ended, and then starts a new one`, async () => {
          const before = { ...fast, triggers: [1], runLabel: "a" };
          await run.up(before);
          const first = run.id;
          const next = { ...before, ...again };
          isNoNewRun(await failure(run.up(next)), first);
          isNoNewRun(await failure(run.up(next)), first);
          assert.deepEqual(world.journal(), []);
          world.emulator.change.releaseRuns();
          await world.emulator.settled();
          await run.up(next);
          assert.equal(starts(), 2);
          assert.notEqual(run.id, first);
        });
      }

      it("fails in a requested replace, and for a second resource of the task in one command", async () => {
        await run.up(fast);
        isNoNewRun(await failure(run.replaceDeleteFirst(fast)), run.asSaved().id ?? "\\d+");
        const other = world.declare("CloudRun", "other");
        await world.command(async () => {
          await failure(run.up({ ...fast, triggers: [1] }));
          isNoNewRun(await failure(other.up(fast)), "\\d+");
        });
        assert.equal(starts(), 1);
      });
    });

    it("stops nothing of another run with an adopted older run", async () => {
      const old = await world.finishedRun();
      await run.up({ ...fast, onDelete: "stop", adoptLotNo: old });
      world.emulator.change.holdRuns();
      const other = world.emulator.change.startRun("task-1");
      const adopter = world.declare("CloudRun", "adopter");
      await adopter.up({ ...fast, onDelete: "stop", adoptLotNo: old });
      await adopter.destroy();
      assert.deepEqual(statuses(other), ["waiting", "waiting", "waiting"]);
      assert.match(world.warnings.join(), /was not stopped: its subtasks were not seen when it started/);
    });

    it("stops only its own subtasks beside an adopted older run, and nothing of it", async () => {
      const old = await world.finishedRun();
      const adopter = world.declare("CloudRun", "adopter");
      await adopter.up({ ...fast, onDelete: "stop", adoptLotNo: old });
      world.emulator.change.holdRuns();
      await run.up({ ...fast, onDelete: "stop" });
      const own = run.id;
      await adopter.destroy();
      assert.deepEqual(statuses(own), ["waiting", "waiting", "waiting"]);
      await run.destroy();
      assert.deepEqual([statuses(own)?.[0], statuses(old)?.[0]], ["stopped", "finished"]);
    });

    it("no second run if only the order of rerunOn changes", async () => {
      const rerunOn = ["a", "b"].map((each) => `TaskCopy ${each} ${each.repeat(64)}`);
      await run.up({ ...fast, rerunOn });
      assert.equal(await run.up({ ...fast, rerunOn: [...rerunOn].reverse() }), "nothing");
      assert.equal(world.emulator.inspect.runs().length, 1);
    });

    it("no second run after a lost response until adoptLotNo names the run", async () => {
      world.emulator.fault({ operation: "startTask", kind: "reset", when: "after" });
      assert.match(
        await failure(run.up(waiting)),
        /A paid run of task "task-1" may have started.*set adoptLotNo to the lotNo.*set retry/s,
      );
      await failure(run.up(waiting));
      assert.equal(run.state.outcome, "unknown");
      assert.equal(await run.refresh(), true);
      await failure(run.up({ ...waiting, triggers: ["other"] }));
      assert.equal(starts(), 1);
      const lotNo = world.emulator.inspect.runs("task-1")[0]?.lotNo;
      assert.equal(await run.up({ ...waiting, adoptLotNo: lotNo }), "replaced");
      assert.deepEqual([run.id, run.state.status, starts()], [lotNo, "finished", 1]);
      assert.equal(await run.up(waiting), "nothing");
      assert.deepEqual(world.warnings, []);
    });

    it("again after a lost response when retry changes", async () => {
      world.emulator.fault({ operation: "startTask", kind: "hang", when: "before" });
      world.configure({ timeoutSeconds: "0.2" });
      await failure(run.up(fast));
      world.configure({ timeoutSeconds: "20" });
      assert.equal(await run.up({ ...fast, retry: "1" }), "replaced");
      assert.equal(starts(), 1);
    });

    it("no second run if the response contains no batch number, and says what may exist", async () => {
      world.emulator.setBehaviour({ startResponse: "null" });
      await failure(run.up(fast));
      assert.equal(run.state.outcome, "unknown");
      await failure(run.up(fast));
      assert.equal(starts(), 1);
    });

    it("nothing if the list before the start cannot be read", async () => {
      world.emulator.fault({ operation: "getSubtasks", kind: "reset" });
      await failure(run.up(fast));
      assert.deepEqual([run.id, starts()], [undefined, 0]);
    });
  });

  it("starts nothing if the service refuses to list subtasks", async () => {
    world.emulator.fault({ operation: "getSubtasks", kind: "error", code: "PermissionDenied" });
    await failure(run.up(fast));
    assert.deepEqual([run.id, starts()], [undefined, 0]);
  });

  it("stays in the state at a refresh if the service refuses to list subtasks", async () => {
    await run.up(fast);
    const { state } = run;
    world.emulator.fault({ operation: "getSubtasks", kind: "status", status: 403, times: 100 });
    assert.equal(await run.refresh(), true);
    assert.deepEqual(run.state, state);
  });

  describe("waits", () => {
    it("until all subtasks have a finished status, in any of the usual words and cases", async () => {
      for (const statusWords of ["usual", "withSent", "synonyms"] as const) {
        for (const statusCase of ["capital", "mixed", "upper"] as const) {
          world.emulator.setBehaviour({ statusWords, statusCase, readsUntilFinished: 3 });
          const each = world.declare("CloudRun");
          await each.up(waiting);
          assert.equal(each.state.status, "finished");
          assert.deepEqual((each.state.subtasks as { total: number }).total, 3);
          assert.deepEqual(statuses(each.id), ["finished", "finished", "finished"]);
        }
      }
    });

    it("for its own list while the service still shows the finished list of an earlier run", async () => {
      await world.finishedRun();
      world.emulator.setBehaviour({ subtaskListLag: 5, readsUntilFinished: 2 });
      await run.up(waiting);
      assert.deepEqual(statuses(run.id), ["finished", "finished", "finished"]);
    });

    it("until the timeout, and the next up continues without a second start", async () => {
      world.emulator.change.holdRuns();
      await failure(run.up({ ...waiting, timeoutSeconds: 0 }));
      assert.deepEqual([starts(), run.state.pending], [1, ["wait"]]);
      await run.refresh();
      world.emulator.change.releaseRuns();
      assert.equal(await run.up(waiting), "updated");
      assert.deepEqual([starts(), run.state.status, run.state.pending], [1, "finished", undefined]);
    });

    it("while a status is not configured", async () => {
      world.emulator.setBehaviour({ statusWords: "unknown" });
      await failure(run.up({ ...waiting, timeoutSeconds: 0.05, pollSeconds: 0.01 }));
      world.configure({ statuses: '{"finished": ["concluded"]}' });
      await run.up(waiting);
      assert.deepEqual([starts(), run.state.status], [1, "finished"]);
    });

    it("while the list is empty", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      const message = await failure(run.up({ ...waiting, timeoutSeconds: 0.05, pollSeconds: 0.01 }));
      assert.deepEqual([run.state.pending, run.state.ownList], [["wait"], undefined]);
      assert.match(message, /none of its subtasks were seen.*troubleshooting\.md#runs$/s);
    });

    it("for the number of rows to settle if a task never splits", async () => {
      world.emulator.setBehaviour({ splitting: "never", rowsArriveLate: 3 });
      await run.up({ ...waiting, finishedWhen: "rowsSettled", settleSeconds: 0.1, pollSeconds: 0.01 });
      assert.equal(run.state.status, "finished");
      assert.equal(world.emulator.inspect.visibleCount("task-1"), 25);
    });

    it("for a first row if a task never splits", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      world.emulator.change.holdRuns();
      await failure(
        run.up({ ...waiting, finishedWhen: "rowsSettled", settleSeconds: 0, timeoutSeconds: 0.05, pollSeconds: 0.01 }),
      );
      assert.deepEqual(run.state.pending, ["wait"]);
    });

    it("and fails on each up with the subtasks that failed or were stopped", async () => {
      for (const status of ["failed", "stopped"] as const) {
        const each = world.declare("CloudRun");
        world.emulator.change.holdRuns();
        await each.up(fast);
        const subTaskId = world.emulator.inspect.run(each.id ?? "")?.subtasks[1]?.subTaskId ?? "";
        world.emulator.change.setSubtaskStatus(each.id ?? "", "finished");
        world.emulator.change.setSubtaskStatus(each.id ?? "", status, [subTaskId]);
        for (let up = 1; up <= 2; up++) {
          const message = await failure(each.up(waiting));
          assert.deepEqual([each.state.status, each.state.pending], [status, ["wait"]]);
          assert.ok(message.includes(subTaskId), message);
        }
        world.emulator.change.setSubtaskStatus(each.id ?? "", "finished");
        await each.up(waiting);
        assert.equal(each.state.status, "finished");
        world.emulator.change.releaseRuns();
      }
      assert.equal(starts(), 2);
    });

    it("and accepts failed subtasks with failOn never, which a refresh shows as no drift", async () => {
      world.emulator.change.holdRuns();
      await run.up(fast);
      world.emulator.change.setSubtaskStatus(run.id ?? "", "failed");
      await run.up({ ...waiting, failOn: "never" });
      assert.equal(run.state.status, "failed");
      const { state } = run;
      await run.refresh();
      assert.deepEqual(run.state, state);
      world.emulator.change.setSubtaskStatus(run.id ?? "", "stopped");
      await failure(run.up({ ...waiting, failOn: "never", timeoutSeconds: 19 }));
      assert.equal(run.state.status, "stopped");
    });

    it("not for another run: the run is superseded, and nothing is stopped", async () => {
      world.emulator.change.holdRuns();
      await failure(run.up({ ...waiting, timeoutSeconds: 0 }));
      const other = world.emulator.change.startRun("task-1");
      await failure(run.up(waiting));
      assert.equal(run.state.status, "superseded");
      assert.deepEqual(statuses(other), ["waiting", "waiting", "waiting"]);
      assert.equal(world.sent("stopSubtasks").length, 0);
    });

    it("and ignores one empty list", async () => {
      world.emulator.change.holdRuns();
      await failure(run.up({ ...waiting, timeoutSeconds: 0 }));
      const { state } = run;
      world.emulator.fault({
        operation: "getSubtasks",
        kind: "status",
        status: 200,
        body: { data: [], requestId: "r" },
      });
      await run.refresh();
      assert.deepEqual(run.state, state);
      world.emulator.change.releaseRuns();
      await run.up(waiting);
      assert.equal(run.state.status, "finished");
    });
  });

  describe("reads", () => {
    it("the status, and a finished run stays finished when the task runs again or is gone", async () => {
      await run.up(waiting);
      const { state } = run;
      await world.finishedRun();
      assert.equal(await run.refresh(), true);
      assert.deepEqual(run.state, state);
      assert.equal(await run.up({ ...waiting, timeoutSeconds: 21 }), "updated");
      world.emulator.change.deleteTask("task-1");
      assert.equal(await run.refresh(), true);
      assert.equal(run.state.status, "finished");
    });
  });

  describe("stops on delete", () => {
    const stopping = { ...fast, onDelete: "stop" };

    it("nothing by default", async () => {
      world.emulator.change.holdRuns();
      await run.up(fast);
      world.operations();
      await run.destroy();
      assert.deepEqual(world.operations(), []);
    });

    it("its own running subtasks", async () => {
      world.emulator.change.holdRuns();
      await run.up(stopping);
      const [first, ...rest] = world.emulator.inspect.run(run.id ?? "")?.subtasks ?? [];
      world.emulator.change.setSubtaskStatus(run.id ?? "", "finished", [first?.subTaskId ?? ""]);
      const lotNo = run.id;
      await run.destroy();
      assert.deepEqual(statuses(lotNo), ["finished", "stopped", "stopped"]);
      assert.deepEqual(world.sent("stopSubtasks"), [
        { taskId: "task-1", subTaskIds: rest.map(({ subTaskId }) => subTaskId) },
      ]);
    });

    it("never those of a later run, even if it never waited", async () => {
      world.emulator.change.holdRuns();
      await run.up(stopping);
      const other = world.emulator.change.startRun("task-1");
      await run.destroy();
      assert.deepEqual(statuses(other), ["waiting", "waiting", "waiting"]);
    });

    it("before the next run starts when a trigger changes", async () => {
      world.emulator.change.holdRuns();
      await run.up({ ...stopping, triggers: [1] });
      const first = run.id;
      await run.up({ ...stopping, triggers: [2] });
      assert.deepEqual(statuses(first), ["stopped", "stopped", "stopped"]);
      assert.deepEqual(statuses(run.id), ["waiting", "waiting", "waiting"]);
    });

    it("nothing, with a warning, if the service lists no subtasks", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      await run.up(stopping);
      await run.destroy();
      assert.deepEqual([world.warnings.length, world.sent("stopSubtasks").length], [1, 0]);
    });

    it("nothing if the task is gone", async () => {
      await run.up(stopping);
      world.emulator.change.deleteTask("task-1");
      await run.destroy();
      assert.deepEqual(world.warnings, []);
    });
  });
});

describe("CloudRun of a task with many subtasks", () => {
  it("reads all pages of the list", async () => {
    const world = await World.create({
      behaviour: { subtaskPageMax: 20 },
      tasks: [{ ...task, syntheticRows: 90, syntheticSubtasks: 45 }],
    });
    try {
      const run = world.declare("CloudRun");
      await run.up(waiting);
      assert.deepEqual(run.state.subtasks, { total: 45, byStatus: { Finished: 45 } });
    } finally {
      await world.remove();
    }
  });
});
