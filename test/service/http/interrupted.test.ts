import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import type http from "node:http";
import type { ServiceClientOptions } from "../../../src/service";
import { ServiceClient } from "../../../src/service";
import { errorOf } from "../errors/errorOf";
import type { FakeServer } from "../fakeServer";
import { json, startFakeServer } from "../fakeServer";

describe("an interrupted program", () => {
  let server: FakeServer;
  let client: ServiceClient;
  let interruption: AbortController;
  const arrivals = new EventEmitter();
  const start = async (
    respond: (response: http.ServerResponse, turn: number) => void,
    options: Partial<ServiceClientOptions> = {},
  ): Promise<void> => {
    server = await startFakeServer((_seen, response, turn) => {
      respond(response, turn);
      arrivals.emit("request");
    });
    interruption = new AbortController();
    const { baseUrl } = server;
    client = new ServiceClient({ baseUrl, accessToken: "a", interrupted: interruption.signal, ...options });
  };
  afterEach(async () => {
    client.close();
    await server.close();
  });

  const task = { taskId: "t" };
  const started = { data: { lotNo: "1", status: "1" }, requestId: "q" };
  const refusal = (code: string) => ({ error: { code, message: "not now" }, requestId: "q-e" });

  for (const [end, abort] of [
    ["it is interrupted", () => interruption.abort()],
    ["its client is stopped", () => client.stop()],
  ] as const) {
    it(`does not start a run if it was waiting for a running task when ${end}`, async () => {
      await start((response) => json(response, 400, refusal("TaskExecuting")));
      const arrived = once(arrivals, "request");
      const call = errorOf(client.startTask(task));
      await arrived;
      abort();
      const { kind, outcome, message } = await call;
      assert.deepEqual([kind, outcome], ["busy", "notExecuted"]);
      assert.match(message, /requestId q-e\. .*It was not sent again, because the command was interrupted\./);
      assert.equal(server.seen.length, 1);
    });
  }

  it("sends no request that is waiting for a free slot, and accepts a request that can be sent at once", async () => {
    const answers: http.ServerResponse[] = [];
    await start((response) => answers.push(response), { concurrency: 1 });
    const arrived = once(arrivals, "request");
    const first = client.startTask(task);
    await arrived;
    const waiting = errorOf(client.startTask(task));
    interruption.abort();
    const { kind, outcome, message } = await waiting;
    assert.deepEqual([kind, outcome], ["aborted", "notExecuted"]);
    assert.match(
      message,
      /not sent: the command was interrupted while other requests to this service were in progress/,
    );
    const [one] = answers;
    assert.ok(one);
    json(one, 200, started);
    assert.equal((await first).data.lotNo, "1");

    const next = once(arrivals, "request");
    const last = client.startTask(task);
    await next;
    const two = answers[1];
    assert.ok(two);
    json(two, 200, started);
    assert.equal((await last).data.lotNo, "1");
    assert.equal(server.seen.length, 2);
  });

  it("does not wait for a Retry-After, neither in the refused call nor in other calls", async () => {
    await start((response) => json(response, 429, refusal("TooManyRequests"), { "retry-after": "600" }));
    const arrived = once(arrivals, "request");
    const calls = [errorOf(client.copyTask({ ...task, taskGroupId: "g" }))];
    await arrived;
    calls.push(errorOf(client.copyTask({ ...task, taskGroupId: "g" })));
    interruption.abort();
    for (const { outcome } of await Promise.all(calls)) assert.equal(outcome, "notExecuted");
  });
});
