import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import sinon from "sinon";
import type { Emulator, EmulatorOptions } from "../../src/emulator/index";
import { startEmulator } from "../../src/emulator/index";
import { ActionReader } from "../../src/resources/actionReader";
import { isServiceError } from "../../src/service/errors";
import { ServiceClient } from "../../src/service/index";

const taskIds = Array.from({ length: 100 }, (_, index) => `task-${index}`);
const seed = {
  taskGroups: [{ taskGroupId: "g" }],
  tasks: taskIds.map((taskId) => ({
    taskId,
    taskGroupId: "g",
    actions: [{ actionType: "NavigateAction", actionId: "open", properties: { Url: `https://${taskId}.test/` } }],
  })),
};

describe("reads of many tasks' actions", () => {
  let emulator: Emulator;
  const clients: ServiceClient[] = [];
  const start = async (behaviour: EmulatorOptions["behaviour"] = {}): Promise<ActionReader> => {
    emulator = await startEmulator({ seed, behaviour });
    const { accessToken } = emulator.credentials;
    const client = new ServiceClient({ baseUrl: emulator.url, accessToken, maxRetries: 0 });
    clients.push(client);
    return new ActionReader(client);
  };
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await emulator.close();
  });

  const readAll = (reader: ActionReader, types = ["NavigateAction"]): Promise<PromiseSettledResult<unknown>[]> =>
    Promise.allSettled(taskIds.map((taskId) => reader.read(taskId, types)));

  it("travel in one request when they come together", async () => {
    const reader = await start();
    const answers = await readAll(reader);
    assert.deepEqual(
      answers.map((answer) =>
        answer.status === "fulfilled" ? (answer.value as { taskId: string }).taskId : undefined,
      ),
      taskIds,
    );
    assert.equal(emulator.requests.length, 1);
  });

  const gone = async (reader: ActionReader, ...missing: number[]): Promise<void> => {
    for (const index of missing) {
      emulator.change.deleteTask(`task-${index}`);
    }
    const answers = await readAll(reader);
    const failed = answers.flatMap((answer, index) => (answer.status === "rejected" ? [{ index, answer }] : []));
    assert.deepEqual(
      failed.map(({ index }) => index),
      missing,
    );
    assert.ok(failed.every(({ answer }) => isServiceError(answer.reason, "notFound")));
  };

  it("ask a task that the refusal names alone, and the others once more", async () => {
    for (const taskGone of ["invalidTaskId", "notFound"] as const) {
      const reader = await start({ taskGone });
      await gone(reader, 1);
      assert.equal(emulator.requests.length, 3);
      await emulator.close();
    }
    const reader = await start();
    await gone(reader, 1, 10, 37);
    assert.equal(emulator.requests.length, 5);
  });

  it("find the one task that is gone in at most 10 requests where the refusal names none, wherever it is", async () => {
    for (const index of [0, 37, 99]) {
      const reader = await start({ getActionsMissing: "refusedUnnamed" });
      await gone(reader, index);
      assert.ok(emulator.requests.length <= 10, `${emulator.requests.length} requests`);
      await emulator.close();
    }
  });

  it("answer each question, however many tasks are gone and whether the refusal names them or not", async () => {
    for (const getActionsMissing of ["refusedNamed", "refusedUnnamed"] as const) {
      for (const missing of [[0, 1], [3, 50, 98, 99], taskIds.map((_, index) => index)]) {
        const reader = await start({ getActionsMissing });
        await gone(reader, ...missing);
        await emulator.close();
      }
    }
  });

  it("leave at once when as many have come as were ever waiting: the engine asks for no more until they are answered", async () => {
    const getActions = sinon.fake(async ({ taskIds: asked }: { taskIds: string[] }) => ({
      requestId: "r",
      data: asked.map((taskId) => ({ taskId, actions: [] })),
    }));
    const reader = new ActionReader({ getActions });
    const readSome = (from: number) => taskIds.slice(from, from + 8).map((taskId) => reader.read(taskId, ["a"]));
    await Promise.all(readSome(0));
    assert.equal(getActions.callCount, 1);
    const answers = readSome(8);
    await setImmediate();
    await setImmediate();
    assert.equal(getActions.callCount, 2);
    assert.deepEqual(getActions.lastCall.args[0].taskIds, taskIds.slice(8, 16));
    await Promise.all(answers);
    // Fewer than that may be the first of them.
    const one = reader.read("task-16", ["a"]);
    await setImmediate();
    await setImmediate();
    assert.equal(getActions.callCount, 2);
    await one;
  });

  it("answer nothing for a task that the service leaves out", async () => {
    const reader = await start();
    assert.equal(await reader.read("task-1", ["LoopAction"]).then((task) => task?.actions.length ?? 0), 0);
  });

  it("keep nothing: what was written since is seen", async () => {
    const reader = await start();
    await reader.read("task-1", ["NavigateAction"]);
    emulator.change.setProperty("task-1", "open", "Url", "https://new.test/");
    const task = await reader.read("task-1", ["NavigateAction"]);
    assert.match(JSON.stringify(task), /https:\/\/new\.test/);
    assert.equal(emulator.requests.length, 2);
  });

  it("find the one task at which the service fails, and answer for the others", async () => {
    const reader = await start({ taskGone: "serverError" });
    emulator.change.deleteTask("task-37");
    const answers = await readAll(reader);
    assert.deepEqual(
      answers.flatMap(({ status }, index) => (status === "rejected" ? [index] : [])),
      [37],
    );
  });

  it("fail together, after few requests, when the service fails at each of them", async () => {
    const reader = await start();
    emulator.fault({ operation: "getActions", kind: "error", code: "ServerError", times: 1000 });
    const answers = await readAll(reader);
    assert.ok(answers.every(({ status }) => status === "rejected"));
    assert.ok(emulator.requests.length <= 9, `${emulator.requests.length} requests`);
  });

  it("fail together when the service cannot be asked at all", async () => {
    const reader = await start();
    emulator.fault({ operation: "getActions", kind: "error", code: "PermissionDenied", times: 1000 });
    const answers = await readAll(reader);
    assert.ok(answers.every(({ status }) => status === "rejected"));
    assert.equal(emulator.requests.length, 1);
  });
});
