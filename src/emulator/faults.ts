import type { OperationName } from "../service/operations";
import type { ErrorCode } from "./errors";

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
  | "redirect";

/** A failure to come. */
export interface Fault {
  /** The operation that fails; `*`: whichever comes next. */
  operation: OperationName | "*";
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

interface PlannedFault extends Fault {
  when: "before" | "after";
  times: number;
  skip: number;
}

/** The failures still to come. Each request takes the first one that fits. */
export class FaultPlan {
  private faults: PlannedFault[] = [];

  add(fault: Fault): void {
    const spoils = ["truncated", "slow", "late", "wrongType"].includes(fault.kind);
    this.faults.push({
      ...fault,
      when: fault.when ?? (spoils ? "after" : "before"),
      times: fault.times ?? 1,
      skip: fault.skip ?? 0,
    });
  }

  take(operation: OperationName): PlannedFault | undefined {
    const fault = this.faults.find((candidate) => candidate.operation === operation || candidate.operation === "*");
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
