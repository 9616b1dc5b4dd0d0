import { setTimeout as sleep } from "node:timers/promises";
import { ServiceClient } from "../../src/service/client";
import type { Bench, Figure } from "../figure";
import { atMost, under } from "../figure";
import { runBeside } from "../stage/alone";
import { credentials, templateId, withEmulator } from "../stage/emulatorProcess";
import { withShop } from "../stage/shopSite";
import { figuresOfEmulator } from "./emulator";
import { withTasks } from "./emulatorState";

const failing = 1_000_000;
const journal = 10_000;

/** One client that asks all the time, while others make the emulator work. */
export const emulatorGap: Bench = {
  name: "emulator-gap",
  summary: "webextract-emulator: the longest time without a response, for a client that asks every 10 ms",
  run: async () => {
    const figures: Figure[] = [];
    for (const part of [failingPages, extractedPages, searches, manyTasks]) {
      figures.push(...(await part()));
    }
    return figures;
  },
};

/** Measures the gap during some work. */
async function gapOf(name: string, folder: string, url: string, work: () => Promise<void>): Promise<Figure> {
  const { outs } = await runBeside("gaps", { folder, task: { url: `${url}/__emulator/health` } }, work);
  return { name: `gap: ${name}`, value: Number(outs?.longest), unit: "ms", goal: atMost(200) };
}

/** Pages that are refused take the least time, so there are the most of them. */
function failingPages(): Promise<Figure[]> {
  const startUrls = Array.from({ length: failing }, (_, index) => `http://127.0.0.1:1/${index}`);
  return withEmulator({ startUrls }, async ({ url }, folder) => {
    const before = figuresOfEmulator().peakBytes;
    const gap = await gapOf("a run of 1,000,000 pages that fail", folder, url, async () => {
      await clientOf(url).startTask({ taskId: templateId });
      while ((await runs(url, "running")) > 0) await sleep(500);
    });
    const growth = (figuresOfEmulator().peakBytes - before) / 1e6;
    return [gap, { name: "memory of this run", value: growth, unit: "MB", goal: under(100) }];
  });
}

function extractedPages(): Promise<Figure[]> {
  return withShop({ pages: 100, rowsOfPage: 1000 }, async (run, { url }, folder) => [
    await gapOf("a run that extracts 100 pages of 1,000 rows", folder, url, run),
  ]);
}

function searches(): Promise<Figure[]> {
  const actions = [{ actionId: "loop", actionType: "LoopAction", loopType: "TextList", loopItems: ["one"] }];
  return withEmulator({ actions }, async ({ url }, folder) => {
    const client = clientOf(url);
    const loopItems = Array.from({ length: 100 }, (_, index) => `https://shop.test/articles/${index}`);
    const fields = { taskId: templateId, actionId: "loop", loopType: "TextList", loopItems, isAppend: false } as const;
    for (let sent = 0; sent < journal; sent += 10) {
      await Promise.all(Array.from({ length: 10 }, () => client.updateLoopItems(fields)));
    }
    const search = async (query: Record<string, string>): Promise<void> => {
      for (let times = 0; times < 5; times++) {
        const found = await admin(url, `requests?${new URLSearchParams({ limit: "10", ...query })}`);
        await found.text();
      }
    };
    const body = JSON.stringify({ loopItems: [...loopItems.slice(1), "another"] });
    return [
      await gapOf("journal searches by body", folder, url, () => search({ body })),
      await gapOf("journal searches by text", folder, url, () => search({ search: "nowhere" })),
    ];
  });
}

function manyTasks(): Promise<Figure[]> {
  const snapshot = "snapshots/all";
  return withTasks(100_000, async ({ url, folder }) => [
    await gapOf("GET state of 100,000 tasks", folder, url, async () => {
      await (await admin(url, "state")).arrayBuffer();
    }),
    await gapOf("save a snapshot of 100,000 tasks", folder, url, async () => {
      await admin(url, snapshot, "PUT");
    }),
    await gapOf("return to a snapshot of 100,000 tasks", folder, url, async () => {
      await admin(url, `${snapshot}/restore`, "POST");
    }),
  ]);
}

function clientOf(baseUrl: string): ServiceClient {
  return new ServiceClient({ baseUrl, accessToken: credentials.accessToken });
}

async function runs(url: string, status: string): Promise<number> {
  const { total } = (await (await admin(url, `runs?limit=1&status=${status}`)).json()) as { total: number };
  return total;
}

/** @throws Error if the emulator refuses the request. */
async function admin(url: string, path: string, method = "GET"): Promise<Response> {
  const response = await fetch(`${url}/__emulator/${path}`, { method });
  if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${await response.text()}`);
  return response;
}
