import { setTimeout as pause } from "node:timers/promises";
import { ObjectStore } from "../../scripts/objectStore/objectStore";
import { FaultyProxy } from "../../test/resources/export/s3/faultyProxy";
import { storeVariables } from "../../test/resources/export/s3/storeKinds";
import type { Bench, Figure } from "../figure";
import { atMost } from "../figure";
import { measured } from "../measure/measured";
import { PeerService } from "../peers/service";
import { withProject } from "../stage/stack";
import { programOf, withoutCheckpoints } from "./fleet";

const storeLatencyMs = 20;
const goals: Readonly<Record<number, number>> = { 100: 1.3, 1000: 1.25 };

interface Seconds {
  first: number;
  unchanged: number;
  preview: number;
}

/** What it costs that a journal is in a store and not on the disk. */
export const sharedStore: Bench = {
  name: "shared-store",
  summary: `100 and 1,000 tasks with a journal in a store of ${storeLatencyMs} ms, against one on the disk (--tasks chooses the sizes)`,
  async run({ tasks = [100, 1000] }) {
    const store = await ObjectStore.start();
    store.addBucket("team-bucket");
    const proxy = await FaultyProxy.start(store.port);
    proxy.fate = () => pause(storeLatencyMs, "pass" as const);
    const figures: Figure[] = [];
    try {
      for (const size of tasks) {
        const named = (what: string): string => `${size.toLocaleString("en-US")} tasks, journal in a store: ${what}`;
        const onDisk = await secondsOf(size, {}, () => undefined);
        const env = { ...storeVariables(proxy, "/nowhere"), WEBEXTRACT_JOURNAL: `s3://team-bucket/${size}` };
        const inStore = await secondsOf(size, env, (phase) => {
          const value = proxy.requests.splice(0).length;
          const goal = phase === "first up" ? undefined : atMost(0);
          figures.push({ name: named(`${phase}, requests to the store`), value, unit: "requests", goal });
        });
        const against = (what: string, phase: keyof Seconds, most: number | undefined): Figure => ({
          ...{ name: named(`${what} against a journal on the disk`), value: inStore[phase] / onDisk[phase], unit: "x" },
          goal: most === undefined ? undefined : atMost(most),
        });
        figures.push(against("first up", "first", goals[size]), against("unchanged up", "unchanged", 1.1));
      }
      return figures;
    } finally {
      await proxy.stop();
      await store.stop();
    }
  },
};

async function secondsOf(tasks: number, env: Record<string, string>, note: (phase: string) => void): Promise<Seconds> {
  const service = await PeerService.start({ latencyMs: 0 });
  const config = { "webextract:actionTypes": "LoopAction,NavigateAction" };
  const options = { url: service.url, program: programOf(tasks), config, env: { ...withoutCheckpoints, ...env } };
  try {
    return await withProject(options, async (project) => {
      const seconds: number[] = [];
      for (const phase of ["first up", "unchanged up", "preview"]) {
        const run = await measured(() => (phase === "preview" ? project.preview() : project.up()));
        seconds.push(run.wallSeconds);
        note(phase);
      }
      const [first = 0, unchanged = 0, preview = 0] = seconds;
      return { first, unchanged, preview };
    });
  } finally {
    await service.stop();
  }
}
