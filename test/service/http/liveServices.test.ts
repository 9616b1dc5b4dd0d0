import assert from "node:assert/strict";
import { startEmulator } from "webextract-emulator";
import type { OperationName, ServiceClientOptions } from "../../../src/service";
import { isServiceError, ServiceClient } from "../../../src/service";
import { allTests } from "../../eachTest";
import { exampleCalls } from "../calls";
import { json, startFakeServer } from "../fakeServer";

const names = Object.keys(exampleCalls) as OperationName[];
/** Operations without data in the response, by the contract. */
const without = names.filter((name) => exampleCalls[name].data === undefined);
/** Operations whose data says only that the change was made. */
const onlySaid = ["updateActionProperties", "updateLoopItems", "updateTaskParameters"];
/** No data is a list without items. */
const lists = ["getSubtasks"];

describe("what operators report of live services", () => {
  const server = allTests(() => startFakeServer((_seen, response) => json(response, 200, { ...body, requestId: "q" })));
  let body: object;

  const send = async (name: OperationName, options: Partial<ServiceClientOptions> = {}): Promise<unknown> => {
    const client = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "t", apiKey: "k", ...options });
    try {
      return await exampleCalls[name].send(client).catch((error: unknown) => error);
    } finally {
      client.close();
    }
  };
  const words = { error: "success", error_Description: "Operation successes" };

  for (const name of without) {
    it(`${name} succeeds with data null, and with words of success`, async () => {
      for (const more of [{}, words, { error: "OK" }, { error: "None" }, { error: "" }, { error: "0" }, { error: 0 }]) {
        for (const data of [{ data: null }, {}]) {
          body = { ...data, ...more };
          assert.ok(!((await send(name)) instanceof Error), JSON.stringify(body));
        }
      }
      body = { data: null, error: { code: "Success", message: "Operation successes" } };
      assert.ok(!((await send(name)) instanceof Error));
      for (const data of [null, false, {}, [], "", 0]) {
        body = { data, error: "TaskExecuting", error_Description: "it runs" };
        const failure = await send(name, { busyTimeoutSeconds: 0 });
        assert.ok(isServiceError(failure, "busy"), `words of a refusal stay one: ${JSON.stringify(body)}`);
      }
    });
  }

  for (const name of names.filter((each) => !without.includes(each))) {
    it(`${name} succeeds with words of success beside its data, and ${[...onlySaid, ...lists].includes(name) ? "without data" : "is not complete without data"}`, async () => {
      const { data } = exampleCalls[name];
      body = { data, ...words };
      assert.deepEqual((await send(name)) instanceof Error, false);
      body = { data: null, ...words };
      const result = await send(name);
      assert.equal(
        isServiceError(result, "contract"),
        !onlySaid.includes(name) && !lists.includes(name),
        String(result),
      );
      body = { data: null, requestId: "r-1" };
      const unsaid = await send(name);
      const isRefused = isServiceError(unsaid, "contract");
      assert.equal(isRefused, !lists.includes(name), "without words, nothing says that it was done");
    });
  }

  it("an error that is a number, or only true, is no success", async () => {
    for (const error of [7, -1, true]) {
      for (const data of [{ data: null }, { data: false }, {}]) {
        for (const more of [{}, { message: "not allowed" }, { error_Description: "not allowed" }]) {
          body = { ...data, error, ...more };
          const failure = await send("markExported");
          assert.ok(isServiceError(failure, "refused"), JSON.stringify(body));
          assert.equal(failure.outcome, "unknown");
        }
      }
      body = { data: null, error: false };
      assert.ok(!((await send("markExported")) instanceof Error));
    }
  });

  it("an error beside an empty list is no empty list", async () => {
    body = { data: [], error: "Invalid.Token", error_Description: "it has expired" };
    for (const name of ["getSubtasks", "getActions"] as const) {
      assert.ok(isServiceError(await send(name), "credential"), name);
    }
  });

  it("a success in words needs no requestId, so that no copy and no run gets lost with it", async () => {
    const older = await startFakeServer((_seen, response) => json(response, 200, body));
    try {
      for (const name of names) {
        const { data = null } = exampleCalls[name];
        body = { data, ...words };
        const result = await send(name, { baseUrl: older.baseUrl });
        assert.deepEqual(result, { ...body, data: data ?? undefined, requestId: "" }, name);
        body = { data };
        const hasMade = ["copyTask", "startTask"].includes(name);
        assert.equal(isServiceError(await send(name, { baseUrl: older.baseUrl }), "contract"), !hasMade, name);
      }
      body = { data: exampleCalls.getData.data, ...words };
      const client = new ServiceClient({ baseUrl: older.baseUrl, accessToken: "t" });
      for await (const page of client.rows({ taskId: "t" }, { offset: 5 })) assert.equal(page.count, 1);
      client.close();
    } finally {
      await older.close();
    }
  });

  it("a start that responds with true or with words may have started a run, and is sent once", async () => {
    for (const response of [{ data: true }, { data: null }, { ...words }, { data: true, ...words }]) {
      body = response;
      server.seen.length = 0;
      const failure = await send("startTask");
      assert.ok(isServiceError(failure, "contract"));
      assert.equal(failure.outcome, "unknown");
      assert.match(failure.message, /A run of task t 1 may have started, and may be billed/);
      assert.equal(server.seen.length, 1);
    }
  });

  it("no request carries two credentials, whichever are configured", async () => {
    body = { data: null };
    for (const credentials of ["contract", "bearer", "apiKey"] as const) {
      server.seen.length = 0;
      for (const name of names) await send(name, { credentials });
      for (const { url, headers } of server.seen) {
        assert.ok(headers.authorization === undefined || headers["x-api-key"] === undefined, url);
      }
      assert.equal(server.seen.length, names.length);
    }
  });

  it("a plan can be needed for every operation, and the error says so", async () => {
    const emulator = await startEmulator({ behaviour: { plansNeeded: "everyOperation" } });
    emulator.setPlan("free");
    try {
      for (const name of names.filter((each) => each !== "refreshToken")) {
        for (const errorStatus of ["usual", "all400"] as const) {
          emulator.setBehaviour({ errorStatus });
          const failure = await send(name, { baseUrl: emulator.url, ...emulator.credentials });
          assert.ok(isServiceError(failure, "plan"), `${name}: ${failure}`);
          assert.equal(failure.outcome, "notExecuted");
          assert.match(failure.hint, /plan: check the account's plan and rights\.$/);
        }
      }
    } finally {
      await emulator.close();
    }
  });
});
