import { inspect } from "node:util";
import type { Properties } from "../engine/serialization";
import { shownText } from "../service/errors/foreignText";

/**
 * An error that has only a message. The provider host prints some errors with their stack, and shows an integer `code` or the `details` of
 * an error instead of the message.
 */
export class ProviderError extends Error {
  constructor(message: string) {
    super(shownText(message));
    this.name = "Error";
    // The host prints "ERROR: STACK" for errors in check, diff, read and delete. If that line cannot be dropped, it shows no stack.
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
    this.reasons = [this.message];
  }
}
