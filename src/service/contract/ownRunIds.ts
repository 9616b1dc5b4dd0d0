import { randomUUID } from "node:crypto";

const prefix = "without-lotno-";

/**
 * An id for a run whose start was confirmed without a lotNo (`startsWithoutLotNo`). Only this package knows it, so the
 * rows of the run cannot be read as a batch.
 */
export function newOwnRunId(): string {
  return `${prefix}${randomUUID()}`;
}

/** Whether it is no lotNo of the service, but an id of {@link newOwnRunId}. */
export function isOwnRunId(lotNo: unknown): boolean {
  return typeof lotNo === "string" && lotNo.startsWith(prefix);
}
