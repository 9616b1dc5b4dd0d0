import assert from "node:assert/strict";
import type { SeedTask } from "webextract-emulator";
import type { Probed } from "./probing";
import { probed, shopTask, usual } from "./probing";

const commandsOf = ({ findings }: Probed): string[] => findings.flatMap(({ setting }) => setting?.command ?? []);
const findingOf = ({ findings }: Probed, check: string) => findings.find((each) => each.check === check);
const problemsOf = ({ findings }: Probed) => findings.filter(({ is }) => is === "problem");

describe("probe", () => {
  it("finds the maximum size of a page that a refusal names, and the setting that saves the refused requests", async () => {
    const result = await probed({ taskId: shopTask, behaviour: { dataPageMax: 7, subtaskPageMax: 8 } });
    assert.deepEqual(result.named.dataPageMax, [""]);
    assert.ok(commandsOf(result).includes("pulumi config set webextract:pageSize 7"));
    assert.match(findingOf(result, "subtasks of a run")?.found ?? "", /^Their statuses: /);
    assert.deepEqual(problemsOf(result), []);
  });

  it("finds a smaller size where the refusal does not name the maximum", async () => {
    const result = await probed({ taskId: shopTask, behaviour: { dataPageMax: 120, errorBody: "html" } });
    assert.ok(commandsOf(result).includes("pulumi config set webextract:pageSize 100"));
  });

  it("suggests no size where the service cuts pages", async () => {
    const behaviour = { dataPageMax: 7, subtaskPageMax: 8, pageTooLarge: "clamped" } as const;
    const result = await probed({ taskId: shopTask, behaviour, config: { actionTypes: "LoopAction" } });
    assert.deepEqual(commandsOf(result), []);
  });

  for (const retryAfter of ["seconds", "date"] as const) {
    it(`goes on after a pause that the service asks for (${retryAfter})`, async () => {
      const { named, findings } = await probed({ behaviour: { requestsPerSecond: 3, retryAfter } });
      assert.ok(named.requestsPerSecond);
      assert.equal(findings.at(-1)?.check, "rate of requests");
    });
  }

  it("goes on with a new access token when one expires", async () => {
    const { named, emulator } = await probed({
      taskId: shopTask,
      behaviour: { accessTokenRequests: 3 },
      options: ({ credentials: { refreshToken } }) => ({ accessToken: undefined, refreshToken }),
    });
    assert.deepEqual(named, usual);
    const refreshes = emulator.requests.filter(
      ({ operation, tookEffect }) => operation === "refreshToken" && tookEffect,
    );
    assert.ok(refreshes.length > 1);
  });

  it("ends with the findings so far when the service accepts no token any more", async () => {
    const result = await probed({ taskId: shopTask, behaviour: { accessTokenRequests: 3 } });
    const [problem] = problemsOf(result);
    assert.equal(
      problem?.found,
      'It ended at the question "empty list of action types", because the service or the way to it failed (credential). The later questions were not asked.',
    );
    assert.ok(result.named.errorBody);
  });

  it("says which path of the refresh fits, as a problem only if a refresh token is configured", async () => {
    const behaviour = { refreshPath: "tokenRefresh" } as const;
    const idle = await probed({ behaviour });
    assert.deepEqual(problemsOf(idle), []);
    const command = "pulumi config set webextract:refreshPath /token/refresh";
    assert.deepEqual(commandsOf(idle), [command]);
    const used = await probed({ behaviour, options: { refreshToken: "some-refresh-token" } });
    assert.equal(problemsOf(used)[0]?.remedy, `Run: ${command} (or set WEBEXTRACT_REFRESH_PATH).`);
    const right = await probed({ behaviour, options: { refreshPath: "/token/refresh" } });
    assert.deepEqual([commandsOf(right), right.named.refreshPath], [[], ["tokenRefresh"]]);
  });

  it("goes on with the API key if the service accepts no access token, and says so", async () => {
    const result = await probed({
      taskId: shopTask,
      behaviour: { credentialAcceptance: "apiKeyEverywhere" },
      options: { accessToken: "some-old-token" },
    });
    assert.deepEqual(
      problemsOf(result).map(({ check, setting }) => [check, setting?.command]),
      [["credential of reads", "pulumi config set webextract:credentials apiKey"]],
    );
    assert.match(findingOf(result, "size of a page of rows")?.found ?? "", /accepted/);
  });

  it("suggests a place for a word for a status that it does not know", async () => {
    const foreign = { taskId: shopTask, behaviour: { statusWords: "unknown" } } as const;
    const suggested = findingOf(await probed(foreign), "subtasks of a run");
    assert.equal(suggested?.is, "warning");
    const { value = "", when } = suggested.setting ?? {};
    assert.deepEqual(JSON.parse(value), { finished: ["finished", "completed", "done", "concluded"] });
    assert.equal(when, "if Concluded means that a subtask has finished");
    const settled = await probed({ ...foreign, config: { statuses: '{"finished": ["concluded"]}' } });
    assert.deepEqual(findingOf(settled, "subtasks of a run")?.setting, undefined);
  });

  it("suggests the type of the loops only if a refresh does not get them without it", async () => {
    const command = "pulumi config set webextract:actionTypes LoopAction";
    assert.deepEqual(commandsOf(await probed({ taskId: shopTask })), [command]);
    assert.deepEqual(commandsOf(await probed({ taskId: shopTask, config: { actionTypes: "LoopAction" } })), []);
    assert.deepEqual(commandsOf(await probed({ taskId: shopTask, behaviour: { getActionsEmptyTypes: "all" } })), []);
  });

  it("says that nothing can be seen of a task without rows, actions and runs", async () => {
    const empty: SeedTask = { taskId: "empty-83", taskGroupId: "shops", actions: [] };
    const { findings } = await probed({ taskId: empty.taskId, prepare: ({ change }) => change.addTask(empty) });
    const open = findings.filter(({ is }) => is === "unclear").map(({ check }) => check);
    assert.deepEqual(open, ["empty list of action types", "subtasks of a run"]);
  });

  it("names each breach of the contract by its field and type, never by a value", async () => {
    const page = { data: { data: [{ price: "4711" }], Total: "25", restTotal: 0, offset: 0 }, requestId: "1" };
    const result = await probed({
      taskId: shopTask,
      prepare: (emulator) =>
        emulator.fault({
          operation: "getData",
          taskId: shopTask,
          kind: "status",
          status: 200,
          body: page,
          skip: 1,
          times: 100,
        }),
    });
    assert.equal(
      findingOf(result, "contract")?.found,
      "getData: the response breaks the contract: data.total is missing: it must be an integer.",
    );
  });
});
