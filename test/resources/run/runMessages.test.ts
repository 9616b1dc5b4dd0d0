import assert from "node:assert/strict";
import type { CloudRunState } from "../../internals/resources";
import { failure } from "../life";
import { SlowWorld } from "./slowWorld";

const stopping = { waitFor: "started", onDelete: "stop", timeoutSeconds: 40 } as const;
const away = { operation: "getSubtasks", kind: "status", status: 503, times: 100 } as const;

/** The wording of each message about a run, once. What the code does in each case is tested beside this file. */
describe("the messages about a run", () => {
  let world: SlowWorld;
  beforeEach(async () => {
    world = await SlowWorld.create();
  });
  afterEach(() => world.close());

  /** A text with what differs at each run made the same. */
  const same = (text: string | undefined): string =>
    String(text)
      .replaceAll(world.lotNo, "LOT")
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
  const waitFails = async (step: Promise<unknown>): Promise<string> => same((await world.fails(step)).message);
  const stopFails = async (state: CloudRunState): Promise<string> => same(await failure(world.remove(state)));
  const neverStops = (): void =>
    world.emulator.fault({
      operation: "stopSubtasks",
      kind: "status",
      status: 200,
      body: { requestId: "r" },
      times: 100,
    });
  /** What the client says of an outage: its words are tested with it. */
  const outage = async (): Promise<string> => {
    world.emulator.fault({ ...away, times: 1 });
    return failure(world.context.client.getSubtasks({ taskId: "task-1", page: 1, size: 1 }));
  };

  describe("that is waited for", () => {
    it("progress", async () => {
      world.emulator.setBehaviour({ subtaskListLag: 1 });
      world.at(20, () => world.emulator.fault({ ...away, times: 1 }));
      world.finishes(30);
      await world.create();
      assert.deepEqual(world.progress.map(same), [
        "run LOT: Waiting, no subtasks listed, 0 rows so far",
        "run LOT: running, 0 of 3 subtasks done (3 Waiting), 0 rows so far",
        "run LOT: running, 0 of 3 subtasks done (3 Waiting), 0 rows so far; the last request failed (getSubtasks: the service answered 503)",
        "run LOT: finished, 3 of 3 subtasks done (3 Finished)",
      ]);
    });

    it("progress at the end of a wait for rows", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      world.emulator.change.releaseRuns();
      await world.create({ finishedWhen: "rowsSettled", settleSeconds: 0 });
      assert.equal(same(world.progress.at(-1)), "run LOT: finished, no subtasks listed, 25 rows");
    });

    const troubles = [
      [{ kind: "reset" }, "no answer"],
      [{ kind: "status", status: 429, headers: { "Retry-After": "0" } }, "too many requests"],
      [{ kind: "error", code: "TaskExecuting" }, "the task is busy"],
    ] as const;
    for (const [fault, said] of troubles) {
      it(`progress where the last request failed: ${said}`, async () => {
        world.at(10, () => world.emulator.fault({ operation: "getSubtasks", ...fault }));
        world.finishes(20);
        await world.create();
        assert.ok(world.progress[1]?.endsWith(`; the last request failed (getSubtasks: ${said})`), world.progress[1]);
      });
    }

    it("interrupted", async () => {
      world.at(10, () => world.interruption.abort());
      assert.equal(
        await waitFails(world.create()),
        'The wait for run LOT of task "task-1" was interrupted (3 subtasks: 3 Waiting). It goes on at the service; nothing was stopped. ' +
          "Run up again to go on waiting: nothing is started a second time.",
      );
    });

    it("interrupted before the start", async () => {
      world.interruption.abort();
      assert.equal(
        await failure(world.create()),
        'The command was interrupted before a run of task "task-1" was started: nothing was started.',
      );
    });

    it("timeout", async () => {
      assert.equal(
        await waitFails(world.create({ timeoutSeconds: 20 })),
        'Run LOT of task "task-1" was not finished after 20 s (3 subtasks: 3 Waiting, 0 rows so far). It goes on at the service; nothing was stopped. ' +
          'Run up again to go on waiting, or raise timeoutSeconds. What counts as still running: "Waiting". ' +
          "If one of these means the end, name it in statuses, or in webextract:statuses.",
      );
    });

    it("timeout after an outage", async () => {
      const said = await outage();
      world.at(10, () => world.emulator.fault(away));
      assert.equal(
        await waitFails(world.create({ timeoutSeconds: 20 })),
        'Run LOT of task "task-1" was not finished after 20 s, as far as was seen (3 subtasks: 3 Waiting, 0 rows so far). It may go on at the service; nothing was stopped. ' +
          'Run up again to go on waiting, or raise timeoutSeconds. What counts as still running: "Waiting". ' +
          "If one of these means the end, name it in statuses, or in webextract:statuses. " +
          `The last request failed: ${said}`,
      );
    });

    it("timeout, and its subtasks were never read", async () => {
      const said = await outage();
      world.emulator.fault({ ...away, skip: 1 });
      assert.equal(
        await waitFails(world.create({ timeoutSeconds: 20 })),
        'Run LOT of task "task-1" was not finished after 20 s, as far as was seen (its subtasks could not be read). It may go on at the service; nothing was stopped. ' +
          `Run up again to go on waiting, or raise timeoutSeconds. The last request failed: ${said}`,
      );
    });

    it("timeout with no subtasks", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      assert.equal(
        await waitFails(world.create({ timeoutSeconds: 20 })),
        'Run LOT of task "task-1" was not finished after 20 s (the service has listed no subtasks of it, 0 rows so far). It goes on at the service; nothing was stopped. ' +
          'Run up again to go on waiting, or raise timeoutSeconds. If this task never splits into subtasks, set finishedWhen: "rowsSettled".',
      );
    });

    it("timeout with no subtasks and no rows", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      assert.match(
        await waitFails(world.create({ timeoutSeconds: 20, finishedWhen: "rowsSettled" })),
        / It counts as finished once its number of rows is above 0, or its subtasks have finished, and the number stays the same for settleSeconds\.$/,
      );
    });

    const listsBefore = (status: string): void =>
      world.lists(...Array.from({ length: 9 }, (): [string, string][] => [["a", status]]));
    for (const [finishedWhen, meanwhile] of [
      ["subtasks", ""],
      ["rowsSettled", "; meanwhile its rows do not count as settled"],
    ] as const) {
      it(`timeout, and the list is that of a run under way before (${finishedWhen})`, async () => {
        listsBefore("Extracting");
        const message = await waitFails(world.create({ timeoutSeconds: 20, finishedWhen }));
        const hint =
          ` The service goes on listing the subtasks of a run that was under way before this one was started${meanwhile}: ` +
          'if it answered the start with that run, set adoptLotNo: "LOT".';
        assert.ok(message.endsWith(hint), message);
      });

      it(`timeout, and the list is the one from before the start (${finishedWhen})`, async () => {
        listsBefore("Finished");
        const message = await waitFails(world.create({ timeoutSeconds: 20, finishedWhen }));
        const hint =
          ` The service goes on listing the subtasks that were there before this run was started, and none of its own${meanwhile}. ` +
          "If it gets none (a task that does not split), or the same ones each time, see at the service whether it has ended; " +
          'then set adoptLotNo: "LOT", which takes that list for this run\'s.';
        assert.ok(message.endsWith(hint), message);
      });
    }

    for (const [word, goOn] of [
      ["failed", 'set failOn: "never" to go on without them'],
      ["stopped", 'if that word does not mean "stopped" here, set statuses'],
    ] as const) {
      it(`ended ${word}`, async () => {
        world.at(10, () => world.emulator.change.setSubtaskStatus(world.lotNo, word));
        const message = await waitFails(world.create());
        const status = word === "failed" ? "Failed" : "Stopped";
        assert.equal(
          message,
          `Run LOT of task "task-1" ended ${word} (3 subtasks: 3 ${status}): ID (${status}), ID (${status}), ID (${status}) (request ID). ` +
            "The rows of the other subtasks are there. Start the subtasks named here again at the service and run up, which goes on waiting; " +
            `or start a new run by changing triggers, or with "pulumi up --replace" and this resource's URN; or ${goOn}.`,
        );
      });
    }

    it("ended with many failed", async () => {
      await world.close();
      world = await SlowWorld.create({}, { subtasks: 25 });
      world.at(10, () => world.emulator.change.setSubtaskStatus(world.lotNo, "failed"));
      assert.match(await waitFails(world.create()), /ID \(Failed\) and 15 more \(request ID\)\./);
    });

    it("superseded", async () => {
      const lists: [string, string][][] = [[], [["a", "Waiting"]], [["b", "Waiting"]]];
      world.lists(...lists);
      assert.equal(
        await waitFails(world.create()),
        'Run LOT of task "task-1" is superseded: the subtasks that the service lists now are those of another run, started elsewhere or by another CloudRun of this program ' +
          "(of this one it last showed 1 subtasks: 1 Waiting). Nothing was stopped. What the run has extracted so far can be exported by its lotNo. " +
          'A task has one run at a time: of two CloudRuns for it, let one wait for the other (dependsOn, and waitFor: "finished" on the first), or declare one. ' +
          'Change triggers to start a run again, or set adoptLotNo: "LOT" if the list is this run\'s after all.',
      );
    });

    it("a refusal ends the wait", async () => {
      world.at(10, () => world.emulator.fault({ operation: "getSubtasks", kind: "error", code: "PermissionDenied" }));
      const message = await waitFails(world.create());
      assert.match(message, / Run LOT of task "task-1" was started and may be at work; run up again to go on waiting/);
    });
  });

  describe("that is stopped", () => {
    it("progress", async () => {
      const state = await world.create(stopping);
      world.emulator.fault({ ...away, times: 1 });
      await world.remove(state);
      assert.deepEqual(world.progress.map(same), [
        "run LOT: stopping; the last request failed (getSubtasks: the service answered 503)",
        "run LOT: stopping",
        "run LOT: stopped",
      ]);
    });

    it("timeout, and its subtasks are at work", async () => {
      const state = await world.create(stopping);
      neverStops();
      assert.equal(
        await stopFails(state),
        'Run LOT of task "task-1": 3 subtasks were told to stop and are still at work after 40 s. Run the same command again, or set onDelete: "retain" and run up first.',
      );
    });

    it("timeout, and the list cannot be read after the stop", async () => {
      const said = await outage();
      const state = await world.create(stopping);
      neverStops();
      world.emulator.fault({ ...away, skip: 2 });
      assert.equal(
        await stopFails(state),
        `Run LOT of task "task-1": 3 subtasks were told to stop and were not seen at rest after 40 s. The last request failed: ${said} Run the same command again, or set onDelete: "retain" and run up first.`,
      );
    });

    it("timeout, and the list cannot be read at all", async () => {
      const said = await outage();
      const state = await world.create(stopping);
      world.emulator.fault(away);
      assert.equal(
        await stopFails(state),
        `Run LOT of task "task-1" was not stopped and may still be at work after 40 s. The last request failed: ${said} Run the same command again, or set onDelete: "retain" and run up first.`,
      );
    });

    it("timeout, and the list is empty", async () => {
      const state = await world.create(stopping);
      world.lists([]);
      assert.equal(
        await stopFails({ ...state, timeoutSeconds: 0 }),
        'Run LOT of task "task-1" was not stopped and may still be at work after 0 s: the service listed no subtasks of it. Run the same command again, or set onDelete: "retain" and run up first.',
      );
    });

    it("interrupted", async () => {
      const state = await world.create(stopping);
      neverStops();
      world.at(20, () => world.interruption.abort());
      assert.equal(
        await stopFails(state),
        'Run LOT of task "task-1": the command was interrupted before all of its subtasks had stopped. Run the same command again, or set onDelete: "retain" and run up first.',
      );
    });

    it("a refusal", async () => {
      const state = await world.create(stopping);
      world.emulator.fault({ operation: "stopSubtasks", kind: "error", code: "PermissionDenied" });
      assert.match(
        await stopFails(state),
        /PermissionDenied.* Run LOT of task "task-1" was not stopped and may still be at work\. Run the same command again, or set onDelete: "retain" and run up first\.$/,
      );
    });

    it("warning: its subtasks were not seen at the start", async () => {
      world.emulator.setBehaviour({ subtaskListLag: 1000 });
      await world.remove(await world.create(stopping));
      assert.deepEqual(world.warnings.map(same), [
        'Run LOT of task "task-1" was not stopped: its subtasks were not seen when it was started, and those listed since may be another run\'s.',
      ]);
    });

    it("warning: another run's subtasks are listed", async () => {
      const state = await world.create(stopping);
      const { lotNo } = state;
      world.emulator.change.startRun("task-1");
      await world.remove(state);
      assert.deepEqual(world.warnings, [
        `Run ${lotNo} of task "task-1" was not stopped: the service lists another run's subtasks now.`,
      ]);
    });

    it("warning: no subtasks are listed", async () => {
      const state = await world.create(stopping);
      world.lists([], [], [], []);
      await world.remove(state);
      assert.deepEqual(world.warnings.map(same), [
        'Run LOT of task "task-1" was not stopped: the service lists no subtasks of it.',
      ]);
    });

    it("warning: the answer to its start was lost", async () => {
      const lost = { ...(await world.create({ waitFor: "started" })), outcome: "unknown" } as CloudRunState;
      await world.remove(lost);
      assert.deepEqual(world.warnings, [
        'A run of task "task-1" may be at work at the service: the answer to the start was lost, and this state forgets it now.',
      ]);
    });
  });
});
