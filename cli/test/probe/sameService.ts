import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Behaviour, BehaviourName } from "webextract-emulator";
import { defaultBehaviour, startEmulator } from "webextract-emulator";
import { isServiceError, ServiceClient } from "../../../src/service";
import { liveOnce, usualSettings } from "../../../test/service/matrix/life";
import { settingFor } from "../../../test/service/matrix/settings";
import { skipWaits } from "../../../test/service/skipWaits";
import { behaviourValues, hidden } from "../internals/probe";
import type { Written } from "./writing";
import { probeWriting, seedFor, startSite } from "./writing";

/** One response of a life, without what differs between two services that behave alike. */
type Step = string;

/** The life of the matrix at a service with a behaviour: every response, and how it ended. */
async function lifeUnder(behaviour: Partial<Behaviour>, pages: string[]): Promise<Step[]> {
  // What the time decides differs between two lives.
  const emulator = await startEmulator({ behaviour: { ...behaviour, requestsPerSecond: 0 }, pageTimeoutMs: 60_000 });
  const tokenStore = mkdtempSync(join(tmpdir(), "webextract-same-"));
  const settings = Object.entries(behaviour).flatMap(([name, value]) => settingFor[`${name}=${value}`] ?? []);
  const steps: Step[] = [];
  const ids = new Map<string, string>();
  const known = (id: string): string => {
    ids.set(id, ids.get(id) ?? `<${ids.size + 1}>`);
    return ids.get(id) ?? "";
  };
  // A run that works meanwhile would decide by its speed whether a change comes before its end, and how often it is refused.
  const orderRun = (name: string): void => {
    if (name === "startTask") emulator.change.holdRuns();
  };
  const add = (name: string, step: Step): void => {
    if (steps.at(-1) !== step) steps.push(step);
    if (name === "updateActionProperties") emulator.change.releaseRuns();
  };
  const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b\d{18}\b|"(?:access|refresh)_token":"[^"]*"/g;
  const client = new ServiceClient({
    baseUrl: emulator.url,
    ...emulator.credentials,
    tokenStore,
    // Requests at the same time would come in any order.
    concurrency: 1,
    warn: () => undefined,
    watch: {
      before: orderRun,
      after: (name, { status, body }) => {
        const text = body
          .toString("utf8")
          .replace(/"requestId":"[^"]*"/, "")
          .replace(idPattern, known);
        add(name, `${name} ${status} ${text}`);
      },
    },
    ...Object.assign({}, ...settings.map(({ options }) => options)),
  });
  try {
    const life = Object.assign({}, usualSettings, ...settings.map((setting) => setting.life));
    await liveOnce(client, emulator, pages, life).catch((error: unknown) => {
      steps.push(
        isServiceError(error) ? `ended: ${error.operation} ${error.kind} ${error.outcome}` : `ended: ${error}`,
      );
    });
  } finally {
    client.close();
    await emulator.close();
    rmSync(tokenStore, { recursive: true, force: true });
  }
  return steps;
}

const hiddenNames = Object.values(hidden).flatMap(({ behaviours }) => behaviours);

/** Whether no probe tells a value of a behaviour apart. */
export function isHidden(name: string, value: string | number): boolean {
  return hiddenNames.includes(name) || hiddenNames.includes(`${name}=${value}`);
}

/** Values that look as others under the defaults. */
export const alike: readonly string[] = ["endOfData=offsetStays", "notExportedCounts=notReturned"];

/** Values that show only while a run works. */
export const whileRunning: readonly string[] = ["changeWhileRunning=refused", "statusWords=withSent"];

export interface Comparison extends Written {
  /** What the report says of the service, and is not so. */
  wrong: string[];
  /** The values of the service that the report does not show, or names beside others that come first. */
  unsure: string[];
  /** Whether the lives at the service and at an emulator with the file are the same. Only compared if the file differs from the service. */
  isSame: boolean;
}

/** Probes a service, and lives once there and once at an emulator with the file that came out. */
export async function compare(behaviour: Partial<Behaviour>): Promise<Comparison> {
  const site = await startSite();
  const waits = skipWaits();
  const service = await startEmulator({ behaviour, seed: seedFor(site.baseUrl), pageTimeoutMs: 60_000 });
  try {
    const written = await probeWriting(service);
    const said = behaviourValues(written.report);
    const actual = Object.entries({ ...defaultBehaviour(), ...behaviour });
    const wrong = actual.flatMap(([name, value]) =>
      said.get(name)?.includes(String(value)) === false ? [`${name}=${value}, said: ${said.get(name)}`] : [],
    );
    const unsure = actual.filter(([name, value]) => said.get(name)?.[0] !== String(value) && name in behaviour);
    const pages = Array.from({ length: 7 }, (_, index) => `${site.baseUrl}/${index % 6}`);
    const unseen = unsure.filter(([name, value]) => isHidden(name, value) || !said.has(name));
    const second = { ...written.values, ...Object.fromEntries(unseen) } as Partial<Behaviour>;
    const isEqual = actual.every(
      ([name, value]) => (second[name as BehaviourName] ?? defaultBehaviour()[name as BehaviourName]) === value,
    );
    const isSame =
      isEqual || JSON.stringify(await lifeUnder(behaviour, pages)) === JSON.stringify(await lifeUnder(second, pages));
    return { ...written, wrong, unsure: unsure.map((pair) => pair.join("=")), isSame };
  } finally {
    waits.restore();
    await service.close();
    await site.close();
  }
}
