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
  const stopFails = async (state: CloudRunState): Promise<string> => same(await failure(world.delete(state)));
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

  describe("that is waited for", () => {
    it("progress", async () => {
      world.emulator.setBehaviour({ subtaskListLag: 1 });
      world.at(20, () => world.emulator.fault({ ...away, times: 1 }));
      world.finishes(30);
      await world.create();
      assert.deepEqual(world.progress.map(same), [
        "no subtasks listed, 0 rows, Waiting, run LOT",
        "0 of 3 done, 0 rows, running (3 Waiting), run LOT",
        "0 of 3 done, 0 rows, running (3 Waiting); the last request failed (getSubtasks: 503), run LOT",
        "3 of 3 done, finished (3 Finished), run LOT",
      ]);
    });

    it("progress that begins with what changes, within 40 characters, and ends with the lotNo", async () => {
      await world.close();
      world = await SlowWorld.create({}, { subtasks: 1000 });
      const body = { requestId: "r", data: { total: 1_234_567, offset: 0, restTotal: 0, data: [] } };
      world.emulator.fault({ operation: "getBatchData", kind: "status", status: 200, body, times: 100 });
      world.finishes(10);
      await world.create();
      const [line = ""] = world.progress;
      assert.equal(line.slice(0, 40), "0 of 1000 done, 1234567 rows, running (1");
      assert.equal(same(line), "0 of 1000 done, 1234567 rows, running (1000 Waiting), run LOT");
    });

    it("progress of a task without a loop, from the third look on", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      await waitFails(world.create({ timeoutSeconds: 30 }));
      assert.deepEqual(world.progress.slice(1, 3).map(same), [
        "no subtasks listed, 0 rows, Waiting, run LOT",
        "no subtasks (finishedWhen rowsSettled?), 0 rows, Waiting, run LOT",
      ]);
    });

    it("progress at the end of a wait for rows", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      world.emulator.change.releaseRuns();
      await world.create({ finishedWhen: "rowsSettled", settleSeconds: 0 });
      assert.equal(same(world.progress.at(-1)), "no subtasks listed, 25 rows, finished, run LOT");
    });

    const troubles = [
      [{ kind: "reset" }, "no response"],
      [{ kind: "status", status: 429, headers: { "Retry-After": "0" } }, "429"],
      [{ kind: "error", code: "TaskExecuting" }, "TaskExecuting"],
    ] as const;
    for (const [fault, said] of troubles) {
      it(`progress where the last request failed: ${said}`, async () => {
        world.at(10, () => world.emulator.fault({ operation: "getSubtasks", ...fault }));
        world.finishes(20);
        await world.create();
        assert.ok(
          world.progress[1]?.includes(`; the last request failed (getSubtasks: ${said}), run `),
          world.progress[1],
        );
      });
    }

    it("interrupted", async () => {
      world.at(10, () => world.interruption.abort());
      assert.equal(
        await waitFails(world.create()),
        'Run LOT of task "task-1" was not seen to finish before the command was interrupted (3 subtasks: 3 Waiting, 0 rows). It may continue at the service; nothing was stopped.\n' +
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

    const otherWays =
      "\nMore: https://github.com/pulumi-webextract/pulumi-webextract/blob/main/docs/troubleshooting.md#runs";
    const advice = `\nRun "pulumi up" again to continue to wait: no second run is started.${otherWays}`;
    const running =
      'Run LOT of task "task-1" was not seen to finish within 20 s (3 subtasks: 3 Waiting, 0 rows). It may continue at the service; nothing was stopped.';

    it("timeout", async () => {
      assert.equal(await waitFails(world.create({ timeoutSeconds: 20 })), `${running}${advice}`);
    });

    it("timeout after an outage", async () => {
      const said = await outage();
      world.at(10, () => world.emulator.fault(away));
      assert.equal(
        await waitFails(world.create({ timeoutSeconds: 20 })),
        `${running} The last request failed: ${said}${advice}`,
      );
    });

    it("timeout, and its subtasks were never read", async () => {
      const said = await outage();
      world.emulator.fault({ ...away, skip: 1 });
      assert.equal(
        await waitFails(world.create({ timeoutSeconds: 20 })),
        'Run LOT of task "task-1" was not seen to finish within 20 s (none of its subtasks were seen). It may continue at the service; nothing was stopped. ' +
          `The last request failed: ${said}${advice}`,
      );
    });

    it("timeout with no subtasks", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      assert.equal(
        await waitFails(world.create({ timeoutSeconds: 20 })),
        'Run LOT of task "task-1" was not seen to finish within 20 s (none of its subtasks were seen, 0 rows). It may continue at the service; nothing was stopped. A task without a loop lists none: wait with finishedWhen "rowsSettled".' +
          advice,
      );
    });

    it("timeout of a wait for rows", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      const message = await waitFails(world.create({ timeoutSeconds: 20, finishedWhen: "rowsSettled" }));
      assert.ok(message.includes("(none of its subtasks were seen, 0 rows)"), message);
    });

    for (const word of ["failed", "stopped"] as const) {
      it(`ended ${word}`, async () => {
        world.at(10, () => world.emulator.change.setSubtaskStatus(world.lotNo, word));
        const message = await waitFails(world.create());
        const status = word === "failed" ? "Failed" : "Stopped";
        assert.equal(
          message,
          `Run LOT of task "task-1" ended ${word} (3 subtasks: 3 ${status}): ID (${status}), ID (${status}), ID (${status}) (request ID). ` +
            `The rows of the other subtasks are available.\nTo start a new run, change triggers.${otherWays}`,
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
        'Run LOT of task "task-1" is superseded: the service now lists the subtasks of another run (last seen of this run: 1 subtasks: 1 Waiting). ' +
          `Nothing was stopped. The rows that this run has extracted can be exported by its lotNo. A task has one run at a time.\nTo start a new run, change triggers.${otherWays}`,
      );
    });

    it("a refusal ends the wait", async () => {
      world.at(10, () => world.emulator.fault({ operation: "getSubtasks", kind: "error", code: "PermissionDenied" }));
      const message = await waitFails(world.create());
      assert.match(
        message,
        / Run LOT of task "task-1" was started and may be running\.\nRun "pulumi up" again to continue to wait: no second run is started\.$/,
      );
    });
  });

  describe("that is stopped", () => {
    it("progress", async () => {
      const state = await world.create(stopping);
      world.emulator.fault({ ...away, times: 1 });
      await world.delete(state);
      assert.deepEqual(world.progress.map(same), [
        "stopping; the last request failed (getSubtasks: 503), run LOT",
        "stopping, run LOT",
        "stopped, run LOT",
      ]);
    });

    it("progress of a run whose lotNo is not known", async () => {
      const state = await world.create(stopping);
      await world.delete({ ...state, lotNo: "" });
      assert.deepEqual(world.progress, ["stopping", "stopped"]);
    });

    const next = '\nRun the same command again, or set onDelete: "retain" and run "pulumi up" first.';

    it("timeout, and its subtasks are running", async () => {
      const state = await world.create(stopping);
      neverStops();
      assert.equal(
        await stopFails(state),
        `Run LOT of task "task-1" was not seen to stop within 40 s (3 subtasks got the request to stop). It may still be running.${next}`,
      );
    });

    it("timeout, and the list cannot be read", async () => {
      const said = await outage();
      const state = await world.create(stopping);
      world.emulator.fault(away);
      assert.equal(
        await stopFails(state),
        `Run LOT of task "task-1" was not seen to stop within 40 s (0 subtasks got the request to stop). The last request failed: ${said} It may still be running.${next}`,
      );
    });

    it("interrupted", async () => {
      const state = await world.create(stopping);
      neverStops();
      world.at(20, () => world.interruption.abort());
      assert.equal(
        await stopFails(state),
        `Run LOT of task "task-1" was not seen to stop before the command was interrupted (3 subtasks got the request to stop). It may still be running.${next}`,
      );
    });

    it("a refusal", async () => {
      const state = await world.create(stopping);
      world.emulator.fault({ operation: "stopSubtasks", kind: "error", code: "PermissionDenied" });
      const message = await stopFails(state);
      assert.match(message, /PermissionDenied/);
      const rest = ` Run LOT of task "task-1" was not stopped. It may still be running.${next}`;
      assert.ok(message.endsWith(rest), message);
    });

    it("warning: its subtasks were not seen at the start", async () => {
      world.emulator.setBehaviour({ subtaskListLag: 1000 });
      await world.delete(await world.create(stopping));
      assert.deepEqual(world.warnings.map(same), [
        'Run LOT of task "task-1" was not stopped: its subtasks were not seen when it started, and subtasks that were seen later may belong to another run. ' +
          "If it is still running and should not be, stop it in the service's own interface.",
      ]);
    });

    it("warning: another run's subtasks are listed", async () => {
      const state = await world.create(stopping);
      const { lotNo } = state;
      world.emulator.change.startRun("task-1");
      await world.delete(state);
      assert.deepEqual(world.warnings, [
        `Run ${lotNo} of task "task-1" was not stopped: the service now lists the subtasks of another run.`,
      ]);
    });

    it("warning: no subtasks are listed", async () => {
      const state = await world.create(stopping);
      world.lists([], [], [], []);
      await world.delete(state);
      assert.deepEqual(world.warnings.map(same), [
        'Run LOT of task "task-1" was not stopped: the service lists no subtasks of it.',
      ]);
    });

    it("warning: the response to its start was lost", async () => {
      const lost = { ...(await world.create({ waitFor: "started" })), outcome: "unknown" } as CloudRunState;
      await world.delete(lost);
      assert.deepEqual(world.warnings, [
        'A run of task "task-1" may be running at the service: the response to its start was lost. Pulumi no longer manages it, and nothing was stopped. ' +
          "If it runs and should not, stop it in the service's own interface.",
      ]);
    });
  });
});
