import type { PeerService } from "./service";

/** The folder and the service of a peer's stack. */
export interface StackOptions {
  tasks: number;
  service: PeerService;
  /** The rate limit of the service, for peers that have such a setting. */
  requestsPerSecond?: number | undefined;
  /** Environment of the engine and its child processes. */
  env?: Readonly<Record<string, string>> | undefined;
}

/** A way to do the work. */
export interface Peer {
  /** Name in the tables. */
  name: string;
  summary: string;
  /** What is missing on this machine; undefined if nothing is. */
  missing(): string | undefined;
  /** Whether the peer does the work. The floors do nothing. */
  works: boolean;
  /** Whether its refresh finds changes that were made at the service. */
  findsChanges: boolean;
  /** Whether its refresh succeeds if a task is gone. */
  survivesLoss: boolean;
  /** Matches the command of the process that runs its program. */
  program?: RegExp | undefined;
  /** Matches the command of the process that runs its resources. */
  provider?: RegExp | undefined;
  open(options: StackOptions): Promise<PeerStack>;
}

/** The stack of a peer. */
export interface PeerStack {
  /** Changes the declared property of the first task. */
  declare(revision: number): void;
  up(): Promise<unknown>;
  /** Absent if this way cannot show what an up would do. */
  preview?(): Promise<unknown>;
  /** Absent if this way cannot compare its state with the service. */
  refresh?(): Promise<unknown>;
  destroy(): Promise<unknown>;
  state(): StateSize;
  /** Whether the state contains this string. */
  stateHolds(text: string): boolean;
  /** Removes all files. */
  remove(): Promise<void>;
}

export interface StateSize {
  bytes: number;
  /** Number of resources that do the work, without the engine's own resources. */
  resources: number;
  /** Total size of these resources. */
  bytesOfResources: number;
}
