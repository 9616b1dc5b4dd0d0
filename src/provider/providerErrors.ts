import { inspect } from "node:util";
import type { Properties } from "../engine/serialization";
import { failedInputsKey } from "../engine/serialization";
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

/** What a resource says that the engine skips, because resources with these names have failed. */
export function skipped(names: string): string {
  return `skipped: ${names} failed`;
}

/** An engine that does not skip the resource must not change anything for it. */
export function refuseFailedInputs({ [failedInputsKey]: failed }: Properties): void {
  if (typeof failed === "string") {
    throw new ProviderError(skipped(failed));
  }
}
