// Run it with: npx mocha rows.test.mjs
import assert from "node:assert/strict";
import { startEmulator } from "webextract-emulator";

let emulator;
before(async () => {
  emulator = await startEmulator();
});
beforeEach(() => emulator.reset());
after(() => emulator.close());

/** What your code does: reads the rows of a task. */
async function readRows(taskId) {
  const query = new URLSearchParams({ taskId, offset: "0", size: "10" });
  const headers = { authorization: `Bearer ${emulator.credentials.accessToken}` };
  const response = await fetch(`${emulator.url}/data/all?${query}`, { headers });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return (await response.json()).data.data;
}

it("reads the rows of a task", async () => {
  emulator.change.insertRows("demo-template", [{ title: "The Long Ferry" }]);
  assert.deepEqual(await readRows("demo-template"), [{ title: "The Long Ferry" }]);
});

it("fails when the service is not available", async () => {
  emulator.fault({ operation: "getData", kind: "status", status: 503 });
  await assert.rejects(readRows("demo-template"), /status 503/);
  assert.equal(emulator.requests.length, 1);
});
