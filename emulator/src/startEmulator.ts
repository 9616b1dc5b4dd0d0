import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Behaviour } from "./behaviour";
import { defaultBehaviour, withBehaviour } from "./behaviour";
import { Changes } from "./changes";
import { operationsOf, readContract } from "./contract";
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
import type { EmulatorCredentials, Plan } from "./store/credentials";
import { CredentialStore } from "./store/credentials";
import type { Seed } from "./store/seed";
import { checkSeed, defaultSeed } from "./store/seed";
import { loadState, StateWriter } from "./store/stateFile";
import { Store } from "./store/store";

/** All of them may be left out. */
export interface EmulatorOptions {
  /** Default 0: a free one. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** What the service holds at first; not looked at when the state file exists. Default: `defaultSeed()`. */
  seed?: Seed;
  /** File that everything is kept in, so that a second start goes on where the first ended. Default: nothing is kept. */
  stateFile?: string;
  /** What differs from the contract's literal reading. */
  behaviour?: Partial<Behaviour>;
  /** Default: the seed's, or enterprise. */
  plan?: Plan;
  /** Runs may open pages outside of this machine. Default false. */
  allowRemotePages?: boolean;
  /** Milliseconds before a request is looked at. Default 0. */
  latencyMs?: number;
  /** Longest time for one page of a run, in milliseconds. Default 10000. */
  pageTimeoutMs?: number;
  /** Requests kept in the journal. Default 100000. */
  journalLimit?: number;
  /** Takes a line for each request and each page that could not be read. Default: nothing is logged. */
  log?: (line: string) => void;
}

/** A running emulator. */
export interface Emulator {
  /** Base address for clients, without a slash at the end. */
  readonly url: string;
  /** What a client signs in with now; other ones after a refresh. */
  readonly credentials: EmulatorCredentials;
  /** The journal: what was asked, in the order in which it came. */
  readonly requests: readonly JournalEntry[];
  /** Empties the journal. */
  clearRequests(): void;
  /** Lets a request to come fail. Failures are used up in the order in which they were added. */
  fault(fault: Fault): void;
  /**
   * Lets requests to come wait until they are released: before they are carried out, or (default) after it, before the answer. To kill a client
   * at a known moment.
   */
  hold(fault: Omit<Fault, "kind">): Hold;
  /** Takes back the failures that are still to come. */
  clearFaults(): void;
  /** How it behaves now. */
  readonly behaviour: Readonly<Behaviour>;
  /** Changes how it behaves from the next request on. */
  setBehaviour(changes: Partial<Behaviour>): void;
  /** Changes the account's plan from the next request on. */
  setPlan(plan: Plan): void;
  /** Milliseconds before each request from now on is looked at. */
  setLatency(ms: number): void;
  /** A look at what the service holds. */
  readonly inspect: Inspection;
  /** Changes made at the service itself, as if by somebody in its own interface. */
  readonly change: Changes;
  /** Resolves when no run has anything left to do, or can do nothing (held, or waiting for reads). */
  settled(): Promise<void>;
  /** Writes the state file and ends at once: open connections are cut. */
  close(): Promise<void>;
}

/**
 * Starts a stateful emulator of the service.
 * @throws Error for an invalid seed, behaviour or state file, or a port that is taken.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
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
  const saveSoon = () => writer.saveSoon((error) => log(`the state file could not be written: ${String(error)}`));
  const runner: Runner = new Runner({
    store,
    visitPage: visitPage({
      allowRemotePages: options.allowRemotePages ?? false,
      timeoutMs: options.pageTimeoutMs ?? 10_000,
    }),
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
  const url = await listen(app, options);
  await writer.save();
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
      // Once: a second call must not write over the state of an emulator that was started since.
      closed ??= end();
      return closed;
    },
  };

  async function end(): Promise<void> {
    closing.abort();
    runner.close();
    app.server.closeAllConnections();
    await app.close();
    await writer.close();
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
