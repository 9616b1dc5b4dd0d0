import type { Bench } from "../figure";
import { atLeast, under } from "../figure";
import { descendantsOf } from "../measure/processes";
import { runAlone } from "../stage/alone";
import { credentials, templateId, withEmulator } from "../stage/emulatorProcess";
import { withFinishedRun } from "../stage/finishedRun";

/** The time until the emulator responds to a request. */
export const emulatorStart: Bench = {
  name: "emulator",
  summary: "webextract-emulator, from its start to its first response",
  run: () => {
    const begin = performance.now();
    return withEmulator({}, async ({ url }) => {
      // Any response counts, because a refused request was read and checked too.
      await (await fetch(`${url}/data/all`)).text();
      const value = (performance.now() - begin) / 1000;
      return [{ name: "start to first response", value, unit: "s", goal: under(0.3) }];
    });
  },
};

const requests = 20_000;

/** Small requests. Their number in a second of the emulator's processor time counts, because the client needs a core too. */
export const emulatorRequests: Bench = {
  name: "emulator-requests",
  summary: "webextract-emulator: 20,000 getActions over 8 connections",
  run: () => {
    const actions = [{ actionId: "open", actionType: "NavigateAction", properties: { Url: "https://shop.test/" } }];
    return withEmulator({ actions }, async ({ url }, folder) => {
      const task = { url: `${url}/task/getActions`, requests, connections: 8, ...credentials };
      const before = figuresOfEmulator().cpuSeconds;
      const { seconds } = await runAlone("getActions", { folder, task: { ...task, taskId: templateId } });
      const ofOneCore = requests / (figuresOfEmulator().cpuSeconds - before);
      return [
        { name: "requests in a second", value: requests / seconds, unit: "requests/s" },
        { name: "requests in a second of one core", value: ofOneCore, unit: "requests/s", goal: atLeast(5000) },
      ];
    });
  },
};

const rows = 1_000_000;

/** One client that reads page by page and discards the rows. */
export const emulatorRows: Bench = {
  name: "emulator-rows",
  summary: "webextract-emulator: 1,000,000 rows in pages of 1,000 over one connection",
  run: () =>
    withFinishedRun(rows, async ({ url, taskId, lotNo, folder }) => {
      const pages = `${url}/data/lotno/all?${new URLSearchParams({ taskId, lotno: lotNo, size: "1000" })}`;
      const task = { pages, accessToken: credentials.accessToken, rows, pageSize: 1000, connections: 1 };
      const { seconds } = await runAlone("discard", { folder, task });
      const { peakBytes } = figuresOfEmulator();
      return [
        { name: "all rows", value: seconds, unit: "s", goal: under(5) },
        { name: "memory", value: peakBytes / 1e6, unit: "MB", goal: under(150) },
      ];
    }),
};

/** Of the only emulator that this process has started. */
export function figuresOfEmulator(): { cpuSeconds: number; peakBytes: number } {
  const emulator = descendantsOf(process.pid).find(({ command }) => /webextract-emulator/.test(command));
  if (emulator === undefined) {
    throw new Error("no emulator runs");
  }
  return emulator;
}
