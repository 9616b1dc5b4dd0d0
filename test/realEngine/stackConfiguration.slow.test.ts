import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { program } from "../../cli/test/webextract";
import type { NodeOptions } from "./harness";
import { Project } from "./harness";

const seed = {
  taskGroups: [{ taskGroupId: "shops" }],
  tasks: [{ taskId: "shop-1", taskGroupId: "shops", syntheticRows: 2, actions: [] }],
};
const passphrase = { PULUMI_CONFIG_PASSPHRASE: "right" };
const ofProfile = "token-of-the-profile";

const wrong = { WEBEXTRACT_BASE_URL: "http://127.0.0.1:1", WEBEXTRACT_ACCESS_TOKEN: "wrong" };

describe("the command line with the configuration of a stack", () => {
  let emulator: Emulator;
  let project: Project;
  before(async () => {
    emulator = await startEmulator({ seed });
    project = await Project.create({
      program: "",
      env: passphrase,
      config: { "webextract:baseUrl": emulator.url, "webextract:maxRetries": "0", "other:key": "value" },
      secrets: {
        "webextract:accessToken": emulator.credentials.accessToken,
        "webextract:profiles": JSON.stringify({ other: { accessToken: ofProfile } }),
      },
    });
  });
  after(async () => {
    await project.remove();
    await emulator.close();
  });

  const run = async (line: string, options: NodeOptions = {}) => {
    emulator.clearRequests();
    const { code, stdout, stderr } = await project.node([program, ...line.split(" ")], options);
    return { code, stdout, stderr };
  };

  it("uses its plain and its secret values before the environment, in the folder of the project and in folders below", async () => {
    mkdirSync(join(project.folder, "tasks"));
    for (const options of [{ env: wrong }, { within: "tasks" }]) {
      const { code, stdout, stderr } = await run("rows shop-1 --stack dev --json", options);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.equal(JSON.parse(stdout).total, 0);
    }
  });

  it("uses the credentials of a profile of the stack", async () => {
    const { code, stderr } = await run("rows shop-1 --stack dev --profile other");
    assert.equal(code, 3, stderr);
    assert.match(stderr, /webextract:profiles.* was refused/);
    const unknown = await run("rows shop-1 --stack dev --profile nobody");
    assert.deepEqual([unknown.code, emulator.requests.length], [2, 0]);
  });

  it("gives way to the address on the command line", async () => {
    assert.equal((await run("rows shop-1 --stack dev --base-url http://127.0.0.1:1", { env: wrong })).code, 5);
  });

  it("tells what doctor finds, without a secret", async () => {
    const { code, stdout } = await run("doctor --stack dev --json");
    const found = Object.fromEntries(
      JSON.parse(stdout).findings.map((each: { check: string; found: string }) => [each.check, each.found]),
    );
    assert.equal(code, 0, stdout);
    assert.match(found.engine, /^pulumi \d+\./);
    assert.equal(found.configuration, `service ${emulator.url}`);
    assert.match(found.credentials, /the configured access token/);
    assert.deepEqual(project.findWritten([emulator.credentials.accessToken, ofProfile]), []);
  });

  it("says what is wrong if the stack, the passphrase, the project or Pulumi is missing or wrong, before any request", async () => {
    const cases: ({ line: string; says: RegExp } & NodeOptions)[] = [
      { line: "--stack nope", env: {}, says: /stack "nope" cannot be read: .*: no stack named 'nope' found\. Correct/ },
      { line: "--stack dev", env: { PULUMI_CONFIG_PASSPHRASE: "wrong" }, says: /: incorrect passphrase\. Correct/ },
      { line: "--stack dev", env: {}, within: "..", says: /: no Pulumi\.yaml project file found/ },
      { line: "--stack dev", env: { PATH: "" }, says: /: the program pulumi is not on the PATH\. Install Pulumi/ },
    ];
    for (const { line, says, ...options } of cases) {
      const { code, stdout, stderr } = await run(`rows shop-1 ${line} --json`, options);
      const { message, exit } = JSON.parse(stdout).error;
      assert.deepEqual([code, exit, stderr, emulator.requests.length], [2, "usage", `error: ${message}\n`, 0], stderr);
      assert.match(message, says);
    }
  });
});
