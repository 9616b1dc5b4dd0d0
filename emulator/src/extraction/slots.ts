/** Lets a number of holders work at the same time. The others wait in the order of their arrival. */
export class Slots {
  readonly count: number;
  private taken = 0;
  private readonly waiting = new Set<() => void>();

  constructor(count: number) {
    this.count = count;
  }

  /**
   * @returns a function that gives the slot back.
   * @throws the reason of the signal, if it aborts first.
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.taken < this.count) this.taken += 1;
    else await this.wait(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.give();
    };
  }

  /** Resolves with the slot of another holder. */
  private wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const next = () => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        this.waiting.delete(next);
        reject(signal.reason);
      };
      this.waiting.add(next);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  private give(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.taken -= 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
