import type { Cancel } from "./clock";
import { clock } from "./clock";
import { onAbort } from "./onAbort";

/** The end of one call: its deadline, or the moment when the caller ends it. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #waits = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #end: number;
  readonly #cancelDeadline: Cancel;
  readonly #stopListening: (() => void) | undefined;
  #ended = false;

  /** @param milliseconds from now */
  constructor(caller: AbortSignal | undefined, milliseconds: number) {
    this.#caller = caller;
    this.#end = clock.now() + milliseconds;
    this.#cancelDeadline = clock.deadline(milliseconds, () => this.#abort());
    if (caller?.aborted) this.#abort();
    this.#stopListening = caller && onAbort(caller, () => this.#abort());
  }

  /** Aborted when the call ends, for either reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborted when the call ends or must not wait any longer. */
  get waits(): AbortSignal {
    return this.#waits.signal;
  }

  get endedByCaller(): boolean {
    return this.#ended || this.#caller?.aborted === true;
  }

  /** Ends the call as if the caller had. */
  end(): void {
    this.#ended = true;
    this.#abort();
  }

  /** Ends the waits of the call. A request in progress can complete. */
  endWaits(): void {
    this.#waits.abort();
  }

  /** Milliseconds until the deadline. */
  get left(): number {
    return this.#end - clock.now();
  }

  /** Resolves after these milliseconds, or at once if the call must not wait any longer. */
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
