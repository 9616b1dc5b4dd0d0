import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { documentedBehaviour } from "webextract-emulator";
import { shop, useCliWorld } from "../../cli/test/webextract";
import { isLarge } from "../environment";
import { blocks, readPage, repository } from "./readPage";

describe("the page about a first token", () => {
  const [importLine = "", configLine = ""] = blocks(readPage("docs/how-to/first-token.md"), "sh");
  const login = `"${process.execPath}" "${join(repository, "examples/commandLine/login.mjs")}"`;
  const world = useCliWorld({ behaviour: { ...documentedBehaviour, refreshPath: "tokenRefresh" } });
  let env: Record<string, string | undefined>;
  beforeEach(() => {
    const { apiKey } = world.emulator.credentials;
    env = {
      WEBEXTRACT_ACCESS_TOKEN: undefined,
      WEBEXTRACT_API_KEY: undefined,
      WEBEXTRACT_REFRESH_PATH: "/token/refresh",
      LOGIN_SERVICE: world.emulator.url,
      LOGIN_USER: "reader",
      LOGIN_PASSWORD: apiKey,
    };
  });

  const imported = () => {
    const line = importLine.replace("node login.mjs", login).replace("npx webextract token import --yes", '"$@"');
    return world.start(["token", "import", "--yes"], env, line).ended;
  };

  it("imports a refresh token, with which the token store alone serves every command, and keeps no password", async () => {
    const { code, stdout, stderr } = await imported();
    assert.equal(code, 0, stderr);
    const later = { ...env, LOGIN_PASSWORD: undefined };
    assert.equal((await world.run(`status ${shop.taskId}`, later)).code, 0);
    const files = readdirSync(world.path("tokens")).map((name) => readFileSync(world.path(`tokens/${name}`), "utf8"));
    assert.ok(![stdout, stderr, ...files].join().includes(String(env.LOGIN_PASSWORD)));
  });

  it("logs in for each command", async () => {
    const [, command = ""] = /credentialCommand "(.*)"/.exec(configLine) ?? [];
    const line = command.replace("node login.mjs", login).replace("$LOGIN_SERVICE", world.emulator.url);
    const ended = await world.run(`actions ${shop.taskId}`, { ...env, WEBEXTRACT_CREDENTIAL_COMMAND: line });
    assert.equal(ended.code, 0, ended.stderr);
  });

  it("says what was refused and what to check, and not the password", async () => {
    const { url } = world.emulator;
    for (const [changes, says] of [
      [
        { LOGIN_PASSWORD: "a-wrong-one" },
        /no token: 400 Invalid\.Grant\. Check LOGIN_USER and LOGIN_PASSWORD, and that/,
      ],
      [
        { LOGIN_SERVICE: `${url}/eu` },
        /no token: 400 NotFound\. Check the address, with the whole path in front of \/token/,
      ],
      [{ LOGIN_SERVICE: `${url}/__emulator/` }, /no token: 404 .*\. Check the address, with the whole path/],
      [{ LOGIN_SERVICE: "http://127.0.0.1:1" }, /\. Check the address\.$/],
      [{ LOGIN_SERVICE: "" }, /^login: the first argument must be the address of the service$/],
      [{ LOGIN_PASSWORD: "" }, /^login: LOGIN_USER and LOGIN_PASSWORD must be set$/],
    ].slice(0, isLarge ? undefined : 2) as [object, RegExp][]) {
      const before = { ...env };
      Object.assign(env, changes);
      const { code, stderr } = await imported();
      assert.notEqual(code, 0);
      assert.match(stderr.split("\n")[0] ?? "", says);
      assert.ok(env.LOGIN_PASSWORD === "" || !stderr.includes(String(env.LOGIN_PASSWORD)), stderr);
      env = before;
    }
  });
});
