import assert from "node:assert/strict";
import type { SeedTask } from "webextract-emulator";
import { shapeOf } from "../../internals/probe";
import type { Probed } from "./probing";
import { probed, shopTask } from "./probing";

const commandsOf = ({ findings }: Probed): string[] =>
  findings.flatMap(({ settings }) => settings.map(({ command }) => command));
const findingOf = ({ findings }: Probed, check: string) => findings.find((each) => each.check === check);
const problemsOf = ({ findings }: Probed) => findings.filter(({ is }) => is === "problem");

describe("probe", () => {
  it("finds the maximum size of a page that is refused, and the setting that saves the refused requests", async () => {
    const result = await probed({ taskId: shopTask, behaviour: { dataPageMax: 7, subtaskPageMax: 8 } });
    const { dataPageMax, subtaskPageMax, pageTooLarge } = result.named;
    assert.deepEqual([dataPageMax, subtaskPageMax, pageTooLarge], [["7"], ["8"], ["refused"]]);
    assert.ok(commandsOf(result).includes("pulumi config set webextract:pageSize 7"));
    assert.deepEqual(problemsOf(result), []);
  });

  it("finds a smaller size where the refusal does not name the maximum", async () => {
    const result = await probed({ taskId: shopTask, behaviour: { dataPageMax: 120, errorBody: "html" } });
    assert.deepEqual([result.named.dataPageMax, result.named.pageTooLarge], [[""], ["refused"]]);
    assert.ok(commandsOf(result).includes("pulumi config set webextract:pageSize 100"));
  });

  it("finds the size of pages that are cut", async () => {
    const behaviour = { dataPageMax: 7, subtaskPageMax: 8, pageTooLarge: "clamped" } as const;
    const { named } = await probed({ taskId: shopTask, behaviour });
    const { dataPageMax, subtaskPageMax, pageTooLarge } = named;
    assert.deepEqual([dataPageMax, subtaskPageMax, pageTooLarge], [["7"], ["8"], ["clamped"]]);
  });

  for (const answerBytes of ["cut", "refused"] as const) {
    it(`finds responses that are too large (${answerBytes})`, async () => {
      const large = Array.from({ length: 100 }, (_, index) => ({ index, text: "x".repeat(100_000) }));
      const { named } = await probed({
        taskId: shopTask,
        behaviour: { answerBytes },
        prepare: ({ change }) => void change.insertRows(shopTask, large),
      });
      assert.deepEqual(named.answerBytes, [answerBytes]);
    });
  }

  for (const retryAfter of ["seconds", "date"] as const) {
    it(`names the form of Retry-After (${retryAfter}), and goes on after the pause`, async () => {
      const { named, findings } = await probed({ behaviour: { requestsPerSecond: 5, retryAfter } });
      assert.deepEqual(named.retryAfter, [retryAfter]);
      assert.equal(findings.at(-1)?.check, "clock");
    });
  }

  it("reads the rate of a header, and suggests it unless the present rate is lower", async () => {
    const headers = { "RateLimit-Policy": '"default";q=100;w=20', "ratelimit-user": "somebody" };
    const withHeader = (requestsPerSecond?: number): Promise<Probed> =>
      probed({
        options: { requestsPerSecond },
        prepare: (emulator) =>
          emulator.fault({ operation: "getActions", kind: "status", status: 400, headers, body: {} }),
      });
    const result = await withHeader();
    assert.deepEqual(commandsOf(result), ["pulumi config set webextract:requestsPerSecond 5"]);
    assert.equal(
      findingOf(result, "headers about the rate")?.found,
      "ratelimit-policy, ratelimit-user: 100 requests in 20 s.",
    );
    assert.deepEqual(commandsOf(await withHeader(4)), []);
  });

  it("goes on with a new access token when one expires", async () => {
    const { named, emulator } = await probed({
      taskId: shopTask,
      behaviour: { accessTokenRequests: 7 },
      options: ({ credentials: { refreshToken } }) => ({ accessToken: undefined, refreshToken }),
    });
    assert.deepEqual([named.accessTokenRequests, named.statusCase], [[""], ["capital", "mixed"]]);
    const refreshes = emulator.requests.filter(
      ({ operation, tookEffect }) => operation === "refreshToken" && tookEffect,
    );
    assert.ok(refreshes.length > 1);
  });

  it("ends with the findings so far when the service accepts no token any more", async () => {
    const result = await probed({ taskId: shopTask, behaviour: { accessTokenRequests: 7 } });
    const [problem] = problemsOf(result);
    assert.equal(
      problem?.found,
      'It ended at the question "pages of rows", because the service accepts no access token any more. The later questions were not asked.',
    );
    assert.ok(result.named.errorBody);
  });

  it("has no report if the token expires and nothing in the refusal says so", async () => {
    const behaviour = { accessTokenRequests: 9, expiredToken: "status400", errorBody: "html" } as const;
    await assert.rejects(probed({ taskId: shopTask, behaviour }), /has probably expired, so there is no report/);
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
      problemsOf(result).map(({ check, settings }) => [check, settings[0]?.command]),
      [["credential of reads", "pulumi config set webextract:credentials apiKey"]],
    );
    assert.deepEqual(result.named.endOfData, ["restTotal"]);
  });

  it("tells statuses of a run in progress, and suggests a place for a word that it does not know", async () => {
    const queued = await probed({
      taskId: shopTask,
      behaviour: { statusWords: "withSent" },
      prepare({ change }) {
        change.holdRuns();
        change.startRun(shopTask);
      },
    });
    assert.deepEqual(queued.named.statusWords, ["withSent"]);
    const foreign = { taskId: shopTask, behaviour: { statusWords: "unknown" } } as const;
    const suggested = findingOf(await probed(foreign), "words for a status");
    assert.equal(suggested?.is, "warning");
    assert.deepEqual(
      suggested.settings.map(({ value, when }) => [JSON.parse(value), when]),
      [
        [
          { finished: ["finished", "completed", "done", "concluded"] },
          "if Concluded means that a subtask has finished",
        ],
      ],
    );
    const settled = await probed({ ...foreign, config: { statuses: '{"finished": ["concluded"]}' } });
    assert.deepEqual(findingOf(settled, "words for a status")?.settings, []);
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
    assert.deepEqual(open, [
      "empty list of action types",
      "properties of an action",
      "values of properties",
      "type of a loop",
      "pages of rows",
      "size of a page of rows",
      "subtasks of a run",
    ]);
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
      "getData: the response breaks the contract: data.total must be an integer; got nothing.",
    );
    const shape =
      "{data: {data: [{field1: string}], Total: string, restTotal: integer, offset: integer}, requestId: string}";
    assert.ok(result.replies.some(({ json }) => shapeOf(json) === shape));
  });
});
