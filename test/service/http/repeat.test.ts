import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type http from "node:http";
import net from "node:net";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import sinon from "sinon";
import type { OperationName, ServiceClientOptions } from "../../../src/service";
import { ServiceClient } from "../../../src/service";
import { isLarge } from "../../environment";
import { clock, Limiter } from "../../internals/service";
import { exampleCalls, goodAnswer, operationNames } from "../calls";
import { errorOf } from "../errors/errorOf";
import type { FakeServer } from "../fakeServer";
import { json, startFakeServer } from "../fakeServer";
import type { SkippedWaits } from "../skipWaits";
import { skipWaits } from "../skipWaits";

/** Operations that the client must never run twice. Written by hand, not derived from the table of operations. */
const onceOnly = new Set<OperationName>(["refreshToken", "startTask", "markExported", "removeData", "copyTask"]);

/** Those that must run once and one of each other kind; the slow tests show each. */
const tested = operationNames.filter(
  (name) => isLarge || onceOnly.has(name) || ["getData", "updateTaskUrls", "updateLoopItems"].includes(name),
);

interface FailureCase {
  name: string;
  fail: (response: http.ServerResponse) => void;
  /** Which operations are sent again. */
  again: "all" | "ofTasks" | "repeatable" | "none";
  /** An upload is sent once more in its other form, with the task's id in the query. */
  refusesForm?: boolean;
  /** The error kind of an operation that is not sent again. */
  kind: string;
  outcome: string | ((name: OperationName) => string);
  options?: Partial<ServiceClientOptions>;
  /** The shortest wait before the second try, in milliseconds. */
  waitsAtLeast?: number;
}

/** The outcome of a refusal with a code that is of requests for a task. */
const ofTasks = (name: OperationName) => (name === "refreshToken" ? "unknown" : "notExecuted");
const ofActions = (name: OperationName) => (name.startsWith("update") ? "notExecuted" : "unknown");

const refusal = (code: string) => ({ error: { code, message: `it is ${code}` }, requestId: "q-e" });
type Fail = FailureCase["fail"];
const sends =
  (status: number, body: unknown = "", headers: Record<string, string> = {}): Fail =>
  (r) =>
    json(r, status, body, headers);
const refuses = (status: number, code: string): Fail => sends(status, refusal(code));
const sendsPage =
  (status: number, html = "<html></html>"): Fail =>
  (r) =>
    r.writeHead(status, { "content-type": "text/html" }).end(html);
const isJson = { "content-type": "application/json" };
const in9Seconds = () => new Date(Date.now() + 9_000).toUTCString();

type Ending = Pick<FailureCase, "again" | "kind" | "outcome">;
const limited: Ending = { again: "all", kind: "rateLimited", outcome: "notExecuted" };
const lost: Ending = { again: "repeatable", kind: "outcomeUnknown", outcome: "unknown" };
const breach: Ending = { again: "none", kind: "contract", outcome: "unknown" };
/** Refused by something that may stand in front of the service. */
const refused: Ending = { again: "none", kind: "refused", outcome: "unknown" };
const notExecuted: Ending = { again: "none", kind: "refused", outcome: "notExecuted" };

/** Codes that say that nothing was done. */
const codesOfProof = [
  ...["InvalidGrant", "InvalidToken", "InvalidTaskId", "TaskSettingsNotFound"],
  ...["TaskExecuting", "PermissionDenied", "TooManyRequests", "InvalidParameter"],
];

const cases: FailureCase[] = [
  { name: "429", fail: sends(429), ...limited },
  ...(
    [
      [429, "7", limited, 7000],
      [429, "2, 7", limited, 7000],
      [429, "a date", limited, 7000],
      [503, "3.5", lost, 3500],
      [503, "a date", lost, 7000],
    ] as const
  ).map(([status, after, ending, waitsAtLeast]): FailureCase => {
    const header = () => (after === "a date" ? in9Seconds() : after);
    const fail: Fail = (r) => json(r, status, "", { "retry-after": header() });
    return { name: `${status} with Retry-After as ${after}`, fail, ...ending, waitsAtLeast };
  }),
  ...["ServerError", "Oops", "InvalidParameter", "constructor"].map(
    (code): FailureCase => ({ name: `429 with the code ${code}`, fail: refuses(429, code), ...limited }),
  ),
  { name: "503", fail: sends(503), ...lost },
  { name: "500", fail: refuses(500, "Oops"), ...lost },
  // A proxy can answer with the code of another response while the service executes the request.
  ...[502, 500, 504, 599].flatMap((status, index) =>
    codesOfProof
      .filter((_code, at) => isLarge || index === 0 || at === index)
      .map((code): FailureCase => ({ name: `${status} with the code ${code}`, fail: refuses(status, code), ...lost })),
  ),
  ...(
    [
      ["TooManyRequests", "repeatable", "rateLimited"],
      // It is waited for, like a running task.
      ["TaskExecuting", "all", "busy"],
      ["Oops", "repeatable", "refused"],
    ] as const
  ).map(
    ([code, again, kind]): FailureCase => ({
      name: `504 with the code ${code}, configured as proof that nothing was done`,
      fail: refuses(504, code),
      again,
      kind,
      outcome: "notExecuted",
      options: { notExecutedCodes: [code] },
    }),
  ),
  ...[200, 400, 403, 408].map((status): FailureCase => {
    const fail = refuses(status, "TooManyRequests");
    return { name: `${status} with the code TooManyRequests`, fail, ...limited, again: "repeatable" };
  }),
  { name: "a proxy's 502 page", fail: sendsPage(502), ...lost },
  { name: "ServerError under 400", fail: refuses(400, "ServerError"), ...lost },
  {
    name: "a code that is configured as proof that nothing was done",
    fail: refuses(500, "Server.Busy"),
    ...notExecuted,
    again: "repeatable",
    options: { notExecutedCodes: ["ServerBusy"] },
  },
  {
    name: "a refusal with a code that is configured as proof that nothing was done",
    fail: refuses(400, "CopyFailed"),
    ...notExecuted,
    options: { notExecutedCodes: ["CopyFailed"] },
  },
  { name: "a refusal with a code that is not known", fail: refuses(400, "GroupIsFull"), ...refused, outcome: ofTasks },
  { name: "another's task", fail: refuses(400, "TaskNotBelongToYou"), ...refused, kind: "notYours", outcome: ofTasks },
  { name: "a connection reset after the request", fail: (r) => r.socket?.resetAndDestroy(), ...lost },
  { name: "a connection closed after the request", fail: (r) => r.socket?.end(), ...lost },
  {
    name: "a truncated body",
    fail: (r) => {
      r.writeHead(200, { ...isJson, "content-length": "500" });
      r.write('{"requestId":', () => r.socket?.end());
    },
    ...lost,
  },
  { name: "no response before the timeout", fail: () => undefined, ...lost, options: { timeoutSeconds: 0.4 } },
  {
    name: "a body that does not end before the timeout",
    fail: (r) => void r.writeHead(200, isJson).write('{"requestId":'),
    ...lost,
    options: { timeoutSeconds: 0.4 },
  },
  { name: "an HTML page instead of a response", fail: sendsPage(200, "<html>Log in</html>"), ...breach },
  { name: "an empty body", fail: (r) => r.writeHead(200, isJson).end(), ...breach },
  { name: "a body with a mistake in its middle", fail: sends(200, '{"requestId":"q","data":{]}'), ...breach },
  // HTTP does not show that these are not complete.
  ...Object.entries({
    "HTTP/1.0 without a length": (r: http.ServerResponse, body: Buffer): void => {
      r.socket?.end(Buffer.concat([Buffer.from("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"), body]));
    },
    "gzip without its end": (r: http.ServerResponse, body: Buffer): void => {
      const zipped = gzipSync(Buffer.concat([body, Buffer.from(randomBytes(40_000).toString("hex"))]));
      r.writeHead(200, { ...isJson, "content-encoding": "gzip" }).end(zipped.subarray(0, 20_000));
    },
    "chunks with a proper end": (r: http.ServerResponse, body: Buffer): void => {
      r.writeHead(200, isJson).write(body);
      r.end();
    },
  }).map(
    ([name, cut]): FailureCase => ({
      name: `a body cut off in ${name}`,
      fail: (r) => cut(r, Buffer.from('{"requestId":"q","data":{"data":[{"title":"Gr\u00fc').subarray(0, -1)),
      ...lost,
    }),
  ),
  { name: "a redirect", fail: (r) => r.writeHead(307, { location: "/elsewhere" }).end(), ...breach },
  { name: "a refused parameter", fail: refuses(400, "InvalidParameter"), ...notExecuted, refusesForm: true },
  {
    name: "an error without a code in a response of 200",
    fail: sends(200, { error: { message: "it is not done" }, requestId: "q-e" }),
    ...refused,
  },
  ...["constructor", "__proto__", "toString", "hasOwnProperty"].map(
    (code): FailureCase => ({ name: `the code ${code}`, fail: refuses(404, code), ...refused }),
  ),
  // What real proxies have sent after the service had executed the request is in proxyResponses.test.ts.
  { name: "a proxy's 404 page", fail: sendsPage(404), ...refused },
  { name: "a proxy's 403 page", fail: sendsPage(403), ...refused, kind: "plan" },
  ...[411, 413, 414, 417, 421, 431].map(
    (status): FailureCase => ({
      name: `a ${status} page, which comes before the request is handed on`,
      fail: sendsPage(status),
      ...notExecuted,
    }),
  ),
  { name: "a task that is gone", fail: refuses(400, "InvalidTaskId"), ...refused, kind: "notFound", outcome: ofTasks },
  {
    name: "an action that is not in the task",
    fail: refuses(400, "TaskSettingsNotFound"),
    again: "none",
    kind: "actionNotFound",
    outcome: ofActions,
  },
  { name: "a plan that is too small", fail: refuses(403, "PermissionDenied"), ...notExecuted, kind: "plan" },
  {
    name: "an error in the older form",
    fail: sends(400, { error: "InvalidTaskId", error_Description: "no such task" }),
    again: "none",
    kind: "notFound",
    outcome: ofTasks,
  },
  { name: "a running task", fail: refuses(400, "TaskExecuting"), again: "ofTasks", kind: "busy", outcome: ofTasks },
];

describe("a call of the client", () => {
  let server: FakeServer;
  let fail: FailureCase["fail"];
  let failures: number;
  let answer: unknown;
  let waits: SkippedWaits | undefined;
  const clients: ServiceClient[] = [];

  beforeEach(async () => {
    server = await startFakeServer((_seen, response, turn) =>
      turn <= failures ? fail(response) : json(response, 200, answer),
    );
  });
  afterEach(async () => {
    waits?.restore();
    waits = undefined;
    for (const client of clients.splice(0)) client.close();
    await server.close();
  });

  function clientFor(options: Partial<ServiceClientOptions> = {}): ServiceClient {
    const client = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "a-0", apiKey: "k-0", ...options });
    clients.push(client);
    return client;
  }

  for (const failure of cases) {
    for (const name of tested) {
      const { again, outcome } = failure;
      const repeated = {
        all: true,
        ofTasks: name !== "refreshToken",
        repeatable: !onceOnly.has(name),
        none: false,
      }[again];
      it(`is ${repeated ? "sent again" : "not sent again"} after ${failure.name} (${name})`, async () => {
        fail = failure.fail;
        failures = failure.refusesForm && name === "updateTaskUrls" ? 2 : 1;
        answer = goodAnswer(name);
        const client = clientFor(failure.options);
        if (failure.options?.timeoutSeconds === undefined) waits = skipWaits();
        if (repeated) {
          assert.deepEqual(await exampleCalls[name].send(client), answer);
          assert.equal(server.seen.length, 2);
          assert.deepEqual(
            [server.seen[0]?.body.length, server.seen[0]?.url],
            [server.seen[1]?.body.length, server.seen[1]?.url],
          );
          if (failure.waitsAtLeast !== undefined) {
            const waited = (waits?.waits ?? []).reduce((sum, wait) => sum + wait, 0);
            assert.ok(waited >= failure.waitsAtLeast, `waited ${waited} ms`);
          }
        } else {
          const error = await errorOf(exampleCalls[name].send(client));
          const expected = typeof outcome === "string" ? outcome : outcome(name);
          assert.deepEqual([error.kind, error.outcome, error.operation], [failure.kind, expected, name]);
          assert.equal(server.seen.length, failures);
        }
      });
    }
  }

  for (const [name, send] of [
    [
      "updateLoopItems",
      (c: ServiceClient) =>
        c.updateLoopItems({ taskId: "t", actionId: "a", loopType: "TextList", loopItems: ["x"], isAppend: true }),
    ],
    [
      "updateTaskParameters",
      (c: ServiceClient) =>
        c.updateTaskParameters({
          taskId: "t",
          actions: [
            { actionType: "LoopAction", actionId: "a" },
            {
              actionType: "LoopAction",
              actionId: "b",
              loopItems: { actionId: "b", loopType: "TextList", loopItems: [], isAppend: true },
            },
          ],
        }),
    ],
  ] as const) {
    it(`is not sent again if it appends and its response is lost, and the error says how to check (${name})`, async () => {
      fail = (response) => response.socket?.end();
      failures = 1;
      const error = await errorOf(send(clientFor()));
      assert.deepEqual([error.kind, error.outcome, server.seen.length], ["outcomeUnknown", "unknown", 1]);
      assert.match(error.hint, /getActions/);
    });
  }

  it("ends after maxRetries, with the number of attempts in the message", async () => {
    waits = skipWaits();
    fail = (response) => json(response, 500, "");
    failures = 99;
    const error = await errorOf(exampleCalls.getData.send(clientFor({ maxRetries: 2 })));
    assert.equal(server.seen.length, 3);
    assert.match(error.message, /Tried 3 times\./);
  });

  it("waits between two attempts for a random part of 0.5 s, 1 s, 2 s and so on up to 20 s", async () => {
    fail = (response) => json(response, 500, "");
    failures = 99;
    waits = skipWaits();
    for (const [random, expected] of [
      [0, [0, 0, 0, 0, 0, 0, 0]],
      [0.5, [250, 500, 1000, 2000, 4000, 8000, 10000]],
      [1, [500, 1000, 2000, 4000, 8000, 16000, 20000]],
    ] as const) {
      const chance = sinon.stub(Math, "random").returns(random);
      await errorOf(exampleCalls.getData.send(clientFor({ maxRetries: 7 })));
      chance.restore();
      assert.deepEqual(waits.waits.splice(0), expected);
    }
  });

  it("does not wait for a Retry-After that ends after its deadline", async () => {
    fail = sends(429, "", { "retry-after": "60" });
    failures = 1;
    const error = await errorOf(exampleCalls.getData.send(clientFor({ deadlineSeconds: 60 })));
    assert.equal(error.kind, "rateLimited");
    assert.match(error.message, /would come after the call's deadline/);
  });

  it("waits for a running task at most busyTimeoutSeconds, and then says so", async () => {
    waits = skipWaits();
    fail = (response) => json(response, 400, refusal("TaskExecuting"));
    failures = 999;
    const error = await errorOf(exampleCalls.updateActionProperties.send(clientFor({ busyTimeoutSeconds: 60 })));
    assert.equal(error.kind, "busy");
    assert.match(error.message, /Waited 6\d s for the task/);
    const waited = waits.waits.reduce((sum, wait) => sum + wait, 0);
    assert.ok(waited >= 59_000 && waited <= 61_000, `waited ${waited} ms`);
  });

  it("does not wait for a running task if busyTimeoutSeconds is 0", async () => {
    fail = (response) => json(response, 400, refusal("TaskExecuting"));
    failures = 999;
    assert.equal((await errorOf(exampleCalls.removeData.send(clientFor({ busyTimeoutSeconds: 0 })))).kind, "busy");
    assert.equal(server.seen.length, 1);
  });

  it("has all its retries again after the service has said that the task is running", async () => {
    waits = skipWaits();
    answer = goodAnswer("updateLoopItems");
    failures = 3;
    fail = (response) =>
      server.seen.length === 2 ? json(response, 400, refusal("TaskExecuting")) : json(response, 503, "");
    assert.deepEqual(await exampleCalls.updateLoopItems.send(clientFor({ maxRetries: 1 })), answer);
    assert.equal(server.seen.length, 4);
  });

  it("has an unknown outcome if the response to an earlier attempt was lost, whatever the last response was", async () => {
    waits = skipWaits();
    let turn = 0;
    fail = (response) => {
      turn += 1;
      if (turn === 1) response.socket?.resetAndDestroy();
      else json(response, 400, refusal("InvalidParameter"));
    };
    failures = 2;
    const error = await errorOf(exampleCalls.updateLoopItems.send(clientFor()));
    assert.deepEqual([error.kind, error.outcome], ["refused", "unknown"]);
  });

  it("reports the last response if its deadline passes before the next attempt", async () => {
    const chance = sinon.stub(Math, "random").returns(0);
    const stuck = new AbortController();
    const calls = sinon.spy(Limiter.prototype, "run");
    const deadlines = sinon.stub(clock, "deadline").returns(() => undefined);
    const busy = await startFakeServer(async (_seen, response, turn) => {
      // The third is the second attempt of the first call: it queues behind the second call.
      while (calls.callCount < turn + 1) await new Promise((resolve) => setImmediate(resolve));
      if (turn === 1) json(response, 503, "");
      else deadlines.firstCall.args[1]();
    });
    try {
      const options = { baseUrl: busy.baseUrl, concurrency: 1 };
      const first = errorOf(exampleCalls.getData.send(clientFor(options)));
      // Another client can be faster.
      while (calls.callCount === 0) await new Promise((resolve) => setImmediate(resolve));
      const second = clientFor(options).getData({ taskId: "t", offset: 0, size: 1 }, { signal: stuck.signal });
      const { kind, status } = await first;
      stuck.abort();
      await assert.rejects(second, { kind: "aborted" });
      assert.deepEqual([kind, status, busy.seen.length], ["outcomeUnknown", 503, 2]);
    } finally {
      chance.restore();
      calls.restore();
      deadlines.restore();
      await busy.close();
    }
  });

  it("never reports that nothing was sent if the response to an earlier attempt was lost", async () => {
    waits = skipWaits();
    const file = { open: () => (isLost ? failing() : Readable.from(["https://a.example/"])) };
    let isLost = false;
    for (const [send, kind] of [
      [(c: ServiceClient) => exampleCalls.updateLoopItems.send(c), "outcomeUnknown"],
      [(c: ServiceClient) => c.updateTaskUrls({ taskId: "t", file }), "invalidRequest"],
    ] as const) {
      isLost = false;
      const closing = await startFakeServer((_seen, response) => {
        isLost = true;
        response.socket?.resetAndDestroy();
        if (kind === "outcomeUnknown") void closing.close();
      });
      const error = await errorOf(send(clientFor({ baseUrl: closing.baseUrl, maxRetries: 2 })));
      assert.deepEqual([error.kind, error.outcome], [kind, "unknown"]);
      assert.match(error.message, /The response to an earlier attempt was lost/);
      assert.doesNotMatch(error.message, /Nothing was sent|changed nothing|before a request/);
      if (kind === "invalidRequest") await closing.close();
    }
  });

  it("uses a kept connection if it can be repeated, and a new connection if it must run once", async () => {
    failures = 0;
    const client = clientFor();
    answer = goodAnswer("getData");
    await exampleCalls.getData.send(client);
    await exampleCalls.getData.send(client);
    answer = goodAnswer("startTask");
    await exampleCalls.startTask.send(client);
    await exampleCalls.startTask.send(client);
    const connections = server.seen.map(({ connection }) => connection);
    assert.deepEqual(connections, [1, 1, 2, 3]);
  });

  it("is sent again at once on a new connection if one of two kept ones was closed meanwhile", async () => {
    waits = skipWaits();
    failures = 0;
    answer = goodAnswer("getData");
    const client = clientFor();
    await Promise.all([exampleCalls.getData.send(client), exampleCalls.getData.send(client)]);
    fail = (response) => response.socket?.resetAndDestroy();
    failures = 3;
    await exampleCalls.getData.send(client);
    assert.deepEqual([server.seen.length, waits.waits.filter((wait) => wait > 0)], [4, []]);
    assert.equal(server.seen.at(-1)?.connection, 3);
  });

  for (const name of operationNames) {
    it(`is sent again if there is no connection, and then counts as not executed (${name})`, async () => {
      waits = skipWaits();
      const closed = await startFakeServer(() => undefined);
      await closed.close();
      const client = clientFor({ baseUrl: closed.baseUrl, maxRetries: 2 });
      const error = await errorOf(exampleCalls[name].send(client));
      assert.deepEqual([error.kind, error.outcome], ["unreachable", "notExecuted"]);
      assert.match(error.message, /Tried 3 times\./);
    });
  }

  it("counts as not executed if the connection ends before the TLS handshake is complete", async () => {
    const cutting = net.createServer((socket) => socket.once("data", () => socket.destroy()));
    cutting.listen(0, "127.0.0.1");
    await once(cutting, "listening");
    const { port } = cutting.address() as net.AddressInfo;
    const client = clientFor({ baseUrl: `https://127.0.0.1:${port}`, maxRetries: 0 });
    const error = await errorOf(exampleCalls.startTask.send(client));
    assert.deepEqual([error.kind, error.outcome], ["unreachable", "notExecuted"]);
    cutting.close();
  });

  it("ends at an abort signal, and the error says whether a request was sent", async () => {
    const controller = new AbortController();
    const cut = new Promise<void>((resolve) => {
      fail = (response) => {
        response.socket?.once("close", () => resolve());
        controller.abort();
      };
    });
    failures = 1;
    const error = await errorOf(clientFor().startTask({ taskId: "t" }, { signal: controller.signal }));
    assert.deepEqual([error.kind, error.outcome], ["aborted", "unknown"]);
    await cut;
    const before = await errorOf(clientFor().startTask({ taskId: "t" }, { signal: controller.signal }));
    assert.deepEqual([before.kind, before.outcome, server.seen.length], ["aborted", "notExecuted", 1]);
  });

  it("ends without a retry when its client is closed", async () => {
    const client = clientFor();
    answer = goodAnswer("getData");
    fail = () => client.close();
    failures = 1;
    const error = await errorOf(exampleCalls.getData.send(client));
    assert.deepEqual([error.kind, error.outcome, server.seen.length], ["aborted", "unknown", 1]);
  });

  it("of a closed client is refused without being sent", async () => {
    for (const name of operationNames) {
      const client = clientFor();
      client.close();
      const error = await errorOf(exampleCalls[name].send(client));
      assert.deepEqual([error.kind, error.outcome], ["aborted", "notExecuted"]);
      assert.match(error.message, /the client is closed\. Create a new ServiceClient/);
    }
    const closed = clientFor();
    closed.close();
    await errorOf(closed.rows({ taskId: "t" }).next());
    await errorOf(closed.allSubtasks("t"));
    assert.equal(server.seen.length, 0);
  });

  it("shares its signal with many calls without a warning of Node.js", async () => {
    answer = goodAnswer("getData");
    failures = 0;
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    const { signal } = new AbortController();
    const client = clientFor();
    await Promise.all(
      Array.from({ length: 30 }, () => client.getData({ taskId: "t", offset: 0, size: 1 }, { signal })),
    );
    const readers = Array.from({ length: 30 }, () => client.rows({ taskId: "t" }, { signal }));
    await Promise.all(readers.map((reader) => reader.next()));
    await new Promise(setImmediate);
    process.off("warning", note);
    assert.deepEqual(warnings, []);
  });

  it("accepts a timeout longer than the longest timer", async () => {
    answer = goodAnswer("getData");
    failures = 0;
    const client = clientFor({ timeoutSeconds: 3_000_000, maxRetries: 0 });
    assert.deepEqual(await exampleCalls.getData.send(client), answer);
  });

  it("ends at its deadline, even while it waits", async () => {
    const deadlines = sinon.stub(clock, "deadline").returns(() => undefined);
    fail = () => deadlines.firstCall.args[1]();
    failures = 9;
    const error = await errorOf(clientFor().getData({ taskId: "t", offset: 0, size: 1 }));
    deadlines.restore();
    assert.equal(error.kind, "outcomeUnknown");
    assert.match(error.message, /deadline/);
  });

  it("refuses a response larger than maxResponseBytes", async () => {
    failures = 0;
    answer = { requestId: "q".repeat(5000) };
    const error = await errorOf(clientFor({ maxResponseBytes: 2048 }).markExported({ taskId: "t" }));
    assert.deepEqual([error.kind, error.outcome], ["contract", "unknown"]);
    assert.match(error.message, /larger than 2048 bytes/);
  });

  it("does not follow a redirect, with or without a credential", async () => {
    const elsewhere = await startFakeServer((_seen, response) => json(response, 200, goodAnswer("getData")));
    fail = (response) => response.writeHead(302, { location: elsewhere.baseUrl }).end();
    failures = 1;
    await errorOf(exampleCalls.getData.send(clientFor()));
    assert.equal(elsewhere.seen.length, 0);
    await elsewhere.close();
  });
});

/** A source that cannot be read. */
function failing(): Readable {
  return new Readable({ read: (): void => void 0, construct: (callback) => callback(new Error("it is gone")) });
}
