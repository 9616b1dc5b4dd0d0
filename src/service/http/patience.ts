import type { Cancel } from "./clock";
import { clock } from "./clock";
import { onAbort } from "./onAbort";

/** How long one call may go on: until its deadline, or until the caller ends it. */
export class Patience {
  readonly #controller = new AbortController();
  readonly #waits = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #end: number;
  readonly #cancelDeadline: Cancel;
  readonly #stopListening: (() => void) | undefined;
  #ended = false;

  /** @param deadline milliseconds from now */
  constructor(caller: AbortSignal | undefined, deadline: number) {
    this.#caller = caller;
    this.#end = clock.now() + deadline;
    this.#cancelDeadline = clock.deadline(deadline, () => this.#abort());
    if (caller?.aborted) this.#abort();
    this.#stopListening = caller && onAbort(caller, () => this.#abort());
  }

  /** Aborted by either. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborted by either too, and where nothing is to be waited for any more. */
  get waits(): AbortSignal {
    return this.#waits.signal;
  }

  get endedByCaller(): boolean {
    return this.#ended || this.#caller?.aborted === true;
  }

  /** As if the caller's signal did. */
  end(): void {
    this.#ended = true;
    this.#abort();
  }

  /** What is under way comes to its end, but nothing waits any more. */
  endWaits(): void {
    this.#waits.abort();
  }

  /** Milliseconds. */
  get left(): number {
    return this.#end - clock.now();
  }

  /** Resolves after so many milliseconds, or at once when nothing is to be waited for any more. */
  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.waits.aborted) {
        resolve();
        return;
      }
      const done = () => {
        cancel();
        stopListening();
        resolve();
      };
      const cancel = clock.wait(milliseconds, done);
      const stopListening = onAbort(this.waits, done);
    });
  }

  dispose(): void {
    this.#cancelDeadline();
    this.#stopListening?.();
  }

  #abort(): void {
    this.#controller.abort();
    this.#waits.abort();
  }
}
