import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import type { SinonFakeTimers } from "sinon";
import { useFakeTimers } from "sinon";
import { RunningSteps } from "../internals/provider";
import { ActionReader } from "../internals/resources";

describe("reads of steps of the engine", () => {
  let clock: SinonFakeTimers;
  let steps: RunningSteps;
  let reader: ActionReader;
  /** The numbers of tasks of the requests. */
  let requests: number[];
  beforeEach(() => {
    clock = useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    steps = new RunningSteps();
    requests = [];
    const getActions = async ({ taskIds }: { taskIds: readonly string[] }) => {
      requests.push(taskIds.length);
      await turn();
      return { data: taskIds.map((taskId) => ({ taskId, actions: [] })), requestId: "r" };
    };
    reader = new ActionReader({ getActions } as never, steps);
  });
  afterEach(() => clock.restore());

  interface Load {
    parallel: number;
    /** Whether a step begins in this turn of the event loop, which its number of turns before tells. */
    begins(index: number, turns: number): boolean;
    /** Milliseconds for which this process stands still after the begin of a step. */
    stall: number;
  }

  /** A refresh of 100 tasks. Time goes on only when nothing else happens, and in stalls. */
  const refresh = async ({ parallel, begins, stall }: Load): Promise<void> => {
    let next = 0;
    let happened = 0;
    const worker = async (): Promise<void> => {
      while (next < 100) {
        const index = next++;
        for (let turns = 0; !begins(index, turns); turns++) {
          await turn();
        }
        happened++;
        const step = steps.during(() => reader.read(`task-${index}`, ["NavigateAction"]));
        clock.tick(stall);
        assert.equal((await step)?.taskId, `task-${index}`);
        happened++;
      }
    };
    let isDone = false;
    const done = Promise.all(Array.from({ length: parallel }, worker)).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const before = happened;
      for (let count = 0; count < 20; count++) {
        await turn();
      }
      clock.tick(happened === before ? 100 : 0);
    }
    await done;
  };

  it("take as few requests as the engine asks for, when steps begin one by one", async () => {
    await refresh({ parallel: 8, begins: (index, turns) => turns === index % 5, stall: 0 });
    assert.deepEqual(requests, [...Array(12).fill(8), 4]);
  });

  it("take as few requests when the event loop stands still for longer than reads wait", async () => {
    await refresh({ parallel: 8, begins: () => true, stall: 1_000 });
    assert.deepEqual(requests, [...Array(12).fill(8), 4]);
  });

  it("take one request more when the first steps begin late", async () => {
    await refresh({ parallel: 8, begins: (index) => index < 3 || requests.length > 0, stall: 0 });
    assert.deepEqual(requests, [3, ...Array(12).fill(8), 1]);
  });

  it("do not wait when the engine runs no other step", async () => {
    await refresh({ parallel: 1, begins: () => true, stall: 0 });
    assert.equal(requests.length, 100);
    const began = clock.now;
    await steps.during(() => reader.read("task-0", ["NavigateAction"]));
    assert.equal(clock.now, began);
  });

  it("wait once, and no longer, for steps that do not come", async () => {
    await refresh({ parallel: 8, begins: () => true, stall: 0 });
    const began = clock.now;
    const first = steps.during(() => reader.read("task-0", ["NavigateAction"]));
    await clock.tickAsync(100);
    await turn();
    await first;
    await steps.during(() => reader.read("task-1", ["NavigateAction"]));
    assert.equal(clock.now - began, 100);
  });
});
