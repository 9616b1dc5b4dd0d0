import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sinon from "sinon";
import type { ServiceClientOptions } from "../../../src/service";
import { ServiceClient } from "../../../src/service";
import type { TokenService } from "./tokenService";
import { startTokenService } from "./tokenService";

/** A token service, a folder for the token store, and clients that are closed after each test. */
export interface TokenWorld {
  service: TokenService;
  folder: string;
  warnings: string[];
  clientWith(options: Partial<ServiceClientOptions>): ServiceClient;
  /** Names in the folder of the token store. */
  storeFiles(): string[];
  /** The path of the store's file. */
  storePath(): string;
  storeText(): string;
  /** A `credentialCommand` that runs this script. */
  scriptCommand(script: string): string;
  /** Advances the clock. */
  passTime(seconds: number): void;
}

/** Call it in a `describe`. Each test gets a new world. */
export function useTokenWorld(): TokenWorld {
  const clients: ServiceClient[] = [];
  const realNow = Date.now;
  let passed = 0;
  const store = () => join(world.folder, "store");
  const world = {
    clientWith(options) {
      const client = new ServiceClient({
        baseUrl: world.service.baseUrl,
        tokenStore: store(),
        warn: (message) => world.warnings.push(message),
        maxRetries: 0,
        ...options,
      });
      clients.push(client);
      return client;
    },
    storeFiles: () => (existsSync(store()) ? readdirSync(store()) : []),
    storePath: () => join(store(), world.storeFiles().find((name) => name.endsWith(".json")) ?? "none"),
    storeText: () => (existsSync(world.storePath()) ? readFileSync(world.storePath(), "utf8") : ""),
    scriptCommand(script) {
      const path = join(world.folder, "credentials.cjs");
      writeFileSync(path, script);
      return `"${process.execPath}" "${path}"`;
    },
    passTime(seconds) {
      if (passed === 0) sinon.stub(Date, "now").callsFake(() => realNow() + passed);
      passed += seconds * 1000;
    },
  } as TokenWorld;

  beforeEach(async () => {
    world.service = await startTokenService();
    world.folder = mkdtempSync(join(tmpdir(), "webextract-tokens-"));
    world.warnings = [];
    passed = 0;
  });
  afterEach(async () => {
    sinon.restore();
    for (const client of clients.splice(0)) {
      try {
        client.close();
      } catch {
        // The token could not be stored. The test itself checks this error.
      }
    }
    await world.service.close();
    chmodSync(world.folder, 0o700);
    rmSync(world.folder, { recursive: true, force: true });
  });
  return world;
}

export const startTask = (client: ServiceClient) => client.startTask({ taskId: "t" });

/** A request that can be sent again, whatever its outcome. */
export const stopSubtasks = (client: ServiceClient) => client.stopSubtasks({ taskId: "t", subTaskIds: ["s"] });
