import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { setImmediate } from "node:timers/promises";

/** Whether a process has not ended. A zombie has. */
export function isAlive(pid: number): boolean {
  return /^[^Z]/.test(spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout);
}

/** A process that was killed can still be there for a moment, so it is looked at several times. */
export async function assertEnded(pids: readonly number[]): Promise<void> {
  for (let looks = 0; looks < 500 && pids.some(isAlive); looks++) {
    await setImmediate();
  }
  assert.deepEqual(pids.filter(isAlive), []);
}
