import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { ServiceClientOptions } from "../../../src/service";
import { ServiceClient } from "../../../src/service";
import { exampleCalls, operationNames } from "../calls";
import { errorOf } from "../errors/errorOf";
import { json, startFakeServer } from "../fakeServer";
import type { HostileAnswer } from "./hostileServer";
import { hostileAnswers, startHostileServer } from "./hostileServer";

/** Seconds. A call that ignores the limit hangs until mocha's timeout. */
const short = 1;
const long = 600;

const passed = { deadlineSeconds: "the call's deadline", timeoutSeconds: "the time of the request (timeoutSeconds)" };

const credentials = { accessToken: "a-0", apiKey: "k-0", concurrency: operationNames.length, maxRetries: 0 };

describe("a limit of a call", () => {
  const clients: ServiceClient[] = [];
  const clientFor = (options: ServiceClientOptions): ServiceClient => {
    const client = new ServiceClient(options);
    clients.push(client);
    return client;
  };
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  // The first request of a process loads modules, which takes longer than a short limit on a busy machine.
  before(async () => {
    const server = await startFakeServer((_seen, response) => json(response, 200, { requestId: "q" }));
    await clientFor({ baseUrl: server.baseUrl, ...credentials }).markExported({ taskId: "t" });
    await server.close();
  });

  for (const answer of Object.keys(hostileAnswers) as HostileAnswer[]) {
    for (const limit of ["deadlineSeconds", "timeoutSeconds"] as const) {
      it(`ends every operation at ${limit} if the service ${answer}`, async () => {
        const server = await startHostileServer(answer);
        const limits = { deadlineSeconds: long, timeoutSeconds: long, [limit]: short };
        const client = clientFor({ baseUrl: server.baseUrl, ...credentials, ...limits });
        const errors = await Promise.all(operationNames.map((name) => errorOf(exampleCalls[name].send(client))));
        await server.close();
        for (const { kind, outcome, message } of errors) {
          // On a busy machine, the limit can pass before there is a connection.
          const isSent = !/no connection to .*deadline passed/.test(message);
          const expected = isSent ? ["outcomeUnknown", "unknown"] : ["unreachable", "notExecuted"];
          assert.deepEqual([kind, outcome], expected, message);
          // The parser of Node.js ends headers without end by itself.
          const isEnded = answer === "sends headers without end" && message.includes("(HPE_HEADER_OVERFLOW)");
          if (isSent && !isEnded) assert.ok(message.includes(`(${passed[limit]} passed)`), message);
        }
      });
    }
  }

  it("ends an upload at deadlineSeconds if the file gives no data or gives its data slowly", async () => {
    const server = await startFakeServer((_seen, response) => json(response, 200, { requestId: "q" }));
    const client = clientFor({ baseUrl: server.baseUrl, ...credentials, timeoutSeconds: long });
    const silent = () => new Readable({ read: () => undefined });
    const trickling = () =>
      new Readable({
        read() {
          setTimeout(() => this.push("x"), 20);
        },
      });
    for (const open of [silent, trickling]) {
      const sources: Readable[] = [];
      const file = { open: () => sources[sources.push(open()) - 1] as Readable };
      const error = await errorOf(client.updateTaskUrls({ taskId: "t", file }, { deadlineSeconds: short }));
      assert.deepEqual([error.kind, error.outcome], ["outcomeUnknown", "unknown"]);
      assert.deepEqual(
        sources.map(({ destroyed }) => destroyed),
        [true],
      );
    }
    await server.close();
  });

  it("ends an upload at timeoutSeconds if the file gives no data", async () => {
    const server = await startFakeServer((_seen, response) => json(response, 200, { requestId: "q" }));
    const client = clientFor({ baseUrl: server.baseUrl, ...credentials, timeoutSeconds: short });
    const file = { open: () => new Readable({ read: () => undefined }) };
    const error = await errorOf(client.updateTaskUrls({ taskId: "t", file }));
    assert.deepEqual([error.kind, error.outcome], ["outcomeUnknown", "unknown"]);
    await server.close();
  });

  it("ends a call at deadlineSeconds while it waits for an access token", async () => {
    const tokenStore = mkdtempSync(join(tmpdir(), "webextract-deadline-"));
    const server = await startHostileServer("sends its body byte by byte");
    for (const source of [{ refreshToken: "refresh-0" }, { credentialCommand: "sleep 3" }]) {
      const client = clientFor({ baseUrl: server.baseUrl, tokenStore, timeoutSeconds: long, ...source });
      const error = await errorOf(client.removeData({ taskId: "t" }, { deadlineSeconds: short }));
      assert.equal(error.outcome, "notExecuted");
    }
    await server.close();
    rmSync(tokenStore, { recursive: true, force: true });
  });

  it("ends a call at deadlineSeconds while it reads pages of rows or subtasks", async () => {
    const server = await startHostileServer("sends its body byte by byte");
    const client = clientFor({ baseUrl: server.baseUrl, ...credentials, timeoutSeconds: long });
    // The first request of this client connects, which takes longer on a busy machine.
    const deadlineSeconds = 2 * short;
    const rows = client.rows({ taskId: "t" }, { deadlineSeconds });
    assert.equal((await errorOf(rows.next())).kind, "outcomeUnknown");
    assert.equal((await errorOf(client.allSubtasks("t", { deadlineSeconds }))).kind, "outcomeUnknown");
    await server.close();
  });
});
