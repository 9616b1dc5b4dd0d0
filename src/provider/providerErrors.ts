import { inspect } from "node:util";
import { inPlaceOfStack } from "../engine/errorEcho";
import type { Properties } from "../engine/serialization";
import { shownText } from "../service/errors/foreignText";

/**
 * An error that has only a message. The provider host prints some errors with their stack, and shows an integer `code`
 * or the `details` of an error instead of the message.
 */
export class ProviderError extends Error {
  constructor(message: string) {
    super(shownText(message));
    this.name = "Error";
    this.stack = inPlaceOfStack;
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
