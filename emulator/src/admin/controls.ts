import { setTimeout as wait } from "node:timers/promises";
import type { LocalEmulator } from "../accounts/localEmulator";
import type { PlannedFault } from "../faults/faults";
import { holdView } from "../faults/faults";
import type { AdminHandler, AdminHandlers } from "./adminHandler";

/** The operations that make the emulator behave in another way. */
export const controls = {
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
  getFaults: (emulator) => ({ faults: [...emulator.faults] as DescribedFaults }),
  fault: (emulator, { body }) => emulator.fault(body) as DescribedFaults[number],
  setFaults(emulator, { body }) {
    emulator.setFaults(body);
    return { faults: [...emulator.faults] as DescribedFaults };
  },
  clearFaults: (emulator) => emulator.clearFaults(),
  removeFault: (emulator, { path }) => emulator.removeFault(path.id),
  getHolds: (emulator) => ({ holds: [...emulator.holds] }),
  hold: (emulator, { body }) => holdView(emulator.findHold(emulator.hold(body).id)),
  async getHold(emulator, { path, query: { timeoutMs = 0 }, signal }) {
    const hold = emulator.findHold(path.id);
    await before(decided(hold), timeoutMs, signal);
    return holdView(hold);
  },
  async releaseHold(emulator, { path }) {
    const hold = emulator.findHold(path.id);
    emulator.releaseHold(path.id);
    await decided(hold);
    return holdView(hold);
  },
  async getSettled(emulator, { query: { timeoutMs = 10_000 }, signal }) {
    return { settled: await before(emulator.settled(), timeoutMs, signal) };
  },
} satisfies AdminHandlers;

type DescribedFaults = Extract<Awaited<ReturnType<AdminHandler<"getFaults">>>, { faults: unknown }>["faults"];

function settingsOf({ plan, latency }: LocalEmulator): { plan: LocalEmulator["plan"]; latencyMs: number } {
  return { plan, latencyMs: latency };
}

/** Resolves when a request has reached the hold, or when it is released and none can reach it. */
async function decided(hold: PlannedFault): Promise<void> {
  await Promise.race([hold.gate.reached, hold.gate.opened]);
  // The change of a request that it applies to may not be on disk yet.
  if (hold.happened > 0) await hold.gate.reached;
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
