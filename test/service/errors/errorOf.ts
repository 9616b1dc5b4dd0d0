import assert from "node:assert/strict";
import type { ServiceError } from "../../../src/service";
import { isServiceError } from "../../../src/service";

/** The error that a call ends with. */
export async function errorOf(promise: Promise<unknown>): Promise<ServiceError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(isServiceError(error), `no ServiceError: ${String(error)}`);
  return error;
}
