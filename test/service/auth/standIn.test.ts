import assert from "node:assert/strict";
import sinon from "sinon";
import type { ServiceClientOptions } from "../../../src/service";
import { errorOf } from "../errors/errorOf";
import { startTask, useTokenWorld } from "./tokenWorld";

describe("a stored token of another credential", () => {
  const world = useTokenWorld();
  const { clientWith, passTime } = world;

  /** Uses a refresh token for the first time, so that its family begins in the store. */
  const begin = async (refreshToken: string, options: Partial<ServiceClientOptions> = {}) => {
    world.service.refresh.add(refreshToken);
    await startTask(clientWith({ refreshToken, ...options }));
    passTime(60);
  };
  /** The service accepts nothing more of the family that the refresh of this number made. */
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

  describe("of a refresh token that was first used after the configured one", () => {
    beforeEach(async () => {
      await begin("configured");
      await begin("later");
      kill(1);
    });

    it("is used where the configured one is refused, with a warning and without a refresh", async () => {
      const client = clientWith({ refreshToken: "configured" });
      await startTask(client);
      assert.equal(usedTokens().at(-1), "Bearer access-2");
      assert.equal(world.service.refreshes, 2);
      assert.equal(client.describeCredentials().source, "storedToken");
      assert.deepEqual(world.warnings, [
        `The configured refresh token was refused. The token store ${world.storePath()} holds tokens of a refresh token that this profile used later; they are used instead.`,
      ]);
    });

    it("is renewed, and the new refresh token takes the place of its own", async () => {
      world.service.access.clear();
      await startTask(clientWith({ refreshToken: "configured" }));
      assert.equal(world.service.refreshes, 3);
      await startTask(clientWith({ refreshToken: "later" }));
      assert.equal(world.service.refreshes, 3);
    });

    it("is the one that began last", async () => {
      await begin("last");
      await startTask(clientWith({ refreshToken: "configured" }));
      assert.equal(usedTokens().at(-1), "Bearer access-3");
    });

    it("is not used where the service refuses it too, and no warning says that it is", async () => {
      kill(2);
      const client = clientWith({ refreshToken: "configured" });
      assert.equal((await errorOf(startTask(client))).kind, "credential");
      assert.deepEqual(world.warnings, []);
      const refreshes = () => world.service.seen.filter(({ url }) => url === "/token").length;
      const before = refreshes();
      assert.equal((await errorOf(startTask(client))).kind, "credential");
      assert.equal(refreshes(), before);
    });

    it("leads to one refresh where the service refuses the new access token at once", async () => {
      world.service.access.clear();
      sinon.stub(world.service.access, "has").returns(false);
      const client = clientWith({ refreshToken: "configured" });
      await errorOf(startTask(client));
      await errorOf(startTask(client));
      assert.equal(world.service.refreshes, 3);
    });

    it("is not used where the configured one goes on being accepted", async () => {
      world.service.refresh.add("refresh-1");
      await startTask(clientWith({ refreshToken: "configured" }));
      assert.equal(usedTokens().at(-1), "Bearer access-3");
      assert.deepEqual(world.warnings, []);
    });
  });

  it("is not used where it began before the configured one; the error says how to use it", async () => {
    await begin("earlier");
    await begin("configured");
    kill(2);
    const error = await assertNotUsed({ refreshToken: "configured" }, /access-1/);
    const store = `the token store ${world.storePath()} holds tokens of another credential, which may belong to another account, so they were not used.`;
    assert.ok(error.message.includes(store), error.message);
    assert.match(
      error.message,
      /To use the stored tokens, set refreshToken to the refresh token that they began with\.$/,
    );
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

  it("is not used where another profile or service obtained it", async () => {
    await begin("configured", { profile: "one" });
    await begin("later", { profile: "two" });
    kill(1);
    await assertNotUsed({ refreshToken: "configured", profile: "one" }, /access-2/);
    await assertNotUsed({ profile: "three" });
  });

  describe("where no credential is configured", () => {
    it("is used when tokenStore is set and the store holds no second one", async () => {
      await begin("only");
      await startTask(clientWith({}));
      world.service.access.clear();
      await startTask(clientWith({}));
      assert.equal(world.service.refreshes, 2);
      assert.deepEqual(world.warnings, []);
    });

    it("is not used when the store holds a second one", async () => {
      await begin("one");
      await begin("two");
      await assertNotUsed({});
    });

    it("is not used when the store is the default one; the error says how to use it", async () => {
      const environment = { ...process.env };
      Object.assign(process.env, { HOME: world.folder, XDG_STATE_HOME: world.folder, LOCALAPPDATA: world.folder });
      try {
        await begin("only", { tokenStore: undefined });
        const error = await assertNotUsed({ tokenStore: undefined });
        assert.match(error.message, /, or set tokenStore to the store's folder\.$/);
      } finally {
        process.env = environment;
      }
    });
  });

  it("is of the same family for profiles with the same refresh token", async () => {
    await begin("shared", { profile: "one" });
    await startTask(clientWith({ refreshToken: "shared", profile: "two" }));
    assert.equal(world.service.refreshes, 1);
    world.service.access.clear();
    await startTask(clientWith({ refreshToken: "shared", profile: "two" }));
    await startTask(clientWith({ refreshToken: "shared", profile: "one" }));
    assert.equal(world.service.refreshes, 2);
  });
});
