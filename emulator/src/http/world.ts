import type { FaultPlan } from "../faults/faults";
import type { Service } from "../service";
import type { Waits } from "./deliver";
import type { RateGate } from "./gate";
import type { Journal } from "./journal";

/** Everything of one account: what it stores, how the service behaves to it, and its requests. Accounts share nothing of it. */
export interface World {
  readonly service: Service;
  readonly journal: Journal;
  readonly faults: FaultPlan;
  readonly rate: RateGate;
  readonly waits: Waits;
  /** Delay of each request. */
  readonly latency: { ms: number };
  /** Aborts at the end of the account. */
  readonly ending: AbortController;
  /** Saves the state. */
  saved(): Promise<void>;
  /** Saves the state within a short time. */
  saveSoon(): void;
}
