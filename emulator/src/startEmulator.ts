import { statSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import type { FastifyInstance } from "fastify";
import { Accounts } from "./accounts/accounts";
import { checkArgument } from "./accounts/adminContract";
import type { WorldOptions, WorldSaves } from "./accounts/world";
import { newWorld } from "./accounts/world";
import { isLoopbackName, mintAdminToken } from "./admin/access";
import { Admin } from "./admin/admin";
import type { Behaviour } from "./behaviour";
import { defaultBehaviour, withBehaviour } from "./behaviour";
import { packageFolder } from "./contract";
import type { Emulator } from "./emulator";
import { messageOf } from "./errors";
import type { Fault } from "./faults/faults";
import { checkedContract } from "./http/checkRequest";
import { buildServer } from "./http/server";
import { checkLimits } from "./limits";
import { Site } from "./page/site";
import { lockState } from "./store/disk/stateLock";
import type { InitialState } from "./store/initialState";
import { initialState } from "./store/initialState";
import type { Plan, Seed } from "./store/seed";

/** Options of {@link startEmulator}. */
export interface EmulatorOptions {
  /** Port. Default 0: a free port. */
  port?: number;
  /** Address to listen on. Default 127.0.0.1. */
  host?: string;
  /** Initial content. Ignored if the state file exists. Default: `defaultSeed()`. */
  seed?: Seed;
  /** State file: the next start with it continues where this one ended. Default: no file. */
  stateFile?: string;
  /** Behaviours that differ from their defaults. */
  behaviour?: Partial<Behaviour>;
  /** Faults of the start, to which a reset returns. Default: none. */
  faults?: readonly Fault[];
  /** Plan of the account. Default: the seed's, or enterprise. */
  plan?: Plan;
  /** Whether the emulator serves the pages of a bookshop at `/bookshop/`, for runs to extract. Default false. */
  bookshop?: boolean;
  /** A folder of pages that the emulator serves at `/site/`, for runs to extract. Default: none. */
  site?: string;
  /** Delay of each request in milliseconds, at most 600000. Default 0. */
  latencyMs?: number;
  /** Timeout of loading one page of a run, and of reading it, in milliseconds, at most 3600000. Default 10000. */
  pageTimeoutMs?: number;
  /** Memory for reading one page of a run, in megabytes, at most 65536. Default 1024. */
  pageMemoryMb?: number;
  /** Token of the admin API. Default, also if it is blank: none on loopback, a random one on another address. */
  adminToken?: string;
  /** Maximum number of requests in the journal. Default 100000. */
  journalLimit?: number;
  /** Receives a line for each request and for each page that could not be read. Default: no log. */
  log?: (line: string) => void;
}

/**
 * Starts a stateful emulator of the service.
 * @throws Error if the seed, a behaviour or the state file is invalid, if another emulator uses the state file, or if the port is in use.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkLimits(options);
  const lock = options.stateFile === undefined ? undefined : await lockState(options.stateFile);
  let initial: InitialState | undefined;
  const release = async () => {
    try {
      await initial?.stateFile?.close();
    } finally {
      await lock?.release();
    }
  };
  try {
    initial = initialState({ stateFile: lock?.file, seed: options.seed }, options.log ?? (() => undefined));
    return await startWith(initial, options, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function startWith(
  { store, credentials, plan, stateFile }: InitialState,
  options: EmulatorOptions,
  release: () => Promise<void>,
): Promise<Emulator> {
  const log = options.log ?? (() => undefined);
  const behaviour = withBehaviour(defaultBehaviour(), options.behaviour ?? {});
  const saves: WorldSaves = {
    saved: async () => stateFile?.save(),
    saveSoon: () => stateFile?.saveSoon((error) => log(messageOf(error))),
  };
  const shared: WorldOptions = {
    reading: { timeoutMs: options.pageTimeoutMs ?? 10_000, memoryMb: options.pageMemoryMb ?? 1024 },
    journalLimit: options.journalLimit ?? 100_000,
    log,
  };
  const { faults = [] } = options;
  if (faults.length > 0) checkArgument("setFaults", { faults });
  const settings = { behaviour, latencyMs: options.latencyMs ?? 0, faults };
  const main = newWorld({ store, credentials, plan: options.plan ?? plan }, settings, shared, saves);
  const { runner } = main.service;
  stateFile?.begin(main.service);

  const host = options.host ?? "127.0.0.1";
  // An empty token, as of an environment variable without a value, must not open the API. No header can have blanks at its end.
  const adminToken = options.adminToken?.trim() || (isLoopbackName(host) ? undefined : mintAdminToken());
  const address = { url: "", adminToken };
  const accounts = new Accounts(main, { address, seed: options.seed, settings, options: shared, close });
  const admin: Admin = new Admin({
    emulator: accounts.main,
    access: { host, token: adminToken },
    log,
  });
  const app = await buildServer(
    {
      worldOf: (presented) => accounts.of(presented).world,
      ...checkedContract("openapi.yaml"),
      log,
    },
    [admin, ...sitesOf(options)],
  );
  try {
    address.url = await listen(app, host, options.port ?? 0);
    await stateFile?.save();
    runner.resume();
  } catch (error) {
    runner.close();
    // An open port would keep the process alive.
    await app.close();
    throw error;
  }

  let closed: Promise<void> | undefined;
  return accounts.main;

  function close(): Promise<void> {
    // Only once: a second call must not overwrite the state file of an emulator that was started later.
    closed ??= end();
    return closed;
  }

  async function end(): Promise<void> {
    accounts.end();
    app.server.closeAllConnections();
    try {
      await app.close();
      await admin.close();
    } finally {
      await release();
    }
  }
}

/** The pages that the emulator serves itself. @throws Error if the folder does not exist. */
function sitesOf({ bookshop, site }: EmulatorOptions): Site[] {
  if (site !== undefined && statSync(site, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Error(`the folder ${site} of the site does not exist`);
  }
  return [
    ...(bookshop === true ? [new Site("/bookshop", join(packageFolder, "bookshop", "pages"))] : []),
    ...(site === undefined ? [] : [new Site("/site", resolve(site))]),
  ];
}

/** Not every system can connect to an address that stands for all of its addresses. */
const allAddresses: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

async function listen(app: FastifyInstance, host: string, wantedPort: number): Promise<string> {
  await app.listen({ port: wantedPort, host });
  const { port } = app.server.address() as AddressInfo;
  const reached = allAddresses[host] ?? host;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}
