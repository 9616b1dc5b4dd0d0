import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sinon from "sinon";
import { ProcessGroup } from "../internals/service";

describe("a process group", () => {
  const groups: ProcessGroup[] = [];
  afterEach(() => {
    sinon.restore();
    for (const group of groups.splice(0)) {
      group.kill();
      group.release();
    }
  });

  /** A command that has started a process, and both of which handle signals in this way. */
  const start = async (onSignals: string): Promise<ProcessGroup> => {
    const inner = `${onSignals}; console.log("started"); setInterval(() => {}, 1000)`;
    const outer = `${onSignals}; require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], { stdio: "inherit" }); setInterval(() => {}, 1000)`;
    const group = new ProcessGroup(process.execPath, ["-e", outer], { stdio: ["ignore", "pipe", "inherit"] });
    groups.push(group);
    await once(group.command.stdout ?? assert.fail(), "data");
    return group;
  };
  /** Resolves when no process has the stdout of the group any more. */
  const allEnded = async (group: ProcessGroup): Promise<unknown> => {
    group.command.stdout?.resume();
    return once(group.command, "close");
  };
  const ignoresSignals = 'for (const name of ["SIGTERM", "SIGINT"]) process.on(name, () => {})';

  it("ends as a whole when it is asked to", async () => {
    const group = await start("");
    const ended = allEnded(group);
    group.stop();
    await group.stopped();
    assert.deepEqual(await ended, [null, "SIGTERM"]);
  });

  it("is ended by force if it does not end in 5 seconds", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const group = await start(ignoresSignals);
    const ended = allEnded(group);
    group.stop();
    group.stop();
    clock.tick(5000);
    assert.deepEqual(await ended, [null, "SIGKILL"]);
  });

  it("gets the SIGINT with which the engine ends its provider, and is ended by force if it was asked before", async () => {
    const before = process.listeners("SIGINT");
    const [one, other] = [await start(""), await start(ignoresSignals)];
    const ended = [allEnded(one), allEnded(other)];
    other.stop();
    const added = process.listeners("SIGINT").filter((listener) => !before.includes(listener));
    assert.equal(added.length, 1);
    added[0]?.("SIGINT");
    assert.deepEqual(await Promise.all(ended), [
      [null, "SIGTERM"],
      [null, "SIGKILL"],
    ]);
    one.release();
    other.release();
    assert.deepEqual(process.listeners("SIGINT"), before);
  });

  it("is ended by taskkill on Windows", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webextract-taskkill-"));
    const [written, command] = [join(folder, "args"), join(folder, "taskkill")];
    writeFileSync(command, `#!/bin/sh\necho "$@" > '${written}'\nkill -9 "$2"\n`);
    chmodSync(command, 0o755);
    sinon.stub(process.env, "PATH").value(`${folder}:${process.env.PATH}`);
    try {
      const group = new ProcessGroup(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {}, "win32");
      groups.push(group);
      const ended = once(group.command, "exit");
      group.stop();
      await group.stopped();
      assert.deepEqual(await ended, [null, "SIGKILL"]);
      assert.equal(readFileSync(written, "utf8"), `/PID ${group.command.pid} /T /F\n`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
