import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Behaviour, Emulator, Seed, SeedTask } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import type { ServiceClientOptions } from "../../../src/service";
import { ServiceClient } from "../../../src/service";
import { parseConfig } from "../../../test/internals/config";
import { startFakeServer } from "../../../test/service/fakeServer";
import { skipWaits } from "../../../test/service/skipWaits";
import type { ProbeReport, Trial } from "../internals/probe";
import { behaviourValues, filesOf, mostRequests, probe, Requests } from "../internals/probe";

export const original = "the-original-83";
export const group = "shops-83";

/** A site with a page for each shelf, and a task that reads three of them. */
export async function startSite(): Promise<{ baseUrl: string; close(): Promise<void> }> {
  return startFakeServer((seen, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(`<html><head><title>Shelf ${seen.url}</title></head><body><h1>${seen.url}</h1></body></html>`);
  });
}

/** @param rows what a run brings at once, without opening a page */
export function seedFor(site: string, rows?: Pick<SeedTask, "syntheticRows" | "syntheticSubtasks">): Seed {
  const actions = [
    {
      actionType: "NavigateAction",
      actionId: "open-the-shop",
      name: "The secret shelf",
      properties: { Url: `${site}/private`, Wait: "2", Note: "secret-margin" },
    },
    {
      actionType: "LoopAction",
      actionId: "each-shelf",
      loopType: "UrlList",
      loopItems: [1, 2, 3].map((shelf) => `${site}/shelf/${shelf}`),
    },
  ];
  actions.push({
    ...{ actionType: "ExtractDataAction", actionId: "read-the-shelf", name: "Read" },
    properties: { "Field.shelf": "h1" },
  } as never);
  return { taskGroups: [{ taskGroupId: group }], tasks: [{ taskId: original, taskGroupId: group, actions, ...rows }] };
}

export interface Written {
  report: ProbeReport;
  files: Record<string, string>;
  /** The first value of each behaviour, as the file for the emulator has it. */
  values: Record<string, string | number>;
  trial: Trial;
  requests: Requests;
}

export interface WritingOptions {
  startsRun?: boolean;
  options?: Partial<ServiceClientOptions>;
  most?: number;
  /** Default: until the run has ended. */
  sleep?: Trial["sleep"];
  config?: Record<string, string>;
}

/** Probes an emulator with writes. */
export async function probeWriting(
  emulator: Emulator,
  { startsRun = true, options = {}, most = mostRequests, sleep, config = {} }: WritingOptions = {},
): Promise<Written> {
  const tokenStore = mkdtempSync(join(tmpdir(), "webextract-probe-"));
  const requests = new Requests(most);
  const all = {
    baseUrl: emulator.url,
    ...emulator.credentials,
    tokenStore,
    maxRetries: 2,
    warn: () => undefined,
    watch: requests,
    ...options,
  };
  const clients: ServiceClient[] = [];
  const clientWith = (changes: Partial<ServiceClientOptions>): ServiceClient => {
    const client = new ServiceClient({ ...all, ...changes });
    clients.push(client);
    return client;
  };
  const trial: Trial = {
    ...{ from: original, group, startsRun, actions: [], codes: new Set() },
    sleep: sleep ?? (() => emulator.settled()),
    making: () => undefined,
    made: () => undefined,
  };
  const { settings } = parseConfig((key) => config[key], {}).config;
  try {
    const probing = { client: clientWith({}), clientWith, options: all, settings, requests, trial };
    const report = await probe(probing, () => undefined);
    const values = Object.fromEntries(
      [...behaviourValues(report)].map(([name, [value = ""]]) => [name, /^\d+$/.test(value) ? Number(value) : value]),
    );
    return { report, files: filesOf(report, requests.responses), values, trial, requests };
  } finally {
    for (const client of clients) {
      await client.tokensSettled();
      client.close();
    }
    rmSync(tokenStore, { recursive: true, force: true });
  }
}

/** Starts a service with a behaviour, probes it with writes, and calls the test. */
export async function withProbed(
  behaviour: Partial<Behaviour>,
  test: (written: Written, emulator: Emulator) => unknown,
  options: WritingOptions = {},
): Promise<void> {
  const site = await startSite();
  const emulator = await startEmulator({ behaviour, seed: seedFor(site.baseUrl), pageTimeoutMs: 60_000 });
  const waits = skipWaits();
  try {
    await test(await probeWriting(emulator, options), emulator);
  } finally {
    waits.restore();
    await emulator.close();
    await site.close();
  }
}
