import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import files from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import sinon from "sinon";
import type { ServiceClientOptions } from "../../../src/service";
import { ServiceClient } from "../../../src/service";
import { errorOf } from "../errors/errorOf";
import { json } from "../fakeServer";
import type { TokenService } from "./tokenService";
import { startTokenService } from "./tokenService";

const run = promisify(execFile);

describe("the access token", () => {
  let service: TokenService;
  let folder: string;
  let warnings: string[];
  const clients: ServiceClient[] = [];

  beforeEach(async () => {
    service = await startTokenService();
    folder = mkdtempSync(join(tmpdir(), "webextract-tokens-"));
    warnings = [];
  });
  afterEach(async () => {
    sinon.restore();
    for (const client of clients.splice(0)) client.close();
    await service.close();
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  });

  function clientWith(options: Partial<ServiceClientOptions>): ServiceClient {
    const client = new ServiceClient({
      baseUrl: service.baseUrl,
      tokenStore: join(folder, "store"),
      warn: (message) => warnings.push(message),
      maxRetries: 0,
      ...options,
    });
    clients.push(client);
    return client;
  }
  const start = (client: ServiceClient) => client.startTask({ taskId: "t" });
  const storeFiles = () => (existsSync(join(folder, "store")) ? readdirSync(join(folder, "store")) : []);
  const storeText = () =>
    storeFiles()
      .filter((name) => name.endsWith(".json"))
      .map((name) => readFileSync(join(folder, "store", name), "utf8"))
      .join();
  const command = (body: unknown) => {
    const script = join(folder, "credentials.cjs");
    writeFileSync(
      script,
      `require("fs").appendFileSync(${JSON.stringify(join(folder, "runs"))}, "x"); console.log(${JSON.stringify(JSON.stringify(body))});`,
    );
    return `"${process.execPath}" "${script}"`;
  };
  const commandRuns = () => (existsSync(join(folder, "runs")) ? readFileSync(join(folder, "runs")).length : 0);

  it("is not asked for before the first call, and no file is touched", async () => {
    const client = clientWith({ refreshToken: "refresh-0" });
    assert.equal(service.seen.length, 0);
    assert.deepEqual(storeFiles(), []);
    assert.equal(client.describeCredentials().source, "refreshToken");
  });

  for (const refusal of [
    { status: 401 },
    { status: 400, code: "Invalid.Token" },
    { status: 401, code: "Invalid.Token" },
  ]) {
    it(`that is refused by ${refusal.status} ${refusal.code ?? "alone"} is refreshed once, even for a start, however many calls wait`, async () => {
      service.refusal = refusal;
      const client = clientWith({ accessToken: "old", refreshToken: "refresh-0" });
      await Promise.all(Array.from({ length: 20 }, () => start(client)));
      assert.equal(service.refreshes, 1);
      assert.equal(client.describeCredentials().source, "refreshToken");
      assert.deepEqual(client.describeCredentials().refused, ["accessToken"]);
    });
  }

  it("is refreshed before the end of its life, and the call never meets a refusal", async () => {
    service.expiresIn = "3600";
    const client = clientWith({ refreshToken: "refresh-0" });
    await start(client);
    const now = Date.now();
    const clock = sinon.stub(Date, "now").returns(now + 3290_000);
    await start(client);
    assert.equal(service.refreshes, 1);
    clock.returns(now + 3310_000);
    await start(client);
    assert.equal(service.refreshes, 2);
    assert.equal(service.seen.filter(({ url }) => url.startsWith("/cloud")).length, 3);
  });

  it("goes on being used when it cannot be renewed and has not ended yet", async () => {
    service.expiresIn = 3600;
    const client = clientWith({ refreshToken: "refresh-0" });
    await start(client);
    service.onRefresh = (response) => {
      json(response, 500, "");
      return true;
    };
    passTime(3400);
    await start(client);
    await start(client);
    assert.equal(service.seen.filter(({ url }) => url === "/token").length, 2);
  });

  it("comes from the store in the next process, without a refresh", async () => {
    await start(clientWith({ refreshToken: "refresh-0" }));
    const next = clientWith({ refreshToken: "refresh-0" });
    await start(next);
    assert.equal(service.refreshes, 1);
    assert.equal(next.describeCredentials().source, "storedToken");
  });

  it("is refreshed with the stored refresh token, not with the start token", async () => {
    await start(clientWith({ refreshToken: "refresh-0" }));
    service.access.clear();
    await start(clientWith({ refreshToken: "refresh-0" }));
    const bodies = service.seen.filter(({ url }) => url === "/token").map(({ body }) => JSON.parse(body).refresh_token);
    assert.deepEqual(bodies, ["refresh-0", "refresh-1"]);
  });

  it("is refreshed once by many clients that share a store", async () => {
    await Promise.all(Array.from({ length: 6 }, () => start(clientWith({ refreshToken: "refresh-0" }))));
    assert.equal(service.refreshes, 1);
  });

  it("is stored in a folder and a file that only the owner can read, without the start token", async () => {
    await start(clientWith({ refreshToken: "refresh-0" }));
    const [file] = storeFiles();
    assert.ok(file);
    assert.deepEqual(storeFiles(), [file]);
    const path = join(folder, "store", file);
    assert.equal(statSync(join(folder, "store")).mode & 0o777, 0o700);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.doesNotMatch(readFileSync(path, "utf8"), /refresh-0/);
  });

  it("is used only when the refresh token that came with it is on disk: written, synced, and then put in the store's place", async () => {
    const steps: string[] = [];
    const realOpen = files.open;
    sinon.replace(files, "open", async (...args: Parameters<typeof realOpen>) => {
      const handle = await realOpen(...args);
      const sync = handle.sync.bind(handle);
      sinon.replace(handle, "sync", async () => {
        steps.push(`sync ${/\.tmp$/.test(String(args[0])) ? "file" : "folder"}`);
        await sync();
      });
      return handle;
    });
    const realRename = files.rename;
    sinon.replace(files, "rename", async (from, to) => {
      steps.push("rename");
      assert.match(readFileSync(String(from), "utf8"), /refresh-1/);
      await realRename(from, to);
    });
    service.onCall = () => steps.push(`call, ${storeText().includes("refresh-1") ? "stored" : "not stored"}`);
    await start(clientWith({ refreshToken: "refresh-0" }));
    assert.deepEqual(steps, ["sync file", "rename", "sync folder", "call, stored"]);
    assert.deepEqual(
      storeFiles().filter((name) => !name.endsWith(".json")),
      [],
    );
  });

  it("comes from another machine that was quicker, where a refusal has the store read once more", async () => {
    await start(clientWith({ refreshToken: "refresh-0" }));
    const written = storeText();
    const [storeName = ""] = storeFiles();
    rmSync(join(folder, "store"), { recursive: true });
    service.onRefresh = () => {
      // In this moment, on a machine that shares the folder without locks.
      writeFileSync(join(folder, "store", storeName), written);
      return false;
    };
    const late = clientWith({ refreshToken: "refresh-0" });
    await start(late);
    assert.equal(late.describeCredentials().source, "storedToken");
    assert.equal(service.refreshes, 1);
    assert.equal(service.seen.filter(({ url }) => url === "/token").length, 2);
  });

  it("begins a new chain with another start token", async () => {
    service.refresh.add("other-start");
    await start(clientWith({ refreshToken: "refresh-0" }));
    await start(clientWith({ refreshToken: "other-start" }));
    assert.equal(service.refreshes, 2);
  });

  it("is taken from the newest other chain when everything configured is refused", async () => {
    await start(clientWith({ refreshToken: "refresh-0" }));
    const old = clientWith({ accessToken: "dead", refreshToken: "dead-too" });
    await start(old);
    assert.equal(old.describeCredentials().source, "storedToken");
    assert.match(warnings.join(), /newest stored token/);
    service.access.clear();
    await start(clientWith({ refreshToken: "dead-too" }));
    assert.equal(service.refreshes, 2);
  });

  it("is not rotated on behalf of a client without a refresh token", async () => {
    await start(clientWith({ refreshToken: "refresh-0" }));
    service.access.clear();
    const error = await errorOf(start(clientWith({ accessToken: "dead" })));
    assert.equal(error.kind, "credential");
    assert.equal(service.refreshes, 1);
  });

  it("of another profile or service is left alone", async () => {
    await start(clientWith({ refreshToken: "refresh-0", profile: "one" }));
    const error = await errorOf(start(clientWith({ accessToken: "dead", profile: "two" })));
    assert.equal(error.kind, "credential");
  });

  it("comes from credentialCommand, and without Expiration stays until it is refused", async () => {
    service.access.add("from-command");
    const client = clientWith({ credentialCommand: command({ Version: 1, AccessToken: "from-command" }) });
    await start(client);
    await start(client);
    assert.equal(commandRuns(), 1);
    assert.equal(client.describeCredentials().source, "credentialCommand");
  });

  it("from credentialCommand is renewed before its Expiration", async () => {
    service.access.add("from-command");
    const expiration = new Date(Date.now() + 3600_000).toISOString();
    const client = clientWith({
      credentialCommand: command({ Version: 1, AccessToken: "from-command", Expiration: expiration }),
    });
    await start(client);
    assert.equal(client.describeCredentials().expires, expiration);
    passTime(3400);
    await start(client);
    assert.equal(commandRuns(), 2);
  });

  it("gives way from accessToken to credentialCommand to refreshToken", async () => {
    const client = clientWith({
      accessToken: "dead",
      credentialCommand: command({ Version: 1, AccessToken: "dead-too" }),
      refreshToken: "refresh-0",
    });
    await start(client);
    const used = service.seen.map(({ url, headers }) => (url === "/token" ? "refresh" : headers.authorization));
    assert.deepEqual(used, ["Bearer dead", "Bearer dead-too", "refresh", "Bearer access-1"]);
  });

  for (const [what, body, said] of [
    ["another Version", { Version: 2, AccessToken: "hush" }, /no Version, or one other than 1/],
    ["no token", { Version: 1 }, /no usable AccessToken/],
    [
      "a token that has ended",
      { Version: 1, AccessToken: "hush", Expiration: "2001-01-01T00:00:00Z" },
      /already expired/,
    ],
    ["an Expiration that is no date", { Version: 1, AccessToken: "hush", Expiration: "soon" }, /not an ISO date/],
  ] as const) {
    it(`says so when credentialCommand prints ${what}, without what it printed`, async () => {
      const error = await errorOf(start(clientWith({ credentialCommand: command(body) })));
      assert.equal(error.kind, "credential");
      assert.match(error.message, said);
      assert.doesNotMatch(error.message, /hush/);
    });
  }

  it("comes from a credentialCommand whose stderr is passed on, and whose stdout is not", async () => {
    service.access.add("from-command");
    const script = join(folder, "talks.cjs");
    writeFileSync(
      script,
      'console.error("please touch the key"); console.log(JSON.stringify({ Version: 1, AccessToken: "from-command" }));',
    );
    const program = `
      const { ServiceClient } = require(${JSON.stringify(join(__dirname, "../../../src/service"))});
      const client = new ServiceClient({ baseUrl: ${JSON.stringify(service.baseUrl)}, logLevel: "trace",
        credentialCommand: ${JSON.stringify(`"${process.execPath}" "${script}"`)}, tokenStore: ${JSON.stringify(join(folder, "store"))} });
      client.startTask({ taskId: "t" }).then(() => client.close());`;
    const { stdout, stderr } = await run(process.execPath, ["-r", "tsx/cjs", "-e", program]);
    assert.equal(stdout, "");
    assert.match(stderr, /^please touch the key\n/);
    assert.doesNotMatch(stderr, /from-command|AccessToken/);
  });

  it("says how credentialCommand failed", async () => {
    const error = await errorOf(start(clientWith({ credentialCommand: "exit 3" })));
    assert.match(error.message, /credentialCommand ended with exit code 3/);
  });

  it("that is refused right after a refresh is not refreshed again and again", async () => {
    const client = clientWith({ refreshToken: "refresh-0" });
    const refuse = sinon.stub(service.access, "has").returns(false);
    const errors = await Promise.all(Array.from({ length: 5 }, () => errorOf(start(client))));
    for (const error of errors) assert.equal(error.kind, "credential");
    assert.equal(service.refreshes, 1);
    refuse.restore();
  });

  it("cannot be had: a refused refresh token says that it was probably rotated elsewhere", async () => {
    const error = await errorOf(start(clientWith({ refreshToken: "rotated-away" })));
    assert.deepEqual([error.kind, error.outcome], ["credential", "notExecuted"]);
    assert.match(error.message, /rotated elsewhere/);
    assert.doesNotMatch(inspect(error, { depth: 9 }), /rotated-away/);
  });

  it("cannot be had: nothing is configured", async () => {
    const error = await errorOf(start(clientWith({})));
    assert.match(error.message, /no access token is configured.*Set accessToken, refreshToken or credentialCommand/);
    assert.equal(service.seen.length, 0);
  });

  it("cannot be had: a lost answer to the refresh is not repeated, and the call is known not to have run", async () => {
    service.onRefresh = (response) => {
      response.socket?.destroy();
      return true;
    };
    const error = await errorOf(start(clientWith({ refreshToken: "refresh-0", maxRetries: 5 })));
    assert.deepEqual([error.operation, error.kind, error.outcome], ["startTask", "credential", "notExecuted"]);
    assert.match(error.message, /refreshToken \(POST \/token\): no whole answer came/);
    assert.equal(service.seen.length, 1);
  });

  it("goes on in memory, with a warning at once, when the new refresh token cannot be stored", async () => {
    writeFileSync(join(folder, "blocked"), "");
    const client = clientWith({ refreshToken: "refresh-0", tokenStore: join(folder, "blocked", "store") });
    await start(client);
    assert.match(warnings.join("\n"), /could not be stored in/);
    assert.doesNotMatch(warnings.join("\n"), /refresh-1|access-1/);
    assert.equal(client.describeCredentials().unstored, true);
    service.access.clear();
    await start(client);
    assert.equal(service.refreshes, 2);
    clients.splice(clients.indexOf(client), 1);
    assert.throws(() => client.close(), /could not be stored/);
  });

  for (const [what, content] of [
    ["half-written", '{"version":1,"salt":"a","cha'],
    ["of another shape", '{"version":1,"salt":"a","chains":{"k":{"refreshToken":7}}}'],
    ["empty", ""],
  ] as const) {
    it(`sets a store aside that is ${what}`, async () => {
      await start(clientWith({ refreshToken: "refresh-0" }));
      const [file = ""] = storeFiles();
      writeFileSync(join(folder, "store", file), content);
      service.refresh.add("refresh-0");
      await start(clientWith({ refreshToken: "refresh-0" }));
      assert.equal(service.refreshes, 2);
      assert.match(warnings.join(), /set aside/);
      assert.equal(storeFiles().filter((name) => name.includes(".corrupt-")).length, 1);
    });
  }

  it("sets a store aside that cannot be read at all, and does not write over it", async () => {
    await start(clientWith({ refreshToken: "refresh-0" }));
    const [file = ""] = storeFiles();
    const path = join(folder, "store", file);
    rmSync(path);
    mkdirSync(path);
    service.refresh.add("refresh-0");
    await start(clientWith({ refreshToken: "refresh-0" }));
    assert.deepEqual(
      storeFiles().map((name) => name.includes(".corrupt-")),
      [false, true],
    );
    assert.match(storeText(), /refresh-2/);
  });

  it("leaves a store that is not right alone where it holds no lock: another process may have put a good one there", async () => {
    await start(clientWith({ refreshToken: "refresh-0" }));
    const [file = ""] = storeFiles();
    writeFileSync(join(folder, "store", file), "{");
    service.access.add("good");
    await start(clientWith({ accessToken: "good", refreshToken: "refresh-0" }));
    assert.deepEqual(storeFiles(), [file]);
  });

  it("lets an aborted caller go while the refresh goes on for the others", async () => {
    const client = clientWith({ refreshToken: "refresh-0" });
    const controller = new AbortController();
    const gone = errorOf(client.startTask({ taskId: "t" }, { signal: controller.signal }));
    const other = start(client);
    controller.abort();
    assert.equal((await gone).kind, "aborted");
    await other;
    assert.equal(service.refreshes, 1);
  });

  it("is stored, with the refresh token that came with it, also where the client was closed while it was under way", async () => {
    const client = clientWith({ refreshToken: "refresh-0" });
    service.onRefresh = () => {
      client.close();
      return false;
    };
    assert.equal((await errorOf(start(client))).kind, "aborted");
    const next = clientWith({ refreshToken: "refresh-0" });
    await start(next);
    assert.equal(next.describeCredentials().source, "storedToken");
    assert.equal(service.refreshes, 1);
  });

  for (const [what, rest] of [
    ["no expires_in", { token_type: "Bearer" }],
    ["an expires_in that is no number", { token_type: "Bearer", expires_in: null }],
    ["no token_type", { expires_in: 3600 }],
  ] as const) {
    it(`is used, and the new refresh token is stored, from an answer with ${what}`, async () => {
      service.access.add("access-x");
      service.onRefresh = (response) => {
        json(response, 200, { data: { access_token: "access-x", refresh_token: "refresh-x", ...rest } });
        return true;
      };
      await start(clientWith({ refreshToken: "refresh-0" }));
      assert.match(storeText(), /refresh-x/);
    });
  }

  it("can come from another path of the service", async () => {
    await start(clientWith({ refreshToken: "refresh-0", refreshPath: "/token/refresh" }));
    assert.equal(service.seen[0]?.url, "/token/refresh");
  });
});

function passTime(seconds: number): void {
  const then = Date.now() + seconds * 1000;
  sinon.stub(Date, "now").returns(then);
}
