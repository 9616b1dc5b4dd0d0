import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Behaviour } from "./behaviour";
import { defaultBehaviour, withBehaviour } from "./behaviour";
import { Changes } from "./changes";
import { operationsOf, readContract } from "./contract";
import type { Crawling } from "./extraction/crawling";
import { checkCrawling } from "./extraction/crawling";
import { PageLoader } from "./extraction/loadPage";
import { visitPage } from "./extraction/pages";
import { Runner } from "./extraction/runner";
import { RequestCheck } from "./http/checkRequest";
import type { Fault, Hold } from "./http/faults";
import { FaultPlan } from "./http/faults";
import type { JournalEntry } from "./http/journal";
import { Journal } from "./http/journal";
import { buildServer } from "./http/server";
import { Inspection } from "./inspect";
import type { Service } from "./service";
import type { EmulatorCredentials } from "./store/credentials";
import { CredentialStore } from "./store/credentials";
import type { Plan, Seed } from "./store/seed";
import { checkSeed, defaultSeed } from "./store/seed";
import { loadState, StateWriter } from "./store/stateFile";
import type { StateLock } from "./store/stateLock";
import { lockState } from "./store/stateLock";
import { Store } from "./store/store";

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
  /** Plan of the account. Default: the seed's, or enterprise. */
  plan?: Plan;
  /** Whether runs can open pages outside of this machine. Default false. */
  allowRemotePages?: boolean;
  /** Delay of each request in milliseconds. Default 0. */
  latencyMs?: number;
  /** How runs open pages. Default: without limits, without retries and without robots.txt. */
  crawling?: Partial<Crawling>;
  /** Timeout of loading one page of a run, and of reading it, in milliseconds. Default 10000. */
  pageTimeoutMs?: number;
  /** Memory for reading one page of a run, in megabytes. Default 1024. */
  pageMemoryMb?: number;
  /** Maximum number of requests in the journal. Default 100000. */
  journalLimit?: number;
  /** Receives a line for each request and for each page that could not be read. Default: no log. */
  log?: (line: string) => void;
}

/** A running emulator. */
export interface Emulator {
  /** Base address for clients, without a trailing slash. */
  readonly url: string;
  /** The newest credentials. A refresh changes them. */
  readonly credentials: EmulatorCredentials;
  /** The journal of requests, in the order of arrival. */
  readonly requests: readonly JournalEntry[];
  /** Empties the journal. */
  clearRequests(): void;
  /** Makes a later request fail. Each request takes the first fault that matches. */
  fault(fault: Fault): void;
  /**
   * Makes later requests wait until they are released: before they take effect, or (default) after it, before the response. A test can use it
   * to kill a client at a known moment.
   */
  hold(fault: Omit<Fault, "kind">): Hold;
  /** Removes all faults that have not happened yet. */
  clearFaults(): void;
  /** The current behaviour. */
  readonly behaviour: Readonly<Behaviour>;
  /** Changes the behaviour for later requests. */
  setBehaviour(changes: Partial<Behaviour>): void;
  /** Changes the account's plan for later requests. */
  setPlan(plan: Plan): void;
  /** Changes the delay of later requests, in milliseconds. */
  setLatency(ms: number): void;
  /** Shows what the emulator holds. */
  readonly inspect: Inspection;
  /** Makes changes like a user of the service, outside of the client. */
  readonly change: Changes;
  /** Resolves when no run can continue: each has ended, is held, or waits for reads. */
  settled(): Promise<void>;
  /** Writes the state file, closes all connections and stops. */
  close(): Promise<void>;
}

/**
 * Starts a stateful emulator of the service.
 * @throws Error if the seed, a behaviour or the state file is invalid, if another emulator uses the state file, or if the port is in use.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const lock = options.stateFile === undefined ? undefined : await lockState(options.stateFile);
  try {
    return await startWithLock(options, lock);
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

async function startWithLock(options: EmulatorOptions, lock: StateLock | undefined): Promise<Emulator> {
  const log = options.log ?? (() => undefined);
  const behaviour = withBehaviour(defaultBehaviour(), options.behaviour ?? {});
  const store = new Store();
  const loaded = options.stateFile === undefined ? undefined : loadState(options.stateFile, store);
  const seed =
    loaded === undefined ? (options.seed === undefined ? defaultSeed() : checkSeed(options.seed)) : undefined;
  if (seed !== undefined) sow(seed, store);

  const credentials = new CredentialStore(loaded?.credentials, seed?.credentials);
  const writer = new StateWriter(options.stateFile, store, () => ({
    plan: service.plan,
    credentials: credentials.toJSON(),
  }));
  const saveSoon = () => writer.saveSoon((error) => log(`could not write the state file: ${String(error)}`));
  const crawling = checkCrawling(options.crawling);
  const timeoutMs = options.pageTimeoutMs ?? 10_000;
  const runner: Runner = new Runner({
    store,
    visitPage: visitPage(new PageLoader({ allowRemotePages: options.allowRemotePages ?? false, timeoutMs }, crawling), {
      timeoutMs,
      memoryMb: options.pageMemoryMb ?? 1024,
    }),
    crawling,
    behaviour: () => service.behaviour,
    changed: saveSoon,
    log,
  });
  const plan = options.plan ?? loaded?.plan ?? seed?.plan ?? "enterprise";
  const service: Service = { store, credentials, runner, behaviour, plan };

  const contract = readContract();
  const journal = new Journal(options.journalLimit ?? 100_000);
  const faults = new FaultPlan();
  const closing = new AbortController();
  let latencyMs = options.latencyMs ?? 0;
  let closed: Promise<void> | undefined;
  const app = await buildServer({
    service,
    operations: operationsOf(contract),
    check: new RequestCheck(contract),
    journal,
    faults,
    latencyMs: () => latencyMs,
    log,
    saved: () => writer.save(),
    closing: closing.signal,
  });
  let url: string;
  try {
    url = await listen(app, options);
    await writer.prepare();
    await writer.save();
  } catch (error) {
    // An open port would keep the process alive.
    await app.close();
    throw error;
  }
  runner.resume();

  return {
    url,
    get credentials() {
      return credentials.newest();
    },
    get requests() {
      return journal.entries;
    },
    clearRequests: () => journal.clear(),
    fault: (fault) => void faults.add(fault),
    hold: (fault) => faults.add({ when: "after", ...fault, kind: "hold" }),
    clearFaults: () => faults.clear(),
    get behaviour() {
      return service.behaviour;
    },
    setBehaviour(changes) {
      service.behaviour = withBehaviour(service.behaviour, changes);
    },
    setPlan(changed) {
      service.plan = changed;
      saveSoon();
    },
    setLatency(ms) {
      latencyMs = ms;
    },
    inspect: new Inspection(service),
    change: new Changes(service, saveSoon),
    settled: () => runner.settled(),
    close() {
      // Only once: a second call must not overwrite the state file of an emulator that was started later.
      closed ??= end();
      return closed;
    },
  };

  async function end(): Promise<void> {
    closing.abort();
    runner.close();
    app.server.closeAllConnections();
    await app.close();
    try {
      await writer.close();
    } finally {
      await lock?.release();
    }
  }
}

function sow(seed: Seed, store: Store): void {
  for (const group of seed.taskGroups) store.addGroup(group.taskGroupId, group.name);
  for (const task of seed.tasks) store.addTask(task);
}

async function listen(app: FastifyInstance, options: EmulatorOptions): Promise<string> {
  const host = options.host ?? "127.0.0.1";
  await app.listen({ port: options.port ?? 0, host });
  const { port } = app.server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
