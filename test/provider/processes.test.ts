import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemProcesses } from "../internals/provider";

const startOf = (pid = 0): string => {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${boot} ${readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[21]}`;
};

describe("a process in the journal", () => {
  for (const [system, folderOf] of [
    ["a system with /proc", () => "/proc"],
    ["a system without /proc", () => mkdtempSync(join(tmpdir(), "webextract-proc-"))],
  ] as const) {
    it(`counts as running until it ends, on ${system}`, async () => {
      const folder = folderOf();
      const processes = systemProcesses(folder);
      const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "inherit"] });
      await once(child, "spawn");
      const start = folder === "/proc" ? startOf(child.pid) : undefined;
      assert.equal(processes.own.start, folder === "/proc" ? startOf(process.pid) : undefined);
      const name = { ...processes.own, pid: Number(child.pid), start };
      assert.equal(processes.isRunning(name), true);
      assert.equal(processes.isRunning({ ...name, host: "elsewhere" }), false);
      assert.equal(processes.isRunning({ ...name, start: "1" }), false);
      assert.equal(processes.isRunning(processes.own), false);
      child.kill("SIGKILL");
      await once(child, "exit");
      assert.equal(processes.isRunning(name), false);
      if (folder !== "/proc") {
        rmSync(folder, { recursive: true });
      }
    });
  }

  it("has ended as a zombie", async () => {
    // `cat` takes the place of the shell, and collects no child.
    const parent = spawn("sh", ["-c", "cat </dev/zero >/dev/null & echo $!; exec cat"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    try {
      const [line] = await once(parent.stdout, "data");
      const pid = Number(line);
      const processes = systemProcesses();
      const name = { ...processes.own, pid, start: startOf(pid) };
      assert.equal(processes.isRunning(name), true);
      // The shell itself would collect its child.
      while (readFileSync(`/proc/${parent.pid}/comm`, "utf8") !== "cat\n") {
        await new Promise((resolve) => setImmediate(resolve));
      }
      process.kill(pid, "SIGKILL");
      while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(processes.isRunning(name), false);
    } finally {
      parent.kill("SIGKILL");
    }
  });
});
