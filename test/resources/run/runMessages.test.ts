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
  const neverStops = () =>
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

  it("whose subtasks the service refuses to list", async () => {
    const refused = { operation: "getSubtasks", kind: "error", code: "PermissionDenied" } as const;
    for (const args of [{}, { onDelete: "stop" }] as const) {
      world.emulator.setBehaviour({ startWhileRunning: "newRun" });
      world.emulator.fault(refused);
      await world.create({ waitFor: "started", ...args });
      const [warning = ""] = world.warnings.splice(0).map(same);
      const stop =
        "onDelete" in args
          ? ' A delete will not stop it despite onDelete: "stop", because only the list at the start tells which subtasks belong to this run.'
          : "";
      const expected =
        'Run LOT of task "task-1" was started, but the service refused to list its subtasks. The outputs status and subtasks stay as they are now, ' +
        `and waitFor: "finished" would fail.${stop} To see or stop the run, use the service's own interface. getSubtasks (`;
      assert.equal(warning.slice(0, expected.length), expected);
      assert.match(warning, /PermissionDenied/);
    }
  });

  describe("that is waited for", () => {
    it("progress", async () => {
      world.emulator.setBehaviour({ subtaskListLag: 1 });
      world.at(20, () => world.emulator.fault({ ...away, times: 1 }));
      world.finishes(30);
      await world.create();
      assert.deepEqual(world.progress.map(same), [
        "run LOT: Waiting, no subtasks listed, 0 rows so far",
        "run LOT: running, 0 of 3 subtasks done (3 Waiting), 0 rows so far",
        "run LOT: running, 0 of 3 subtasks done (3 Waiting), 0 rows so far; the last request failed (getSubtasks: the service responded with 503)",
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
      [{ kind: "reset" }, "no response"],
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
        'The wait for run LOT of task "task-1" was interrupted (3 subtasks: 3 Waiting). The run continues at the service; nothing was stopped. ' +
          'Run "pulumi up" again to continue to wait: no second run is started.',
      );
    });

    it("interrupted before the start", async () => {
      world.interruption.abort();
      assert.equal(
        await failure(world.create()),
        'The command was interrupted before it started a run of task "task-1". Nothing was started.',
      );
    });

    it("timeout", async () => {
      assert.equal(
        await waitFails(world.create({ timeoutSeconds: 20 })),
        'Run LOT of task "task-1" did not finish within 20 s (3 subtasks: 3 Waiting, 0 rows so far). It continues at the service; nothing was stopped. ' +
          'Run "pulumi up" again to continue to wait, or raise timeoutSeconds. These statuses count as running: "Waiting". ' +
          "If one of them means the end, add it to statuses or to webextract:statuses.",
      );
    });

    it("timeout after an outage", async () => {
      const said = await outage();
      world.at(10, () => world.emulator.fault(away));
      assert.equal(
        await waitFails(world.create({ timeoutSeconds: 20 })),
        'Run LOT of task "task-1" was not seen to finish within 20 s (3 subtasks: 3 Waiting, 0 rows so far). It may continue at the service; nothing was stopped. ' +
          'Run "pulumi up" again to continue to wait, or raise timeoutSeconds. These statuses count as running: "Waiting". ' +
          "If one of them means the end, add it to statuses or to webextract:statuses. " +
          `The last request failed: ${said}`,
      );
    });

    it("timeout, and its subtasks were never read", async () => {
      const said = await outage();
      world.emulator.fault({ ...away, skip: 1 });
      assert.equal(
        await waitFails(world.create({ timeoutSeconds: 20 })),
        'Run LOT of task "task-1" was not seen to finish within 20 s (its subtasks could not be read). It may continue at the service; nothing was stopped. ' +
          `Run "pulumi up" again to continue to wait, or raise timeoutSeconds. The last request failed: ${said}`,
      );
    });

    it("timeout with no subtasks", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      assert.equal(
        await waitFails(world.create({ timeoutSeconds: 20 })),
        'Run LOT of task "task-1" did not finish within 20 s (the service has listed no subtasks of it, 0 rows so far). It continues at the service; nothing was stopped. ' +
          'Run "pulumi up" again to continue to wait, or raise timeoutSeconds. If this task never splits into subtasks, set finishedWhen: "rowsSettled".',
      );
    });

    it("timeout with no subtasks and no rows", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      assert.match(
        await waitFails(world.create({ timeoutSeconds: 20, finishedWhen: "rowsSettled" })),
        / The run counts as finished when it has rows, or its subtasks have finished, and the number of rows has not changed for settleSeconds\.$/,
      );
    });

    const listsBefore = (status: string): void =>
      world.lists(...Array.from({ length: 9 }, (): [string, string][] => [["a", status]]));
    for (const [finishedWhen, meanwhile] of [
      ["subtasks", ""],
      ["rowsSettled", ", so rows do not count as settled"],
    ] as const) {
      it(`timeout, and the list is that of a run that was running before (${finishedWhen})`, async () => {
        listsBefore("Extracting");
        const message = await waitFails(world.create({ timeoutSeconds: 20, finishedWhen }));
        const hint =
          ` The service still lists the subtasks of a run that was running before this start${meanwhile}. ` +
          'If it responded to the start with that run, set adoptLotNo: "LOT".';
        assert.ok(message.endsWith(hint), message);
      });

      it(`timeout, and the list is the one from before the start (${finishedWhen})`, async () => {
        listsBefore("Finished");
        const message = await waitFails(world.create({ timeoutSeconds: 20, finishedWhen }));
        const hint =
          ` The service still lists the subtasks from before this start, and none of this run${meanwhile}. ` +
          "If this run has none (a task that does not split) or the same subtasks each time, see at the service whether it has ended. " +
          'Then set adoptLotNo: "LOT", which takes the listed subtasks as those of this run.';
        assert.ok(message.endsWith(hint), message);
      });
    }

    for (const [word, goOn] of [
      ["failed", 'set failOn: "never" to accept them'],
      ["stopped", 'if this status does not mean "stopped" for this service, set statuses'],
    ] as const) {
      it(`ended ${word}`, async () => {
        world.at(10, () => world.emulator.change.setSubtaskStatus(world.lotNo, word));
        const message = await waitFails(world.create());
        const status = word === "failed" ? "Failed" : "Stopped";
        assert.equal(
          message,
          `Run LOT of task "task-1" ended ${word} (3 subtasks: 3 ${status}): ID (${status}), ID (${status}), ID (${status}) (request ID). ` +
            'The rows of the other subtasks are available. Start the named subtasks again at the service and run "pulumi up", which continues to wait; ' +
            `or start a new run: change triggers, or run "pulumi up --replace" with the URN of this resource; or ${goOn}.`,
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
        'Run LOT of task "task-1" is superseded: the service now lists the subtasks of another run, started elsewhere or by another CloudRun of this program ' +
          "(last seen of this run: 1 subtasks: 1 Waiting). Nothing was stopped. The rows that this run has extracted can be exported by its lotNo. " +
          'A task has one run at a time. If two CloudRuns use it, let one wait for the other (dependsOn, and waitFor: "finished" on the first), or declare one. ' +
          'To start a new run, change triggers. If the listed subtasks belong to this run after all, set adoptLotNo: "LOT".',
      );
    });

    it("a refusal ends the wait", async () => {
      world.at(10, () => world.emulator.fault({ operation: "getSubtasks", kind: "error", code: "PermissionDenied" }));
      const message = await waitFails(world.create());
      assert.match(
        message,
        / Run LOT of task "task-1" was started and may be running\. Run "pulumi up" again to continue to wait: no second run is started\.$/,
      );
    });
  });

  describe("that is stopped", () => {
    it("progress", async () => {
      const state = await world.create(stopping);
      world.emulator.fault({ ...away, times: 1 });
      await world.remove(state);
      assert.deepEqual(world.progress.map(same), [
        "run LOT: stopping; the last request failed (getSubtasks: the service responded with 503)",
        "run LOT: stopping",
        "run LOT: stopped",
      ]);
    });

    it("timeout, and its subtasks are running", async () => {
      const state = await world.create(stopping);
      neverStops();
      assert.equal(
        await stopFails(state),
        'Run LOT of task "task-1": 3 subtasks were told to stop and are still running after 40 s. Run the same command again, or set onDelete: "retain" and run "pulumi up" first.',
      );
    });

    it("timeout, and the list cannot be read after the stop", async () => {
      const said = await outage();
      const state = await world.create(stopping);
      neverStops();
      world.emulator.fault({ ...away, skip: 2 });
      assert.equal(
        await stopFails(state),
        `Run LOT of task "task-1": 3 subtasks were told to stop and were not seen to stop after 40 s. The last request failed: ${said} Run the same command again, or set onDelete: "retain" and run "pulumi up" first.`,
      );
    });

    it("timeout, and the list cannot be read at all", async () => {
      const said = await outage();
      const state = await world.create(stopping);
      world.emulator.fault(away);
      assert.equal(
        await stopFails(state),
        `Run LOT of task "task-1" was not stopped and may still be running after 40 s. The last request failed: ${said} Run the same command again, or set onDelete: "retain" and run "pulumi up" first.`,
      );
    });

    it("timeout, and the list is empty", async () => {
      const state = await world.create(stopping);
      world.lists([]);
      assert.equal(
        await stopFails({ ...state, timeoutSeconds: 0 }),
        'Run LOT of task "task-1" was not stopped and may still be running after 0 s: the service listed no subtasks of it. Run the same command again, or set onDelete: "retain" and run "pulumi up" first.',
      );
    });

    it("interrupted", async () => {
      const state = await world.create(stopping);
      neverStops();
      world.at(20, () => world.interruption.abort());
      assert.equal(
        await stopFails(state),
        'Run LOT of task "task-1": the command was interrupted before all of its subtasks had stopped. Run the same command again, or set onDelete: "retain" and run "pulumi up" first.',
      );
    });

    it("a refusal", async () => {
      const state = await world.create(stopping);
      world.emulator.fault({ operation: "stopSubtasks", kind: "error", code: "PermissionDenied" });
      assert.match(
        await stopFails(state),
        /PermissionDenied.* Run LOT of task "task-1" was not stopped and may still be running\. Run the same command again, or set onDelete: "retain" and run "pulumi up" first\.$/,
      );
    });

    it("warning: its subtasks were not seen at the start", async () => {
      world.emulator.setBehaviour({ subtaskListLag: 1000 });
      await world.remove(await world.create(stopping));
      assert.deepEqual(world.warnings.map(same), [
        'Run LOT of task "task-1" was not stopped: its subtasks were not seen when it started, and subtasks that were seen later may belong to another run. ' +
          "If it is still running and should not be, stop it in the service's own interface.",
      ]);
    });

    it("warning: another run's subtasks are listed", async () => {
      const state = await world.create(stopping);
      const { lotNo } = state;
      world.emulator.change.startRun("task-1");
      await world.remove(state);
      assert.deepEqual(world.warnings, [
        `Run ${lotNo} of task "task-1" was not stopped: the service now lists the subtasks of another run.`,
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

    it("warning: the response to its start was lost", async () => {
      const lost = { ...(await world.create({ waitFor: "started" })), outcome: "unknown" } as CloudRunState;
      await world.remove(lost);
      assert.deepEqual(world.warnings, [
        'A run of task "task-1" may be running at the service: the response to its start was lost. Pulumi no longer manages it, and nothing was stopped. ' +
          "If it runs and should not, stop it in the service's own interface.",
      ]);
    });
  });
});
