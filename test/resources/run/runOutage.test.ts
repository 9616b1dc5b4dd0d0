import assert from "node:assert/strict";
import sinon from "sinon";
import type { Fault } from "webextract-emulator";
import type { Declared } from "../life";
import { failure, useWorld } from "../life";
import { useSlowWorld } from "./slowWorld";

const away = { operation: "getSubtasks", kind: "status", status: 503 } as const;

describe("an outage of the service during a wait for a run", () => {
  const world = useSlowWorld();

  const troubles: [string, Omit<Fault, "operation">][] = [
    ["answers 503", { kind: "status", status: 503 }],
    ["answers with an error of its own", { kind: "error", code: "ServerError" }],
    ["cuts the connection off", { kind: "reset" }],
    ["takes no more requests", { kind: "status", status: 429, headers: { "Retry-After": "0" } }],
    ["is busy with the task", { kind: "error", code: "TaskExecuting" }],
  ];
  for (const [what, fault] of troubles) {
    it(`does not end the wait, and is shown: the service ${what}`, async () => {
      world.at(10, () => world.emulator.fault({ operation: "getSubtasks", times: 2, ...fault }));
      world.finishes(60);
      const state = await world.create();
      assert.deepEqual([state.status, world.starts], ["finished", 1]);
      const lines = world.progress.filter((line) => line.includes("getSubtasks"));
      assert.equal(lines.length, 2);
      // A log gets no line that says the same again.
      assert.equal(new Set(lines).size, 1);
      assert.ok(!world.progress.at(-1)?.includes("getSubtasks"));
    });
  }

  it("makes the wait poll once a second at most", async () => {
    world.at(0, () => world.emulator.fault({ ...away, times: 2 }));
    world.finishes(5);
    await world.create({ pollSeconds: 0.25 });
    assert.deepEqual(world.sleeps.slice(0, 4), [0.25, 1, 1, 0.25]);
  });

  it("is named at the timeout, with what was seen before", async () => {
    world.at(10, () => world.emulator.fault({ ...away, times: 100 }));
    const { message, state } = await world.fails(world.create({ timeoutSeconds: 25 }));
    assert.match(message, /getSubtasks .*task task-1.* 503/);
    assert.deepEqual([world.seconds, state.pending, state.subtasks.total], [25, ["wait"], 3]);
    world.emulator.clearFaults();
    world.finishes(world.seconds + 5);
    assert.equal((await world.update(state)).status, "finished");
    assert.equal(world.starts, 1);
  });

  it("is not named at the timeout if the last poll succeeded", async () => {
    world.at(10, () => world.emulator.fault(away));
    const { message, state } = await world.fails(world.create({ timeoutSeconds: 40 }));
    assert.deepEqual([world.seconds, state.pending], [40, ["wait"]]);
    assert.doesNotMatch(message, /getSubtasks/);
  });

  it("does not end a wait for rows to settle if only the rows cannot be read", async () => {
    world.emulator.setBehaviour({ splitting: "never" });
    world.emulator.change.releaseRuns();
    world.emulator.fault({ operation: "getBatchData", kind: "status", status: 502, skip: 1, times: 2 });
    const state = await world.create({ finishedWhen: "rowsSettled", settleSeconds: 25 });
    assert.equal(state.status, "finished");
    assert.match(world.progress[1] ?? "", /25 rows.*getBatchData.* 502/);
  });

  for (const [code, named] of [
    ["PermissionDenied", "PermissionDenied"],
    ["InvalidTaskId", "InvalidTaskId"],
    ["Invalid.Token", "accessToken"],
  ] as const) {
    it(`ends the wait at once if the service refuses (${code}), and the run is kept`, async () => {
      world.at(10, () => world.emulator.fault({ operation: "getSubtasks", kind: "error", code, times: 100 }));
      const { message, state } = await world.fails(world.create());
      assert.ok(message.includes(named) && message.includes(state.lotNo), message);
      assert.deepEqual([world.seconds, state.pending], [10, ["wait"]]);
    });
  }

  it("does not prevent an interruption", async () => {
    world.at(10, () => world.emulator.fault({ ...away, times: 100 }));
    world.at(15, () => world.interruption.abort());
    const { message, state } = await world.fails(world.create());
    assert.deepEqual([state.pending, state.subtasks.total], [["wait"], 3]);
    assert.doesNotMatch(message, /getSubtasks/);
  });

  describe("leaves each request no more time than the wait has", () => {
    const deadlines = (operation: "getSubtasks" | "getBatchData" | "stopSubtasks"): number[] =>
      spies[operation].getCalls().map(({ args }) => Math.ceil(args[1]?.deadlineSeconds));
    let spies: Record<"getSubtasks" | "getBatchData" | "stopSubtasks", sinon.SinonSpy>;
    beforeEach(() => {
      const { client } = world.context;
      spies = {
        getSubtasks: sinon.spy(client, "getSubtasks"),
        getBatchData: sinon.spy(client, "getBatchData"),
        stopSubtasks: sinon.spy(client, "stopSubtasks"),
      };
    });

    it("but at least 10 seconds for the last polls", async () => {
      await world.fails(world.create({ timeoutSeconds: 20, pollSeconds: 7 }));
      // Each look asks for a page and its end.
      assert.deepEqual(deadlines("getSubtasks").slice(1), [20, 20, 13, 13, 10, 10, 10, 10]);
      assert.deepEqual(deadlines("getBatchData"), [10, 10, 10, 10]);
    });

    it("also for a read of the rows", async () => {
      world.emulator.setBehaviour({ splitting: "never" });
      await world.fails(world.create({ timeoutSeconds: 20, finishedWhen: "rowsSettled" }));
      assert.deepEqual(deadlines("getBatchData"), [20, 10, 10]);
    });

    it("also during a stop", async () => {
      const state = await world.create({ waitFor: "started", onDelete: "stop", timeoutSeconds: 12 });
      spies.getSubtasks.resetHistory();
      await world.delete(state);
      assert.deepEqual([deadlines("getSubtasks")[0], deadlines("stopSubtasks")], [12, [12]]);
    });
  });
});

describe("an outage of the service during the stop of a run", () => {
  const world = useSlowWorld();

  const stopping = { waitFor: "started", onDelete: "stop", timeoutSeconds: 40 } as const;

  for (const operation of ["getSubtasks", "stopSubtasks"] as const) {
    it(`does not prevent the stop (${operation})`, async () => {
      const state = await world.create(stopping);
      world.emulator.fault({ ...away, operation, times: 2 });
      await world.delete(state);
      assert.deepEqual(world.statusesOf(state.lotNo), ["stopped", "stopped", "stopped"]);
      assert.match(world.progress.join(), new RegExp(`${operation}.*503`));
    });

    it(`is named at the timeout, with the run that may still be running (${operation})`, async () => {
      const state = await world.create(stopping);
      world.emulator.fault({ ...away, operation, times: 100 });
      assert.match(
        await failure(world.delete(state)),
        new RegExp(`^Run ${state.lotNo} of task "task-1".*${operation} .*503`),
      );
      assert.equal(world.seconds, 40);
    });
  }

  it("leaves open whether the subtasks have stopped", async () => {
    const state = await world.create(stopping);
    world.emulator.fault({ operation: "stopSubtasks", kind: "status", status: 200, body: { requestId: "r" } });
    world.emulator.fault({ ...away, skip: 2, times: 100 });
    assert.match(await failure(world.delete(state)), /3 subtasks .*getSubtasks /);
    assert.equal(world.count("stopSubtasks"), 1);
  });

  it("ends the stop at once if the service refuses, and the run is named", async () => {
    const state = await world.create(stopping);
    world.emulator.fault({ operation: "stopSubtasks", kind: "error", code: "PermissionDenied" });
    assert.match(await failure(world.delete(state)), new RegExp(`PermissionDenied.* ${state.lotNo} `));
    assert.equal(world.seconds, 0);
  });

  it("is distinguished from a list without subtasks", async () => {
    const state = await world.create(stopping);
    world.lists([]);
    const message = await failure(world.delete({ ...state, timeoutSeconds: 0 }));
    assert.ok(message.includes(state.lotNo), message);
    assert.equal(world.count("stopSubtasks"), 0);
  });
});

describe("a service that hangs or asks to retry late", () => {
  const world = useWorld({ config: { maxRetries: "5" } });
  beforeEach(() => {
    world.emulator.change.holdRuns();
  });

  // Long enough for three reads on a busy machine.
  const args = { taskId: "task-1", pollSeconds: 0.01, timeoutSeconds: 1 };
  const totalOf = ({ state }: Declared): number => (state.subtasks as { total: number }).total;

  it("does not extend a wait by hanging", async () => {
    world.emulator.fault({ operation: "getSubtasks", kind: "hang", skip: 3, times: 100 });
    const run = world.declare("CloudRun");
    await failure(run.up({ ...args, waitFor: "finished" }));
    assert.deepEqual([run.state.pending, totalOf(run)], [["wait"], 3]);
  });

  it("does not extend a wait by Retry-After", async () => {
    const headers = { "Retry-After": "200" };
    world.emulator.fault({ ...away, headers, skip: 3, times: 100 });
    const run = world.declare("CloudRun");
    assert.match(await failure(run.up({ ...args, waitFor: "finished" })), / 503/);
    assert.deepEqual([run.state.pending, totalOf(run)], [["wait"], 3]);
  });

  it("does not extend a stop", async () => {
    const run = world.declare("CloudRun");
    await run.up({ ...args, onDelete: "stop" });
    world.emulator.fault({ operation: "getSubtasks", kind: "hang", times: 100 });
    assert.match(await failure(run.destroy()), new RegExp(`Run ${run.id} of task "task-1"`));
  });
});
