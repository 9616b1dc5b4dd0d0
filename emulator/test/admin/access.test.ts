import assert from "node:assert/strict";
import { allTests } from "../../../test/eachTest";
import { call, startWith } from "../caller";
import { admin, refusalOf } from "./adminCaller";

describe("access to the admin API", () => {
  describe("on loopback", () => {
    const emulator = allTests(() => startWith());

    it("needs no token", async () => {
      assert.equal(emulator.adminToken, undefined);
      assert.equal((await admin(emulator, "/behaviour")).status, 200);
    });

    it("accepts the names and addresses of loopback as Host", async () => {
      for (const host of ["localhost", "localhost:1", "shop.localhost:80", "127.0.0.1", "127.1.2.3:99", "[::1]:8787"]) {
        assert.equal((await admin(emulator, "/behaviour", { headers: { host } })).status, 200, host);
      }
    });

    it("refuses every other Host, also for reading", async () => {
      for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.0.1", "a b"]) {
        const { status, json } = await admin(emulator, "/health", { headers: { host } });
        assert.deepEqual([status, json.error?.code], [403, "PermissionDenied"], host);
      }
    });

    it("refuses a change by a page of another site", async () => {
      const { port } = new URL(emulator.url);
      for (const origin of [
        "http://evil.example",
        "null",
        `http://localhost:${Number(port) + 1}`,
        "http://127.0.0.1",
      ]) {
        for (const [method, path] of [
          ["PUT", "/behaviour"],
          ["POST", "/reset"],
          ["DELETE", "/requests"],
        ] as const) {
          const { status, json } = await admin(emulator, path, { method, headers: { origin } });
          assert.deepEqual([status, json.error?.code], [403, "PermissionDenied"], `${method} ${origin}`);
        }
      }
    });

    it("accepts a change by its own page", async () => {
      const headers = { origin: emulator.url };
      assert.equal((await admin(emulator, "/requests", { method: "DELETE", headers })).status, 204);
    });

    it("refuses a POST or PUT of a content type that a form can send", async () => {
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
        const headers = { "content-type": type };
        const { status, json } = await admin(emulator, "/reset", { method: "POST", headers });
        assert.deepEqual([status, json.error?.code], [415, "InvalidParameter"], type);
      }
    });
  });

  describe("without a token", () => {
    const emulator = allTests(() => startWith());

    it("needs no content type for a request without a body, and refuses a body without one", async () => {
      const send = (body?: Uint8Array) =>
        fetch(`${emulator.url}/__emulator/tokens:expire`, { method: "POST", headers: {}, body });
      assert.equal((await send()).status, 204);
      assert.equal((await send(Buffer.from("{}"))).status, 415);
    });
  });

  describe("with a token", () => {
    const emulator = allTests(() => startWith([], { host: "0.0.0.0" }));
    const local = () => ({ url: emulator.url });

    it("has a random one on an address that is not loopback", async () => {
      const other = await startWith([], { host: "0.0.0.0" });
      assert.match(emulator.adminToken ?? "", /^emulator-admin-[0-9a-f]{36}$/);
      assert.notEqual(other.adminToken, emulator.adminToken);
      await other.close();
    });

    it("is a random one also if an empty or blank one is given", async () => {
      for (const adminToken of ["", " \t"]) {
        const other = await startWith([], { host: "0.0.0.0", adminToken });
        assert.match(other.adminToken ?? "", /^emulator-admin-/);
        const at = { url: other.url };
        const wrong: Record<string, string>[] = [{}, { authorization: "Bearer " }, { authorization: "Bearer" }];
        for (const headers of wrong) assert.equal((await admin(at, "/state", { headers })).status, 401);
        await other.close();
      }
    });

    it("tells nobody without it which accounts there are", async () => {
      await emulator.createAccount("there");
      for (const name of ["there", "nowhere"]) {
        assert.match(await refusalOf(local(), `/accounts/${name}/health`), /^401 Invalid\.Token/, name);
        // The page contains no data.
        assert.equal((await admin(local(), `/accounts/${name}/`)).status, 200, name);
      }
      const headers = { authorization: `Bearer ${emulator.adminToken}` };
      assert.equal((await admin(local(), "/accounts/there/health", { headers })).status, 200);
      await emulator.deleteAccount("there");
    });

    it("refuses every route without it, but health and the description", async () => {
      for (const path of ["/behaviour", "/requests", "/state", "/nothing"]) {
        const { status, json, headers } = await admin(local(), path);
        assert.deepEqual([status, json.error?.code], [401, "Invalid.Token"], path);
        assert.equal(headers["www-authenticate"], "Bearer");
      }
      const headers = { authorization: "Bearer wrong" };
      assert.equal((await admin(local(), "/reset", { method: "POST", headers })).status, 401);
      assert.equal((await admin(local(), "/health")).status, 200);
      assert.equal((await admin(local(), "/openapi.yaml")).status, 200);
    });

    it("needs no content type for a request without a body, and refuses a body that is not JSON or YAML", async () => {
      const authorization = `Bearer ${emulator.adminToken}`;
      const url = `${local().url}/__emulator/tokens:expire`;
      const send = (body?: string) => fetch(url, { method: "POST", headers: { authorization }, body });
      assert.equal((await send()).status, 204);
      assert.equal((await send("x")).status, 415);
    });

    it("accepts it under every Host", async () => {
      const headers = { authorization: `Bearer ${emulator.adminToken}`, host: "emulator:8787" };
      assert.equal((await admin(local(), "/behaviour", { headers })).status, 200);
    });

    it("wants a given token on loopback too", async () => {
      const other = await startWith([], { adminToken: "given " });
      assert.equal(other.adminToken, "given");
      assert.match(await refusalOf(other, "/behaviour"), /^401 Invalid.Token: .*Authorization: Bearer/);
      assert.equal((await admin(other, "/behaviour", { headers: { authorization: "Bearer given" } })).status, 200);
      await other.close();
    });
  });

  it("counts in no journal, behaviour or fault of the service", async () => {
    const emulator = await startWith([], {
      behaviour: { refuseEvery: 2, badGatewayEvery: 2, idleSockets: "resetOnReuse" },
    });
    emulator.fault({ operation: "*", kind: "reset" });
    for (let count = 0; count < 3; count += 1) {
      // fetch uses one connection for all of them.
      assert.equal((await fetch(`${emulator.url}/__emulator/behaviour`)).status, 200);
      assert.equal((await admin(emulator, "/nothing")).status, 404);
    }
    assert.deepEqual(emulator.requests, []);
    emulator.clearFaults();
    const { status } = await call(emulator, "startTask", { fields: { taskId: "template" } });
    assert.equal(status, 200, "the first request of the service");
    await emulator.close();
  });
});
