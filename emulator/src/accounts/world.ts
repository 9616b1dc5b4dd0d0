import { setMaxListeners } from "node:events";
import type { Behaviour } from "../behaviour";
import { pageLoader } from "../extraction/loadPage";
import { visitPage } from "../extraction/pages";
import type { ReadingLimits } from "../extraction/reading/pagePool";
import type { Fault } from "../faults/faults";
import { FaultPlan } from "../faults/faults";
import { Waits } from "../http/deliver";
import { RateGate } from "../http/gate";
import { Journal } from "../http/journal";
import type { World } from "../http/world";
import { ChangeFeed } from "../runs/changeFeed";
import { Runner } from "../runs/runner";
import { RunProgress } from "../runs/runProgress";
import type { Service } from "../service";
import { EmulatorClock } from "../store/clock";
import type { InitialState } from "../store/initialState";

/** What is the same for all accounts. */
export interface WorldOptions {
  reading: ReadingLimits;
  journalLimit: number;
  log: (line: string) => void;
}

/** How the service behaves to an account at its start. */
export interface WorldSettings {
  behaviour: Behaviour;
  latencyMs: number;
  faults: readonly Fault[];
}

/** Saves the state of an account; absent: the state is in memory only. */
export type WorldSaves = Pick<World, "saved" | "saveSoon">;

const inMemory: WorldSaves = { saved: async () => undefined, saveSoon: () => undefined };

export function newWorld(
  { store, credentials, plan }: Omit<InitialState, "stateFile">,
  { behaviour, latencyMs, faults }: WorldSettings,
  { reading, journalLimit, log }: WorldOptions,
  saves: WorldSaves = inMemory,
): World {
  const ending = new AbortController();
  // Each waiting request of the admin API has a listener.
  setMaxListeners(0, ending.signal);
  const clock = new EmulatorClock();
  store.clock = clock;
  credentials.clock = clock;
  const feed = new ChangeFeed();
  const progress = new RunProgress();
  const faultPlan = new FaultPlan(() => feed.tell({ type: "fault" }));
  for (const fault of faults) faultPlan.add(fault);
  const load = pageLoader((url, taskId) => faultPlan.take("page", [taskId], url), reading.timeoutMs);
  const runner: Runner = new Runner({
    store,
    visitPage: visitPage(load, reading),
    behaviour: () => service.behaviour,
    changed: saves.saveSoon,
    progressed(run) {
      progress.record(run);
      feed.tell({ type: "run", lotNo: run.lotNo, taskId: run.taskId });
    },
    log,
  });
  const rate = new RateGate(clock);
  const countPage = () => rate.countPage();
  const service: Service = { store, credentials, runner, feed, progress, clock, countPage, behaviour, plan };
  const journal = new Journal(journalLimit);
  journal.onClose(() => feed.tell({ type: "request" }));
  return {
    service,
    journal,
    faults: faultPlan,
    rate,
    waits: new Waits(),
    latency: { ms: latencyMs },
    ending,
    ...saves,
  };
}

/** Ends the work of an account, its requests that wait, and its streams of events. */
export function endWorld({ service, faults, waits, ending }: World): void {
  service.runner.close();
  waits.close();
  faults.reset();
  ending.abort();
}
