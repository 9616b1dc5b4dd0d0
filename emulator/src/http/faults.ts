import type { OperationName } from "../contract";
import type { ErrorCode } from "../errors";

/**
 * What goes wrong:
 * - `reset`: the connection is reset instead of an answer
 * - `hang`: no answer is ever sent
 * - `status`: an answer with `status` (default 503), `body` and `headers`, whatever they are
 * - `error`: an error of the service with `code` (default ServerError)
 * - `truncated`: the answer ends in the middle of its body
 * - `slow`: the body comes in ten pieces, `delayMs` (default 20) apart
 * - `late`: `delayMs` (default 1000) pass after the operation was carried out, or, with `before`, until it is carried out
 * - `wrongType`: the right body as text/html
 * - `redirect`: 307 to `location` (default: the same path on the same host)
 * - `hold`: nothing comes until the test lets it; see `emulator.hold`
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

/** A failure to come. */
export interface Fault {
  /** The operation that fails; `*`: whichever comes next. */
  operation: OperationName | "*";
  /** Only requests about this task, alone or among others. Default: any. */
  taskId?: string;
  /** What goes wrong. */
  kind: FaultKind;
  /**
   * Before the operation (it is not carried out), or after it (it is, but its answer is lost or spoilt). Default: after for truncated, slow,
   * late and wrongType, which spoil an answer; before for all others.
   */
  when?: "before" | "after";
  /** Requests that fail. Default 1. */
  times?: number;
  /** Requests let through first. Default 0. */
  skip?: number;
  /** HTTP status, for `status`. Default 503. */
  status?: number;
  /** Text is sent as it is, anything else as JSON. */
  body?: unknown;
  /** Headers of the answer, for `status`. */
  headers?: Record<string, string>;
  /** Error code, for `error`. Default ServerError. */
  code?: ErrorCode;
  /** Milliseconds, for `slow` (default 20) and `late` (default 1000). */
  delayMs?: number;
  /** Where a `redirect` leads. Default: the same path on the same host. */
  location?: string;
}

/** Requests that wait for the test. */
export interface Hold {
  /** Resolves when the first of them has come, and with `after` has been carried out. */
  readonly reached: Promise<void>;
  /** Lets them go on, and those that come later. */
  release(): void;
}

/** A failure with all that was left out filled in. */
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

/** The failures still to come. Each request takes the first one that fits. */
export class FaultPlan {
  private faults: PlannedFault[] = [];

  /** @returns what lets held requests go on; means something with `hold` only. */
  add(fault: Fault): Hold {
    const spoils = ["truncated", "slow", "late", "wrongType"].includes(fault.kind);
    const gate = new Gate();
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
}
