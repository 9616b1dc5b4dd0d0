/** Milliseconds; node takes a longer one for 1 ms. */
export const longestTimer = 2 ** 31 - 1;

/** How long one call may go on: until its deadline, or until the caller ends it. */
export class Patience {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #end: number;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = () => this.#controller.abort();
  #ended = false;

  /** @param deadline milliseconds from now */
  constructor(caller: AbortSignal | undefined, deadline: number) {
    this.#caller = caller;
    this.#end = performance.now() + deadline;
    this.#timer = setTimeout(() => this.#controller.abort(), Math.min(deadline, longestTimer));
    if (caller?.aborted) this.#controller.abort();
    caller?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Aborted by either. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get endedByCaller(): boolean {
    return this.#ended || this.#caller?.aborted === true;
  }

  /** As if the caller's signal did. */
  end(): void {
    this.#ended = true;
    this.#controller.abort();
  }

  /** Milliseconds. */
  get left(): number {
    return this.#end - performance.now();
  }

  /** Resolves after so many milliseconds, or at once when the call has ended. */
  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.signal.aborted) {
        resolve();
        return;
      }
      const done = () => {
        clearTimeout(timer);
        this.signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.signal.addEventListener("abort", done, { once: true });
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#onAbort);
  }
}
