import assert from "node:assert/strict";
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
  const start = async (behaviour: EmulatorOptions["behaviour"] = {}): Promise<ActionReader> => {
    emulator = await startEmulator({ seed, behaviour });
    const { accessToken } = emulator.credentials;
    return new ActionReader(new ServiceClient({ baseUrl: emulator.url, accessToken }));
  };
  afterEach(() => emulator.close());

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

  for (const getActionsMissing of ["refusedNamed", "refusedUnnamed"] as const) {
    it(`find the one task that is gone in at most 20 requests, where the refusal is ${getActionsMissing}`, async () => {
      const reader = await start({ getActionsMissing });
      emulator.change.deleteTask("task-37");
      const answers = await readAll(reader);
      const failed = answers.flatMap((answer, index) => (answer.status === "rejected" ? [{ index, answer }] : []));
      assert.deepEqual(
        failed.map(({ index }) => index),
        [37],
      );
      assert.ok(isServiceError(failed[0]?.answer.reason, "notFound"));
      assert.ok(emulator.requests.length <= 20, `${emulator.requests.length} requests`);
    });
  }

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

  it("fail together when the service cannot be asked at all", async () => {
    const reader = await start();
    emulator.fault({ operation: "getActions", kind: "error", code: "PermissionDenied", times: 1000 });
    const answers = await readAll(reader);
    assert.ok(answers.every(({ status }) => status === "rejected"));
    assert.equal(emulator.requests.length, 1);
  });
});
