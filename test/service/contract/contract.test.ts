import assert from "node:assert/strict";
import type { OperationName } from "../../../src/service";
import { ServiceClient } from "../../../src/service";
import { exampleCalls, goodAnswer, operationNames, urls } from "../calls";
import type { FakeServer } from "../fakeServer";
import { json, startFakeServer } from "../fakeServer";

/** Method, path with query, credential and body of each operation, written by hand from the contract. */
const golden: { [Name in OperationName]: { line: string; credential: string; body: unknown } } = {
  refreshToken: {
    line: "POST /token",
    credential: "none",
    body: { refresh_token: "r-0", grant_type: "refresh_token" },
  },
  updateTaskParameters: {
    line: "POST /task/updateTaskParameters",
    credential: "Bearer a-0",
    body: {
      taskId: "t 1",
      actions: [
        {
          actionType: "LoopAction",
          actionId: "a1",
          properties: [{ name: "n", value: "v" }],
          loopItems: { actionId: "a1", loopType: "TextList", loopItems: ["x", "ü"], isAppend: false },
        },
      ],
    },
  },
  updateTaskUrls: { line: "POST /task/urls:file", credential: "x-api-key k-0", body: undefined },
  updateActionProperties: {
    line: "POST /task/updateActionProperties",
    credential: "Bearer a-0",
    body: {
      taskId: "t 1",
      actions: [
        { actionType: "NavigateAction", actionId: "a1", properties: [{ name: "Url", value: "https://a.example/" }] },
      ],
    },
  },
  updateLoopItems: {
    line: "POST /task/updateLoopItems",
    credential: "Bearer a-0",
    body: { taskId: "t 1", actionId: "a1", loopType: "TextList", loopItems: ["x"], isAppend: false },
  },
  getActions: {
    line: "POST /task/getActions",
    credential: "Bearer a-0",
    body: { taskIds: ["t 1"], actionTypes: ["LoopAction"] },
  },
  startTask: { line: "POST /cloudextraction/start", credential: "Bearer a-0", body: { taskId: "t 1" } },
  startSubtasks: {
    line: "POST /cloudextraction/subtasks:start",
    credential: "Bearer a-0",
    body: { taskId: "t 1", subTaskIds: ["s1", "s2"] },
  },
  stopSubtasks: {
    line: "POST /cloudextraction/subtasks:stop",
    credential: "Bearer a-0",
    body: { taskId: "t 1", subTaskIds: ["s1"] },
  },
  getSubtasks: {
    line: "GET /cloudextraction/task/subtasks?taskId=t%201&page=1&size=20",
    credential: "Bearer a-0",
    body: "",
  },
  getBatchData: {
    line: "GET /data/lotno/all?taskId=t%201&lotno=638755274101861606&offset=0&size=10",
    credential: "Bearer a-0",
    body: "",
  },
  getData: { line: "GET /data/all?taskId=t%201&offset=5&size=10", credential: "Bearer a-0", body: "" },
  getNotExportedData: { line: "GET /data/notexported?taskId=t%201&size=10", credential: "Bearer a-0", body: "" },
  markExported: { line: "POST /data/markexported", credential: "Bearer a-0", body: { taskId: "t 1" } },
  removeData: { line: "POST /data/remove", credential: "Bearer a-0", body: { taskId: "t 1" } },
  copyTask: { line: "POST /task/copy?taskId=t%201&taskGroupId=g%262", credential: "Bearer a-0", body: "" },
};

describe("the contract, operation by operation", () => {
  let server: FakeServer;
  let client: ServiceClient;
  let answer: unknown;

  beforeEach(async () => {
    server = await startFakeServer((_seen, response) => json(response, 200, answer));
    client = new ServiceClient({
      baseUrl: `${server.baseUrl}/prefix/`,
      accessToken: "a-0",
      apiKey: "k-0",
      maxRetries: 0,
    });
  });
  afterEach(async () => {
    client.close();
    await server.close();
  });

  for (const name of operationNames) {
    it(`${name} sends exactly the fields of the contract, and returns the whole response`, async () => {
      answer = { ...goodAnswer(name), extra: 1 };
      const returned = await exampleCalls[name].send(client);
      assert.deepEqual(returned, answer);
      const [seen] = server.seen;
      assert.ok(seen);
      assert.equal(server.seen.length, 1);
      assert.equal(`${seen.method} ${seen.url}`, golden[name].line.replace(" ", " /prefix"));
      assert.equal(credentialIn(seen.headers), golden[name].credential);
      assert.match(String(seen.headers["user-agent"]), /^pulumi-webextract\/\d+\.\d+\.\d+/);
      if (name === "updateTaskUrls") {
        checkMultipart(seen.headers, seen.body);
      } else if (golden[name].body === "") {
        assert.equal(seen.body, "");
        assert.equal(seen.headers["transfer-encoding"], undefined);
      } else {
        assert.equal(seen.headers["content-type"], "application/json");
        assert.deepEqual(JSON.parse(seen.body), golden[name].body);
      }
    });

    if (!["copyTask", "startTask"].includes(name)) {
      it(`${name} refuses a response without a requestId, and the error names the field`, async () => {
        answer = { ...goodAnswer(name), requestId: 7 };
        await assert.rejects(exampleCalls[name].send(client), {
          kind: "contract",
          message: /requestId must be a string; got a number/,
        });
      });
    }

    if (exampleCalls[name].data !== undefined) {
      it(`${name} refuses a response without data`, async () => {
        answer = { requestId: "q" };
        await assert.rejects(exampleCalls[name].send(client), {
          kind: "contract",
          message: /data is missing: it must be .*/,
        });
        // A list of subtasks that is null is empty.
        answer = { requestId: "q", data: null };
        const sent = exampleCalls[name].send(client);
        await (name === "getSubtasks"
          ? assert.doesNotReject(sent)
          : assert.rejects(sent, { kind: "contract", message: /data is missing: it must be .*/ }));
      });
    }
  }

  it("loses neither a run nor a copy because of a field beside its id", async () => {
    const lotNo = "638755274101861606";
    for (const more of [{}, { status: null }, { status: { code: 1 } }, { status: "" }]) {
      answer = { requestId: "q", data: { lotNo, ...more } };
      assert.deepEqual(await exampleCalls.startTask.send(client), { requestId: "q", data: { lotNo, status: "" } });
    }
    answer = `{"data": {"lotNo": ${lotNo}, "status": 1}, "requestId": null}`;
    assert.deepEqual(await exampleCalls.startTask.send(client), { requestId: "", data: { lotNo, status: "1" } });
    answer = { data: { taskId: "t 2", name: "copy" } };
    const copied = { requestId: "", data: { taskId: "t 2", name: "copy" } };
    assert.deepEqual(await exampleCalls.copyTask.send(client), copied);
    for (const wrong of ["", null, { id: 1 }, 1.5]) {
      answer = { requestId: "q", data: { lotNo: wrong, status: "waiting" } };
      await assert.rejects(exampleCalls.startTask.send(client), { kind: "contract", message: /data\.lotNo / });
    }
  });

  it("names the path of a wrong field deep inside a response, and never its value", async () => {
    answer = {
      requestId: "q",
      data: [
        { subTaskId: "s1", status: "ok" },
        { subTaskId: "s2", status: { secret: "hush" } },
      ],
    };
    await assert.rejects(client.getSubtasks({ taskId: "t", page: 1, size: 2 }), (error: Error) => {
      assert.match(error.message, /data\[1\]\.status must be a string; got a map/);
      assert.doesNotMatch(error.message, /hush/);
      return true;
    });
  });

  for (const total of ["1e308", "-1e400", "0.5"]) {
    it(`accepts no count ${total}`, async () => {
      answer = `{"requestId":"q","data":{"data":[],"offset":0,"restTotal":0,"total":${total}}}`;
      await assert.rejects(client.getData({ taskId: "t", offset: 0, size: 2 }), {
        message: /data\.total must be an integer; got another number/,
      });
    });
  }

  it("refuses an id with half of a surrogate pair, which could not be stored", async () => {
    answer = { requestId: "q", data: { taskId: "copy-\ud800" } };
    await assert.rejects(client.copyTask({ taskId: "t", taskGroupId: "g" }), {
      message: /data\.taskId must be a non-empty string; got a string with half of a surrogate pair/,
    });
  });

  it("names the requestId of a response that breaks the contract", async () => {
    answer = { requestId: "q-17", data: null };
    await assert.rejects(client.startTask({ taskId: "t" }), { requestId: "q-17", message: /requestId q-17\./ });
  });

  it("keeps all digits of a batch number that the service sends as a number", async () => {
    answer = '{"data":{"lotNo":638755274101861606,"status":"waiting"},"requestId":"q"}';
    const started = await client.startTask({ taskId: "t" });
    assert.equal(started.data.lotNo, "638755274101861606");
  });

  it("keeps all digits of long integers in free-form parts, and leaves strings that look like integers unchanged", async () => {
    answer =
      '{"data":{"taskId":"t","updatedParameters":{"a":12345678901234567890,"b":"1: 12345678901234567890","c":0.12345678901234567890,"d":1234567890123456}},"requestId":"q"}';
    const { data } = await client.updateTaskParameters({ taskId: "t", actions: [] });
    assert.deepEqual(data.updatedParameters, {
      a: "12345678901234567890",
      b: "1: 12345678901234567890",
      c: 0.12345678901234568,
      d: 1234567890123456,
    });
  });

  it("converts an id that the service sends as a short number to a string", async () => {
    answer = { requestId: "q", data: { taskId: 42 } };
    assert.equal((await client.copyTask({ taskId: "t", taskGroupId: "g" })).data.taskId, "42");
  });

  it("accepts expires_in as a number and as a numeric string", async () => {
    for (const expires_in of [86399, "86399"]) {
      answer = { requestId: "q", data: { access_token: "a", expires_in, token_type: "Bearer", refresh_token: "r" } };
      const { data } = await client.refreshToken({ refresh_token: "r", grant_type: "refresh_token" });
      assert.equal(data.expires_in, expires_in);
    }
  });

  it("refuses an invalid request without sending it", async () => {
    await assert.rejects(client.getData({ taskId: "t", offset: -1, size: 10 }), {
      kind: "invalidRequest",
      message: /offset/,
    });
    await assert.rejects(client.startTask({ taskId: "" }), { kind: "invalidRequest", message: /taskId/ });
    assert.equal(server.seen.length, 0);
  });

  it("sends no half of a surrogate pair, which has no UTF-8", async () => {
    const seen = server.seen.length;
    for (const taskId of ["\ud800", "t\udc00x"]) {
      const file = { open: () => assert.fail("opened") };
      for (const call of [
        () => client.getSubtasks({ taskId, page: 1, size: 1 }),
        () => client.getData({ taskId, offset: 0, size: 1 }),
        () => client.startTask({ taskId }),
        () => client.updateTaskUrls({ taskId, file } as never),
      ]) {
        await assert.rejects(async () => call(), { kind: "invalidRequest", message: /taskId must be .*surrogate/ });
      }
    }
    assert.equal(server.seen.length, seen);
  });

  it("reports how many more tasks an error is about than it names", async () => {
    const ask = (count: number) =>
      client.getActions({
        taskIds: Array.from({ length: count }, (_, index) => `t${index}`),
        actionTypes: [1 as unknown as string],
      });
    await assert.rejects(ask(8), { message: /task t0, t1, t2, t3, t4 and 3 more\)/ });
    await assert.rejects(ask(5), { message: /task t0, t1, t2, t3, t4\)/ });
  });
});

function credentialIn(headers: NodeJS.Dict<string | string[]>): string {
  const bearer = headers.authorization;
  const key = headers["x-api-key"];
  if (bearer !== undefined && key !== undefined) return "both";
  if (bearer !== undefined) return String(bearer);
  return key === undefined ? "none" : `x-api-key ${key}`;
}

function checkMultipart(headers: NodeJS.Dict<string | string[]>, body: string): void {
  const boundary = /^multipart\/form-data; ?boundary=(.+)$/.exec(String(headers["content-type"]))?.[1];
  assert.ok(boundary);
  assert.equal(headers["content-length"], String(body.length));
  const parts = body.split(`--${boundary}`).slice(1, -1);
  assert.equal(parts.length, 2);
  assert.match(parts[0] ?? "", /name="taskId"\r\n\r\nt 1\r\n$/);
  assert.match(parts[1] ?? "", /name="file"; filename="urls\.txt"\r\n/);
  assert.ok(parts[1]?.endsWith(`\r\n\r\n${urls}\r\n`));
}
