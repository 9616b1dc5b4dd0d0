import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import sinon from "sinon";
import { clock } from "../../internals/service";
import { assertEnded, isAlive } from "../../processes";
import { errorOf } from "../errors/errorOf";
import { startTask, useTokenWorld } from "./tokenWorld";

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

  it("runs once, and its token without an Expiration is used until the service refuses it", async () => {
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
    [
      "a token with a character that a header cannot contain",
      { Version: 1, AccessToken: "hush\n" },
      /no usable AccessToken/,
    ],
    ["an expired token", { Version: 1, AccessToken: "hush", Expiration: "2001-01-01T00:00:00Z" }, /already expired/],
    ["a variable that nothing has replaced", { Version: 1, AccessToken: "$HUSH" }, /the name of a variable, which/],
    ["a token in quotes", { Version: 1, AccessToken: "'hush'" }, /is in quotes\. Remove them/],
    [
      "an Expiration without a zone",
      { Version: 1, AccessToken: "hush", Expiration: "2999-01-01T00:00:00" },
      /time zone/,
    ],
    ["an Expiration that is not a date", { Version: 1, AccessToken: "hush", Expiration: "soon" }, /not an ISO date/],
  ] as const) {
    it(`fails if it prints ${what}, and the error does not contain the output`, async () => {
      const error = await errorOf(startTask(clientWith({ credentialCommand: printing(body) })));
      assert.equal(error.kind, "credential");
      assert.match(error.message, said);
      assert.doesNotMatch(error.message, /hush/);
    });
  }

  it("fails with an error that contains its exit code", async () => {
    const error = await errorOf(startTask(clientWith({ credentialCommand: "exit 3" })));
    // It says nothing about the service, which got no token.
    assert.match(error.message, /not sent: no access token could be had; credentialCommand ended with exit code 3/);
  });

  it("fails if it prints no JSON", async () => {
    const error = await errorOf(startTask(clientWith({ credentialCommand: "echo hush" })));
    assert.match(error.message, /credentialCommand did not print JSON on stdout/);
    assert.doesNotMatch(error.message, /hush/);
  });

  describe("with a child process that keeps stdout open", () => {
    /** The command runs these statements. `left` is the source of the child process that outlives it. */
    const leaving = (left: string, statements: string) =>
      world.scriptCommand(`
        const left = ${JSON.stringify(left)};
        const child = require("child_process").spawn(process.execPath, ["-e", left, String(process.pid)], { stdio: "inherit", detached: true });
        child.unref();
        require("fs").writeFileSync(${JSON.stringify(runsFile())}, String(child.pid));
        ${statements}`);
    const printed = 'console.log(JSON.stringify({ Version: 1, AccessToken: "from-command" }));';
    const leftProcess = () => Number(readFileSync(runsFile(), "utf8"));
    afterEach(() => {
      process.kill(leftProcess(), "SIGKILL");
    });

    it("ends without waiting for the child process", async () => {
      await startTask(clientWith({ credentialCommand: leaving("setInterval(() => {}, 1000)", printed) }));
      assert.ok(process.kill(leftProcess(), 0), "it still holds the pipe open");
    });

    it("accepts the output of the child process", async () => {
      const hasPrinted = join(world.folder, "printed");
      const left = `
        const parent = Number(process.argv[1]);
        const timer = setInterval(() => {
          if (process.ppid === parent) return;
          ${printed}
          require("fs").writeFileSync(${JSON.stringify(hasPrinted)}, "");
          clearInterval(timer);
          setInterval(() => {}, 1000);
        }, 10);`;
      // On a busy machine, the child process prints after the second in which output must arrive.
      const deadline = sinon.stub(clock, "deadline").callThrough();
      deadline.withArgs(1000).callsFake((_ms, strike) => {
        void (async () => {
          while (!existsSync(hasPrinted)) await setImmediate();
          // The output is in the pipe, and is read before the second of these.
          await setImmediate();
          await setImmediate();
          strike();
        })();
        return () => undefined;
      });
      await startTask(clientWith({ credentialCommand: leaving(left, "") }));
      assert.ok(process.kill(leftProcess(), 0), "it still holds the pipe open");
    });
  });

  describe("that does not end", () => {
    const ready = () => join(world.folder, "ready");
    /** Each part of a shell script says its process id, and waits. */
    const waits = `sh -c 'echo $$ >> "$READY"; exec sleep 1000'`;
    const deaf = `sh -c 'trap "" TERM; echo $$ >> "$READY"; while :; do sleep 1000; done'`;
    const pids = () => readFileSync(ready(), "utf8").trim().split("\n").map(Number);
    /** A process that has ended can stay in the list, because nobody waits for it. */
    /** Resolves when this number of processes has said its id. */
    const started = async (count: number): Promise<void> => {
      while (!existsSync(ready()) || pids().length < count) await setImmediate();
    };
    const command = (script: string) => `READY='${ready()}'; export READY; ${script}`;
    afterEach(() => {
      for (const pid of existsSync(ready()) ? pids() : []) {
        if (isAlive(pid)) process.kill(pid, "SIGKILL");
      }
    });

    for (const [what, script, count] of [
      ["processes in the background", `${waits} & ${waits} & ${waits}`, 3],
      ["a process that ignores SIGTERM", `${waits} & ${deaf}`, 2],
      ["a process whose parent has ended", `(${waits} &); ${waits}`, 2],
    ] as const) {
      it(`ends at its time limit with ${what}`, async () => {
        const deadline = sinon.stub(clock, "deadline").callThrough();
        const call = errorOf(startTask(clientWith({ credentialCommand: command(script) })));
        await started(count);
        deadline.withArgs(60_000).lastCall.args[1]();
        assert.match((await call).message, /credentialCommand did not end within 60 s/);
        await assertEnded(pids());
      });
    }

    it("ends with the processes that it has left, if it prints no token", async () => {
      const error = await errorOf(startTask(clientWith({ credentialCommand: command(`${waits} & sleep 0.2`) })));
      assert.match(error.message, /credentialCommand did not print JSON on stdout/);
      await assertEnded(pids());
    });

    it("ends with a program that a signal ends", async () => {
      const program = startProgram(command(`${waits} & ${waits}`));
      const ended = once(program, "exit");
      await started(2);
      program.kill("SIGINT");
      assert.deepEqual(await ended, [null, "SIGINT"]);
      await assertEnded(pids());
    });

    it("ends when the program is interrupted", async () => {
      const interruption = new AbortController();
      const client = clientWith({
        credentialCommand: command(`${waits} & ${waits}`),
        interrupted: interruption.signal,
      });
      const call = errorOf(startTask(client));
      await started(2);
      interruption.abort();
      assert.match((await call).message, /credentialCommand was ended because the command was interrupted/);
      await assertEnded(pids());
    });
  });

  /** A program of a user that makes one call with this command. */
  const startProgram = (credentialCommand: string) => {
    const program = `
      const { ServiceClient } = require(${JSON.stringify(join(__dirname, "../../../src/service"))});
      const client = new ServiceClient({ baseUrl: ${JSON.stringify(world.service.baseUrl)}, logLevel: "trace",
        credentialCommand: ${JSON.stringify(credentialCommand)}, tokenStore: ${JSON.stringify(join(world.folder, "store"))} });
      client.startTask({ taskId: "t" }).then(() => client.close());`;
    return spawn(process.execPath, ["-r", "tsx/cjs", "-e", program]);
  };

  it("passes its stderr on and never shows its stdout", async () => {
    const command = world.scriptCommand(
      'console.error("please touch the key"); console.log(JSON.stringify({ Version: 1, AccessToken: "from-command" }));',
    );
    const program = startProgram(command);
    const [stdout, stderr] = await Promise.all([text(program.stdout), text(program.stderr)]);
    assert.equal(stdout, "");
    assert.match(stderr, /^please touch the key\n/);
    assert.doesNotMatch(stderr, /from-command|AccessToken/);
  });
});
