import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import sinon from "sinon";
import type { Emulator } from "webextract-emulator";
import { isLarge, slowIt } from "../../test/environment";
import type { OperationName } from "../../test/internals/service";
import { operations } from "../../test/internals/service";
import { operationNames } from "../../test/service/calls";
import { admin } from "./admin/adminCaller";
import { call, credentialOf, data, refusal, startWith, template } from "./caller";
import { CredentialStore, defaultBehaviour, StateDatabase } from "./internals";
import { savedState } from "./savedState";

describe("the emulator's credentials", () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startWith();
  });
  afterEach(() => emulator.close());

  it("are required by each operation according to the contract", async () => {
    for (const name of operationNames) {
      const { credential } = operations[name];
      if (credential === "none") continue;
      const other = credentialOf(emulator, credential === "bearer" ? "apiKey" : "bearer");
      assert.equal(await refusal(emulator, name), "400 InvalidParameter.Required", name);
      assert.equal(await refusal(emulator, name, { headers: other }), "401 Invalid.Token", name);
      assert.equal(
        await refusal(emulator, name, { headers: { authorization: "Bearer x", "x-api-key": "y" } }),
        "401 Invalid.Token",
      );
    }
  });

  it("need a paid plan where the contract requires one", async () => {
    emulator.setPlan("free");
    const paid: OperationName[] = [];
    for (const name of operationNames) {
      const answer = await refusal(emulator, name, { fields: { taskId: "template" } });
      if (answer === "403 PermissionDenied") paid.push(name);
    }
    assert.deepEqual(paid, ["updateTaskUrls", "startTask", "startSubtasks", "stopSubtasks"]);
  });

  it("are renewed by a refresh; the old access token still works", async () => {
    const before = emulator.credentials;
    const fields = { grant_type: "refresh_token", refresh_token: before.refreshToken };
    const pair = await data(emulator, "refreshToken", fields);
    assert.equal(pair.token_type, "Bearer");
    assert.deepEqual(
      [pair.access_token, pair.refresh_token],
      [emulator.credentials.accessToken, emulator.credentials.refreshToken],
    );
    for (const token of [before.accessToken, pair.access_token]) {
      const headers = { authorization: `Bearer ${token}` };
      assert.equal((await call(emulator, "removeData", { fields: { taskId: "template" }, headers })).status, 200);
    }
  });

  it("work after any number of refreshes, if a refresh does not end them", async () => {
    const before = emulator.credentials;
    const fields = { grant_type: "refresh_token", refresh_token: before.refreshToken };
    for (let refresh = 0; refresh < 202; refresh += 1) await data(emulator, "refreshToken", fields);
    const headers = { authorization: `Bearer ${before.accessToken}` };
    assert.equal((await call(emulator, "removeData", { fields: { taskId: "template" }, headers })).status, 200);
  });

  it("come from the seed if it has credentials", async () => {
    const credentials = { accessToken: "a-token", refreshToken: "r-token", apiKey: "a-key" };
    const seeded = await startWith([], { seed: { credentials, plan: "free", taskGroups: [], tasks: [] } });
    assert.deepEqual(seeded.credentials, credentials);
    await seeded.close();
  });

  it("of another seed replace those of the seed before", async () => {
    const seed = { taskGroups: [{ taskGroupId: "group" }], tasks: [template] };
    for (const number of [1, 2, 3]) {
      const credentials = { accessToken: `a-${number}`, refreshToken: `r-${number}`, apiKey: `k-${number}` };
      await emulator.seed({ ...seed, credentials });
      assert.deepEqual(emulator.credentials, credentials);
    }
    const { accessTokens, refreshTokens, apiKeys } = emulator.exportState().credentials;
    assert.deepEqual(
      [...accessTokens, ...refreshTokens, ...apiKeys].map(({ value }) => value),
      ["a-3", "r-3", "k-3"],
    );
    const fields = { taskId: "template" };
    const headers = { authorization: "Bearer a-2" };
    assert.equal(await refusal(emulator, "removeData", { fields, headers }), "401 Invalid.Token");
    assert.equal((await call(emulator, "removeData", { fields })).status, 200);
  });

  it("have a valid access token after a restart and a reset, though all were expired", async () => {
    const folder = mkdtempSync(join(tmpdir(), "emulator-credentials-"));
    const options = { stateFile: join(folder, "state.db") };
    const first = await startWith([], options);
    first.change.expireAccessTokens();
    await first.close();
    const second = await startWith([], options);
    const fields = { taskId: "template" };
    assert.equal((await call(second, "removeData", { fields })).status, 200);
    await second.reset();
    assert.equal((await call(second, "removeData", { fields })).status, 200);
    await second.close();
    rmSync(folder, { recursive: true });
  });

  it("never appear in the journal or the log", async () => {
    const lines: string[] = [];
    const logged = await startWith([], { log: (line) => lines.push(line) });
    const secrets = Object.values(logged.credentials);
    for (const secret of secrets) {
      const headers = { authorization: `Bearer ${secret}`, "x-api-key": secret };
      await call(logged, "getData", { fields: { taskId: secret, offset: 0, size: 1, token: secret }, headers });
      await call(logged, "startTask", { fields: { taskId: secret, nested: [{ deep: `is ${secret} here` }] }, headers });
      await call(logged, "refreshToken", { fields: { grant_type: "refresh_token", refresh_token: secret } });
      await call(logged, "refreshToken", {
        fields: { grant_type: "refresh_token", refresh_token: `unknown ${secret}` },
      });
      await call(logged, "getData", { path: `/${secret}` });
      await call(logged, "updateTaskUrls", { fields: { taskId: secret }, file: secret, headers });
    }
    const written = inspect(logged.requests, { depth: 9 }) + JSON.stringify(logged.requests) + lines.join("\n");
    for (const secret of [...secrets, ...Object.values(logged.credentials)])
      assert.ok(!written.includes(secret), written);
    assert.equal(logged.requests.length, 18);
    await logged.close();
  });

  it("are not written again by requests that do not change them, however many there are", async () => {
    const folder = mkdtempSync(join(tmpdir(), "emulator-credentials-"));
    const first = await startWith([], { stateFile: join(folder, "state.db") });
    const written = sinon.spy(StateDatabase.prototype, "run");
    /** Whether the account or a token was written after the last call. */
    const hasWritten = () => {
      const account = written.args.some(([sql]) => /\b(tokens|account)\b/.test(sql));
      written.resetHistory();
      return account;
    };
    const copy = { taskId: "template", taskGroupId: "group" };
    await data(first, "copyTask", copy);
    assert.equal(hasWritten(), false);
    const refresh = { grant_type: "refresh_token", refresh_token: first.credentials.refreshToken };
    const changes: (() => unknown)[] = [
      () => data(first, "refreshToken", refresh),
      () => first.change.addAccount("other"),
      () => first.setPlan("professional"),
      () => first.change.expireRefreshTokens(),
      () => first.change.expireAccessTokens(),
      () => first.reset(),
    ];
    for (const change of changes) {
      await change();
      // The admin API saves after each of its requests, also if no token works.
      await admin(first, "/faults", { method: "DELETE" });
      assert.equal(hasWritten(), true, String(change));
      await call(first, "copyTask", { fields: copy });
      await admin(first, "/faults", { method: "DELETE" });
      assert.equal(hasWritten(), false, String(change));
    }
    first.setBehaviour({ accessTokenRequests: 9 });
    await data(first, "copyTask", copy);
    assert.equal(hasWritten(), true, "the use of a token with a limit is a change");
    sinon.restore();
    const document = first.exportState();
    await first.close();
    assert.deepEqual(await savedState(join(folder, "state.db")), document);
    rmSync(folder, { recursive: true });
  });

  for (const refreshRotation of isLarge ? (["oldLives", "oldDies", "same"] as const) : (["oldDies"] as const)) {
    it(`are written by a refresh as far as it changes them, however many there are: ${refreshRotation}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), "emulator-credentials-"));
      const stateFile = join(folder, "state.db");
      const refreshing = await startWith([], { stateFile, behaviour: { refreshRotation } });
      const written = sinon.spy(StateDatabase.prototype, "run");
      const refresh = async () => {
        written.resetHistory();
        const fields = { grant_type: "refresh_token", refresh_token: refreshing.credentials.refreshToken };
        await data(refreshing, "refreshToken", fields);
        return written.args.map((args) => args.join().length);
      };
      try {
        for (let count = 0; count < (isLarge ? 300 : 210); count += 1) {
          const writes = await refresh();
          assert.ok(writes.length <= 5, `refresh ${count} has ${writes.length} writes`);
          const bytes = writes.reduce((sum, each) => sum + each, 0);
          assert.ok(bytes < 2000, `refresh ${count} writes ${bytes} bytes`);
        }
        // Tokens that have expired go, also from the file.
        refreshing.setClock({ mode: "step", ms: 100_000_000 });
        await refresh();
        const document = refreshing.exportState();
        assert.equal(document.credentials.accessTokens.length, 201);
        assert.deepEqual(await savedState(stateFile), document);
      } finally {
        written.restore();
        await refreshing.close();
        rmSync(folder, { recursive: true });
      }
    });
  }

  it("are read from a state file of version 2, which has them in one record", async () => {
    const folder = mkdtempSync(join(tmpdir(), "emulator-credentials-"));
    const stateFile = join(folder, "state.db");
    const first = await startWith([], { stateFile });
    first.change.addAccount("other");
    const document = first.exportState();
    await first.close();
    const { plan, credentials } = document;
    const database = StateDatabase.open(stateFile);
    database.run("update account set content = ?", JSON.stringify({ plan, credentials }));
    database.run("drop table tokens");
    database.run("pragma user_version = 2");
    database.close();
    assert.deepEqual(await savedState(stateFile), document, "read, but not written");
    for (const _ of ["the first start", "the next one"]) {
      const emulator = await startWith([], { stateFile });
      assert.deepEqual(emulator.exportState(), document);
      await emulator.close();
    }
    rmSync(folder, { recursive: true });
  });

  it("are found without a look at the values of all", () => {
    let looks = 0;
    const tokens = (kind: string, expiresAt?: number) =>
      Array.from({ length: 5000 }, (_, index) => ({
        account: "main",
        expiresAt,
        dead: false,
        get value() {
          looks += 1;
          return `${kind}-${index}`;
        },
      }));
    const state = { accessTokens: tokens("access", Date.now() * 2), refreshTokens: tokens("refresh"), apiKeys: [] };
    const credentials = new CredentialStore(state);
    const behaviour = defaultBehaviour();
    looks = 0;
    for (let times = 0; times < 100; times += 1) {
      credentials.accountOfAccessToken("access-4000", behaviour);
      assert.equal(credentials.isKnown({ bearer: undefined, apiKey: "unknown" }), false);
      credentials.refresh("refresh-4000", behaviour);
    }
    assert.ok(looks < 1000, `${looks} values`);
  });

  slowIt("go when they have expired, except for the newest", async () => {
    for (const behaviour of [{ refreshRotation: "oldDies" as const, tokenLifetime: 1 }, { tokenLifetime: 1 }]) {
      const issuing = await startWith([], { behaviour });
      for (let refresh = 0; refresh < 420; refresh += 1) {
        const fields = { grant_type: "refresh_token", refresh_token: issuing.credentials.refreshToken };
        await data(issuing, "refreshToken", fields);
        issuing.setClock({ mode: "step", ms: 2000 });
      }
      assert.ok(issuing.exportState().credentials.accessTokens.length <= 202);
      const left = issuing.exportState().credentials.refreshTokens.length;
      assert.equal(left <= 202, "refreshRotation" in behaviour, "a refresh token that works is kept");
      await issuing.close();
    }
  });
});
