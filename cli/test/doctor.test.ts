import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/commands";
import { slowIt } from "../../test/environment";
import { useCliWorld } from "./webextract";

interface Finding {
  check: string;
  is: "good" | "warning" | "problem";
  found: string;
  remedy?: string;
}

describe("webextract doctor on a machine with problems", () => {
  const world = useCliWorld();

  const doctor = async (env: Record<string, string | undefined>): Promise<Record<string, Finding>> => {
    const ended = await (env?.NODE_OPTIONS === undefined
      ? world.run("doctor --json", env)
      : world.runProgram("doctor --json", env));
    const findings: Finding[] = ended.json().findings;
    assert.equal(ended.code, findings.some(({ is }) => is === "problem") ? 1 : 0, ended.stderr);
    assert.ok(findings.every(({ is, remedy }) => (is === "good") === (remedy === undefined)));
    return Object.fromEntries(findings.map((each) => [each.check, each]));
  };

  it("compares the clock with that of the service", async () => {
    for (const [shift, says] of [
      [3_600_000, /^36\d\d s ahead of the service's clock$/],
      [-3_600_000, /^3[56]\d\d s behind the service's clock$/],
    ] as const) {
      const text = `const now = Date.now; Date.now = () => now() + ${shift};`;
      writeFileSync(world.path("clock.cjs"), text);
      const { clock } = await doctor({ NODE_OPTIONS: `--require ${world.path("clock.cjs")}` });
      assert.equal(clock?.is, "problem");
      assert.match(clock?.found ?? "", says);
    }
  });

  it("begins with what is wrong and what to do, and asks no more of what did not respond", async () => {
    const first = async (env: Record<string, string>, code = 1) => {
      const ended = await world.run("doctor", env);
      assert.equal(ended.code, code);
      return [...ended.stdout.split("\n").slice(0, 2), /^. (?:clock|probe): .*$/gm.exec(ended.stdout)?.[0]];
    };
    const refused = await first({ WEBEXTRACT_ACCESS_TOKEN: "a-token-that-nobody-has" });
    assert.match(
      refused[0] ?? "",
      /^✖ read: The service accepts no access token: WEBEXTRACT_ACCESS_TOKEN was refused\./,
    );
    assert.match(refused[1] ?? "", /^ {4}Set a valid WEBEXTRACT_ACCESS_TOKEN, /);
    assert.match(refused[2] ?? "", /^✔ clock: /);
    const away = await first({ WEBEXTRACT_BASE_URL: "http://127.0.0.1:1" });
    assert.match(away[0] ?? "", /^✖ read: getData .*no connection/);
    assert.match(away[1] ?? "", /^ {4}Nothing was sent\. Check WEBEXTRACT_BASE_URL/);
    assert.equal(away[2], undefined);
  });

  it("leads from an API key alone to the setting with which it serves all operations", async () => {
    world.emulator.setBehaviour({ credentialAcceptance: "apiKeyEverywhere" });
    const keyOnly = { WEBEXTRACT_ACCESS_TOKEN: undefined };
    const { read } = await doctor(keyOnly);
    assert.equal(read?.is, "problem");
    assert.match(
      read?.remedy ?? "",
      /^If the service takes an API key for all operations, set WEBEXTRACT_CREDENTIALS to apiKey\. Otherwise, set /,
    );
    assert.equal((await doctor({ ...keyOnly, WEBEXTRACT_CREDENTIALS: "apiKey" })).read?.is, "good");
  });

  it("says why a refresh failed, and leads to the path of the refresh", async () => {
    const { refreshToken } = world.emulator.credentials;
    const environment = { WEBEXTRACT_ACCESS_TOKEN: undefined, WEBEXTRACT_REFRESH_TOKEN: refreshToken };
    for (const errorBody of ["envelope", "html"] as const) {
      world.emulator.setBehaviour({ refreshPath: "tokenRefresh", errorBody });
      const { read } = await doctor(environment);
      assert.equal(read?.is, "problem");
      assert.match(read?.found ?? "", /the refresh failed\. refreshToken \(POST \/token\): .* 404 /);
      assert.match(
        read?.remedy ?? "",
        /at another path: set WEBEXTRACT_REFRESH_PATH, for example to \/token\/refresh\.$/,
      );
    }
    world.emulator.setBehaviour({ errorBody: "envelope" });
    const { read } = await doctor({ ...environment, WEBEXTRACT_REFRESH_PATH: "/token/refresh" });
    assert.equal(read?.is, "good", read?.found);
    world.emulator.fault({ operation: "refreshToken", kind: "reset" });
    const lost = await doctor({
      ...environment,
      WEBEXTRACT_REFRESH_PATH: "/token/refresh",
      WEBEXTRACT_TOKEN_STORE: world.path("new"),
    });
    assert.match(lost.read?.remedy ?? "", /^The refresh token may be invalid now.* must be issued\.$/);
  });

  it("takes an error of the service for a missing task for no problem of the connection", async () => {
    for (const errorBody of ["envelope", "legacy"] as const) {
      world.emulator.setBehaviour({ taskGone: "serverError", errorBody });
      const { read } = await doctor({});
      assert.deepEqual([read?.is, /500 ServerError/.test(read?.found ?? "")], ["warning", true]);
    }
  });

  it("does not take the page of another server for a response of the service", async () => {
    world.emulator.fault({ operation: "getData", kind: "status", status: 404, body: "<html>Not found</html>" });
    const { read } = await doctor({});
    assert.equal(read?.is, "warning", read?.found);
    assert.match(read?.remedy ?? "", /fails for a task of yours too: Check that WEBEXTRACT_BASE_URL is the address/);
    world.emulator.fault({ operation: "getData", kind: "status", status: 502, body: "<html>Bad gateway</html>" });
    assert.equal((await doctor({})).read?.is, "problem");
  });

  it("does not take the response of a wrong path for one about a task", async () => {
    const { accessToken } = world.emulator.credentials;
    for (const behaviour of [{}, { errorStatus: "all400" }, { errorBody: "legacy" }, { errorBody: "html" }] as const) {
      world.emulator.setBehaviour({ errorStatus: "usual", errorBody: "envelope", ...behaviour });
      const { read } = await doctor({
        WEBEXTRACT_BASE_URL: `${world.emulator.url}/v2`,
        WEBEXTRACT_ACCESS_TOKEN: accessToken,
      });
      assert.equal(read?.is, "problem", JSON.stringify(behaviour));
      assert.match(read?.found ?? "", /(?:NotFound|404), as for a path that the service does not have$/);
      assert.match(
        read?.remedy ?? "",
        /^Check that WEBEXTRACT_BASE_URL is the address of the service, with the whole path in front/,
      );
      assert.equal(
        (await doctor({})).read?.is,
        "errorBody" in behaviour && behaviour.errorBody === "html" ? "warning" : "good",
      );
    }
  });

  it("names the proxy without its password", async () => {
    const proxy = "http://someone:very-secret@127.0.0.1:1";
    const ended = await world.run("doctor --json --base-url https://service.test", { HTTPS_PROXY: proxy });
    const found = ended.json().findings.find(({ check }: Finding) => check === "proxy").found;
    assert.equal(found, "http://127.0.0.1:1");
    assert.ok(!`${ended.stdout}${ended.stderr}`.includes("very-secret"));
    assert.equal((await doctor({ HTTPS_PROXY: proxy })).proxy?.found, "none for this service");
  });

  it("names a command that hides the files from other users and nothing else, also in a link to a folder, with a space", async () => {
    const store = world.path("Application Support");
    mkdirSync(world.path("real/site"), { recursive: true });
    symlinkSync("real", store);
    for (const name of ["tokens.json", "site/page.html"]) {
      writeFileSync(join(store, name), "{}");
      chmodSync(join(store, name), 0o644);
    }
    for (const name of ["real", "real/site"]) {
      chmodSync(world.path(name), 0o755);
    }
    const find = async (): Promise<Finding | undefined> =>
      (await doctor({ WEBEXTRACT_TOKEN_STORE: store }))["token store"];
    const command = (await find())?.remedy?.replace(/^Run: /, "") ?? "";
    execFileSync("sh", ["-c", command]);
    assert.equal((await find())?.is, "good");
    const modes = ["", "site", "site/page.html"].map((name) => statSync(join(store, name)).mode & 0o777);
    assert.deepEqual(modes, [0o755, 0o755, 0o644]);
  });

  it("looks at the folders of the token store and the journal", async () => {
    writeFileSync(world.path("taken"), "a file");
    const { journal, "token store": store } = await doctor({
      WEBEXTRACT_JOURNAL: "off",
      WEBEXTRACT_TOKEN_STORE: world.path("taken/tokens"),
    });
    assert.equal(journal?.is, "warning");
    assert.equal(store?.is, "problem", store?.found);
  });

  it("approves no folder whose path leads nowhere or in a circle, as a program would refuse it", async () => {
    for (const [target, says] of [
      ["gone", /link leads to nothing that exists$/],
      ["link", /\(ELOOP\): .*link is a link that leads in a circle$/],
    ] as const) {
      const link = world.path("link");
      symlinkSync(target, link);
      for (const path of [link, join(link, "below")]) {
        const {
          journal,
          checkpoints,
          "token store": store,
        } = await doctor({
          WEBEXTRACT_JOURNAL: path,
          WEBEXTRACT_TOKEN_STORE: path,
        });
        for (const finding of [journal, store]) {
          assert.equal(finding?.is, "problem", path);
          assert.match(finding?.found ?? "", says);
          assert.match(finding?.remedy ?? "", /orrect the link\. Or set (?:journal|tokenStore) to another folder\.$/);
        }
        assert.match(checkpoints?.found ?? "", /Do not skip them here/);
      }
      rmSync(link);
    }
  });

  it("sends no refresh token if its successor could not be stored, and says which folder cannot be written", async () => {
    writeFileSync(world.path("taken"), "a file");
    const environment = {
      WEBEXTRACT_ACCESS_TOKEN: undefined,
      WEBEXTRACT_REFRESH_TOKEN: world.emulator.credentials.refreshToken,
      WEBEXTRACT_TOKEN_STORE: world.path("taken/tokens"),
    };
    const { read, "token store": store } = await doctor(environment);
    assert.deepEqual([read?.is, store?.is], ["problem", "problem"]);
    assert.match(read?.found ?? "", /not sent: the token store .* cannot be written \(ENOTDIR\)/);
    assert.ok(read?.remedy?.startsWith(`Make the folder ${world.path("taken/tokens")} writable, or `), read?.remedy);
    for (const line of ["rows shop-1", "actions shop-1 --types LoopAction", "status shop-1"]) {
      const { code, stderr } = await world.run(line, environment);
      assert.equal(code, 3, stderr);
      assert.match(stderr, /so the new refresh token would be lost\. Make the folder /);
    }
    assert.deepEqual(world.operations(), []);
  });

  describe("says of the journal whether it lasts, and whether checkpoints can be skipped", () => {
    const lasting = join(repositoryRoot, "node_modules", ".cache", "journal-of-a-test");
    after(() => rmSync(lasting, { recursive: true, force: true }));

    /** On a file system of this type, and on a machine whose folders for temporary files are elsewhere: the repository can be in one of them. */
    const on = (type: number): Record<string, string> => {
      mkdirSync(lasting, { recursive: true });
      const text = `const files = require("node:fs/promises"); const sync = require("node:fs"); const { realpathSync } = sync;
        files.statfs = async () => ({ type: ${type} });
        const temporary = [require("node:os").tmpdir(), "/tmp", "/var/tmp"];
        sync.realpathSync = (path) => (temporary.includes(path) ? "/usr" : realpathSync(path));`;
      writeFileSync(world.path("disk.cjs"), text);
      return { NODE_OPTIONS: `--require ${world.path("disk.cjs")}`, WEBEXTRACT_JOURNAL: lasting };
    };
    const ext4 = 0xef53;
    const overlay = 0x794c7630;
    const skip = { PULUMI_SKIP_CHECKPOINTS: "true" };

    it("on a disk", async () => {
      const { journal, checkpoints } = await doctor(on(ext4));
      assert.deepEqual([journal?.is, checkpoints?.is], ["good", "good"]);
      assert.match(checkpoints?.found ?? "", /can skip them with PULUMI_SKIP_CHECKPOINTS=true$/);
      assert.deepEqual(readdirSync(lasting), []);
      const skipped = await doctor({ ...on(ext4), ...skip });
      assert.equal(skipped.checkpoints?.is, "good");
      assert.match(skipped.checkpoints?.found ?? "", /^skipped/);
    });

    for (const [where, env, says] of [
      ["in a container", () => on(overlay), /layer of a container/],
      ["in memory", () => on(0x01021994), /in memory/],
      ["on a hosted runner", () => ({ ...on(ext4), RUNNER_ENVIRONMENT: "github-hosted" }), /hosted CI runner/],
      ["among temporary files", () => ({ WEBEXTRACT_JOURNAL: join(tmpdir(), "journal") }), /temporary files/],
      ["among them, by a name with two dots", () => ({ WEBEXTRACT_JOURNAL: join(tmpdir(), "..x") }), /temporary files/],
    ] as const) {
      const test = where === "in a container" ? it : slowIt;
      test(where, async () => {
        const { journal, checkpoints } = await doctor(env());
        assert.deepEqual([journal?.is, checkpoints?.is], ["warning", "good"]);
        assert.match(journal?.found ?? "", says);
        assert.equal((await doctor({ ...env(), ...skip })).checkpoints?.is, "problem");
      });
    }

    it("if it is switched off", async () => {
      const { checkpoints } = await doctor({ WEBEXTRACT_JOURNAL: "off", ...skip });
      assert.equal(checkpoints?.is, "problem");
    });
  });

  it("warns if Pulumi is not on the PATH", async () => {
    const { engine } = await doctor({ PATH: world.path("empty") });
    assert.deepEqual([engine?.is, engine?.found], ["warning", "no program pulumi on the PATH"]);
  });

  it("says once that no credential is configured, and leads to the API key first", async () => {
    const { credentials, read } = await doctor({
      WEBEXTRACT_ACCESS_TOKEN: undefined,
      WEBEXTRACT_API_KEY: undefined,
    });
    assert.deepEqual([credentials?.is, read?.is], [undefined, "problem"]);
    assert.match(read?.remedy ?? "", /an API key .*, set WEBEXTRACT_API_KEY, and WEBEXTRACT_CREDENTIALS to apiKey\./);
  });
});
