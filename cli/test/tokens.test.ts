import assert from "node:assert/strict";
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { useCliWorld } from "./webextract";

/** Without the access token: the token store is what is left. */
const storeAlone = { WEBEXTRACT_ACCESS_TOKEN: undefined, WEBEXTRACT_API_KEY: undefined };

describe("webextract token", () => {
  const world = useCliWorld({ behaviour: { refreshRotation: "oldDies" } });

  it("imports a refresh token from standard input, and later commands use the store alone", async () => {
    const given = world.emulator.credentials.refreshToken;
    const ended = await world.run("token import --yes --json", storeAlone, `${given}\n`);
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(new URL(ended.json().service).origin, world.emulator.url);
    assert.ok(readFileSync(ended.json().tokenStore, "utf8").includes(world.emulator.credentials.refreshToken));
    assert.equal((await world.run("status shop-1", storeAlone)).code, 0);
    const status = await world.run("token status --json", storeAlone);
    assert.equal(status.json().credentials.source, "storedToken");
    assert.match(
      (await world.run("token status", storeAlone)).stdout,
      /^Access token: {2}an access token of the token store$/m,
    );
    const doctor = (await world.run("doctor --json", storeAlone)).json().findings as { check: string; is: string }[];
    const ofDoctor = doctor.filter(({ check }) => ["credentials", "token store", "read"].includes(check));
    assert.deepEqual(
      ofDoctor.map(({ is }) => is),
      ["good", "good", "good"],
    );
    const [tokens] = status.json().tokens;
    assert.deepEqual([status.json().tokens.length, tokens.isConfigured, tokens.profiles], [1, false, ["(top level)"]]);
    for (const { stdout, stderr } of [ended, status]) {
      for (const secret of [given, ...Object.values(world.emulator.credentials)]) {
        assert.ok(!`${stdout}${stderr}`.includes(secret), "a credential is shown");
      }
    }
  });

  it("imports a second refresh token: it is used from then on, and the store stays usable for the first", async () => {
    const first = world.emulator.credentials.refreshToken;
    await world.run("token import --yes", storeAlone, first);
    const second = world.emulator.change.addAccount("other").refreshToken;
    const imported = await world.run("token import --yes --json", storeAlone, second);
    assert.equal(imported.code, 0, imported.stderr);
    // The task belongs to the account of the first token.
    for (const [environment, code] of [
      [storeAlone, 4],
      [{ ...storeAlone, WEBEXTRACT_REFRESH_TOKEN: first }, 0],
    ] as const) {
      const ended = await world.run("token refresh --yes", environment);
      assert.equal(ended.code, 0, ended.stderr);
      assert.equal((await world.run("rows shop-1", environment)).code, code);
    }
    const status = await world.run("token status --json", storeAlone);
    assert.equal(status.json().tokens.length, 2);
    // The first one again: now it is the one to use.
    assert.equal((await world.run("token import --yes", storeAlone, first)).code, 0);
    const stored = JSON.parse(readFileSync(imported.json().tokenStore, "utf8"));
    assert.equal(stored.imported[""], stored.families[0].key);
    assert.equal((await world.run("rows shop-1", storeAlone)).code, 0);
  });

  for (const [what, damage] of [
    ["cut off", (text: string) => text.slice(0, 100)],
    ["empty", () => ""],
    ["of a later version", (text: string) => text.replace('"version":1', '"version":2')],
    [
      "with a time beyond the calendar",
      (text: string) => text.replace(/"updatedAt":\d+/, '"updatedAt":8640000000000001'),
    ],
  ] as const) {
    it(`says that a store is not usable and does not call it empty (${what})`, async () => {
      const imported = await world.run(
        "token import --yes --json",
        storeAlone,
        world.emulator.credentials.refreshToken,
      );
      const file = imported.json().tokenStore;
      const damaged = damage(readFileSync(file, "utf8"));
      writeFileSync(file, damaged);
      for (const [line, code] of [
        ["token status", 3],
        ["token refresh --yes", 3],
        ["rows shop-1", 3],
        ["doctor", 1],
      ] as const) {
        const ended = await world.run(line, storeAlone);
        assert.equal(ended.code, code, ended.stderr);
        const says =
          what === "of a later version" ? /was written by another version/ : /is corrupt and was not changed\. It can/;
        assert.match(`${ended.stderr}${ended.stdout}`, says);
        assert.doesNotMatch(ended.stderr, /report it with the command line/);
        assert.equal(readFileSync(file, "utf8"), damaged);
      }
      if (what !== "of a later version") {
        const again = await world.run("token import --yes", storeAlone, world.emulator.credentials.refreshToken);
        assert.equal(again.code, 0, again.stderr);
        assert.match(again.stderr, /is corrupt\. It was renamed to /);
      }
    });
  }

  it("writes one JSON document, with the exit code's name, if the command is ended during a refresh", async () => {
    for (const line of ["token refresh --yes --json", "rows shop-1 --json"]) {
      const held = world.holdAnswer({ operation: "refreshToken", when: "after" });
      const { refreshToken } = world.emulator.credentials;
      const running = world.start(line.split(" "), { ...storeAlone, WEBEXTRACT_REFRESH_TOKEN: refreshToken });
      await held;
      running.process.kill("SIGINT");
      await running.says(/^Ending\./m);
      running.process.kill("SIGINT");
      const ended = await running.ended;
      assert.deepEqual([ended.code, ended.json().error.exit], [6, "outcomeUnknown"], ended.stderr);
      assert.match(ended.json().error.message, /the new tokens are lost/);
      world.releaseAnswers();
    }
  });

  for (const command of ["token refresh --yes", "token import --yes", "status shop-1"]) {
    it(`ends with exit code 1 if the new refresh token cannot be stored: ${command}`, async () => {
      const { refreshToken } = world.emulator.credentials;
      const held = world.holdAnswer({ operation: "refreshToken" });
      const running = world.start(command.split(" "), { ...storeAlone, WEBEXTRACT_REFRESH_TOKEN: refreshToken });
      running.process.stdin.end(refreshToken);
      await held;
      rmSync(world.path("tokens"), { recursive: true });
      writeFileSync(world.path("tokens"), "");
      world.releaseAnswers();
      const ended = await running.ended;
      assert.equal(ended.code, 1, ended.stderr);
      assert.match(ended.stderr, /error: The newest refresh token could not be stored in .* and is lost now\./);
      assert.doesNotMatch(ended.stdout, /The new tokens are in/);
    });
  }

  it("stores the tokens of a refresh in progress when the terminal is closed", async () => {
    const { refreshToken } = world.emulator.credentials;
    const held = world.holdAnswer({ operation: "refreshToken" });
    const running = world.start(["status", "shop-1"], { ...storeAlone, WEBEXTRACT_REFRESH_TOKEN: refreshToken });
    await held;
    running.process.kill("SIGHUP");
    await running.says(/Ending\./);
    world.releaseAnswers();
    const { code, stderr } = await running.ended;
    assert.equal(code, 143, stderr);
    const [file = ""] = readdirSync(world.path("tokens"));
    assert.ok(readFileSync(world.path(`tokens/${file}`), "utf8").includes(world.emulator.credentials.refreshToken));
  });

  it("refreshes although the access token is good, and stores the new tokens", async () => {
    await world.run("token import --yes", storeAlone, world.emulator.credentials.refreshToken);
    const before = world.emulator.credentials.refreshToken;
    const ended = await world.run("token refresh --yes --json", storeAlone);
    assert.equal(ended.code, 0, ended.stderr);
    assert.notEqual(world.emulator.credentials.refreshToken, before);
    const [file = ""] = readdirSync(world.path("tokens"));
    assert.ok(readFileSync(world.path(`tokens/${file}`), "utf8").includes(world.emulator.credentials.refreshToken));
  });

  it("refreshes the configured refresh token", async () => {
    const { refreshToken } = world.emulator.credentials;
    const seen = new Set([refreshToken]);
    // The second time, the store has a good access token of this refresh token.
    for (let time = 1; time <= 2; time++) {
      const ended = await world.run("token refresh --yes", { ...storeAlone, WEBEXTRACT_REFRESH_TOKEN: refreshToken });
      assert.equal(ended.code, 0, ended.stderr);
      seen.add(world.emulator.credentials.refreshToken);
    }
    assert.equal(seen.size, 3);
  });

  it("writes nothing without a confirmation", async () => {
    for (const command of ["token refresh", "token import"]) {
      const ended = await world.run(command, storeAlone, world.emulator.credentials.refreshToken);
      assert.deepEqual([ended.code, world.operations()], [2, []], ended.stderr);
    }
  });

  it("says that a refresh token was refused, or that there is none", async () => {
    const refused = await world.run("token import --yes --json", storeAlone, "wrong");
    assert.deepEqual([refused.code, refused.json().error.exit], [3, "credential"]);
    assert.match(refused.stderr, /the given refresh token was refused/);
    const none = await world.run("token refresh --yes", storeAlone);
    assert.equal(none.code, 3);
    assert.equal(
      none.stderr,
      "error: No refresh token is configured, and the token store has none. Set WEBEXTRACT_REFRESH_TOKEN.\n",
    );
    assert.equal((await world.run("token import --yes", storeAlone, " \n")).code, 2);
  });
});

describe("webextract doctor", () => {
  const world = useCliWorld();

  it("finds nothing wrong where nothing is wrong, with one read call", async () => {
    const { code, stdout } = await world.run("doctor");
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^✔ credentials: access token: the configured access token; API key: configured$/m);
    assert.match(stdout, /^✔ read: the service responded$/m);
    assert.match(stdout, /^✔ clock: within \d+ s of the service's clock$/m);
    assert.deepEqual(world.operations(), ["getData"]);
    assert.ok(!Object.values(world.emulator.credentials).some((secret) => stdout.includes(secret)));
  });

  it("names each problem with its remedy", async () => {
    const { refreshToken } = world.emulator.credentials;
    await world.run("token import --yes", storeAlone, refreshToken);
    const [file = ""] = readdirSync(world.path("tokens"));
    chmodSync(world.path(`tokens/${file}`), 0o644);
    const ended = await world.run("doctor --json", { WEBEXTRACT_ACCESS_TOKEN: "wrong" });
    assert.equal(ended.code, 1);
    const { problems, findings } = ended.json();
    const found = findings.filter(({ is }: { is: string }) => is === "problem");
    assert.deepEqual(
      found.map(({ check }: { check: string }) => check),
      ["token store", "read"],
    );
    assert.equal(problems, 2);
    assert.ok(found.every(({ remedy }: { remedy?: string }) => remedy));
  });

  it("reports a wrong configuration without a request", async () => {
    const ended = await world.run("doctor --json", { WEBEXTRACT_BASE_URL: undefined, WEBEXTRACT_MAX_RETRIES: "many" });
    const found = ended.json().findings.filter(({ check }: { check: string }) => check === "configuration");
    assert.deepEqual([ended.code, found.length, world.operations()], [1, 2, []]);
  });
});
