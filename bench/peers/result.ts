/** What the benches of the peers write down. */

/** Requests that a service was asked. */
export interface Counts {
  requests: number;
  /** Of them, those that came too soon for its limit. */
  refused: number;
  byOperation: Record<string, number>;
}

export const phases = ["first up", "unchanged up", "one property changed", "refresh", "destroy"] as const;
export type PhaseName = (typeof phases)[number];

/** One phase of one peer: the best of all tries. */
export interface PhaseResult {
  wallSeconds: number;
  /** Of the engine and all that it started; not of the service. */
  cpuSeconds: number;
  requests: number;
  refused: number;
  /** The most memory that the process which runs the program ever held; none where no program runs. */
  programMegabytes?: number;
}

export interface PeerResult {
  peer: string;
  /** Said where nothing was measured, or not all: a program that is not there, a service that refused. */
  note?: string;
  /** After the first up. */
  stateBytes?: number;
  /** Resources in the state that do the work. */
  resources?: number;
  /** Of one of them, on the average. */
  bytesOfResource?: number;
  phases: Partial<Record<PhaseName, PhaseResult>>;
  /** Ours alone: what a refresh makes of a changed value and a task that is gone. */
  repair?: { refreshRequests: number; upRequests: number };
}

/** All peers with so many tasks, side by side in one run. */
export interface PeersResult {
  machine: string;
  measuredAt: string;
  tries: number;
  /** What a reader has to know of that machine at that moment. */
  note?: string;
  tasks: number;
  /** What the service takes in a second; none where there is no limit. */
  requestsPerSecond?: number;
  peers: PeerResult[];
}
