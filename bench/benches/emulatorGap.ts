import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceClient } from "../../src/service/client";
import type { Bench, Figure } from "../figure";
import { runBeside } from "../stage/alone";
import { credentials, EmulatorProcess, templateId } from "../stage/emulatorProcess";
import { startRun } from "../stage/finishedRun";
import { extractRows, startShop } from "../stage/shopSite";
import { inWorkFolder } from "../stage/workFolder";
import { figuresOfEmulator } from "./emulator";
import { seedOf } from "./emulatorState";

const failing = 1_000_000;
const pages = 100;
const rowsOfPage = 1000;
const journal = 10_000;
const tasks = 100_000;

const longest = { kind: "at most", value: 200 } as const;

/** One client that asks all the time, while others make the emulator work. */
export const emulatorGap: Bench = {
  name: "emulator-gap",
  summary: "webextract-emulator: the longest time without a response, for a client that asks every 10 ms",
  run: async () => {
    const figures: Figure[] = [];
    for (const part of [failingPages, extractedPages, searches, manyTasks]) {
      figures.push(...(await inWorkFolder(part)));
    }
    return figures;
  },
};

/** Measures the gap during some work. */
async function gapOf(name: string, folder: string, url: string, work: () => Promise<void>): Promise<Figure> {
  const { outs } = await runBeside("gaps", { folder, task: { url: `${url}/__emulator/health` } }, work);
  return { name: `gap: ${name}`, value: Number(outs?.longest), unit: "ms", goal: longest };
}

/** Pages that are refused take the least time, so there are the most of them. */
async function failingPages(folder: string): Promise<Figure[]> {
  const startUrls = Array.from({ length: failing }, (_, index) => `http://127.0.0.1:1/${index}`);
  const emulator = await EmulatorProcess.start(folder, { startUrls });
  try {
    const before = figuresOfEmulator().peakBytes;
    const gap = await gapOf("a run of 1,000,000 pages that fail", folder, emulator.url, async () => {
      const client = new ServiceClient({ baseUrl: emulator.url, accessToken: credentials.accessToken });
      await client.startTask({ taskId: templateId });
      while ((await runs(emulator.url, "running")) > 0) await sleep(500);
    });
    const growth = (figuresOfEmulator().peakBytes - before) / 1e6;
    return [gap, { name: "memory of this run", value: growth, unit: "MB", goal: { kind: "under", value: 100 } }];
  } finally {
    await emulator.stop();
  }
}

async function extractedPages(folder: string): Promise<Figure[]> {
  const site = await startShop(pages, rowsOfPage);
  const emulator = await EmulatorProcess.start(folder, { actions: [extractRows], startUrls: site.urls });
  try {
    return [
      await gapOf("a run that extracts 100 pages of 1,000 rows", folder, emulator.url, async () => {
        await startRun(emulator.url, pages * rowsOfPage);
      }),
    ];
  } finally {
    await emulator.stop();
    site.close();
  }
}

async function searches(folder: string): Promise<Figure[]> {
  const actions = [{ actionId: "loop", actionType: "LoopAction", loopType: "TextList", loopItems: ["one"] }];
  const emulator = await EmulatorProcess.start(folder, { actions });
  try {
    const client = new ServiceClient({ baseUrl: emulator.url, accessToken: credentials.accessToken });
    const loopItems = Array.from({ length: 100 }, (_, index) => `https://shop.test/articles/${index}`);
    const fields = { taskId: templateId, actionId: "loop", loopType: "TextList", loopItems, isAppend: false } as const;
    for (let sent = 0; sent < journal; sent += 10) {
      await Promise.all(Array.from({ length: 10 }, () => client.updateLoopItems(fields)));
    }
    const search = async (query: Record<string, string>): Promise<void> => {
      for (let times = 0; times < 5; times++) {
        const found = await admin(emulator.url, `requests?${new URLSearchParams({ limit: "10", ...query })}`);
        await found.text();
      }
    };
    const body = JSON.stringify({ loopItems: [...loopItems.slice(1), "another"] });
    return [
      await gapOf("journal searches by body", folder, emulator.url, () => search({ body })),
      await gapOf("journal searches by text", folder, emulator.url, () => search({ search: "nowhere" })),
    ];
  } finally {
    await emulator.stop();
  }
}

async function manyTasks(folder: string): Promise<Figure[]> {
  const seed = join(folder, "tasks.json");
  writeFileSync(seed, JSON.stringify(seedOf(tasks)));
  const state = join(folder, "state.db");
  const first = await EmulatorProcess.startWith(["--seed", seed, "--state", state]);
  await first.stop();
  const emulator = await EmulatorProcess.startWith(["--state", state]);
  const { url } = emulator;
  const snapshot = "snapshots/all";
  try {
    return [
      await gapOf("GET state of 100,000 tasks", folder, url, async () => {
        await (await admin(url, "state")).arrayBuffer();
      }),
      await gapOf("save a snapshot of 100,000 tasks", folder, url, async () => {
        await admin(url, snapshot, "PUT");
      }),
      await gapOf("return to a snapshot of 100,000 tasks", folder, url, async () => {
        await admin(url, `${snapshot}/restore`, "POST");
      }),
    ];
  } finally {
    await emulator.stop();
  }
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
