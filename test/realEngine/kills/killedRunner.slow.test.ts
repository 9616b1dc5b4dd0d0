import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ObjectStore } from "../../../scripts/objectStore/objectStore";
import { FaultyProxy, isWrite } from "../../resources/export/s3/faultyProxy";
import { machineVariables } from "../../resources/export/s3/storeKinds";
import { World } from "../world";

const program = `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1", onDelete: "retain" });
new CloudRun("run", { taskId: copy.id, waitFor: "started", onDelete: "retain" });
`;
const up = ["up", "--yes", "--skip-preview"];

/** How the runner after the killed one ends, and what the service has then: copies and runs. */
const endings: readonly (readonly [output: RegExp, has: readonly string[]])[] = [
  [/(created|unchanged)\s+Duration/, ["1 1"]],
  [/A copy of task "template-1" in group "group-1" may exist/, ["0 0", "1 0"]],
  [/may have started/, ["1 0", "1 1"]],
  // The service has replaced the refresh token, and the store did not get the new one.
  [/refreshToken was refused/, ["0 0"]],
];

/** Hours that the clock of a runner is ahead of the others' and the store's. */
const runners = { first: 0, second: 1, third: -1 };

describe("a runner that is killed at a write to the store, and the next one on other machines, whose clocks are an hour wrong", () => {
  let store: ObjectStore;
  let proxy: FaultyProxy;
  before(async function () {
    this.timeout(900_000);
    store = await ObjectStore.start();
    store.addBucket("team-bucket");
    proxy = await FaultyProxy.start(store.port);
  });
  after(async () => {
    await proxy.stop();
    await store.stop();
  });

  // Claim and new tokens, the owner, intent and id of the copy and of the run, two removed entries, and the end of the owner.
  for (let nth = 1; nth <= 10; nth++) {
    const fate = nth % 2 === 0 ? "lost" : "cut";
    it(`make no second copy and no second run: write ${nth}, which is ${fate}`, async () => {
      const world = await World.create({
        program,
        emulator: { behaviour: { refreshRotation: "oldDies" } },
        withCredentials: false,
        config: { "webextract:tokenStore": `s3://team-bucket/kill-${nth}` },
      });
      const { refreshToken, apiKey } = world.emulator.credentials;
      await world.project.configure({}, { "webextract:refreshToken": refreshToken, "webextract:apiKey": apiKey });
      const startUp = (runner: keyof typeof runners) => {
        const home = join(world.project.root, runner);
        const env = machineVariables(proxy, home);
        const otherClock = join(home, "otherClock.cjs");
        writeFileSync(otherClock, clockAhead(runners[runner]));
        return world.project.start(up, { env: { ...env, NODE_OPTIONS: `--require ${otherClock}` } });
      };
      const has = () => `${world.copies().length} ${world.emulator.inspect.runs().length}`;
      try {
        let writes = 0;
        const run = startUp("first");
        proxy.fate = (request) => {
          if (!isWrite(request) || request.path.includes("/probe/") || ++writes !== nth) return "pass";
          run.killHosts();
          return fate;
        };
        await run.done;
        assert.ok(writes >= nth, `${writes} writes`);
        proxy.reset();
        // Until the claim of the dead runner is over.
        proxy.letPass(130_000);
        for (const runner of ["second", "third"] as const) {
          const { output } = await startUp(runner).done;
          const ending = endings.find(([words]) => words.test(output));
          assert.ok(ending?.[1].includes(has()), `${has()}: ${output}`);
        }
      } finally {
        proxy.reset();
        await world.remove();
      }
    });
  }
});

/** A module after whose load the clock of a process is ahead. */
function clockAhead(hours: number): string {
  return `const ahead = ${hours} * 3_600_000;
    const RealDate = Date;
    globalThis.Date = class Date extends RealDate {
      constructor(...parts) { parts.length > 0 ? super(...parts) : super(RealDate.now() + ahead); }
      static now() { return RealDate.now() + ahead; }
    };`;
}
