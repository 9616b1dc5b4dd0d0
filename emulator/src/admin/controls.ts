import { setTimeout as wait } from "node:timers/promises";
import { holdView } from "../http/faults";
import type { LocalEmulator } from "../localEmulator";
import type { AdminHandler, AdminOperationName } from "./adminHandler";

type Controls = Extract<
  AdminOperationName,
  | "seed"
  | "getCredentials"
  | "expireTokens"
  | "getSettings"
  | "setSettings"
  | "getClock"
  | "setClock"
  | "getFaults"
  | "fault"
  | "clearFaults"
  | "removeFault"
  | "getHolds"
  | "hold"
  | "getHold"
  | "releaseHold"
  | "getSettled"
>;

/** The operations that make the emulator behave in another way. */
export const controls: { [Name in Controls]: AdminHandler<Name> } = {
  seed: (emulator, { body }) => emulator.seed(body),
  getCredentials: (emulator) => emulator.credentials,
  expireTokens({ change }, { body: { tokens = "access" } = {} }) {
    if (tokens !== "refresh") change.expireAccessTokens();
    if (tokens !== "access") change.expireRefreshTokens();
  },
  getSettings: settingsOf,
  setSettings(emulator, { body: { plan, latencyMs } }) {
    if (plan !== undefined) emulator.setPlan(plan);
    if (latencyMs !== undefined) emulator.setLatency(latencyMs);
    return settingsOf(emulator);
  },
  getClock: (emulator) => emulator.clock,
  setClock(emulator, { body }) {
    emulator.setClock(body);
    return emulator.clock;
  },
  getFaults: (emulator) => ({ faults: [...emulator.faults] as PlannedFaults }),
  fault: (emulator, { body }) => emulator.fault(body) as PlannedFaults[number],
  clearFaults: (emulator) => emulator.clearFaults(),
  removeFault: (emulator, { path }) => emulator.removeFault(path.id),
  getHolds: (emulator) => ({ holds: [...emulator.holds] }),
  hold: (emulator, { body }) => holdView(emulator.findHold(emulator.hold(body).id)),
  async getHold(emulator, { path, query: { timeoutMs = 0 }, signal }) {
    const hold = emulator.findHold(path.id);
    await before(hold.gate.reached, timeoutMs, signal);
    return holdView(hold);
  },
  releaseHold: (emulator, { path }) => emulator.releaseHold(path.id),
  async getSettled(emulator, { query: { timeoutMs = 10_000 }, signal }) {
    return { settled: await before(emulator.settled(), timeoutMs, signal) };
  },
};

type PlannedFaults = Extract<Awaited<ReturnType<AdminHandler<"getFaults">>>, { faults: unknown }>["faults"];

function settingsOf({ plan, latency }: LocalEmulator): { plan: LocalEmulator["plan"]; latencyMs: number } {
  return { plan, latencyMs: latency };
}

/** Whether it resolves within this time. */
async function before(event: Promise<void>, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const end = new AbortController();
  const timeout = wait(timeoutMs, false, { signal: AbortSignal.any([signal, end.signal]) }).catch(() => false);
  try {
    return await Promise.race([event.then(() => true), timeout]);
  } finally {
    end.abort();
  }
}
