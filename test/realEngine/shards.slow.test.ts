import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "webextract-emulator";
import { parse } from "yaml";
import { repositoryRoot } from "../../scripts/commands";
import { ObjectStore } from "../../scripts/objectStore/objectStore";
import type { Fate } from "../resources/export/s3/faultyProxy";
import { FaultyProxy, operationOf, refusal } from "../resources/export/s3/faultyProxy";
import { machineVariables } from "../resources/export/s3/storeKinds";
import { ShardedFleet, shardedSeed } from "./shardedFleet";

/** What a pod of examples/fleet/shards/jobs.yaml runs, and its variables. */
function podOf(): { command: string; env: Record<string, string>; jobs: number } {
  const { spec } = parse(readFileSync(file, "utf8"));
  const [{ args, env }] = spec.template.spec.containers;
  const variables = (env as { name: string; value: string }[]).map(({ name, value }) => [name, value]);
  return { command: args.join("\n"), env: Object.fromEntries(variables), jobs: spec.completions };
}

const file = join(repositoryRoot, "examples/fleet/shards/jobs.yaml");

describe("the jobs of a fleet in Kubernetes", () => {
  it("are what the schema of Kubernetes takes", () => {
    const folder = mkdtempSync(join(tmpdir(), "webextract-kubernetes-"));
    execFileSync("python3", ["-m", "venv", folder]);
    execFileSync(join(folder, "bin/pip"), ["install", "-q", "kubernetes-validate==1.37.0"]);
    execFileSync(join(folder, "bin/kubernetes-validate"), ["--strict", file]);
    rmSync(folder, { recursive: true });
  });
});

const limit = 100;
const tasksOfShard = 200;

describe("2,000 tasks in ten jobs with nothing in common but a store that has faults", function () {
  this.timeout(1_800_000);

  it("lose nothing, make nothing twice and keep the rate limit, with one refresh token that rotates", async () => {
    const store = await ObjectStore.start();
    store.addBucket("my-bucket");
    const proxy = await FaultyProxy.start(store.port);
    const fates: readonly Fate[] = ["lost", refusal(503, "SlowDown"), "cut"];
    let writes = 0;
    proxy.fate = (request) => {
      writes += operationOf(request) === "PutObject" ? 1 : 0;
      const fate = operationOf(request) === "PutObject" && writes % 17 === 0 ? fates[(writes / 17) % 3] : undefined;
      // A store far away.
      return new Promise((resolve) => setTimeout(resolve, 20, fate ?? "pass"));
    };
    const emulator = await startEmulator({
      behaviour: { requestsPerSecond: limit, refreshRotation: "oldDies" },
      seed: shardedSeed,
    });
    const { command, env, jobs } = podOf();
    const fleet = await ShardedFleet.create(emulator, tasksOfShard, jobs, {});
    const { project } = fleet;
    const each = (round: string) =>
      Promise.all(
        Array.from({ length: jobs }, (_, index) => {
          const machine = machineVariables(proxy, join(project.root, `home-${round}-${index}`));
          const own = { ...machine, LIMIT: String(limit) };
          return project.shell(command, { env: { ...env, ...own, JOB_COMPLETION_INDEX: String(index) } });
        }),
      );
    try {
      const ended = each("first");
      // The tokens of all jobs expire while they work.
      const hold = emulator.hold({ operation: "copyTask", skip: 1000 });
      await Promise.race([hold.reached, ended]);
      emulator.change.expireAccessTokens();
      hold.release();
      const [{ output } = { output: "" }] = await ended;
      assert.match(output, /^shard-1 sends at most 10 of 100 requests a second: 10 jobs share the limit\.$/m);

      const copies = emulator.inspect.tasks().filter(({ taskId }) => taskId !== "template");
      const urls = copies.map(({ actions: [open] }) => open?.properties.Url).sort();
      assert.deepEqual(urls, fleet.declaredUrls().sort());
      assert.deepEqual(fleet.taskIds().sort(), copies.map(({ taskId }) => taskId).sort());
      // A token that was sent twice is refused.
      const renewals = emulator.requests.filter(({ operation }) => operation === "refreshToken");
      assert.deepEqual([...new Set(renewals.map(({ status }) => status))], [200]);
      assert.ok(writes > 17);
      const refused = emulator.requests.filter(({ status }) => status === 429);
      // On a busy machine, a job sends in a moment what it was kept from sending. Without the shares, most are refused.
      assert.ok(refused.length < emulator.requests.length / 20, `${refused.length} of ${emulator.requests.length}`);

      emulator.clearRequests();
      await each("second");
      assert.deepEqual(emulator.requests, []);
    } finally {
      await fleet.remove();
      await emulator.close();
      await proxy.stop();
      await store.stop();
    }
  });
});
