import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { isLoopbackName, mintAdminToken } from "./admin/access";
import { Admin } from "./admin/admin";
import type { Behaviour } from "./behaviour";
import { defaultBehaviour, withBehaviour } from "./behaviour";
import { operationsOf, readContract } from "./contract";
import type { Emulator } from "./emulator";
import { messageOf } from "./errors";
import type { Crawling } from "./extraction/crawling";
import { checkCrawling } from "./extraction/crawling";
import { PageLoader } from "./extraction/loadPage";
import { visitPage } from "./extraction/pages";
import { Runner } from "./extraction/runner";
import { RequestCheck } from "./http/checkRequest";
import { Waits } from "./http/deliver";
import { FaultPlan } from "./http/faults";
import { RateGate } from "./http/gate";
import { Journal } from "./http/journal";
import { checkLimits } from "./http/limits";
import { buildServer } from "./http/server";
import { LocalEmulator } from "./localEmulator";
import { Bookshop } from "./page/bookshop";
import { ChangeFeed } from "./page/changeFeed";
import { RunProgress } from "./page/runProgress";
import type { Service } from "./service";
import { EmulatorClock } from "./store/clock";
import { lockState } from "./store/disk/stateLock";
import type { InitialState } from "./store/initialState";
import { initialState } from "./store/initialState";
import type { Plan, Seed } from "./store/seed";
import { defaultSeed } from "./store/seed";

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
  /** Whether the emulator serves the pages of a bookshop at `/bookshop/`, for runs to extract. Default false. */
  bookshop?: boolean;
  /** Delay of each request in milliseconds, at most 600000. Default 0. */
  latencyMs?: number;
  /** How runs open pages. Default: without limits, without retries and without robots.txt. */
  crawling?: Partial<Crawling>;
  /** Timeout of loading one page of a run, and of reading it, in milliseconds, at most 3600000. Default 10000. */
  pageTimeoutMs?: number;
  /** Memory for reading one page of a run, in megabytes, at most 65536. Default 1024. */
  pageMemoryMb?: number;
  /** Token of the admin API. Default, also if it is empty: none on loopback, a random one on another address. */
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
  const clock = new EmulatorClock();
  store.clock = clock;
  credentials.clock = clock;
  const saveSoon = () => stateFile?.saveSoon((error) => log(messageOf(error)));
  const crawling = checkCrawling(options.crawling);
  const timeoutMs = options.pageTimeoutMs ?? 10_000;
  const limits = { timeoutMs, memoryMb: options.pageMemoryMb ?? 1024 };
  const pageOptions = { allowRemotePages: options.allowRemotePages ?? false, timeoutMs };
  const feed = new ChangeFeed();
  const progress = new RunProgress();
  const runner: Runner = new Runner({
    store,
    visitPage: visitPage(new PageLoader(pageOptions, crawling, limits), limits),
    crawling,
    behaviour: () => service.behaviour,
    changed: saveSoon,
    progressed(run) {
      progress.record(run);
      feed.tell({ type: "run", lotNo: run.lotNo, taskId: run.taskId });
    },
    log,
  });
  const service: Service = { store, credentials, runner, feed, progress, clock, behaviour, plan: options.plan ?? plan };
  stateFile?.begin(service);

  const contract = readContract("openapi.yaml");
  const journal = new Journal(options.journalLimit ?? 100_000);
  journal.onClose(() => feed.tell({ type: "request" }));
  const faults = new FaultPlan(() => feed.tell({ type: "fault" }));
  const rate = new RateGate(clock);
  const closing = new AbortController();
  const waits = new Waits(closing.signal);
  const latency = { ms: options.latencyMs ?? 0 };
  const host = options.host ?? "127.0.0.1";
  // An empty token, as of an environment variable without a value, must not open the API.
  const adminToken = options.adminToken || (isLoopbackName(host) ? undefined : mintAdminToken());
  const saved = async () => stateFile?.save();
  const admin: Admin = new Admin({
    emulator: () => emulator,
    access: { host, token: adminToken },
    feed,
    saved,
    log,
    closing: closing.signal,
  });
  const app = await buildServer(
    {
      service,
      operations: operationsOf(contract),
      check: new RequestCheck(contract),
      journal,
      faults,
      rate,
      waits,
      latencyMs: () => latency.ms,
      log,
      saved,
      closing: closing.signal,
    },
    options.bookshop === true ? [admin, new Bookshop()] : [admin],
  );
  let url: string;
  try {
    url = await listen(app, host, options.port ?? 0);
    await stateFile?.save();
    runner.resume();
  } catch (error) {
    runner.close();
    // An open port would keep the process alive.
    await app.close();
    throw error;
  }

  let closed: Promise<void> | undefined;
  const emulator: LocalEmulator = new LocalEmulator({
    url,
    adminToken,
    service,
    journal,
    faults,
    rate,
    waits,
    seed: options.seed ?? defaultSeed(),
    latency,
    saved,
    saveSoon,
    close() {
      // Only once: a second call must not overwrite the state file of an emulator that was started later.
      closed ??= end();
      return closed;
    },
  });
  return emulator;

  async function end(): Promise<void> {
    closing.abort();
    runner.close();
    app.server.closeAllConnections();
    try {
      await app.close();
      await admin.close();
    } finally {
      await release();
    }
  }
}

async function listen(app: FastifyInstance, host: string, wantedPort: number): Promise<string> {
  await app.listen({ port: wantedPort, host });
  const { port } = app.server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
