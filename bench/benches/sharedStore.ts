import { ObjectStore } from "../../scripts/objectStore/objectStore";
import { storeVariables } from "../../test/resources/export/s3/storeKinds";
import type { Bench, Figure } from "../figure";
import { atMost } from "../figure";
import { measured } from "../measure/measured";
import { slowNetwork } from "../stage/slowNetwork";
import { withFleet, withoutCheckpoints } from "./fleet";

const storeLatencyMs = 20;
const goals: Readonly<Record<number, number>> = { 100: 1.3, 1000: 1.25 };

const phases = ["first up", "unchanged up", "preview"] as const;

/** What it costs that a journal is in a store and not on the disk. */
export const sharedStore: Bench = {
  name: "shared-store",
  summary: `100 and 1,000 tasks with a journal in a store of ${storeLatencyMs} ms, against one on the disk (--tasks chooses the sizes)`,
  async run({ tasks = [100, 1000] }) {
    const store = await ObjectStore.start();
    store.addBucket("team-bucket");
    const network = await slowNetwork(store.port, storeLatencyMs);
    const figures: Figure[] = [];
    try {
      for (const size of tasks) {
        const named = (what: string): string => `${size.toLocaleString("en-US")} tasks, journal in a store: ${what}`;
        let counted = network.requestsSoFar();
        const onDisk = await secondsOf(size, {}, () => undefined);
        const env = { ...storeVariables(network, "/nowhere"), WEBEXTRACT_JOURNAL: `s3://team-bucket/${size}` };
        const inStore = await secondsOf(size, env, (phase) => {
          const value = network.requestsSoFar() - counted;
          counted += value;
          const goal = phase === "first up" ? undefined : atMost(0);
          figures.push({ name: named(`${phase}, requests to the store`), value, unit: "requests", goal });
        });
        for (const [index, most] of [goals[size], 1.1].entries()) {
          const value = (inStore[index] ?? 0) / (onDisk[index] ?? 0);
          const goal = most === undefined ? undefined : atMost(most);
          figures.push({ name: named(`${phases[index]} against a journal on the disk`), value, unit: "x", goal });
        }
      }
      return figures;
    } finally {
      network.stop();
      await store.stop();
    }
  },
};

function secondsOf(tasks: number, env: object, note: (phase: (typeof phases)[number]) => void): Promise<number[]> {
  return withFleet(tasks, { ...withoutCheckpoints, ...env }, async (project) => {
    const seconds: number[] = [];
    for (const phase of phases) {
      const run = await measured(() => (phase === "preview" ? project.preview() : project.up()));
      seconds.push(run.wallSeconds);
      note(phase);
    }
    return seconds;
  });
}
