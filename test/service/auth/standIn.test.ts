import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import files from "node:fs/promises";
import sinon from "sinon";
import type { ServiceClientOptions } from "../../../src/service";
import { setEnvironment } from "../../environment";
import { errorOf } from "../errors/errorOf";
import { startTask, stopSubtasks, useTokenWorld } from "./tokenWorld";

describe("a stored token of another credential", () => {
  const world = useTokenWorld();
  const { clientWith, passTime } = world;

  /** Uses a refresh token for the first time. This starts its family in the store. */
  const begin = async (refreshToken: string, options: Partial<ServiceClientOptions> = {}) => {
    world.service.refresh.add(refreshToken);
    await startTask(clientWith({ refreshToken, ...options }));
    passTime(60);
  };
  /** Makes the service refuse all tokens of the family that the refresh of this number made. */
  const kill = (number: number) => {
    world.service.access.delete(`access-${number}`);
    world.service.refresh.delete(`refresh-${number}`);
  };
  const usedTokens = () => world.service.seen.map(({ headers }) => headers.authorization);
  const assertNotUsed = async (options: Partial<ServiceClientOptions>, others = /access-/) => {
    const { refreshes } = world.service;
    world.service.seen.length = 0;
    const error = await errorOf(startTask(clientWith(options)));
    assert.deepEqual([error.kind, error.outcome], ["credential", "notExecuted"]);
    assert.doesNotMatch(usedTokens().join(), others);
    assert.equal(world.service.refreshes, refreshes);
    assert.deepEqual(world.warnings, []);
    return error;
  };

  describe("whose refresh token was first used after the configured one", () => {
    beforeEach(async () => {
      await begin("configured");
      await begin("later");
      kill(1);
    });

    it("is used if the configured one is refused, with a warning and without a refresh", async () => {
      const client = clientWith({ refreshToken: "configured" });
      await stopSubtasks(client);
      assert.equal(usedTokens().at(-1), "Bearer access-2");
      assert.equal(world.service.refreshes, 2);
      assert.equal(client.describeCredentials().source, "storedToken");
      assert.deepEqual(world.warnings, [
        `The configured refresh token was refused. The token store ${world.storePath()} holds tokens of a refresh token that this profile used later; they are used instead, but to copy or start nothing.`,
      ]);
    });

    it("copies and starts nothing, also after a read with it, because its account may be another one", async () => {
      const client = clientWith({ refreshToken: "configured" });
      for (let round = 0; round < 2; round++) {
        world.service.seen.length = 0;
        for (const make of [startTask(client), client.copyTask({ taskId: "t", taskGroupId: "g" })]) {
          const { kind, outcome, message } = await errorOf(make);
          assert.deepEqual([kind, outcome], ["credential", "notExecuted"]);
          assert.match(
            message,
            /refreshToken was refused\. .* may belong to another account: nothing is copied or started/,
          );
        }
        assert.doesNotMatch(usedTokens().join(), /access-2/);
        await stopSubtasks(client);
      }
      assert.equal(usedTokens().at(-1), "Bearer access-2");
      await assert.rejects(client.credentialForCommand(), /may belong to another account/);
    });

    it("is not used if a proxy responds in place of the service: the configured one may have been exchanged", async () => {
      world.service.onRefresh = (response) => {
        response.writeHead(404, { "content-type": "text/html" }).end("<html>404 Not Found</html>");
        return true;
      };
      world.service.seen.length = 0;
      const error = await errorOf(stopSubtasks(clientWith({ refreshToken: "configured" })));
      assert.match(error.message, /the refresh failed\. refreshToken .*404.*The refresh token may be invalid now/);
      assert.deepEqual(usedTokens(), ["Bearer access-1", undefined]);
    });

    it("is renewed, and the new refresh token replaces the refresh token of its own family", async () => {
      world.service.access.clear();
      await stopSubtasks(clientWith({ refreshToken: "configured" }));
      assert.equal(world.service.refreshes, 3);
      await startTask(clientWith({ refreshToken: "later" }));
      assert.equal(world.service.refreshes, 3);
    });

    it("comes from the family that began last", async () => {
      await begin("last");
      await stopSubtasks(clientWith({ refreshToken: "configured" }));
      assert.equal(usedTokens().at(-1), "Bearer access-3");
    });

    it("keeps its place in the store if it could not be stored at first", async () => {
      world.service.access.clear();
      const client = clientWith({ refreshToken: "configured" });
      // A folder at the place of the temporary file's target: nothing can be renamed to it.
      const [path, text] = [world.storePath(), world.storeText()];
      const realRename = files.rename;
      const blocked = sinon.stub(files, "rename").rejects(Object.assign(new Error("no"), { code: "EPERM" }));
      await stopSubtasks(client);
      assert.equal(client.describeCredentials().unstored, true);
      blocked.callsFake(realRename);
      assert.equal(readFileSync(path, "utf8"), text);
      world.service.access.clear();
      await stopSubtasks(client);
      assert.equal(client.describeCredentials().unstored, false);
      // The tokens are those of the later refresh token: no family was added, and the configured one has not changed.
      const families = Object.values(JSON.parse(world.storeText()).families) as { refreshToken: string }[];
      assert.deepEqual(
        families.map(({ refreshToken }) => refreshToken),
        ["refresh-1", "refresh-4"],
      );
      await startTask(clientWith({ refreshToken: "later" }));
      assert.equal(world.service.refreshes, 4);
    });

    it("is not used if the service refuses it too, and no warning is written", async () => {
      kill(2);
      const client = clientWith({ refreshToken: "configured" });
      const error = await errorOf(stopSubtasks(client));
      assert.equal(error.kind, "credential");
      assert.doesNotMatch(error.message, /tokens of another credential/, "they were used");
      assert.deepEqual(world.warnings, []);
      const refreshes = () => world.service.seen.filter(({ url }) => url === "/token").length;
      const before = refreshes();
      assert.equal((await errorOf(stopSubtasks(client))).kind, "credential");
      assert.equal(refreshes(), before);
    });

    it("causes one refresh if the service refuses the new access token at once", async () => {
      world.service.access.clear();
      sinon.stub(world.service.access, "has").returns(false);
      const client = clientWith({ refreshToken: "configured" });
      await errorOf(stopSubtasks(client));
      await errorOf(stopSubtasks(client));
      assert.equal(world.service.refreshes, 3);
    });

    it("is not used if the configured one is still accepted", async () => {
      world.service.refresh.add("refresh-1");
      await stopSubtasks(clientWith({ refreshToken: "configured" }));
      assert.equal(usedTokens().at(-1), "Bearer access-3");
      assert.deepEqual(world.warnings, []);
    });
  });

  it("is not used if it began before the configured one, whatever the clocks said, and the error says how to use it", async () => {
    passTime(1e7);
    await begin("earlier");
    passTime(-1e7);
    await begin("configured");
    kill(2);
    const error = await assertNotUsed({ refreshToken: "configured" }, /access-1/);
    const store = `the token store ${world.storePath()} holds tokens of another credential, which may belong to another account, so they were not used.`;
    assert.ok(error.message.includes(store), error.message);
    assert.match(error.message, /set refreshToken to the refresh token that they began with, /);
    world.service.access.clear();
    await startTask(clientWith({ refreshToken: "earlier" }));
    assert.equal(world.service.refreshes, 3);
  });

  it("is not used for a refresh token that has no tokens in the store", async () => {
    await begin("other");
    await assertNotUsed({ refreshToken: "never-used" });
  });

  it("is not used for an access token", async () => {
    await begin("other");
    await assertNotUsed({ accessToken: "dead" });
  });

  it("is not used for a credentialCommand that fails", async () => {
    await begin("other");
    await assertNotUsed({ credentialCommand: "exit 1" });
  });

  it("is not used if another profile or service obtained it", async () => {
    await begin("configured", { profile: "one" });
    await begin("later", { profile: "two" });
    kill(1);
    await assertNotUsed({ refreshToken: "configured", profile: "one" }, /access-2/);
    await assertNotUsed({ profile: "three" });
  });

  describe("without a configured credential", () => {
    it("is used if tokenStore is set and the store contains one token family", async () => {
      await begin("only");
      await startTask(clientWith({}));
      world.service.access.clear();
      await startTask(clientWith({}));
      assert.equal(world.service.refreshes, 2);
      assert.deepEqual(world.warnings, []);
    });

    it("is not used if the store contains a second token family", async () => {
      await begin("one");
      await begin("two");
      await assertNotUsed({});
    });

    it("is not used from the default store, and the error says how to use it", async () => {
      const { folder } = world;
      const restore = setEnvironment({ HOME: folder, XDG_STATE_HOME: folder, LOCALAPPDATA: folder });
      try {
        await begin("only", { tokenStore: undefined });
        const error = await assertNotUsed({ tokenStore: undefined });
        assert.match(error.message, /set accessToken, .* or set only tokenStore after "webextract token import"\.$/);
      } finally {
        restore();
      }
    });
  });

  it("belongs to one token family for all profiles with the same refresh token", async () => {
    await begin("shared", { profile: "one" });
    await startTask(clientWith({ refreshToken: "shared", profile: "two" }));
    assert.equal(world.service.refreshes, 1);
    world.service.access.clear();
    await startTask(clientWith({ refreshToken: "shared", profile: "two" }));
    await startTask(clientWith({ refreshToken: "shared", profile: "one" }));
    assert.equal(world.service.refreshes, 2);
  });
});
