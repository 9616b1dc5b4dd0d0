import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { request as httpRequest } from "node:http";
import { allTests } from "../../test/eachTest";
import { call, credentialOf, data, refusal, startWith } from "./caller";
import { main } from "./emulatorProcess";

describe("an unusual request", () => {
  const emulator = allTests(() => startWith());

  it("is refused if an integer is not written as one", async () => {
    for (const offset of ["Infinity", "1e400", "0x10", "1.0", "9".repeat(400), " 1", "+1"]) {
      const answer = await call(emulator, "getData", { fields: { taskId: "template", offset, size: 1 } });
      assert.deepEqual([answer.status, answer.json.error?.message], [400, "offset must be integer"], offset);
    }
    assert.equal((await data(emulator, "getData", { taskId: "template", offset: 16, size: 1 })).offset, 16);
  });

  it("is refused if a required value is empty, with the path of the value", async () => {
    const named = async (name: Parameters<typeof call>[1], fields: Record<string, unknown>) =>
      (await call(emulator, name, { fields })).json.error;
    const required = (message: string) => ({ code: "InvalidParameter.Required", message });
    assert.deepEqual(await named("removeData", { taskId: "" }), required("taskId is required"));
    assert.deepEqual(
      await named("stopSubtasks", { taskId: "template", subTaskIds: [] }),
      required("subTaskIds is required"),
    );
    const actions = [{ actionId: "open", actionType: "NavigateAction", properties: [{ name: "", value: "" }] }];
    assert.deepEqual(
      await named("updateActionProperties", { taskId: "template", actions }),
      required("actions.0.properties.0.name is required"),
    );
    assert.equal(
      await refusal(emulator, "getData", { fields: { taskId: "template", offset: 0, size: 0 } }),
      "400 InvalidParameter",
    );
  });

  it("gets an error in the form of all errors if its path cannot be decoded", async () => {
    const response = await fetch(`${emulator.url}/data/%zz`);
    assert.equal(response.status, 400);
    const { error, requestId } = (await response.json()) as { error: { code: string }; requestId: string };
    assert.equal(error.code, "InvalidParameter");
    assert.equal(emulator.requests.at(-1)?.requestId, requestId);
  });

  it("gets 405 for a method that needs a body, too", async () => {
    const response = await fetch(`${emulator.url}/data/all`, { method: "QUERY" });
    assert.deepEqual([response.status, response.headers.get("allow")], [405, "GET"]);
  });

  it("gets 405 with the allowed methods if only its method is unknown", async () => {
    for (const [path, allowed] of [
      ["/data/all", "GET"],
      ["/task/urls:file", "POST"],
      ["/token", "POST"],
    ] as const) {
      const response = await fetch(`${emulator.url}${path}`, { method: "DELETE" });
      assert.deepEqual([response.status, response.headers.get("allow")], [405, allowed]);
      assert.equal(((await response.json()) as { error: { code: string } }).error.code, "MethodNotAllowed");
    }
    assert.equal((await fetch(`${emulator.url}/token/refresh`)).status, 404);
    assert.equal((await fetch(`${emulator.url}/data/none`, { method: "POST" })).status, 404);
  });

  it("is not kept if it is long and has no known credential, and is kept otherwise", async () => {
    const fields = { taskId: "template", actionTypes: ["x".repeat(70_000)], taskIds: ["template"] };
    const unknown = { headers: { authorization: "Bearer nobody" } };
    assert.equal(await refusal(emulator, "getActions", { fields, ...unknown }), "401 Invalid.Token");
    assert.equal(emulator.requests.at(-1)?.body, undefined);
    assert.equal((await call(emulator, "getActions", { fields })).status, 200);
    assert.deepEqual(emulator.requests.at(-1)?.body, fields);

    const file = "http://127.0.0.1/\n".repeat(5000);
    const upload = { fields: { taskId: "template" }, file };
    assert.equal(
      await refusal(emulator, "updateTaskUrls", { ...upload, headers: { "x-api-key": "no" } }),
      "401 Invalid.Token",
    );
    assert.deepEqual(emulator.requests.at(-1)?.body, { taskId: "template", file: undefined });
    assert.equal((await call(emulator, "updateTaskUrls", upload)).status, 200);
    assert.equal(emulator.inspect.startUrls("template").length, 5000);

    const grant = { grant_type: "refresh_token", refresh_token: "x".repeat(70_000) };
    const refused = await call(emulator, "refreshToken", { fields: grant });
    assert.deepEqual([refused.status, refused.json.error?.message], [400, "the body is longer than 65536 bytes"]);
  });

  it("is read to its end before it is refused", async () => {
    const headers = { ...credentialOf(emulator, "bearer"), authorization: "Bearer nobody" };
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(`${emulator.url}/task/getActions`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json", "content-length": 1_000_000 },
      });
      request.once("response", (response) => resolve(response.statusCode)).once("error", reject);
      request.write("x".repeat(500_000), () => request.end("x".repeat(500_000)));
    });
    assert.equal(status, 401);
  });
});

describe("webextract-emulator whose output is closed", () => {
  it("continues to respond", async () => {
    const child = spawn(process.execPath, [main, "--port", "0"]);
    const ended = new Promise((resolve) => child.once("close", resolve));
    let output = "";
    for await (const text of child.stdout.setEncoding("utf8")) {
      output += text;
      if (/webextract:apiKey/.test(output)) break;
    }
    const url = /webextract:baseUrl (http:\S+)/.exec(output)?.[1];
    child.stdout.destroy();
    for (let request = 0; request < 5; request += 1) assert.equal((await fetch(`${url}/data/all`)).status, 401);
    child.kill("SIGTERM");
    assert.equal(await ended, 0);
  });
});
