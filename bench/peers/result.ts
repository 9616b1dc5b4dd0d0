/** The results of the peers. */

/** Requests that a service received. */
export interface Counts {
  requests: number;
  /** Number of requests that the rate limit refused. */
  refused: number;
}

export const phases = ["first up", "unchanged up", "preview", "one property changed", "refresh", "destroy"] as const;
export type PhaseName = (typeof phases)[number];

/** One phase of one peer: the best of all tries. */
export interface PhaseResult {
  wallSeconds: number;
  /** Of the engine and all processes that it started; without the service. */
  cpuSeconds: number;
  requests: number;
  refused: number;
  /** Highest memory of the process that runs the program; undefined if there is none. */
  programMegabytes?: number;
  /** Highest memory of the process that runs the resources; undefined if it is not known. */
  providerMegabytes?: number;
}

export interface PeerResult {
  peer: string;
  /** Why something was not measured, for example a service that refused requests. */
  note?: string;
  /** After the first up. */
  stateBytes?: number;
  /** Resources in the state that do the work. */
  resources?: number;
  /** Average size of one of them. */
  bytesOfResource?: number;
  phases: Partial<Record<PhaseName, PhaseResult>>;
  /** This package only: requests after a changed value and a missing task. */
  repair?: { refreshRequests: number; upRequests: number };
}

/** All peers with the same number of tasks, in one run. */
export interface PeersResult {
  machine: string;
  measuredAt: string;
  tries: number;
  tasks: number;
  /** Rate limit of the service; undefined if there is none. */
  requestsPerSecond?: number;
  peers: PeerResult[];
}
