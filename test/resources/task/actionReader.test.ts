import assert from "node:assert/strict";
import pLimit from "p-limit";
import type { Emulator, EmulatorOptions, Fault } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import type { ServiceClientOptions } from "../../../src/service/index";
import { ServiceClient } from "../../../src/service/index";
import { isLarge } from "../../environment";
import { ActionReader } from "../../internals/resources";
import { isServiceError } from "../../internals/service";
import { skipWaits } from "../../service/skipWaits";

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
  const start = async (
    behaviour: EmulatorOptions["behaviour"] = {},
    options: Partial<ServiceClientOptions> = {},
  ): Promise<ActionReader> => {
    emulator = await startEmulator({ seed, behaviour });
    const { accessToken } = emulator.credentials;
    const client = new ServiceClient({
      baseUrl: emulator.url,
      accessToken,
      maxRetries: 0,
      busyTimeoutSeconds: 0,
      ...options,
    });
    clients.push(client);
    return new ActionReader(client);
  };
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await emulator.close();
  });

  const readAll = (reader: ActionReader, types = ["NavigateAction"]): Promise<PromiseSettledResult<unknown>[]> =>
    Promise.allSettled(taskIds.map((taskId) => reader.read(taskId, types)));

  it("share one request when they arrive together", async () => {
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

  it("ask for each task alone, once, after a refusal of them together", async () => {
    for (const getActionsMissing of ["refusedNamed", "refusedUnnamed"] as const) {
      for (const index of isLarge ? [0, 37, 99] : [37]) {
        const reader = await start({ getActionsMissing });
        await gone(reader, index);
        assert.equal(emulator.requests.length, 101);
        await emulator.close();
      }
    }
  });

  it("return a result for each task, however many are gone and whether the refusal names them or not", async () => {
    for (const getActionsMissing of ["refusedNamed", "refusedUnnamed"] as const) {
      for (const missing of [[3, 50, 98, 99], ...(isLarge ? [[0, 1], taskIds.map((_, index) => index)] : [])]) {
        const reader = await start({ getActionsMissing });
        await gone(reader, ...missing);
        await emulator.close();
      }
    }
  });

  it("return nothing for a task that the service omits", async () => {
    const reader = await start();
    assert.equal(await reader.read("task-1", ["LoopAction"]).then((task) => task?.actions.length ?? 0), 0);
  });

  it("see what was written since the last read", async () => {
    const reader = await start();
    await reader.read("task-1", ["NavigateAction"]);
    emulator.change.setProperty("task-1", "open", "Url", "https://new.test/");
    const task = await reader.read("task-1", ["NavigateAction"]);
    assert.match(JSON.stringify(task), /https:\/\/new\.test/);
    assert.equal(emulator.requests.length, 2);
  });

  it("find the one task at which the service fails, and return the others", async () => {
    const reader = await start({ taskGone: "serverError" });
    emulator.change.deleteTask("task-37");
    const answers = await readAll(reader);
    assert.deepEqual(
      answers.flatMap(({ status }, index) => (status === "rejected" ? [index] : [])),
      [37],
    );
  });

  const failedOf = (answers: readonly PromiseSettledResult<unknown>[]): number[] =>
    answers.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
  const envelope = (code: string, message: string) => ({ error: { code, message }, requestId: "r" });

  it("find the one task that the account may not read, or that a gateway fails at, by asking for each task once", async () => {
    const failures: Pick<Fault, "status" | "body">[] = [
      { status: 403, body: envelope("PermissionDenied", "no access") },
      { status: 400, body: envelope("PermissionDenied", "no access") },
      { status: 502, body: { error: { message: "cannot read" }, requestId: "r" } },
      { status: 502 },
    ];
    for (const [place, failure] of failures.entries()) {
      for (const index of place === 0 && isLarge ? [0, 37, 99] : [37]) {
        const reader = await start();
        emulator.fault({ operation: "getActions", kind: "status", taskId: `task-${index}`, times: 1000, ...failure });
        assert.deepEqual(failedOf(await readAll(reader)), [index]);
        assert.equal(emulator.requests.length, 101);
        await emulator.close();
      }
    }
  });

  it("return the others if several tasks fail, also the first and the last", async () => {
    const reader = await start();
    for (const index of [0, 1, 60, 99]) {
      const taskId = `task-${index}`;
      emulator.fault({ operation: "getActions", kind: "error", code: "PermissionDenied", taskId, times: 1000 });
    }
    assert.deepEqual(failedOf(await readAll(reader)), [0, 1, 60, 99]);
  });

  it("wait as usual after too many requests while each task is asked for", async () => {
    const waiting = skipWaits();
    try {
      const reader = await start({}, { maxRetries: 1 });
      emulator.fault({ operation: "getActions", kind: "error", taskId: "task-37", times: 2 });
      emulator.fault({ operation: "getActions", kind: "error", code: "TooManyRequests" });
      assert.deepEqual(failedOf(await readAll(reader)), []);
    } finally {
      waiting.restore();
    }
  });

  it("fail each with an error of its own task if the account may read none", async () => {
    const reader = await start();
    emulator.fault({ operation: "getActions", kind: "error", code: "PermissionDenied", times: 1000 });
    for (const [index, answer] of (await readAll(reader)).entries()) {
      assert.ok(
        answer.status === "rejected" && new RegExp(`\\btask-${index}\\b`).test(answer.reason.message),
        `${index}`,
      );
    }
  });

  describe("8 at a time, as the engine asks", () => {
    const readInTurns = (
      reader: ActionReader,
      types = ["NavigateAction"],
    ): Promise<PromiseSettledResult<unknown>[]> => {
      const turn = pLimit(8);
      return Promise.allSettled(taskIds.map((taskId) => turn(() => reader.read(taskId, types))));
    };
    const denied = { operation: "getActions", kind: "error", code: "PermissionDenied", times: 1000 } as const;

    it("take at most 24 requests for 100 tasks of which one may not be read", async () => {
      for (const index of [0, 37, 99]) {
        const reader = await start();
        emulator.fault({ ...denied, taskId: `task-${index}` });
        assert.deepEqual(failedOf(await readInTurns(reader)), [index]);
        assert.ok(emulator.requests.length <= 24, `${emulator.requests.length} requests`);
        await emulator.close();
      }
    });
  });

  it("fail together, at once, when the access token is refused", async () => {
    for (const expiredToken of ["status401", "status403", "status400"] as const) {
      const reader = await start({ expiredToken });
      emulator.change.expireAccessTokens();
      assert.equal(failedOf(await readAll(reader)).length, 100);
      assert.equal(emulator.requests.length, 1);
      await emulator.close();
    }
  });

  it("are refused for each task if the service refuses to be asked without types, and not with types", async () => {
    const reader = await start({ getActionsEmptyTypes: "refused" });
    const [untyped, typed] = await Promise.all([readAll(reader, []), readAll(reader)]);
    assert.ok(untyped.every((each) => each.status === "rejected" && isServiceError(each.reason, "refused")));
    assert.deepEqual(failedOf(typed), []);
  });

  it("return the other tasks without types if one task alone is refused", async () => {
    const refused = { operation: "getActions", kind: "error", code: "InvalidParameter", times: 1000 } as const;
    for (const index of [0, 37, 99]) {
      const reader = await start({ getActionsEmptyTypes: "all" });
      emulator.fault({ ...refused, taskId: `task-${index}` });
      await assert.rejects(reader.read(`task-${index}`, []));
      const answers = await readAll(reader, []);
      assert.deepEqual(failedOf(answers), [index]);
      assert.match(JSON.stringify(answers), /https:\/\/task-50\.test/);
      await emulator.close();
    }
  });

  it("return the other tasks without types if a task is gone, whatever else the service refuses", async () => {
    const reader = await start({ getActionsMissing: "refusedUnnamed", getActionsEmptyTypes: "all", errorBody: "html" });
    emulator.change.deleteTask("task-0");
    emulator.change.deleteTask("task-99");
    assert.deepEqual(failedOf(await readAll(reader, [])), [0, 99]);
  });
});
