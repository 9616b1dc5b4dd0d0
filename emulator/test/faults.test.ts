import assert from "node:assert/strict";
import { admin } from "./admin/adminCaller";
import { call, data, useEmulator } from "./caller";

describe("a fault of the emulator", () => {
  const emulator = useEmulator();

  const copy = () => call(emulator, "copyTask", { fields: { taskId: "template", taskGroupId: "group" } });
  const copies = () => emulator.inspect.tasks().length - 1;

  it("loses the response before or after the effect", async () => {
    emulator.fault({ operation: "copyTask", kind: "reset" });
    await assert.rejects(copy());
    assert.equal(copies(), 0);
    emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
    await assert.rejects(copy());
    assert.equal(copies(), 1);
    assert.deepEqual(
      emulator.requests.map(({ status, tookEffect }) => [status, tookEffect]),
      [
        [0, false],
        [0, true],
      ],
    );
  });

  it("applies to its operation only, and to the given number of requests", async () => {
    emulator.fault({ operation: "copyTask", kind: "status", status: 503, times: 2, skip: 1 });
    await data(emulator, "getSubtasks", { taskId: "template", page: 1, size: 1 });
    const statuses = [(await copy()).status, (await copy()).status, (await copy()).status, (await copy()).status];
    assert.deepEqual(statuses, [200, 503, 503, 200]);
  });

  it("sends any status, body and headers", async () => {
    emulator.fault({ operation: "*", kind: "status", status: 200, body: { no: "data" }, headers: { "x-proxy": "1" } });
    const answer = await copy();
    assert.deepEqual([answer.status, answer.text, answer.headers.get("x-proxy")], [200, '{"no":"data"}', "1"]);
    emulator.fault({ operation: "*", kind: "status", status: 502, when: "after" });
    assert.match((await copy()).text, /<html>/);
    assert.equal(copies(), 1);
  });

  it("sends an error of the service", async () => {
    emulator.fault({ operation: "copyTask", kind: "error", code: "TaskExecuting" });
    const { status, json } = await copy();
    assert.deepEqual([status, json.error?.code], [400, "TaskExecuting"]);
  });

  it("truncates the body, or sends it slowly, late or with another type", async () => {
    emulator.fault({ operation: "copyTask", kind: "truncated" });
    await assert.rejects(copy());
    emulator.fault({ operation: "copyTask", kind: "cutOff" });
    const { status, text } = await copy();
    assert.deepEqual([status, text.startsWith("{"), text.endsWith("}")], [200, true, false]);
    emulator.fault({ operation: "copyTask", kind: "slow", delayMs: 1 });
    assert.equal((await copy()).status, 200);
    emulator.fault({ operation: "copyTask", kind: "late", delayMs: 1 });
    assert.equal((await copy()).status, 200);
    emulator.fault({ operation: "copyTask", kind: "late", when: "before", delayMs: 1 });
    assert.equal((await copy()).status, 200);
    emulator.fault({ operation: "copyTask", kind: "wrongType" });
    assert.match((await copy()).headers.get("content-type") ?? "", /^text\/html/);
    assert.equal(copies(), 6);
  });

  it("redirects without an effect", async () => {
    emulator.fault({ operation: "copyTask", kind: "redirect", location: "http://127.0.0.1:1/elsewhere" });
    const { status, headers } = await copy();
    assert.deepEqual([status, headers.get("location"), copies()], [307, "http://127.0.0.1:1/elsewhere", 0]);
  });

  it("sends no response until the client or the emulator ends the request", async () => {
    emulator.fault({ operation: "copyTask", kind: "hang", when: "after" });
    const hanging = assert.rejects(copy());
    while (copies() === 0) await new Promise(setImmediate);
    await emulator.close();
    await hanging;
  });

  for (const [what, when, before] of [
    ["a request before its effect", "before", 0],
    ["the response to a request that has taken effect", "after", 1],
  ] as const) {
    it(`holds ${what} until it is released`, async () => {
      const hold = emulator.hold({ operation: "copyTask", when });
      const answer = copy();
      await hold.reached;
      assert.equal(copies(), before);
      hold.release();
      assert.deepEqual([(await answer).status, copies()], [200, 1]);
    });
  }

  it("applies only to requests about its task", async () => {
    emulator.fault({ operation: "*", kind: "status", taskId: "another" });
    assert.equal((await copy()).status, 200);
    emulator.fault({ operation: "*", kind: "status", taskId: "template" });
    assert.equal((await copy()).status, 503);
  });

  it("applies to a request about several tasks if one of them is its task", async () => {
    const read = (...taskIds: string[]) => call(emulator, "getActions", { fields: { taskIds, actionTypes: ["a"] } });
    emulator.fault({ operation: "getActions", kind: "error", code: "PermissionDenied", taskId: "template", times: 2 });
    assert.equal((await read("another", "template")).status, 403);
    assert.notEqual((await read("another")).status, 403);
    assert.equal((await read("template")).status, 403);
  });

  it("is refused if it spoils the response of an operation that takes no effect", async () => {
    for (const kind of ["truncated", "cutOff", "slow", "wrongType"] as const) {
      const fault = { operation: "*", kind, when: "before" } as const;
      assert.throws(() => emulator.fault(fault), new RegExp(`when must be after for ${kind}`));
      const refused = await admin(emulator, "/faults", { body: fault });
      assert.deepEqual([refused.status, refused.json.error.code], [400, "InvalidParameter"]);
      assert.deepEqual(emulator.faults, []);
    }
    for (const kind of ["reset", "hang", "status", "error", "late", "redirect"] as const) {
      emulator.fault({ operation: "*", kind, when: "before" });
    }
    assert.equal(emulator.faults.length, 6);
  });
});
