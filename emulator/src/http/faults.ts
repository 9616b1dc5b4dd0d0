import type { OperationName } from "../contract";
import type { ErrorCode } from "../errors";

/**
 * Kind of a fault:
 * - `reset`: the connection is reset
 * - `hang`: there is no response
 * - `status`: a response with `status` (default 503), `body` and `headers`
 * - `error`: an error of the service with `code` (default ServerError)
 * - `truncated`: the response ends in the middle of its body
 * - `slow`: the body arrives in ten pieces, `delayMs` (default 20) apart
 * - `late`: the response arrives `delayMs` (default 1000) later; with `before`, the operation takes effect that much later
 * - `wrongType`: the correct body, but as text/html
 * - `redirect`: 307 to `location` (default: the same path on the same host)
 * - `hold`: no response until the test releases the request; see `emulator.hold`
 */
export type FaultKind =
  | "reset"
  | "hang"
  | "status"
  | "error"
  | "truncated"
  | "slow"
  | "late"
  | "wrongType"
  | "redirect"
  | "hold";

/** A fault of later requests. */
export interface Fault {
  /** The operation that fails. `*`: any operation. */
  operation: OperationName | "*";
  /** Only requests that name this task, alone or with others. Default: any task. */
  taskId?: string;
  /** Kind of the fault. */
  kind: FaultKind;
  /**
   * `before`: the operation does not take effect. `after`: it takes effect, and the fault applies to its response. Default: `after` for
   * truncated, slow, late and wrongType, `before` for the others.
   */
  when?: "before" | "after";
  /** Number of requests that fail. Default 1. */
  times?: number;
  /** Number of requests that succeed first. Default 0. */
  skip?: number;
  /** HTTP status, for `status`. Default 503. */
  status?: number;
  /** Body, for `status`. A string is sent as it is, any other value as JSON. Default: a page of a proxy. */
  body?: unknown;
  /** Headers of the response, for `status`. */
  headers?: Record<string, string>;
  /** Error code, for `error`. Default ServerError. */
  code?: ErrorCode;
  /** Milliseconds, for `slow` (default 20) and `late` (default 1000). */
  delayMs?: number;
  /** Target of a `redirect`. Default: the same path on the same host. */
  location?: string;
}

/** Requests that wait until a test releases them. */
export interface Hold {
  /** Resolves when the first request has arrived and, with `after`, has taken effect. */
  readonly reached: Promise<void>;
  /** Releases the waiting requests and later ones. */
  release(): void;
}

/** A fault with its defaults. */
export interface PlannedFault extends Fault {
  when: "before" | "after";
  times: number;
  skip: number;
  gate: Gate;
}

class Gate implements Hold {
  readonly reached: Promise<void>;
  private arrived: () => void = () => undefined;
  private readonly opened: Promise<void>;
  release: () => void = () => undefined;

  constructor() {
    this.reached = new Promise((resolve) => {
      this.arrived = resolve;
    });
    this.opened = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  async pass(): Promise<void> {
    this.arrived();
    await this.opened;
  }
}

/** The faults of later requests. Each request takes the first fault that matches. */
export class FaultPlan {
  private faults: PlannedFault[] = [];
  private readonly gates = new Set<Gate>();

  /** @returns the hold, for faults of kind `hold`. */
  add(fault: Fault): Hold {
    const spoils = ["truncated", "slow", "late", "wrongType"].includes(fault.kind);
    const gate = new Gate();
    if (fault.kind === "hold") this.gates.add(gate);
    this.faults.push({
      ...fault,
      when: fault.when ?? (spoils ? "after" : "before"),
      times: fault.times ?? 1,
      skip: fault.skip ?? 0,
      gate,
    });
    return gate;
  }

  take(operation: OperationName, taskIds: readonly unknown[]): PlannedFault | undefined {
    const fault = this.faults.find(
      (planned) =>
        (planned.operation === operation || planned.operation === "*") &&
        (planned.taskId === undefined || taskIds.includes(planned.taskId)),
    );
    if (fault === undefined) return undefined;
    if (fault.skip > 0) {
      fault.skip -= 1;
      return undefined;
    }
    fault.times -= 1;
    if (fault.times <= 0) this.faults = this.faults.filter((other) => other !== fault);
    return fault;
  }

  clear(): void {
    this.faults = [];
  }

  /** Removes all faults, and releases the requests that wait. */
  reset(): void {
    this.clear();
    for (const gate of this.gates) gate.release();
    this.gates.clear();
  }
}
