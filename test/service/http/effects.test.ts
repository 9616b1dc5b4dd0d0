import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Emulator, Fault } from "webextract-emulator";
import { defaultSeed, startEmulator } from "webextract-emulator";
import type { OperationName } from "../../../src/service";
import { isServiceError, ServiceClient } from "../../../src/service";
import { operationNames } from "../calls";
import type { SkippedWaits } from "../skipWaits";
import { skipWaits } from "../skipWaits";

/** Operations that the client must never run twice, each with the hint of the error when the outcome is unknown. */
const onceOnly: Partial<Record<OperationName, RegExp>> = {
  refreshToken: /refresh token may be invalid now.*Try again once/,
  startTask: /run of task .* may have started, and may be billed\. .*getSubtasks/,
  markExported: /may now be marked as exported\. Check the total of getNotExportedData/,
  removeData: /may now be removed\. Check the total of getData/,
  copyTask: /copy of task .* may now exist in group demo-group.*cannot list tasks.*use its id/,
};

/** Failures that the emulator injects before or after the effect of the operation. */
const faults: readonly (Omit<Fault, "operation"> & { ends?: "well" | "contract" })[] = [
  { kind: "reset", when: "before" },
  { kind: "reset", when: "after" },
  { kind: "hang", when: "before" },
  { kind: "hang", when: "after" },
  { kind: "late", when: "before", delayMs: 400 },
  { kind: "late", when: "after", delayMs: 400 },
  { kind: "status", when: "before", status: 502, body: "<html>", headers: { "content-type": "text/html" } },
  { kind: "status", when: "after", status: 502, body: "<html>", headers: { "content-type": "text/html" } },
  { kind: "status", when: "after", status: 503, headers: { "retry-after": "2" } },
  { kind: "status", when: "after", status: 500 },
  { kind: "error", when: "after", code: "ServerError" },
  { kind: "truncated" },
  { kind: "cutOff" },
  { kind: "slow", delayMs: 50 },
  { kind: "redirect", when: "after", ends: "contract" },
  { kind: "wrongType", ends: "well" },
];

describe("an operation with a faulty response", () => {
  let emulator: Emulator;
  let client: ServiceClient;
  /** For responses that do not come. */
  let impatient: ServiceClient;
  let folder: string;
  let taskId: string;
  let waits: SkippedWaits;
  before(async () => {
    const seed = defaultSeed();
    for (const task of seed.tasks) Object.assign(task, { syntheticRows: 6, syntheticSubtasks: 2 });
    emulator = await startEmulator({ seed, behaviour: { startWhileRunning: "newRun" } });
    taskId = "demo-template";
    emulator.change.startRun(taskId);
    await emulator.settled();
    folder = mkdtempSync(join(tmpdir(), "webextract-effects-"));
    const { accessToken, apiKey } = emulator.credentials;
    const options = { baseUrl: emulator.url, accessToken, apiKey, tokenStore: folder, maxRetries: 2 };
    client = new ServiceClient(options);
    impatient = new ServiceClient({ ...options, timeoutSeconds: 0.25 });
    waits = skipWaits();
  });
  after(async () => {
    waits.restore();
    client.close();
    impatient.close();
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function send(name: OperationName, client: ServiceClient): Promise<unknown> {
    const properties = [{ name: "Timeout", value: "9" }];
    const items = { actionId: "pages", loopType: "UrlList", loopItems: ["https://a.test/"], isAppend: false };
    const runs = emulator.inspect.runs(taskId);
    const subTaskIds = runs.at(-1)?.subtasks.map(({ subTaskId }) => subTaskId) ?? [];
    const calls: Record<OperationName, () => Promise<unknown>> = {
      refreshToken: () =>
        client.refreshToken({ refresh_token: emulator.credentials.refreshToken, grant_type: "refresh_token" }),
      updateTaskParameters: () =>
        client.updateTaskParameters({
          taskId,
          actions: [{ actionType: "LoopAction", actionId: "pages", loopItems: items }],
        }),
      updateTaskUrls: () =>
        client.updateTaskUrls({ taskId, file: { open: () => Readable.from([Buffer.from("https://a.test/\n")]) } }),
      updateActionProperties: () =>
        client.updateActionProperties({
          taskId,
          actions: [{ actionType: "NavigateAction", actionId: "navigate", properties }],
        }),
      updateLoopItems: () => client.updateLoopItems({ taskId, ...items }),
      getActions: () => client.getActions({ taskIds: [taskId], actionTypes: ["LoopAction"] }),
      startTask: () => client.startTask({ taskId }),
      startSubtasks: () => client.startSubtasks({ taskId, subTaskIds }),
      stopSubtasks: () => client.stopSubtasks({ taskId, subTaskIds }),
      getSubtasks: () => client.getSubtasks({ taskId, page: 1, size: 20 }),
      getBatchData: () => client.getBatchData({ taskId, lotno: runs.at(-1)?.lotNo ?? "", offset: 0, size: 10 }),
      getData: () => client.getData({ taskId, offset: 0, size: 10 }),
      getNotExportedData: () => client.getNotExportedData({ taskId, size: 10 }),
      markExported: () => client.markExported({ taskId }),
      removeData: () => client.removeData({ taskId }),
      copyTask: () => client.copyTask({ taskId, taskGroupId: "demo-group" }),
    };
    return calls[name]();
  }

  for (const { ends, ...fault } of faults) {
    const what = `${fault.kind} ${fault.status ?? ""}${fault.code ?? ""} ${fault.when ?? "after"} the effect`;
    for (const name of operationNames) {
      const hint = onceOnly[name];
      const expected = ends ?? (hint === undefined ? "well" : "unknown");
      it(`${what}: ${name} ${{ well: "succeeds", contract: "fails as a breach of the contract", unknown: "runs at most once and fails with an unknown outcome" }[expected]}`, async () => {
        await emulator.settled();
        emulator.clearRequests();
        emulator.clearFaults();
        emulator.fault({ operation: name, ...fault });
        const isLate = ["hang", "late", "slow"].includes(fault.kind);
        const outcome = await send(name, isLate ? impatient : client).catch((error: unknown) => error);
        const requests = emulator.requests.filter(({ operation }) => operation === name);
        const effects = requests.filter(({ tookEffect }) => tookEffect).length;
        if (expected === "well") {
          assert.ok(!(outcome instanceof Error), String(outcome));
          // On a busy machine, a second response can be late too.
          const sent = isLate ? Math.min(requests.length, 2) : requests.length;
          assert.equal(sent, ends === "well" ? 1 : 2);
          return;
        }
        assert.ok(isServiceError(outcome), String(outcome));
        assert.equal(outcome.outcome, "unknown");
        assert.equal(requests.length, 1);
        assert.ok(effects <= 1);
        if (expected === "contract") assert.equal(outcome.kind, "contract");
        else assert.equal(outcome.kind, "outcomeUnknown");
        if (hint !== undefined) assert.match(outcome.hint, hint);
      });
    }
  }
});
