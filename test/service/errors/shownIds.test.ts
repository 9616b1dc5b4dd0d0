import assert from "node:assert/strict";
import { ServiceClient } from "../../../src/service";
import { quoted, shownId } from "../../internals/service";
import { exampleCalls } from "../calls";
import { json, startFakeServer } from "../fakeServer";
import { errorOf } from "./errorOf";

const ids = [
  ["task-1", "task task-1"],
  ["task 1", "task task 1"],
  ["task-1 ", 'task "task-1 "'],
  [" task-1", 'task " task-1"'],
  ["task-1\t", 'task "task-1\\u0009"'],
  ["task-1\n", 'task "task-1\\u000a"'],
  ["task\u00a01", 'task "task\\u00a01"'],
  ["task-1\u200b", 'task "task-1\\u200b"'],
] as const;

describe("an id in an error", () => {
  for (const [taskId, shown] of ids) {
    it(`is shown so that all of it is seen, in each operation: ${JSON.stringify(taskId)}`, async () => {
      const error = { code: "TaskNotBelongToYou", message: "This task is not yours" };
      const server = await startFakeServer((_seen, response) => json(response, 400, { error, requestId: "r-1" }));
      const client = new ServiceClient({
        baseUrl: server.baseUrl,
        accessToken: "a-token",
        apiKey: "a-key",
        maxRetries: 0,
      });
      const withId = new Proxy(client, {
        get: (_, name: keyof ServiceClient) => (request: object) =>
          (client[name] as (given: object) => Promise<unknown>)({
            ...request,
            ...("taskIds" in request ? { taskIds: [taskId] } : { taskId }),
          }),
      });
      const { refreshToken, ...ofTasks } = exampleCalls;
      for (const [name, { send }] of Object.entries(ofTasks)) {
        const { message } = await errorOf(send(withId));
        assert.ok(message.startsWith(`This account does not have ${shown}. ${name} (`), `${name}: ${message}`);
      }
      await server.close();
    });
  }

  it("keeps white space at its ends also in a message after a lost response", async () => {
    const server = await startFakeServer((_seen, response) => response.destroy());
    const client = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "a-token" });
    const { message } = await errorOf(client.copyTask({ taskId: "task-1 ", taskGroupId: "7 " }));
    assert.match(message, /A copy of task "task-1 " may now exist in group "7 "\./);
    await server.close();
  });

  it("is cut after 300 characters, and a quoted name too", () => {
    assert.equal(shownId("x".repeat(400)), `"${"x".repeat(300)}…"`);
    assert.equal(quoted(`${"x".repeat(299)}  y`), `"${"x".repeat(299)} …"`);
  });
});
