import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Behaviour } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import type { ServiceClientOptions } from "../../../src/service";
import { ServiceClient } from "../../../src/service";
import { startFakeServer } from "../fakeServer";
import { skipWaits } from "../skipWaits";
import type { LifeSettings } from "./life";
import { checkPromises, liveOnce, usualSettings } from "./life";

/** The setting of a user for a behaviour of the service. */
export interface Setting {
  /** The setting of the client, as a user writes it. */
  text: string;
  /** The setting of the resources, as a user writes it. */
  onEngine: string;
  options?: Partial<ServiceClientOptions>;
  life?: Partial<LifeSettings>;
}

/** Undefined if the life succeeded. */
export type LifeResult = Error | undefined;

/** Runs one life with a new emulator and client under one combination of behaviours, and checks the guarantees at its end. */
export async function liveUnder(behaviour: Partial<Behaviour>, settings: Setting[] = []): Promise<LifeResult> {
  const site = await startFakeServer((seen, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(
      `<html><head><title>Page ${seen.url} – ü</title></head><body><h1>Number ${seen.url}</h1></body></html>`,
    );
  });
  const emulator = await startEmulator({ behaviour, pageTimeoutMs: 60_000 });
  const store = mkdtempSync(join(tmpdir(), "webextract-matrix-"));
  const waits = skipWaits();
  const client = new ServiceClient({
    baseUrl: emulator.url,
    ...emulator.credentials,
    tokenStore: store,
    warn: () => undefined,
    ...Object.assign({}, ...settings.map(({ options }) => options)),
  });
  // Two of the rows are equal.
  const pages = Array.from({ length: 7 }, (_, index) => `${site.baseUrl}/${index % 6}`);
  try {
    const life = Object.assign({}, usualSettings, ...settings.map((setting) => setting.life));
    const failure = await liveOnce(client, emulator, pages, life).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    );
    checkPromises(emulator, failure);
    return failure;
  } finally {
    client.close();
    waits.restore();
    await emulator.close();
    await site.close();
    rmSync(store, { recursive: true, force: true });
  }
}
