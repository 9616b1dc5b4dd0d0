import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Behaviour, Emulator, Seed } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import type { ServiceClientOptions } from "../../../src/service";
import { ServiceClient } from "../../../src/service";
import { parseConfig } from "../../../test/internals/config";
import { skipWaits } from "../../../test/service/skipWaits";
import type { ProbeReport } from "../internals/probe";
import { probe, Requests } from "../internals/probe";

/** A task in which everything that reads can show is visible. */
export const shopTask = "shop-task-83";

export const seed: Seed = {
  taskGroups: [{ taskGroupId: "shops" }],
  tasks: [
    {
      taskId: shopTask,
      taskGroupId: "shops",
      syntheticRows: 60,
      syntheticSubtasks: 30,
      actions: [
        {
          actionType: "NavigateAction",
          actionId: "open-the-shop",
          name: "The secret shelf",
          properties: { Url: "https://shop.test/private", Wait: "2", "Field.margin": "13" },
        },
        {
          actionType: "LoopAction",
          actionId: "each-shelf",
          loopType: "UrlList",
          loopItems: ["https://shop.test/shelf/1"],
        },
      ],
    },
  ],
};

export interface Probed extends ProbeReport {
  emulator: Emulator;
  /** The values that the findings name, by behaviour. A behaviour without a value has an empty string. */
  named: Record<string, string[]>;
}

/** What the findings name for a service that keeps every default. */
export const usual: Probed["named"] = {
  credentialAcceptance: ["bearerOnUpload", "contract"],
  refreshPath: ["token"],
  getActionsEmptyTypes: ["none"],
};

export interface Service {
  behaviour?: Partial<Behaviour>;
  taskId?: string;
  options?: Partial<ServiceClientOptions> | ((emulator: Emulator) => Partial<ServiceClientOptions>);
  /** Keys of the configuration. */
  config?: Record<string, string>;
  /** Before the probe begins. */
  prepare?(emulator: Emulator): unknown;
}

/** Probes an emulator of its own, after a run of the task has ended. */
export async function probed({ behaviour, taskId, options, config = {}, prepare }: Service): Promise<Probed> {
  const emulator = await startEmulator({ seed });
  const tokenStore = mkdtempSync(join(tmpdir(), "webextract-probe-"));
  const waits = skipWaits();
  const { accessToken, apiKey } = emulator.credentials;
  const all = {
    baseUrl: emulator.url,
    accessToken,
    apiKey,
    tokenStore,
    maxRetries: 2,
    warn: () => undefined,
    ...(typeof options === "function" ? options(emulator) : options),
  };
  const clients: ServiceClient[] = [];
  const requests = new Requests(60);
  const clientWith = (changes: Partial<ServiceClientOptions>): ServiceClient => {
    const client = new ServiceClient({ ...all, watch: requests, ...changes });
    clients.push(client);
    return client;
  };
  try {
    emulator.setBehaviour({ ...behaviour, readsUntilFinished: 0, subtaskListLag: 0 });
    emulator.change.startRun(shopTask);
    await emulator.settled();
    emulator.setBehaviour(behaviour ?? {});
    await prepare?.(emulator);
    const { settings } = parseConfig((key) => config[key], {}).config;
    const probing = { client: clientWith({}), clientWith, options: all, settings, taskId, requests };
    const result = await probe(probing, () => undefined);
    return { ...result, emulator, named: namedIn(result) };
  } finally {
    for (const client of clients) {
      await client.tokensSettled();
      client.close();
    }
    waits.restore();
    await emulator.close();
    rmSync(tokenStore, { recursive: true, force: true });
  }
}

function namedIn({ findings }: ProbeReport): Record<string, string[]> {
  const named: Record<string, string[]> = {};
  for (const [name = "", value = ""] of findings.flatMap(({ behaviours = [] }) =>
    behaviours.map((each) => each.split("=")),
  )) {
    named[name] = [...new Set([...(named[name] ?? []), value])].sort();
  }
  return named;
}

/** All requests read or are refused, and are as few as the help says. */
export function assertReadsOnly({ emulator }: Probed): void {
  const reads = ["getActions", "getSubtasks", "getData"];
  for (const { operation, tookEffect, status } of emulator.requests) {
    const isRefused = !tookEffect && status >= 400;
    assert.ok(
      reads.includes(operation) || ((operation === "unknown" || operation === "refreshToken") && isRefused),
      operation,
    );
  }
  assert.ok(emulator.requests.length <= 60);
}
