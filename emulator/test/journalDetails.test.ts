import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import sinon from "sinon";
import type { RemoteEmulator } from "webextract-emulator";
import { connectEmulator } from "webextract-emulator";
import { admin, refusalOf } from "./admin/adminCaller";
import { call, data, template, useEmulator } from "./caller";

describe("a request of the emulator's journal", () => {
  const emulator = useEmulator();
  let remote: RemoteEmulator;
  beforeEach(() => {
    remote = connectEmulator(emulator.url);
  });

  it("has its response, its duration, and the fault that applied", async () => {
    emulator.setLatency(40);
    const started = await call(emulator, "startTask", { fields: { taskId: "template" } });
    const { id } = emulator.fault({ operation: "getData", kind: "status", status: 502, body: "<b>" });
    emulator.fault({ operation: "getData", kind: "reset", when: "after" });
    const read = { fields: { taskId: "template", offset: 0, size: 1 } };
    await call(emulator, "getData", read);
    await assert.rejects(call(emulator, "getData", read));
    const [first, second, third] = emulator.requests;
    assert.deepEqual([first?.response, first?.fault], [started.text, undefined]);
    assert.ok(first !== undefined && first.durationMs >= 39 && first.durationMs < 5000, String(first?.durationMs));
    assert.deepEqual([second?.response, second?.fault], ["<b>", { id, kind: "status" }]);
    assert.deepEqual([third?.response, third?.fault?.kind, third?.status], ["", "reset", 0]);
    const { json } = await admin(emulator, "/requests");
    assert.deepEqual(json.requests[1].fault, { id, kind: "status" });
  });

  it("has at most 1000 characters of its response, without any part of a credential", async () => {
    const refreshToken = "given-refresh-token-of-this-test";
    await emulator.seed({ taskGroups: [{ taskGroupId: "group" }], tasks: [template], credentials: { refreshToken } });
    await data(emulator, "refreshToken", { grant_type: "refresh_token", refresh_token: refreshToken });
    assert.match(emulator.requests[0]?.response ?? "", /"access_token":"\[secret\]".*"refresh_token":"\[secret\]"/);
    for (let before = 940; before < 1010; before += 1) {
      emulator.clearRequests();
      const { accessToken } = emulator.credentials;
      const body = `${"x".repeat(before)}${accessToken}${refreshToken}${"y".repeat(3000)}`;
      emulator.fault({ operation: "getData", kind: "status", body });
      await call(emulator, "getData", { fields: { taskId: "template", offset: 0, size: 1 } });
      const response = emulator.requests[0]?.response ?? "";
      assert.ok(response.length <= 1000 && response.startsWith("x".repeat(before - 100)), response);
      assert.doesNotMatch(response, /emulator-[a-z]|given-r/);
    }
  });

  for (const where of ["in this process", "over HTTP"] as const) {
    describe(where, () => {
      const find = async (body: unknown) => {
        const found = await (where === "over HTTP" ? remote : emulator).findRequests({ body });
        return found.map(({ number }) => number);
      };
      it("is found by values of its body", async () => {
        const { number: last = 0 } = emulator.requests.at(-1) ?? {};
        const action = { taskId: "template", actionId: "loop", loopType: "UrlList" };
        await call(emulator, "updateLoopItems", { fields: { ...action, loopItems: ["http://a/", "http://b/"] } });
        await call(emulator, "updateLoopItems", { fields: { ...action, loopItems: [], isAppend: true } });
        const [one, two] = [last + 1, last + 2];
        assert.deepEqual(await find({ taskId: "template" }), [one, two]);
        assert.deepEqual(await find({ isAppend: true }), [two]);
        assert.deepEqual(await find({ loopItems: ["http://a/", "http://b/"] }), [one]);
        assert.deepEqual(await find({ loopItems: ["http://a/"] }), []);
        assert.deepEqual(await find({ loopItems: { 0: "http://a/" } }), []);
        assert.deepEqual(await find({}), [one, two]);
        assert.deepEqual(await find(null), []);
      });

      it("has no values that every object inherits", async () => {
        await call(emulator, "startTask", { fields: { taskId: "template" } });
        for (const name of ["__proto__", "toString"]) {
          const body = JSON.parse(`{"${name}":{}}`);
          assert.deepEqual(await find(body), [], name);
          const chosen = where === "over HTTP" ? remote : emulator;
          await assert.rejects(chosen.waitForRequests(1, { body }, 0), new RegExp(`body\\.${name} is absent, not {}`));
        }
      });

      it("is named with its differences if none matches", async () => {
        const chosen = where === "over HTTP" ? remote : emulator;
        await call(emulator, "startTask", { fields: { taskId: "nope" } });
        await call(emulator, "getSubtasks", { fields: { taskId: "template", page: 1, size: 1 } });
        await call(emulator, "startTask", { fields: { taskId: "template" } });
        const filter = { operation: "startTask", status: 200, body: { taskId: "other" } } as const;
        await assert.rejects(chosen.waitForRequests(1, filter, 0), {
          message: `0 of 1 requests have arrived within 0 ms. No such request; the nearest ones are:
- request 3 (startTask, status 200): body.taskId is "template", not "other"
- request 2 (getSubtasks, status 200): operation is getSubtasks, not startTask, body is absent, not {"taskId":"other"}
- request 1 (startTask, status 400): status is 400, not 200, body.taskId is "nope", not "other"`,
        });
        await assert.rejects(
          chosen.waitForRequests(1, { taskId: "third", after: 2 }, 0),
          /task is "template", not "third"/,
        );
        await assert.rejects(
          chosen.waitForRequests(2, { taskId: "nope" }, 0),
          /^Error: 1 of 2 requests .* within 0 ms$/,
        );
      });
    });
  }

  it("is searched for while others have their turns", async () => {
    for (let sent = 0; sent < 100; sent += 1) await call(emulator, "startTask", { fields: { taskId: "nope" } });
    let time = 0;
    sinon.stub(performance, "now").callsFake(() => {
      time += 15;
      return time;
    });
    try {
      let turns = 0;
      let over = false;
      const search = emulator.waitForRequests(1, { search: "nowhere" }, 0).finally(() => {
        over = true;
      });
      search.catch(() => undefined);
      for (; !over; turns += 1) await setImmediate();
      await assert.rejects(search, /0 of 1 requests/);
      assert.ok(turns > 20, `${turns} turns`);
    } finally {
      sinon.restore();
    }
  });

  it("is not found by what is not JSON", async () => {
    assert.equal(await refusalOf(emulator, "/requests?body=%7B"), "400 InvalidParameter: body must be JSON");
    assert.equal("nearest" in (await admin(emulator, "/requests")).json, false);
  });
});
