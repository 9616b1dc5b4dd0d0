import { inspect } from "node:util";
import type { Properties } from "../engine/serialization";

/**
 * Errors as the provider host prints them. It prints some twice, the second time with a stack, and takes an integer `code` or a
 * `details` for its own: so nothing but a message leaves here.
 */
export class ProviderError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Error";
    // The host prints "ERROR: STACK" for errors in check, diff, read and delete. Where that line cannot be dropped, it has no stack at least.
    this.stack = "";
  }

  override toString(): string {
    return this.message;
  }

  [inspect.custom](): string {
    return this.message;
  }
}

/** The engine keeps `id` and `properties` in the state, and shows `reasons`. */
export class InitFailure extends ProviderError {
  readonly reasons: string[];

  constructor(
    message: string,
    readonly id: string,
    readonly properties: Properties,
  ) {
    super(message);
    this.reasons = [message];
  }
}
