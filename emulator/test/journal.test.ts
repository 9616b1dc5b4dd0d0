import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { ServiceClient } from "../../src/service";
import { operations } from "../../test/internals/service";
import { exampleCalls, operationNames } from "../../test/service/calls";
import { call, startWith, template } from "./caller";

const emulatorSeed = { taskGroups: [{ taskGroupId: "group" }], tasks: [template] };

describe("the emulator's journal", () => {
  it("holds each request, in order", async () => {
    const emulator = await startWith();
    const file = "http://a/\n\nhttp://b/\n";
    await call(emulator, "copyTask", { fields: { taskId: "template", taskGroupId: "group" } });
    await call(emulator, "updateTaskUrls", { fields: { taskId: "template" }, file });
    await call(emulator, "startTask", { fields: { taskId: "nope" } });
    await call(emulator, "getData", { path: "/none" });
    const shown = emulator.requests.map(({ operation, method, path, query, body, status, credential }) => ({
      operation,
      method,
      path,
      query,
      body,
      status,
      credential,
    }));
    const sha256 = createHash("sha256").update(file).digest("hex");
    assert.deepEqual(shown, [
      {
        operation: "copyTask",
        method: "POST",
        path: "/task/copy",
        query: { taskId: "template", taskGroupId: "group" },
        body: undefined,
        status: 200,
        credential: "bearer",
      },
      {
        operation: "updateTaskUrls",
        method: "POST",
        path: "/task/urls:file",
        query: {},
        body: { taskId: "template", file: { name: "urls.txt", bytes: file.length, sha256, lines: 2 } },
        status: 200,
        credential: "apiKey",
      },
      {
        operation: "startTask",
        method: "POST",
        path: "/cloudextraction/start",
        query: {},
        body: { taskId: "nope" },
        status: 400,
        credential: "bearer",
      },
      {
        operation: "unknown",
        method: "GET",
        path: "/none",
        query: {},
        body: undefined,
        status: 404,
        credential: "bearer",
      },
    ]);
    assert.match(emulator.requests[1]?.contentType ?? "", /^multipart\/form-data; boundary=/);
    emulator.clearRequests();
    assert.deepEqual(emulator.requests, []);
    await emulator.close();
  });

  it("holds no credential: no valid, wrong or newly issued one", async () => {
    const emulator = await startWith();
    const before = { ...emulator.credentials };
    const options = { baseUrl: emulator.url, maxRetries: 0 };
    const wrong = { accessToken: "wrong-access-token", apiKey: "wrong-api-key" };
    for (const given of [before, wrong]) {
      const client = new ServiceClient({ ...options, accessToken: given.accessToken, apiKey: given.apiKey });
      for (const { send } of Object.values(exampleCalls)) await send(client).catch(() => undefined);
      for (const refresh_token of [emulator.credentials.refreshToken, "wrong-refresh-token"]) {
        await client.refreshToken({ refresh_token, grant_type: "refresh_token" }).catch(() => undefined);
      }
      client.close();
    }
    const journal = JSON.stringify(emulator.requests);
    await emulator.close();
    const tokens = [...Object.values(before), ...Object.values(emulator.credentials), ...Object.values(wrong)];
    for (const token of [...tokens, "wrong-refresh-token"]) assert.ok(!journal.includes(token), token);
    assert.ok(emulator.requests.length > operationNames.length, "both clients were heard");
  });

  it("holds no credential of the headers User-Agent and Content-Type", async () => {
    const emulator = await startWith();
    const { accessToken, apiKey } = emulator.credentials;
    const headers = { "user-agent": `curl ${accessToken}`, "content-type": `text/plain; boundary=${apiKey}` };
    await call(emulator, "getData", { path: "/none", headers });
    const [entry] = emulator.requests;
    assert.deepEqual([entry?.userAgent, entry?.contentType], ["curl [secret]", "text/plain; boundary=[secret]"]);
    await emulator.close();
  });

  it("holds no long field of a form without a known credential", async () => {
    const emulator = await startWith();
    const taskId = "x".repeat(900_000);
    const send = (headers?: Record<string, string>) =>
      call(emulator, "updateTaskUrls", { fields: { taskId }, file: "http://a/\n", headers });
    assert.equal((await send({})).status, 401);
    assert.equal((await send()).status, 400);
    const lengths = emulator.requests.map((entry) => JSON.stringify(entry.body).length);
    assert.ok((lengths[0] ?? 0) < 65_536 && (lengths[1] ?? 0) > 900_000, String(lengths));
    await emulator.close();
  });

  it("holds no form of many fields without a known credential, and the connection lives", async () => {
    const emulator = await startWith();
    const extra = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field${index}`, "x".repeat(50_000)]));
    const file = "http://a/\n".repeat(100_000);
    const send = (headers?: Record<string, string>) =>
      call(emulator, "updateTaskUrls", { fields: { taskId: "template", ...extra }, file, headers });
    assert.equal((await send({})).status, 401);
    assert.equal((await send()).status, 200);
    assert.deepEqual(
      emulator.requests.map(({ body }) => body !== undefined),
      [false, true],
    );
    await emulator.close();
  });

  it("has the requestId of the response", async () => {
    const emulator = await startWith();
    const { json } = await call(emulator, "startTask", { fields: { taskId: "template" } });
    assert.equal(emulator.requests[0]?.requestId, json.requestId);
    await emulator.close();
  });

  it("keeps the newest requests and short lists", async () => {
    const emulator = await startWith([], { journalLimit: 2 });
    const loopItems = Array.from({ length: 10_001 }, () => "x");
    for (const taskId of ["a", "b", "c"]) {
      await call(emulator, "updateLoopItems", { fields: { taskId, actionId: "loop", loopType: "UrlList", loopItems } });
    }
    assert.deepEqual(
      emulator.requests.map(({ body }) => body),
      ["b", "c"].map((taskId) => ({ taskId, actionId: "loop", loopType: "UrlList", loopItems: { length: 10_001 } })),
    );
    await emulator.close();
  });

  it("keeps its operations, paths and names of fields, whatever words the credentials are", async () => {
    const words = ["a", "task", "data", "taskId", "copy", "POST", "api", "1", "-", ".", "$&", "(?", "[secret]"];
    for (const [index, accessToken] of words.entries()) {
      const [refreshToken, apiKey] = [`${words[(index + 1) % words.length]}`, `${words[(index + 2) % words.length]}`];
      const lines: string[] = [];
      const emulator = await startWith([], { log: (line) => lines.push(line) });
      const credentials = { accessToken, refreshToken, apiKey };
      await emulator.seed({ ...emulatorSeed, credentials });
      for (const name of operationNames) await call(emulator, name, { fields: { taskId: "another-one" } });
      assert.deepEqual(
        emulator.requests.map(({ operation, path }) => [operation, path]),
        operationNames.map((name) => [name, operations[name].path]),
      );
      assert.deepEqual(
        lines.map((line) => line.split(/[ ?]/)[1]),
        operationNames.map((name) => operations[name].path),
      );
      for (const { query, body } of emulator.requests) {
        for (const key of Object.keys({ ...query, ...(body as object) })) assert.doesNotMatch(key, /secret/);
      }
      const copied = emulator.findRequests({ operation: "copyTask" })[0];
      assert.equal(copied?.query.taskId, "another-one", "a credential inside of a word is no credential");
      await call(emulator, "getData", { fields: { taskId: `is ${accessToken} here`, offset: 0, size: 1 } });
      await call(emulator, "getData", { fields: { taskId: accessToken, offset: 0, size: 1 } });
      assert.deepEqual(
        emulator.requests.slice(-2).map(({ query }) => query.taskId),
        ["is [secret] here", "[secret]"],
      );
      await emulator.close();
    }
  });

  it("holds no long credential, also inside of a word or as the name of a field", async () => {
    const emulator = await startWith();
    const given = {
      accessToken: "given-access-token-1",
      refreshToken: "given-refresh-(1)",
      apiKey: "given-key-$&-1234",
    };
    const minted = emulator.credentials;
    const send = async (secret: string) => {
      await call(emulator, "startTask", { fields: { taskId: `x${secret}y`, [`x${secret}`]: [{ [secret]: secret }] } });
      await call(emulator, "getData", { path: `/${encodeURIComponent(`x${secret}y`)}`, fields: { [secret]: secret } });
    };
    for (const secret of Object.values(minted)) await send(secret);
    const before = JSON.stringify(emulator.requests);
    await emulator.seed({ ...emulatorSeed, credentials: given });
    for (const secret of [...Object.values(minted), ...Object.values(given)]) await send(secret);
    const journal = before + JSON.stringify(emulator.requests);
    for (const secret of [...Object.values(minted), ...Object.values(given)]) {
      assert.ok(!journal.includes(secret), secret);
    }
    await emulator.close();
  });
});
