import type { PeerService } from "./service";

/** What a peer's stack lies in and works with. */
export interface StackOptions {
  tasks: number;
  service: PeerService;
  /** The limit of the service, for peers that can be told to keep it. */
  requestsPerSecond: number | undefined;
}

/** A way to do the work. */
export interface Peer {
  /** As in tables. */
  name: string;
  summary: string;
  /** What is missing on this machine, in a few words; undefined where nothing is. */
  missing(): string | undefined;
  /** Whether it does the work: what does nothing is the engine's own floor. */
  works: boolean;
  /** Whether its refresh finds what was changed behind its back. */
  findsChanges: boolean;
  /** Whether its refresh survives a task that is gone. */
  survivesLoss: boolean;
  /** Command of the process that runs its program. */
  program?: RegExp;
  open(options: StackOptions): Promise<PeerStack>;
}

/** A peer's stack with what it has made so far. */
export interface PeerStack {
  /** Changes the declaration of the first task's property. */
  declare(revision: number): void;
  up(): Promise<unknown>;
  refresh(): Promise<unknown>;
  destroy(): Promise<unknown>;
  state(): StateSize;
  /** Whether the state holds this text. */
  stateHolds(text: string): boolean;
  /** Leaves nothing on this machine. */
  remove(): Promise<void>;
}

export interface StateSize {
  bytes: number;
  /** The resources that do the work, without the engine's own. */
  resources: number;
  /** Of these, all together. */
  bytesOfResources: number;
}
