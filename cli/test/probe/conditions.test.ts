import assert from "node:assert/strict";
import sinon from "sinon";
import type { SeedTask } from "webextract-emulator";
import { ServiceClient } from "../../../src/service";
import { Requests } from "../internals/probe";
import type { Probed } from "./probing";
import { probed, shopTask, usual } from "./probing";

const commandsOf = ({ findings }: Probed): string[] => findings.flatMap(({ setting }) => setting?.command ?? []);
const findingOf = ({ findings }: Probed, check: string) => findings.find((each) => each.check === check);
const problemsOf = ({ findings }: Probed) => findings.filter(({ is }) => is === "problem");

describe("probe", () => {
  it("finds a size of a page that the service accepts, and the setting that saves the refused requests", async () => {
    const result = await probed({ taskId: shopTask, behaviour: { dataPageMax: 120 } });
    assert.deepEqual(result.named.dataPageMax, [""]);
    assert.ok(commandsOf(result).includes("pulumi config set webextract:pageSize '100'"));
    const clamped = await probed({ taskId: shopTask, behaviour: { dataPageMax: 120, pageTooLarge: "clamped" } });
    assert.ok(!commandsOf(clamped).some((command) => command.includes("pageSize")));
  });

  it("names a proxy that can send requests twice, and what to check, without its host", async () => {
    const headers = sinon.stub(ServiceClient.prototype, "answeredBy");
    try {
      headers.get(() => "Server: nginx/1.22.1, Via: 1.1 secret-host (Varnish/7.1), X-Varnish: 32770 3");
      const finding = findingOf(await probed({}), "proxies on the way");
      assert.equal(finding?.is, "warning");
      assert.equal(finding?.found, "Headers name Varnish and nginx, which can send a request twice.");
      assert.match(finding?.remedy ?? "", /return \(pipe\).*proxy_next_upstream must not contain non_idempotent/);
      assert.doesNotMatch(JSON.stringify(finding), /secret-host/);
    } finally {
      headers.restore();
    }
  });

  it("compares its counts with those of the service only if no response can hide an execution", () => {
    for (const [status, isExact] of [
      [200, true],
      [499, true],
      [500, false],
      [502, false],
    ] as const) {
      const requests = new Requests(9);
      const begun = requests.now;
      requests.before();
      assert.equal(requests.isExactSince(begun), false, "no response yet");
      requests.after("copyTask", { status, body: Buffer.from("") });
      assert.equal(requests.isExactSince(begun), isExact, String(status));
    }
  });

  it("finds a cache on the way", async () => {
    const age = sinon.stub(ServiceClient.prototype, "cacheAge").get(() => 57);
    try {
      const finding = findingOf(await probed({}), "proxies on the way");
      assert.deepEqual([finding?.is, /stored 57 s before/.test(finding?.found ?? "")], ["problem", true]);
    } finally {
      age.restore();
    }
  });

  for (const retryAfter of ["seconds", "date"] as const) {
    it(`goes on after a pause that the service asks for (${retryAfter})`, async () => {
      const result = await probed({ behaviour: { requestsPerSecond: 2, retryAfter } });
      assert.ok(result.emulator.requests.some(({ status }) => status === 429));
      assert.deepEqual(problemsOf(result), []);
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

  it("reports what it found, and the questions without a usable response, when the service accepts no token any more", async () => {
    const result = await probed({ taskId: shopTask, behaviour: { accessTokenRequests: 4 } });
    assert.deepEqual(
      problemsOf(result).map(({ check, found }) => [check, found]),
      [
        "empty list of action types",
        "words of a success",
        "order of rows",
        "size of a page of rows",
        "subtasks of a run",
      ].map((check) => [check, "No response that the package can use (credential)."]),
    );
    assert.ok(result.named.refreshPath);
  });

  it("says which path of the refresh fits, as a problem only if a refresh token is configured", async () => {
    const behaviour = { refreshPath: "tokenRefresh" } as const;
    const idle = await probed({ behaviour });
    assert.deepEqual(problemsOf(idle), []);
    const command = "pulumi config set webextract:refreshPath '/token/refresh'";
    assert.deepEqual(commandsOf(idle), [command]);
    const used = await probed({ behaviour, options: { refreshToken: "some-refresh-token" } });
    assert.equal(problemsOf(used)[0]?.remedy, `Run: ${command}`);
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
      [["credential of reads", "pulumi config set webextract:credentials 'apiKey'"]],
    );
    assert.match(findingOf(result, "empty list of action types")?.found ?? "", /LoopAction/);
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
    const command = "pulumi config set webextract:actionTypes 'LoopAction'";
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

  it("says of a response that breaks the contract that the package cannot use it, without a value", async () => {
    const body = { data: [{ subTaskId: "secret-4711", state: 3 }], requestId: "1" };
    const result = await probed({
      taskId: shopTask,
      prepare: (emulator) => emulator.fault({ operation: "getSubtasks", kind: "status", status: 200, body }),
    });
    const [{ check, found, remedy } = assert.fail()] = problemsOf(result);
    assert.deepEqual(
      [check, found, remedy],
      [
        "subtasks of a run",
        "No response that the package can use (contract).",
        "Run the probe again. If this stays, report it.",
      ],
    );
  });

  it("shows no text of a response that could be data", async () => {
    const data = [
      { subTaskId: "1", status: "Concluded" },
      { subTaskId: "2", status: "key-4711" },
    ];
    const result = await probed({
      taskId: shopTask,
      prepare: (emulator) =>
        emulator.fault({ operation: "getSubtasks", kind: "status", status: 200, body: { data, requestId: "1" } }),
    });
    const { found = "" } = findingOf(result, "subtasks of a run") ?? {};
    assert.match(found, /^Their statuses: Concluded, 1 more, which could be data\./);
  });
});
