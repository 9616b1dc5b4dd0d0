import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorOf } from "../errors/errorOf";
import { startTask, useTokenWorld } from "./tokenWorld";

const run = promisify(execFile);

describe("credentialCommand", () => {
  const world = useTokenWorld();
  const { clientWith, passTime } = world;
  const runsFile = () => join(world.folder, "runs");
  const printing = (body: unknown) =>
    world.scriptCommand(
      `require("fs").appendFileSync(${JSON.stringify(runsFile())}, "x"); console.log(${JSON.stringify(JSON.stringify(body))});`,
    );
  const runs = () => (existsSync(runsFile()) ? readFileSync(runsFile()).length : 0);

  beforeEach(() => world.service.access.add("from-command"));

  it("runs once; without Expiration its token is used until it is refused", async () => {
    const client = clientWith({ credentialCommand: printing({ Version: 1, AccessToken: "from-command" }) });
    await startTask(client);
    await startTask(client);
    assert.equal(runs(), 1);
    assert.equal(client.describeCredentials().source, "credentialCommand");
  });

  it("runs again before the Expiration of its token", async () => {
    const expiration = new Date(Date.now() + 3600_000).toISOString();
    const client = clientWith({
      credentialCommand: printing({ Version: 1, AccessToken: "from-command", Expiration: expiration }),
    });
    await startTask(client);
    assert.equal(client.describeCredentials().expires, expiration);
    passTime(3400);
    await startTask(client);
    assert.equal(runs(), 2);
  });

  for (const [what, body, said] of [
    ["another Version", { Version: 2, AccessToken: "hush" }, /no Version, or one other than 1/],
    ["no token", { Version: 1 }, /no usable AccessToken/],
    ["a token that no header can carry", { Version: 1, AccessToken: "hush\n" }, /no usable AccessToken/],
    ["an expired token", { Version: 1, AccessToken: "hush", Expiration: "2001-01-01T00:00:00Z" }, /already expired/],
    ["an Expiration that is not a date", { Version: 1, AccessToken: "hush", Expiration: "soon" }, /not an ISO date/],
  ] as const) {
    it(`that prints ${what} fails, and the error does not hold the output`, async () => {
      const error = await errorOf(startTask(clientWith({ credentialCommand: printing(body) })));
      assert.equal(error.kind, "credential");
      assert.match(error.message, said);
      assert.doesNotMatch(error.message, /hush/);
    });
  }

  it("that fails is named in the error with its exit code", async () => {
    const error = await errorOf(startTask(clientWith({ credentialCommand: "exit 3" })));
    assert.match(error.message, /credentialCommand ended with exit code 3/);
  });

  it("that prints no JSON fails", async () => {
    const error = await errorOf(startTask(clientWith({ credentialCommand: "echo hush" })));
    assert.match(error.message, /credentialCommand did not print JSON on stdout/);
    assert.doesNotMatch(error.message, /hush/);
  });

  it("is not waited for by way of a process that it leaves running with its stdout", async () => {
    const command = world.scriptCommand(`
      const left = "setInterval(() => {}, 1000)";
      const child = require("child_process").spawn(process.execPath, ["-e", left], { stdio: "inherit", detached: true });
      child.unref();
      console.log(JSON.stringify({ Version: 1, AccessToken: "from-command", Left: child.pid }));
      require("fs").writeFileSync(${JSON.stringify(runsFile())}, String(child.pid));`);
    try {
      await startTask(clientWith({ credentialCommand: command }));
      // Still running: it holds the pipe open, and the call did not wait for it.
      process.kill(Number(readFileSync(runsFile(), "utf8")), 0);
    } finally {
      process.kill(Number(readFileSync(runsFile(), "utf8")), "SIGKILL");
    }
  });

  it("has its stderr passed on, and its stdout never shown", async () => {
    const command = world.scriptCommand(
      'console.error("please touch the key"); console.log(JSON.stringify({ Version: 1, AccessToken: "from-command" }));',
    );
    const program = `
      const { ServiceClient } = require(${JSON.stringify(join(__dirname, "../../../src/service"))});
      const client = new ServiceClient({ baseUrl: ${JSON.stringify(world.service.baseUrl)}, logLevel: "trace",
        credentialCommand: ${JSON.stringify(command)}, tokenStore: ${JSON.stringify(join(world.folder, "store"))} });
      client.startTask({ taskId: "t" }).then(() => client.close());`;
    const { stdout, stderr } = await run(process.execPath, ["-r", "tsx/cjs", "-e", program]);
    assert.equal(stdout, "");
    assert.match(stderr, /^please touch the key\n/);
    assert.doesNotMatch(stderr, /from-command|AccessToken/);
  });
});
