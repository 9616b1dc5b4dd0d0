import assert from "node:assert/strict";
import { utimesSync, writeFileSync } from "node:fs";
import files from "node:fs/promises";
import sinon from "sinon";
import { errorOf } from "../errors/errorOf";
import { startTask, useTokenWorld } from "./tokenWorld";

describe("the renewal of tokens on demand", () => {
  const world = useTokenWorld();
  const { clientWith, passTime } = world;
  const sentRefreshTokens = () =>
    world.service.seen.filter(({ url }) => url === "/token").map(({ body }) => JSON.parse(body).refresh_token);
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail("it did not fail"),
      (error: Error) => error.message,
    );
  /** Makes every new file of the store fail, as a disk does. */
  const refuseNewFiles = (code: string) => sinon.stub(files, "open").rejects(Object.assign(new Error("no"), { code }));
  /** Uses a refresh token for the first time. */
  const begin = async (refreshToken: string) => {
    world.service.refresh.add(refreshToken);
    await startTask(clientWith({ refreshToken }));
    passTime(60);
  };

  it("uses the newest refresh token although the access token is good, and stores the new one", async () => {
    const client = clientWith({ refreshToken: "refresh-0" });
    await startTask(client);
    const { source, unstored } = await client.renewTokens();
    assert.deepEqual([source, unstored], ["refreshToken", false]);
    assert.deepEqual(sentRefreshTokens(), ["refresh-0", "refresh-1"]);
    assert.match(world.storeText(), /refresh-2/);
    await startTask(client);
    assert.equal(world.service.seen.at(-1)?.headers.authorization, "Bearer access-2");
  });

  it("uses the only tokens of the store, if no credential is configured", async () => {
    await begin("refresh-0");
    await clientWith({}).renewTokens();
    assert.deepEqual(sentRefreshTokens(), ["refresh-0", "refresh-1"]);
  });

  it("asks for the import of a new one if the store's refresh token is refused, and no credential is configured", async () => {
    await begin("refresh-0");
    world.service.refresh.clear();
    const message = await failureOf(clientWith({}).renewTokens());
    assert.equal(
      message,
      'No new token: the stored refresh token was refused. Import a newly issued one with "webextract token import", or set refreshToken.',
    );
  });

  it("exchanges no later tokens of the profile, which may belong to another account", async () => {
    await begin("configured");
    await begin("later");
    world.service.refresh.delete("refresh-1");
    assert.match(
      await failureOf(clientWith({ refreshToken: "configured" }).renewTokens()),
      /holds no newer refresh token/,
    );
    assert.deepEqual(sentRefreshTokens().slice(-2), ["refresh-1", "configured"]);
  });

  it("says why no refresh token helps", async () => {
    await begin("configured");
    await begin("later");
    world.service.refresh.clear();
    const message = await failureOf(clientWith({ refreshToken: "configured" }).renewTokens());
    assert.match(
      message,
      /^No new token: refreshToken was refused, and the token store holds no newer refresh token that is accepted\. /,
    );
  });

  it("says where a refresh token can be set, if there is none", async () => {
    const message = await failureOf(clientWith({ accessToken: "access" }).renewTokens());
    assert.equal(message, "No refresh token is configured, and the token store has none. Set refreshToken.");
    assert.deepEqual(sentRefreshTokens(), []);
  });

  it("names the store that cannot be read, and how to use it", async () => {
    await begin("refresh-0");
    writeFileSync(world.storePath(), '{"version":2}');
    const message = await failureOf(clientWith({}).renewTokens());
    assert.ok(message.includes(`the token store ${world.storePath()} was written by another version`), message);
    assert.match(message, /Make the token store readable, or log in again: set tokenStore to another folder and use/);
  });

  for (const code of ["EACCES", "ENOSPC"]) {
    it(`sends no refresh token if its successor could not be stored (${code})`, async () => {
      await begin("refresh-0");
      // The lock of the store is a folder.
      const noLock = `${world.storePath()}.lock`;
      writeFileSync(noLock, "");
      utimesSync(noLock, new Date(0), new Date(0));
      refuseNewFiles(code);
      for (const refreshToken of ["refresh-0", undefined]) {
        const message = await failureOf(clientWith({ refreshToken }).renewTokens());
        assert.ok(message.includes(`the token store ${world.storePath()} cannot be written (${code})`), message);
        assert.match(message, /or copy the folder to where it can be written, and set tokenStore to that\.$/);
      }
      assert.deepEqual(sentRefreshTokens(), ["refresh-0"]);
      assert.deepEqual(world.warnings, []);
    });
  }

  for (const code of ["ENOSPC", "EDQUOT", "EFBIG"]) {
    it(`is not tried for a call while the disk of the store is full (${code})`, async () => {
      await begin("refresh-0");
      world.service.access.clear();
      refuseNewFiles(code);
      const error = await errorOf(startTask(clientWith({ refreshToken: "refresh-0" })));
      assert.deepEqual([error.kind, error.outcome], ["credential", "notExecuted"]);
      assert.ok(error.message.includes(`the token store ${world.storePath()} cannot be written (${code})`));
      assert.match(
        error.message,
        /Free space there, or copy the folder to where it can be written, and set tokenStore to that\.$/,
      );
      assert.deepEqual(sentRefreshTokens(), ["refresh-0"]);
    });
  }

  it("tells a service that is not reached from a service that refuses", async () => {
    world.service.onRefresh = (response) => {
      response.destroy();
      return true;
    };
    const lost = await errorOf(startTask(clientWith({ refreshToken: "refresh-0" })));
    world.service.onRefresh = undefined;
    await world.service.close();
    const unreached = await errorOf(startTask(clientWith({ refreshToken: "refresh-0" })));
    assert.deepEqual([lost.kind, unreached.kind], ["credential", "unreachable"]);
  });

  it("is in progress from the request to the stored result, and no longer", async () => {
    const client = clientWith({ refreshToken: "refresh-0" });
    const seen: boolean[] = [client.isRefreshing];
    world.service.onRefresh = () => {
      seen.push(client.isRefreshing);
      return false;
    };
    world.service.onCall = () => seen.push(client.isRefreshing);
    await startTask(client);
    assert.deepEqual(seen, [false, true, false]);
  });
});
