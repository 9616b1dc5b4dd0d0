import { inspect } from "node:util";
import type { Properties } from "../engine/serialization";

/**
 * An error in the form that the provider host shows well. The host prints some errors with their stack, and uses an integer `code` or a
 * `details` instead of the message. So the error holds only a message.
 */
export class ProviderError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Error";
    // The host prints "ERROR: STACK" for errors in check, diff, read and delete. Where that line cannot be dropped, it has no stack.
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
