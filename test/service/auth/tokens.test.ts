import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import sinon from "sinon";
import { errorOf } from "../errors/errorOf";
import { json } from "../fakeServer";
import { startTask, useTokenWorld } from "./tokenWorld";

describe("access tokens", () => {
  const world = useTokenWorld();
  const { clientWith, passTime } = world;

  it("are not requested before the first call, and no file is read or written", async () => {
    const client = clientWith({ refreshToken: "refresh-0" });
    assert.equal(world.service.seen.length, 0);
    assert.deepEqual(world.storeFiles(), []);
    assert.equal(client.describeCredentials().source, "refreshToken");
  });

  for (const refusal of [
    { status: 401, headers: { "www-authenticate": 'Bearer error="invalid_token"' } },
    { status: 400, code: "Invalid.Token" },
    { status: 401, code: "Invalid.Token" },
  ]) {
    it(`are refreshed once after ${refusal.status} ${refusal.code ?? "with a challenge"}, also for a start and for many waiting calls`, async () => {
      world.service.refusal = refusal;
      const client = clientWith({ accessToken: "old", refreshToken: "refresh-0" });
      await Promise.all(Array.from({ length: 20 }, () => startTask(client)));
      assert.equal(world.service.refreshes, 1);
      assert.equal(client.describeCredentials().source, "refreshToken");
    });
  }

  it("are renewed before they expire, so that no call is refused", async () => {
    world.service.expiresIn = "3600";
    const client = clientWith({ refreshToken: "refresh-0" });
    await startTask(client);
    passTime(3290);
    await startTask(client);
    assert.equal(world.service.refreshes, 1);
    passTime(20);
    await startTask(client);
    assert.equal(world.service.refreshes, 2);
    assert.equal(world.service.seen.filter(({ url }) => url.startsWith("/cloud")).length, 3);
  });

  it("are renewed after half of a short life, and not before", async () => {
    world.service.expiresIn = 60;
    const client = clientWith({ refreshToken: "refresh-0" });
    await startTask(client);
    passTime(28);
    await startTask(client);
    await startTask(clientWith({ refreshToken: "refresh-0" }));
    assert.equal(world.service.refreshes, 1);
    passTime(4);
    await startTask(client);
    assert.equal(world.service.refreshes, 2);
  });

  it("are used until they expire if the renewal fails", async () => {
    world.service.expiresIn = 3600;
    const client = clientWith({ refreshToken: "refresh-0" });
    await startTask(client);
    world.service.onRefresh = (response) => {
      json(response, 500, "");
      return true;
    };
    passTime(3400);
    await startTask(client);
    await startTask(client);
    assert.equal(world.service.seen.filter(({ url }) => url === "/token").length, 2);
  });

  it("come from accessToken, then credentialCommand, then refreshToken", async () => {
    const client = clientWith({
      accessToken: "dead",
      credentialCommand: world.scriptCommand('console.log(JSON.stringify({ Version: 1, AccessToken: "dead-too" }))'),
      refreshToken: "refresh-0",
    });
    await startTask(client);
    const used = world.service.seen.map(({ url, headers }) => (url === "/token" ? "refresh" : headers.authorization));
    assert.deepEqual(used, ["Bearer dead", "Bearer dead-too", "refresh", "Bearer access-1"]);
  });

  it("are not refreshed again if they are refused right after a refresh", async () => {
    const client = clientWith({ refreshToken: "refresh-0" });
    sinon.stub(world.service.access, "has").returns(false);
    const errors = await Promise.all(Array.from({ length: 5 }, () => errorOf(startTask(client))));
    errors.push(await errorOf(startTask(client)));
    for (const error of errors) assert.deepEqual([error.kind, error.outcome], ["credential", "notExecuted"]);
    assert.equal(world.service.refreshes, 1);
  });

  it("fail with the requestId of the request that refused the last one, and with none if nothing was refused", async () => {
    world.service.refusal = { status: 401, code: "Invalid.Token" };
    const refused = await errorOf(startTask(clientWith({ accessToken: "dead" })));
    assert.deepEqual([refused.kind, refused.requestId], ["credential", "q"]);
    assert.match(refused.message, / requestId q\./);
    assert.equal((await errorOf(startTask(clientWith({})))).requestId, undefined);
  });

  it("fail with an error that says that a refused refresh token was probably rotated elsewhere", async () => {
    const error = await errorOf(startTask(clientWith({ refreshToken: "rotated-away" })));
    assert.deepEqual([error.kind, error.outcome], ["credential", "notExecuted"]);
    assert.match(error.message, /rotated elsewhere/);
    assert.doesNotMatch(inspect(error, { depth: 9 }), /rotated-away/);
  });

  it("are stored whatever else of the response is wrong: a refresh token is never thrown away", async () => {
    const good = { access_token: "access-1", refresh_token: "refresh-new" };
    for (const [body, stored, isUsed] of [
      [{ data: { ...good, access_token: "" } }, "refresh-new", false],
      [{ data: { ...good, access_token: null } }, "refresh-new", false],
      [{ data: { refresh_token: "refresh-new" } }, "refresh-new", false],
      [good, "refresh-new", true],
      [{ data: { access_token: "access-1", refresh_token: null } }, "refresh-0", true],
      [{ data: { access_token: "access-1" } }, "refresh-0", true],
    ] as const) {
      world.service.access.add("access-1");
      world.service.onRefresh = (response) => {
        json(response, 200, { requestId: "q", ...body });
        return true;
      };
      const store = join(world.folder, JSON.stringify(body).replace(/\W/g, ""));
      const client = clientWith({ refreshToken: "refresh-0", tokenStore: store });
      const error = await startTask(client).then(
        () => undefined,
        (caught: Error) => caught,
      );
      assert.equal(error === undefined, isUsed, error?.message);
      if (!isUsed) assert.match(error?.message ?? "", /The new refresh token was stored/);
      const file = readdirSync(store)[0] ?? "";
      const content = JSON.parse(readFileSync(join(store, file), "utf8"));
      assert.deepEqual(
        Object.values<{ refreshToken: string }>(content.families).map(({ refreshToken }) => refreshToken),
        [stored],
      );
    }
  });

  it("fail with an error if no credential is configured", async () => {
    const error = await errorOf(startTask(clientWith({})));
    assert.match(
      error.message,
      /no access token is configured.*Otherwise, set accessToken, refreshToken or credentialCommand/,
    );
    assert.equal(world.service.seen.length, 0);
  });

  it("fail if the response to the refresh is lost: the refresh is not retried, and the call is not sent", async () => {
    world.service.onRefresh = (response) => {
      response.socket?.destroy();
      return true;
    };
    const error = await errorOf(startTask(clientWith({ refreshToken: "refresh-0", maxRetries: 5 })));
    assert.deepEqual([error.operation, error.kind, error.outcome], ["startTask", "credential", "notExecuted"]);
    assert.match(error.message, /refreshToken \(POST \/token\)/);
    assert.equal(world.service.seen.length, 1);
  });

  it("do not delay an aborted caller, and the refresh continues for the other callers", async () => {
    const client = clientWith({ refreshToken: "refresh-0" });
    const controller = new AbortController();
    const gone = errorOf(client.startTask({ taskId: "t" }, { signal: controller.signal }));
    const other = startTask(client);
    controller.abort();
    assert.equal((await gone).kind, "aborted");
    await other;
    assert.equal(world.service.refreshes, 1);
  });

  for (const [what, rest] of [
    ["no expires_in", { token_type: "Bearer" }],
    ["an expires_in that is not a number", { token_type: "Bearer", expires_in: null }],
    ["an expires_in beyond any date", { token_type: "Bearer", expires_in: 1e15 }],
    ["no token_type", { expires_in: 3600 }],
  ] as const) {
    it(`are used, and the new refresh token is stored, after a response with ${what}`, async () => {
      world.service.access.add("access-x");
      world.service.onRefresh = (response) => {
        json(response, 200, { data: { access_token: "access-x", refresh_token: "refresh-x", ...rest } });
        return true;
      };
      const client = clientWith({ refreshToken: "refresh-0" });
      await startTask(client);
      assert.match(world.storeText(), /refresh-x/);
      assert.equal(
        client.describeCredentials().expires !== undefined,
        "expires_in" in rest && rest.expires_in === 3600,
      );
      assert.equal((await client.credentialForCommand()).AccessToken, "access-x");
    });
  }

  it("are refused if no header can contain them, and the refresh token of the same response is stored", async () => {
    world.service.onRefresh = (response) => {
      world.service.refresh.add("refresh-x");
      json(response, 200, { data: { access_token: "access\u0007-x", refresh_token: "refresh-x", expires_in: 3600 } });
      return true;
    };
    const error = await errorOf(startTask(clientWith({ refreshToken: "refresh-0" })));
    assert.deepEqual([error.kind, error.outcome], ["contract", "notExecuted"]);
    assert.match(error.message, /contains a character that a header cannot contain/);
    world.service.onRefresh = undefined;
    await startTask(clientWith({ refreshToken: "refresh-0" }));
    assert.match(world.service.seen.findLast(({ url }) => url === "/token")?.body ?? "", /refresh-x/);
  });

  it("can come from another path of the service", async () => {
    await startTask(clientWith({ refreshToken: "refresh-0", refreshPath: "/token/refresh" }));
    assert.equal(world.service.seen[0]?.url, "/token/refresh");
  });

  describe("that the service refuses for some requests only", () => {
    /** Responds 401 to the URLs for which `refuses` is true, whatever the token. */
    const refuseWhere = (refuses: (url: string) => boolean) => {
      const has = world.service.access.has.bind(world.service.access);
      sinon.stub(world.service.access, "has").callsFake((token) => {
        const url = world.service.seen.at(-1)?.url ?? "";
        return has(token) && !refuses(url);
      });
    };
    const subtasks = (client: ReturnType<typeof clientWith>) =>
      client.getSubtasks({ taskId: "t", page: 1, size: 1 }).catch((error) => error.kind);
    const sent = (path: string) => world.service.seen.filter(({ url }) => url.startsWith(path)).length;

    it("are sent again by the same call if the service accepted them before", async () => {
      world.service.access.add("static");
      const client = clientWith({ accessToken: "static" });
      await startTask(client);
      let refusals = 1;
      refuseWhere(() => refusals-- > 0);
      await startTask(client);
      assert.equal(sent("/cloud"), 3);
    });

    it("count as valid again after the service accepts them, and no other credential is tried", async () => {
      world.service.access.add("static");
      const client = clientWith({ accessToken: "static", refreshToken: "dead" });
      await startTask(client);
      let refusals = 1;
      refuseWhere(() => refusals-- > 0);
      await startTask(client);
      assert.equal(sent("/token"), 1);
      passTime(60);
      await startTask(client);
      assert.equal(sent("/token"), 1);
    });

    it("are tried again by the next call if the service has never accepted them", async () => {
      world.service.access.add("static");
      const client = clientWith({ accessToken: "static" });
      let refusals = 1;
      refuseWhere(() => refusals-- > 0);
      assert.equal((await errorOf(startTask(client))).kind, "credential");
      await startTask(client);
      assert.equal(client.describeCredentials().source, "accessToken");
    });

    it("are sent once by each call if the service never accepts them", async () => {
      const client = clientWith({ accessToken: "dead" });
      await errorOf(startTask(client));
      await errorOf(startTask(client));
      assert.equal(sent("/cloud"), 2);
    });

    it("serve other operations if one operation refuses every token, with one refresh", async () => {
      const client = clientWith({ refreshToken: "refresh-0" });
      refuseWhere((url) => url.startsWith("/cloudextraction/task/subtasks"));
      for (let round = 0; round < 4; round += 1) {
        await startTask(client);
        assert.equal(await subtasks(client), "credential");
      }
      assert.equal(sent("/token"), 2);
    });
  });
});
