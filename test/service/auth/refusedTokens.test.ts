import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import sinon from "sinon";
import { errorOf } from "../errors/errorOf";
import { startTask, stopSubtasks, useTokenWorld } from "./tokenWorld";

describe("a refused access token", () => {
  const world = useTokenWorld();
  const { clientWith, passTime } = world;
  const used = () =>
    world.service.seen.map(({ url, headers }) => (url === "/token" ? "refresh" : headers.authorization?.slice(7)));
  const command = (token: string) =>
    world.scriptCommand(`console.log(JSON.stringify({ Version: 1, AccessToken: ${JSON.stringify(token)} }))`);

  describe("with a 403 without a code, which an expired token or a missing permission can cause,", () => {
    beforeEach(() => {
      world.service.refusal = { status: 403 };
    });

    it("is renewed once if it has a source of new ones", async () => {
      for (const options of [{ refreshToken: "refresh-0" }, { credentialCommand: command("access-1") }]) {
        world.service.seen.length = 0;
        const lines: string[] = [];
        const log = (line: string): void => void lines.push(line);
        await stopSubtasks(clientWith({ accessToken: "expired", ...options, logLevel: "trace", log }));
        assert.match(lines.join("\n"), /stopSubtasks the access token was refused: getting another one$/m);
        assert.deepEqual(used().at(0), "expired");
        assert.deepEqual(used().at(-1), "access-1");
      }
      assert.equal(world.service.refreshes, 1);
    });

    it("is not renewed twice for one call: the account lacks the permission", async () => {
      sinon.stub(world.service.access, "has").returns(false);
      const error = await errorOf(stopSubtasks(clientWith({ accessToken: "expired", refreshToken: "refresh-0" })));
      assert.deepEqual([error.kind, error.outcome], ["plan", "unknown"]);
      assert.deepEqual(used(), ["expired", "refresh", "access-1"]);
    });

    it("is not renewed if it has no source of new ones", async () => {
      const error = await errorOf(stopSubtasks(clientWith({ accessToken: "expired" })));
      assert.equal(error.kind, "plan");
      assert.deepEqual(used(), ["expired"]);
    });

    it("is not renewed in the 30 seconds after it was obtained", async () => {
      const client = clientWith({ refreshToken: "refresh-0" });
      await stopSubtasks(client);
      world.service.access.clear();
      passTime(29);
      assert.equal((await errorOf(stopSubtasks(client))).kind, "plan");
      assert.equal(world.service.refreshes, 1);
      passTime(2);
      await stopSubtasks(client);
      assert.equal(world.service.refreshes, 2);
    });

    it("is not renewed for a start, which a proxy may have handed on before", async () => {
      for (const status of [401, 403]) {
        world.service.seen.length = 0;
        world.service.refusal = { status };
        const error = await errorOf(startTask(clientWith({ accessToken: "expired", refreshToken: "refresh-0" })));
        assert.deepEqual([error.outcome, used()], ["unknown", ["expired"]]);
      }
    });
  });

  it("ends a call that makes one attempt only, and the next call takes another token", async () => {
    const client = clientWith({ accessToken: "expired", refreshToken: "refresh-0" });
    const error = await errorOf(client.stopSubtasks({ taskId: "t", subTaskIds: ["s"] }, { once: true }));
    assert.deepEqual([error.kind, error.outcome, used()], ["credential", "notExecuted", ["expired"]]);
    await stopSubtasks(client);
    assert.equal(used().at(-1), "access-1");
  });

  it("makes the command rest for 30 seconds if its new token is refused too, and the error says why each source has none", async () => {
    const path = join(world.folder, "token");
    writeFileSync(path, "dead-too");
    const script = `console.log(JSON.stringify({ Version: 1, AccessToken: require("fs").readFileSync(${JSON.stringify(path)}, "utf8") }))`;
    const client = clientWith({ accessToken: "dead", credentialCommand: world.scriptCommand(script) });
    const error = await errorOf(startTask(client));
    assert.deepEqual(used(), ["dead", "dead-too"]);
    assert.match(
      error.message,
      /^The service accepts no access token: accessToken was refused; the new access token from credentialCommand was refused\. startTask \(.*\) did nothing: .*Set a valid accessToken, refreshToken or credentialCommand/,
    );
    writeFileSync(path, "fresh");
    world.service.access.add("fresh");
    passTime(29);
    await errorOf(startTask(client));
    assert.ok(!used().includes("fresh"));
    passTime(2);
    await startTask(client);
    assert.equal(used().at(-1), "fresh");
  });

  it("is described as not in use", async () => {
    const client = clientWith({ accessToken: "dead", apiKey: "key" });
    await errorOf(startTask(client));
    assert.deepEqual(client.describeCredentials(), {
      source: "accessToken",
      apiKey: true,
      expires: undefined,
      standIn: false,
      unstored: false,
    });
    assert.deepEqual(clientWith({}).describeCredentials(), {
      source: "none",
      apiKey: false,
      expires: undefined,
      standIn: false,
      unstored: false,
    });
  });

  it("that expires is described without its time, and one in use with it", async () => {
    const client = clientWith({ refreshToken: "refresh-0" });
    await startTask(client);
    const { expires } = client.describeCredentials();
    assert.ok(Math.abs(Date.parse(expires ?? "") - Date.now() - 86_399_000) < 600_000, expires);
    world.service.access.clear();
    world.service.refresh.clear();
    await errorOf(startTask(client));
    assert.equal(client.describeCredentials().expires, undefined);
  });

  it("does not delay a call that was aborted before it began, nor one that is aborted during the refresh: neither is sent", async () => {
    const client = clientWith({ refreshToken: "refresh-0" });
    const aborted = await errorOf(client.startTask({ taskId: "t" }, { signal: AbortSignal.abort() }));
    assert.deepEqual([aborted.kind, aborted.outcome], ["aborted", "notExecuted"]);
    const controller = new AbortController();
    world.service.onRefresh = () => {
      controller.abort();
      return false;
    };
    const gone = await errorOf(client.startTask({ taskId: "t" }, { signal: controller.signal }));
    assert.deepEqual([gone.kind, gone.outcome], ["aborted", "notExecuted"]);
    assert.deepEqual(used(), ["refresh"]);
  });
});
