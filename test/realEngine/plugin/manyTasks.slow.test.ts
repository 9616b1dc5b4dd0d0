import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { stringify } from "yaml";
import { descendantsOf, hostPattern } from "../harness/processes";
import type { World } from "../world";
import { yamlWorld } from "./nativeWorld";

/** The memory that a plugin may take, in MB, by the number of tasks. */
const most = { 2000: 200, 10000: 400 };

for (const [size, megabytes] of Object.entries(most)) {
  describe(`${size} tasks in a YAML program on the native plugin`, function () {
    this.timeout(1_800_000);
    let world: World;
    before(async () => {
      const names = Array.from({ length: Number(size) }, (_, index) => `task-${index}`);
      const resources = Object.fromEntries(
        names.map((name) => [
          name,
          { type: "webextract:TaskCopy", properties: { sourceTaskId: "template-1", taskGroupId: "group-1" } },
        ]),
      );
      // The engine reads Pulumi.yaml several times.
      world = await yamlWorld("", {
        files: { "Main.yaml": stringify({ resources }, { aliasDuplicateObjects: false }) },
        config: { "webextract:requestsPerSecond": "100000", "webextract:concurrency": "64" },
        env: { PULUMI_SKIP_CHECKPOINTS: "true" },
      });
    });
    after(() => world.remove());

    /** Runs a command and returns the most memory that a plugin had, in MB. Linux keeps it for each process. */
    async function peakOf(command: readonly string[]): Promise<number> {
      const run = world.project.start(command);
      let ended = false;
      const done = run.done.finally(() => {
        ended = true;
      });
      let peak = 0;
      while (!ended) {
        const plugins = descendantsOf(process.pid).filter(({ command }) => hostPattern.test(command));
        peak = Math.max(peak, ...plugins.map(({ pid }) => peakMemoryOf(pid)));
        await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 250))]);
      }
      const { code, output } = await done;
      assert.equal(code, 0, output.slice(-2000));
      return peak;
    }

    it(`makes each with one request, with at most ${megabytes} MB`, async () => {
      const peak = await peakOf(["up", "--yes", "--skip-preview"]);
      assert.equal(world.copies().length, Number(size));
      assert.equal(world.operations().filter((name) => name === "copyTask").length, Number(size));
      assert.ok(peak > 0 && peak < megabytes, `${peak} MB`);
    });

    it(`makes no request in an unchanged up, with at most ${megabytes} MB`, async () => {
      const peak = await peakOf(["up", "--yes", "--skip-preview", "--expect-no-changes"]);
      assert.deepEqual(world.operations(), []);
      assert.ok(peak > 0 && peak < megabytes, `${peak} MB`);
    });
  });
}

/** Zero if the process has ended. */
function peakMemoryOf(pid: number): number {
  try {
    const [, kilobytes = "0"] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1000;
  } catch {
    return 0;
  }
}
