import type { Behaviour } from "./behaviour";
import type { Changes } from "./changes";
import type { Fault, FaultFile, FaultView, Hold, HoldView } from "./faults/faults";
import type * as described from "./generated/admin";
import type { JournalEntry, RequestFilter } from "./http/journalEntry";
import type { Inspection } from "./inspect";
import type { ClockSetting, ClockView } from "./store/clock";
import type { EmulatorCredentials } from "./store/credentials";
import type { StateDocument } from "./store/document/stateDocument";
import type { Plan, Seed } from "./store/seed";

/** Whether an emulator is ready. */
export interface Health extends described.Health {}

/** Options of {@link Emulator.createAccount}. */
export interface AccountOptions {
  /** Its content. Default: the seed of the emulator, without its credentials. */
  seed?: Seed;
  /** Behaviours that differ from those of the emulator's start. */
  behaviour?: Partial<Behaviour>;
}

/** A snapshot of an account. */
export interface SnapshotView extends described.Snapshot {}

/** A running emulator. The admin API over HTTP has the same powers. */
export interface Emulator {
  /** Base address for clients, without a trailing slash. For `host: "0.0.0.0"` and `"::"`, it is the one for clients of this machine. */
  readonly url: string;
  /** The token that the admin API wants; undefined if it wants none, as on loopback. */
  readonly adminToken: string | undefined;
  /** Names of the accounts that `createAccount` has made. */
  readonly accounts: readonly string[];
  /**
   * Makes an account, or makes it anew: an emulator of its own at the same address, in memory. Its credentials choose it. It shares no tasks, journal,
   * faults, behaviours, clock and resets with others.
   * @returns the account. Its `close` deletes it.
   * @throws Error that lists what is wrong with the name or the options. Nothing changes.
   */
  createAccount(name: string, options?: AccountOptions): Promise<Emulator>;
  /** An account. `main` is the one that exists from the start. @throws Error if there is none with this name. */
  account(name: string): Emulator;
  /** Deletes an account with its runs. @throws Error if `createAccount` has made none with this name. */
  deleteAccount(name: string): Promise<void>;
  /** The newest credentials. A refresh changes them. */
  readonly credentials: EmulatorCredentials;
  /** Whether the emulator is ready, and its version. */
  health(): Health;
  /**
   * Restores the content of the seed, the credentials, and the behaviours, plan, latency and faults of the start. Removes all batches, rows, other
   * faults and journal entries, and releases held requests.
   */
  reset(): Promise<void>;
  /**
   * As a reset, but with the content of this seed, to which later resets return too. Credentials and a plan that the seed does not have stay.
   * @throws Error that lists the problems of the seed. Nothing changes.
   */
  seed(seed: Seed): Promise<void>;
  /** The whole state as one document, with credentials. @throws Error if the document would be longer than 512 MB. */
  exportState(): StateDocument;
  /**
   * Replaces the whole state. Unfinished runs of the document continue.
   * @throws Error that lists the problems of the document. The state does not change.
   */
  importState(document: StateDocument): Promise<void>;
  /** The snapshots that are saved. */
  readonly snapshots: readonly SnapshotView[];
  /**
   * Saves everything in memory under a name: the state, the journal, behaviours, faults, plan, latency, clock, and counts of rates. Only holds are no
   * part of it. A snapshot of the same name is replaced. Resets keep it.
   */
  saveSnapshot(name: string): Promise<void>;
  /** Returns to a snapshot, as often as needed. Releases held requests. @throws Error if there is none with this name. */
  restoreSnapshot(name: string): Promise<void>;
  /** Deletes a snapshot. @throws Error if there is none with this name. */
  deleteSnapshot(name: string): Promise<void>;
  /** The journal of requests, in the order of arrival. */
  readonly requests: readonly JournalEntry[];
  /** The requests that match, in the order of arrival. */
  findRequests(filter: RequestFilter): JournalEntry[];
  /**
   * Waits until this number of requests match and have been responded to.
   * @param timeoutMs Default 10000.
   * @returns the requests that match.
   * @throws Error if too few requests match within `timeoutMs`.
   */
  waitForRequests(count: number, filter?: RequestFilter, timeoutMs?: number): Promise<JournalEntry[]>;
  /** Empties the journal. */
  clearRequests(): void;
  /** Makes a later request fail. Each request takes the first fault that matches. @returns the fault with its id. */
  fault(fault: Fault): FaultView;
  /**
   * Replaces the faults that can still happen, and changes behaviours: the content of a file for `--faults`. Holds stay.
   * @throws Error that names what is wrong. Nothing changes.
   */
  setFaults(file: FaultFile): void;
  /** The faults that can still happen. */
  readonly faults: readonly FaultView[];
  /** Removes a fault. @throws Error if it cannot happen any more. */
  removeFault(id: string): void;
  /**
   * Makes later requests wait until they are released: before they take effect, or (default) after it, before the response. A test can use it
   * to kill a client at a known moment.
   */
  hold(fault: Omit<Fault, "kind">): Hold;
  /** The holds that are not released. */
  readonly holds: readonly HoldView[];
  /** Releases a hold. @throws Error if there is none with this id. */
  releaseHold(id: string): void;
  /** Removes all faults that have not happened yet. */
  clearFaults(): void;
  /** The current behaviour. */
  readonly behaviour: Readonly<Behaviour>;
  /** Changes the behaviour for later requests. */
  setBehaviour(changes: Partial<Behaviour>): void;
  /** The account's plan. */
  readonly plan: Plan;
  /** Changes the account's plan for later requests. */
  setPlan(plan: Plan): void;
  /** Delay of each request, in milliseconds. */
  readonly latency: number;
  /** Changes the delay of later requests, in milliseconds. */
  setLatency(ms: number): void;
  /** The clock of the emulator: the time of token lifetimes, rates, batch numbers and the journal. */
  readonly clock: ClockView;
  /**
   * Fixes, moves or frees the clock. Timeouts and delays take real time.
   * @throws Error if the time is not from 1970 to 2999.
   */
  setClock(setting: ClockSetting): void;
  /** Shows what the emulator holds. */
  readonly inspect: Inspection;
  /** Makes changes like a user of the service, outside of the client. */
  readonly change: Changes;
  /** Resolves when no run can continue: each has ended, is held, or waits for reads. */
  settled(): Promise<void>;
  /** Writes the state file, closes all connections and stops. */
  close(): Promise<void>;
}
